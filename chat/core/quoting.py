"""Answer a question with sentences taken word for word from the passages, and with nothing else."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from chat.core.marker_events import Text
from chat.core.markers import MarkerParser
from chat.core.quoting_phrases import LIGHT_WORDS, phrases_for
from sources.core.language import guess_language
from sources.core.normalise import Token, query_tokens, tokens
from sources.core.passages import Passage
from sources.core.sentences import sentence_spans
from sources.core.stemming import stem

Similarity = Callable[[list[str]], list[float]]

MOST_QUOTES = 4
LONGEST_QUOTE = 700  # characters; of a longer sentence a part is quoted

# The share of the question's weight that the best sentence must hold to be an answer. Measured over nine
# question sets: 0.36 keeps 90 to 95 of 100 answers and 10 of 100 sentences about something else. Questions
# in Han or kana fall into bigrams, of which even a good sentence holds few.
_ENOUGH, _ENOUGH_BIGRAMS = 0.36, 0.20
_STEM_WORTH = 0.9
_PASSAGE_WORTH = 0.3
_LENT_BEFORE, _LENT_LABEL, _LENT_PASSAGE = 0.5, 0.5, 0.3  # how much of a match the surroundings lend
_NEAR = 6  # words between two words of the question that still count as together
_BACKGROUND = 20  # sentences that are imagined beside the candidates, so that few passages still give weights
# On a scale where the cosines 0.70 and 0.90 of multilingual-e5-small are 0 and 1: across languages an answer
# stands 0.32 to 0.55 above the median of the other sentences, the likeliest wrong sentence 0.17 to 0.31.
_LIKE, _LIKE_AMONG_FEW, _ABOVE_MEDIAN, _NEARLY = 0.55, 0.40, 0.33, 0.10
_FEW = 5
_MOST_COMPARED = 24
# What may begin something that the marker parser would act on, even behind a backslash.
_MARKER_LIKE = re.compile(
    r"[\ue000-\uf8ff【〖［⟦〔]|cite|turn\d|\\[ux]|u\+|&#|%e|[({<]\w|block_|\^", re.IGNORECASE
)
_LEADING_MARKUP = re.compile(
    r"(?:#{1,6}[^\S\n]+|[-*+•‣▪◦●·][^\S\n]+|>[^\S\n]+|\(?\d{1,3}[.)][^\S\n]+|\|\s*)+"
)
_CJK = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_HAN = re.compile("[\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_STRUCTURE = re.compile(r"\s*(?:[|:\-+=_*#>.\s]+|```.*|~~~.*)$")


@dataclass(frozen=True, slots=True)
class Quote:
    """A stretch of a passage's text: half-open code points into `passage.text`."""

    passage: Passage
    start: int
    end: int
    score: float = 0.0
    cut_before: bool = False
    cut_after: bool = False

    @property
    def text(self) -> str:
        """The words as they stand in the passage."""
        return self.passage.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Selection:
    """The quotes that answer best, and the question's words that stand in none of the passages."""

    quotes: tuple[Quote, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Term:
    """A word of the question as it was asked, its forms to look for, and its weight."""

    asked: str
    forms: tuple[str, ...]
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence: its words by place, exact and stemmed, and how much of the question it holds."""

    quote: Quote
    places: dict[str, int]
    stems: dict[str, int]
    length: int
    matches: tuple[float, ...] = ()
    coverage: float = 0.0  # of the question's weight, by the sentence and its surroundings


def choose_quotes(
    question: str, passages: Sequence[Passage], *, similarity: Similarity | None = None
) -> Selection:
    """Pick up to MOST_QUOTES sentences, best first.

    `similarity` gives each text a likeness to the question from 0 to 1, of which the middle must not be cut
    off: what has nothing to do with it still has some. It is asked only when the words alone find nothing, as
    with a question in another language.
    """
    candidates = list(_candidates(passages))
    terms = _weighted(_terms(question), candidates)
    scored = _scored(candidates, terms)
    bigrams = sum(bool(_HAN.match(term.asked)) for term in terms) > len(terms) / 2
    enough = _ENOUGH_BIGRAMS if bigrams else _ENOUGH
    if max((candidate.coverage for candidate in scored), default=0.0) < enough:
        return _by_similarity(scored, similarity)
    quotes = _picked(scored, terms)
    return Selection(tuple(_shortened(quote, terms) for quote in quotes), _missing(terms, scored, quotes))


def _candidates(passages: Sequence[Passage]) -> Iterator[_Candidate]:
    ids = [passage.block_id for passage in passages]
    for passage in passages:
        for start, end in sentence_spans(passage.text):
            quote = _trimmed(Quote(passage, start, end))
            if quote.text and not _STRUCTURE.fullmatch(quote.text) and _is_plain(quote.text, ids):
                yield _candidate(quote)


def _is_plain(text: str, ids: Sequence[str]) -> bool:
    """Say whether a sentence, once quoted, stays as it is: nothing in it reads as a citation of its own."""
    if not _MARKER_LIKE.search(text):
        return True
    quoted = plain_markdown(text)
    parser = MarkerParser(ids)
    return [*parser.feed(quoted), *parser.flush()] == [Text(quoted)]


def _trimmed(quote: Quote) -> Quote:
    """Leave list bullets, heading signs and table bars out of a quote."""
    markup = _LEADING_MARKUP.match(quote.text)
    start = quote.start + (markup.end() if markup else 0)
    end = quote.end
    while end > start and quote.passage.text[end - 1] in " \t|":
        end -= 1
    return replace(quote, start=start, end=end)


def _candidate(quote: Quote) -> _Candidate:
    places: dict[str, int] = {}
    stems: dict[str, int] = {}
    words = tokens(quote.text)
    for place, token in enumerate(words):
        places.setdefault(token.text, place)
        stems.setdefault(stem(token.text), place)
    return _Candidate(quote, places, stems, sum(not token.part for token in words))


def _terms(question: str) -> list[_Term]:
    """Group the question's words: a compound is one term that its pieces may stand for."""
    grouped: list[list[Token]] = []
    for token in query_tokens(question):
        if token.part and grouped and token.start < grouped[-1][0].end:
            grouped[-1].append(token)
        else:
            grouped.append([token])
    terms = [
        _Term(question[group[0].start : group[0].end], tuple(token.text for token in group))
        for group in grouped
    ]
    return list({term.forms[0]: term for term in terms}.values())


def _weighted(terms: list[_Term], candidates: Sequence[_Candidate]) -> list[_Term]:
    """Weigh each term by how few of the sentences hold it (the idf of BM25)."""
    total = len(candidates) + _BACKGROUND
    holding: Counter[str] = Counter()
    for candidate in candidates:
        holding.update(term.forms[0] for term in terms if _match(term, candidate)[0])
    return [
        replace(
            term, weight=math.log(1 + (total - holding[term.forms[0]] + 0.5) / (holding[term.forms[0]] + 0.5))
        )
        for term in terms
    ]


def _match(term: _Term, candidate: _Candidate) -> tuple[float, int]:
    """Return how well the sentence holds the term (0 to 1), and at which word."""
    whole, *pieces = term.forms
    worth, place = _match_word(whole, candidate)
    if worth == 0 and pieces:
        found = [_match_word(piece, candidate) for piece in pieces]
        worth = _STEM_WORTH * sum(match[0] for match in found) / len(found)
        place = max(match[1] for match in found)
    return worth, place


def _match_word(word: str, candidate: _Candidate) -> tuple[float, int]:
    if word in candidate.places:
        return 1.0, candidate.places[word]
    place = candidate.stems.get(stem(word), -1)
    return (_STEM_WORTH, place) if place >= 0 else (0.0, -1)


def _scored(candidates: Sequence[_Candidate], terms: Sequence[_Term]) -> list[_Candidate]:
    """Score each sentence by what it and, for less, its surroundings hold of the question."""
    matches = [[_match(term, candidate) for term in terms] for candidate in candidates]
    around = _surroundings(candidates, [[worth for worth, _ in row] for row in matches], terms)
    weight = sum(term.weight for term in terms) or 1.0
    best = max((candidate.quote.passage.score for candidate in candidates), default=0.0)
    scored = []
    for index, candidate in enumerate(candidates):
        own = [worth for worth, _ in matches[index]]
        held = [max(worth, other) for worth, other in zip(own, around[index], strict=True)]
        coverage = sum(term.weight * worth for term, worth in zip(terms, held, strict=True)) / weight
        score = (coverage + 0.15 * _nearness(matches[index])) * _form(candidate) - 0.0005 * index
        score *= _standing(candidate.quote.passage, best)
        quote = replace(candidate.quote, score=score)
        scored.append(replace(candidate, quote=quote, matches=tuple(own), coverage=coverage))
    return scored


def _standing(passage: Passage, best: float) -> float:
    """Between sentences that hold as much of the question, let the passage decide that search found better."""
    return 1.0 - _PASSAGE_WORTH * (1.0 - passage.score / best) if best > 0 else 1.0


def _surroundings(
    candidates: Sequence[_Candidate], own: Sequence[Sequence[float]], terms: Sequence[_Term]
) -> list[list[float]]:
    """Return for each sentence what the one before, the heading, the title and the passage lend it."""
    lent = [[0.0] * len(terms) for _ in candidates]
    by_passage: dict[str, list[int]] = {}
    for index, candidate in enumerate(candidates):
        by_passage.setdefault(candidate.quote.passage.block_id, []).append(index)
    for members in by_passage.values():
        passage = candidates[members[0]].quote.passage
        label = _candidate(
            Quote(replace(passage, text=" ".join((passage.title, *passage.heading_path))), 0, 10_000)
        )
        named = [_match(term, label)[0] for term in terms]
        whole = [max(own[index][i] for index in members) for i in range(len(terms))]
        for place, index in enumerate(members):
            before = own[members[place - 1]] if place else [0.0] * len(terms)
            lent[index] = [
                max(_LENT_BEFORE * b, _LENT_LABEL * n, _LENT_PASSAGE * w)
                for b, n, w in zip(before, named, whole, strict=True)
            ]
    return lent


def _nearness(matches: Sequence[tuple[float, int]]) -> float:
    """Return the share of the question's neighbouring words that stand near each other in the sentence."""
    pairs = [(a[1], b[1]) for a, b in pairwise(matches) if a[0] and b[0]]
    return sum(abs(a - b) <= _NEAR for a, b in pairs) / max(len(matches) - 1, 1)


def _form(candidate: _Candidate) -> float:
    """Return a factor below 1 for what is seldom an answer: headings, questions, scraps and long lists."""
    text = candidate.quote.text
    if text.endswith(("?", "؟", "？")):
        return 0.6
    if candidate.length < 4 and not any(char.isdigit() for char in text):
        return 0.5
    if not text.endswith((".", "。", "!", "۔", "।", ":", "”", "»", '"', "！")) and candidate.length < 9:
        return 0.75
    return 1.0 if candidate.length <= 60 else 0.9


def _picked(scored: Sequence[_Candidate], terms: Sequence[_Term]) -> tuple[Quote, ...]:
    """Take the best sentence, then those that add words of the question or are nearly as good."""
    ranked = sorted(scored, key=lambda candidate: -candidate.quote.score)
    chosen = ranked[:1]
    for candidate in ranked[1:]:
        if len(chosen) == MOST_QUOTES or candidate.quote.score < 0.5 * ranked[0].quote.score:
            break
        gained = _gain(candidate, chosen, terms)
        as_good = candidate.quote.score >= 0.85 * ranked[0].quote.score
        if (gained >= 0.12 or as_good) and not any(_same(candidate, other) for other in chosen):
            chosen.append(candidate)
    return _in_reading_order([candidate.quote for candidate in chosen])


def _gain(candidate: _Candidate, chosen: Sequence[_Candidate], terms: Sequence[_Term]) -> float:
    total = sum(term.weight for term in terms) or 1.0
    best = [max(other.matches[i] for other in chosen) for i in range(len(terms))]
    more = (max(match - had, 0.0) for match, had in zip(candidate.matches, best, strict=True))
    return sum(term.weight * gained for term, gained in zip(terms, more, strict=True)) / total


def _same(one: _Candidate, other: _Candidate) -> bool:
    common = len(one.places.keys() & other.places.keys())
    return common >= 0.8 * max(min(len(one.places), len(other.places)), 1)


def _in_reading_order(quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    """Keep the passages in order of their best quote, and the quotes of one passage in its own order."""
    order = list(dict.fromkeys(quote.passage.block_id for quote in quotes))
    return tuple(sorted(quotes, key=lambda quote: (order.index(quote.passage.block_id), quote.start)))


def _by_similarity(scored: Sequence[_Candidate], similarity: Similarity | None) -> Selection:
    compared = [candidate.quote for candidate in scored if candidate.length >= 4][:_MOST_COMPARED]
    if similarity is None or not compared:
        return Selection()
    likeness = similarity([quote.text for quote in compared])
    ranked = sorted(zip(likeness, compared, strict=True), key=lambda pair: -pair[0])
    best, median = ranked[0][0], ranked[len(ranked) // 2][0]
    stands_out = best - median >= _ABOVE_MEDIAN if len(ranked) >= _FEW else best >= _LIKE_AMONG_FEW
    if not stands_out and best < _LIKE:
        return Selection()
    kept = [replace(quote, score=like) for like, quote in ranked[:2] if like >= best - _NEARLY]
    return Selection(_in_reading_order([_shortened(quote, ()) for quote in kept]))


def _missing(
    terms: Sequence[_Term], scored: Sequence[_Candidate], quotes: Sequence[Quote]
) -> tuple[str, ...]:
    """Return the asked words of weight that stand in no passage, if the quotes hold too little of the question."""
    starts = {(quote.passage.block_id, quote.start) for quote in quotes}
    chosen = [c for c in scored if (c.quote.passage.block_id, c.quote.start) in starts]
    total = sum(term.weight for term in terms) or 1.0
    held = sum(term.weight * max(c.matches[i] for c in chosen) for i, term in enumerate(terms)) / total
    unseen = [term for i, term in enumerate(terms) if not any(candidate.matches[i] for candidate in scored)]
    words = [term.asked for term in unseen if _names_something(term)]
    return tuple(words[:4]) if held < 0.75 else ()


def _names_something(term: _Term) -> bool:
    """Say whether a word is likely a thing asked about: not a bigram, not one of the light words."""
    if _CJK.search(term.asked) or len(term.asked) < 3:
        return False
    return any(char.isdigit() for char in term.asked) or term.forms[0] not in LIGHT_WORDS


def _shortened(quote: Quote, terms: Sequence[_Term]) -> Quote:
    """Cut a very long sentence at words, around the first word of the question in it."""
    if quote.end - quote.start <= LONGEST_QUOTE:
        return quote
    wanted = {stem(form) for term in terms for form in term.forms}
    first = next((token.start for token in tokens(quote.text) if stem(token.text) in wanted), 0)
    start = max(min(first - LONGEST_QUOTE // 4, len(quote.text) - LONGEST_QUOTE), 0)
    start = _word_start(quote.text, start)
    end = _word_end(quote.text, min(start + LONGEST_QUOTE, len(quote.text)))
    whole = len(quote.text)
    return replace(
        quote,
        start=quote.start + start,
        end=quote.start + end,
        cut_before=start > 0,
        cut_after=end < whole,
    )


def _word_start(text: str, at: int) -> int:
    while 0 < at < len(text) and not text[at - 1].isspace() and not _CJK.match(text[at]):
        at += 1
    return at


def _word_end(text: str, at: int) -> int:
    while 0 < at < len(text) and not text[at].isspace() and not _CJK.match(text[at]):
        at -= 1
    while at and text[at - 1].isspace():
        at -= 1
    return at


def answer_pieces(question: str, selection: Selection) -> tuple[str, ...]:
    """Return the answer as Markdown in pieces of about a word, each quote followed by its marker.

    The sentences stand word for word, but for white space and Markdown's own backslashes.
    """
    phrases = phrases_for(guess_language(question))
    if not selection.quotes:
        return _words(phrases.nothing)
    pieces = [*_words(phrases.intro), "\n\n"]
    for number, quote in enumerate(selection.quotes):
        pieces += ["\n" if number else "", "- " if len(selection.quotes) > 1 else ""]
        before, after = "… " * quote.cut_before, " …" * quote.cut_after
        pieces += _words(f"{phrases.opening}{before}{plain_markdown(quote.text)}{after}{phrases.closing}")
        pieces.append(marker(quote.passage.block_id))
    if selection.missing:
        listed = phrases.comma.join(
            f"{phrases.opening}{plain_markdown(word)}{phrases.closing}" for word in selection.missing
        )
        pieces += ["\n\n", *_words(phrases.missing.format(words=listed))]
    return tuple(piece for piece in pieces if piece)


def marker(block_id: str) -> str:
    """Return the canonical citation marker of one block."""
    return f"\ue200cite\ue202{block_id}\ue201"


_SPECIAL = re.compile(
    r"(?<![^\W_])_+|_+(?![^\W_])|(?<!\s)\*+|\*+(?!\s)|~{2,}|[`\[<]|&(?=#?\w+;)|!(?=\[)|\\(?=[!-/:-@\[-`{-~])"
)


def plain_markdown(text: str) -> str:
    """Return text that Markdown shows as it stands: white space collapsed, only the signs that act escaped.

    >>> plain_markdown("a *b*\n c_d [1]")
    'a \\*b\\* c_d \\[1]'
    """
    return _SPECIAL.sub(lambda signs: "".join("\\" + sign for sign in signs[0]), " ".join(text.split()))


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\s*\S{1,24}", text))
