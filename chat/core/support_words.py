"""Words of a claim and a passage laid side by side: what is shared, what was exchanged, who is named."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from chat.core.support_dates import Day, days
from chat.core.support_lexicon import NEGATED_FRONT, NEGATION_SIGNS, NEGATIONS
from chat.core.support_numbers import Quantity, quantities
from sources.core.folding import fold_with_map
from sources.core.language import guess_language
from sources.core.normalise import Token, tokens_of
from sources.core.sentences import sentence_spans
from sources.core.stemming import stem
from sources.core.stopwords import STOP_WORDS

_SCRIPTS = (
    ("latin", re.compile("[a-z\u00df-\u024f\u1e00-\u1eff]")),
    ("arabic", re.compile("[\u0620-\u06ff\u0750-\u077f]")),
    ("greek", re.compile("[\u0370-\u03ff]")),
    ("cyrillic", re.compile("[\u0400-\u052f]")),
    ("hebrew", re.compile("[\u0590-\u05ff]")),
    ("indic", re.compile("[\u0900-\u0dff]")),
    ("thai", re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")),
    ("cjk", re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\U00020000-\U0003ffff]")),
)
# Persian verbs, plurals, comparatives; Arabic plurals and present tense; Hindi verbs and oblique plurals.
_INFLECTED = re.compile(
    "^(?:ن?می)[ؠ-ۿ]{3}|[ؠ-ۿ]{2}(?:ها|های|هایی|ترین|تر|ند|نده|شده|کرده|یدن|ات|ون|ین|اند)$"
    "|^[یت][ؠ-ۿ]{3}$|[ऀ-ॿ](?:ना|ता|ते|ती|या|ये|यी|ने|ों|ाओं|ाएं)$"
)
_CASED = ("latin", "greek", "cyrillic")
_RUNS = ("cjk", "thai")  # written without spaces, so tokens are overlapping pairs


@dataclass(frozen=True, slots=True)
class Word:
    """A whole word, its stem, the script it is written in and its half-open span in the text as given."""

    text: str
    stem: str
    script: str
    start: int
    end: int
    content: bool
    negative: bool
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A text taken apart once. `vocabulary` holds words, their pieces and stems; spans are of the input."""

    text: str
    words: tuple[Word, ...]
    vocabulary: frozenset[str]
    numbers: tuple[Quantity, ...]
    dates: tuple[Day, ...]
    script: str
    language: str
    sentences: tuple[tuple[int, int], ...]
    starts: tuple[int, ...]  # of the words, in order

    def knows(self, word: Word) -> bool:
        """True when the text holds the word in this or another inflected form."""
        if word.text in self.vocabulary or f"~{word.stem}" in self.vocabulary:
            return True
        return bool(word.parts) and all(part in self.vocabulary for part in word.parts)

    def between(self, start: int, end: int) -> tuple[Word, ...]:
        """Return the words that lie inside a span."""
        first, last = bisect_left(self.starts, start), bisect_left(self.starts, end)
        return tuple(word for word in self.words[first:last] if word.end <= end)


@lru_cache(maxsize=64)
def read(text: str) -> Reading:
    """Take `text` apart. Kept for the last texts, since the claims of one answer share their passages."""
    folded = fold_with_map(text)
    found = tokens_of(folded)
    language = guess_language(text)
    words = tuple(_word(token, parts, text, language) for token, parts in _with_parts(found))
    vocabulary = {token.text for token in found}
    vocabulary |= {f"~{stem(word)}" for word in vocabulary}
    return Reading(
        text,
        words,
        frozenset(vocabulary),
        tuple(quantities(folded)),
        tuple(days(folded)),
        _main_script(words),
        language,
        tuple(sentence_spans(text)),
        tuple(word.start for word in words),
    )


def _with_parts(found: list[Token]) -> list[tuple[Token, tuple[str, ...]]]:
    grouped: list[tuple[Token, list[str]]] = []
    for token in found:
        if token.part and grouped:
            grouped[-1][1].append(token.text)
        else:
            grouped.append((token, []))
    return [(token, tuple(parts)) for token, parts in grouped]


def _word(token: Token, parts: tuple[str, ...], text: str, language: str) -> Word:
    script = script_of(token.text)
    negative = is_negative(token.text, language if script == "latin" else script)
    if negative and text[token.start : token.end] == "إل":
        negative = False  # El of El Centro, which folding makes one with لا
    content = token.text not in STOP_WORDS
    return Word(token.text, stem(token.text), script, token.start, token.end, content, negative, parts)


@lru_cache(maxsize=8192)
def script_of(word: str) -> str:
    """Return the name of the script of the first letter that has one, or ""."""
    return next((name for name, pattern in _SCRIPTS if pattern.search(word)), "")


def _main_script(words: tuple[Word, ...]) -> str:
    counts: dict[str, int] = {}
    for word in words:
        if word.script:
            counts[word.script] = counts.get(word.script, 0) + len(word.text)
    return max(counts, key=lambda name: counts[name], default="")


@lru_cache(maxsize=8192)
def is_negative(word: str, key: str) -> bool:
    """True for a word that denies (not, нет, 不) in the language or script `key`; English when it is unknown."""
    return (
        word in NEGATIONS.get(key or "en", ())
        or (word.startswith(NEGATED_FRONT) and len(word) > 4)
        or any(sign in word for sign in NEGATION_SIGNS)
    )


def units(words: tuple[Word, ...]) -> list[str]:
    """Return what coverage counts: stems, and for Thai and its like neighbours of pairs, as pairs meet by chance."""
    found: list[str] = []
    for index, word in enumerate(words):
        if word.script != "thai":
            found.append(word.stem)
        elif index + 1 < len(words) and words[index + 1].start < word.end:
            found.append(f"{word.stem}{words[index + 1].stem}")
        elif not index or words[index - 1].end <= word.start:
            found.append(word.stem)
    return found


@dataclass(frozen=True, slots=True)
class Exchange:
    """Words of the claim that stand where the source has others (either side may be empty)."""

    claim: tuple[Word, ...]
    source: tuple[Word, ...]
    framed: bool  # equal words on both sides, or on one side at the edge of the claim


@dataclass(frozen=True, slots=True)
class Alignment:
    """Claim words beside the words of one source sentence. `shared` is the share of claim words in place."""

    exchanges: tuple[Exchange, ...]
    shared: float


def align(claim: tuple[Word, ...], source: tuple[Word, ...]) -> Alignment:
    """Lay two word sequences side by side by their stems, in order."""
    matcher = SequenceMatcher(None, [w.stem for w in claim], [w.stem for w in source], autojunk=True)
    codes = matcher.get_opcodes()
    exchanges: list[Exchange] = []
    for index, (kind, i1, i2, j1, j2) in enumerate(codes):
        if kind == "equal":
            continue
        before = index > 0
        after = index + 1 < len(codes)
        exchanges.append(
            Exchange(claim[i1:i2], source[j1:j2], (before or i1 == 0) and (after or i2 == len(claim)))
        )
    same = sum(block.size for block in matcher.get_matching_blocks())
    return Alignment(tuple(exchanges), same / max(len(claim), 1))


def local_exchanges(claim: Reading, source: Reading, context: Reading) -> list[Exchange]:
    """Find words that the source lacks between neighbours that stand in it around other words, in any order.

    Alignment sees this only where the claim keeps the order of the source.
    """
    stems = {word.stem for word in claim.words}
    places: dict[str, list[int]] = {}
    for index, word in enumerate(source.words):
        places.setdefault(word.stem, []).append(index)
    found: list[Exchange] = []
    for first, last in _unknown_runs(claim, source, context):
        slot = _slot(claim.words, first, last, source.words, places)
        if slot and not any(word.content and word.stem in stems for word in slot):
            found.append(Exchange(claim.words[first:last], slot, True))
    return found


def _unknown_runs(claim: Reading, source: Reading, context: Reading) -> list[tuple[int, int]]:
    runs: list[list[int]] = []
    for index, word in enumerate(claim.words):
        if not word.content or word.text[0].isdigit() or source.knows(word) or context.knows(word):
            continue
        if runs and runs[-1][1] == index:
            runs[-1][1] = index + 1
        else:
            runs.append([index, index + 1])
    return [(first, last) for first, last in runs]


def _slot(
    claim: tuple[Word, ...], first: int, last: int, source: tuple[Word, ...], places: dict[str, list[int]]
) -> tuple[Word, ...]:
    """The source words between the same neighbours, or beside the same two on one side."""
    reach = 14 if is_run(claim[first]) else 8
    if first > 0 and last < len(claim) and (claim[first - 1].content or claim[last].content):
        for at in places.get(claim[first - 1].stem, []):
            for end in range(at + 2, min(at + reach, len(source))):
                if source[end].stem == claim[last].stem:
                    return source[at + 1 : end]
    size = last - first
    if first >= 2:
        for at in places.get(claim[first - 1].stem, []):
            if at and source[at - 1].stem == claim[first - 2].stem:
                return source[at + 1 : at + 1 + size]
    if last + 1 < len(claim):
        for at in places.get(claim[last].stem, []):
            if at + 1 < len(source) and source[at + 1].stem == claim[last + 1].stem:
                return source[max(at - size, 0) : at]
    return ()


def is_cased(word: Word) -> bool:
    """True when the script of the word has capitals."""
    return word.script in _CASED


def is_run(word: Word) -> bool:
    """True when the word is an overlapping pair of a script without spaces."""
    return word.script in _RUNS


def capital_runs(reading: Reading) -> list[tuple[Word, ...]]:
    """Return runs of neighbouring capitalised words; a lone one that opens a sentence doesn't count."""
    text = reading.text
    openings = {start for start, _ in reading.sentences}
    runs: list[list[Word]] = []
    for word in reading.words:
        if not is_cased(word) or not text[word.start].isupper() or not word.content:
            continue
        near = runs and not text[runs[-1][-1].end : word.start].strip(" -'’.\u00a0")
        if near:
            runs[-1].append(word)
        else:
            runs.append([word])
    return [tuple(run) for run in runs if len(run) > 1 or not _opens(text, run[0], openings)]


def _opens(text: str, word: Word, openings: set[int]) -> bool:
    """True for a word that may have its capital only from its place."""
    written = text[word.start : word.end]
    if written[1:] != written[1:].lower():
        return False
    before = text[: word.start].rstrip(" \"'“”‘’«»([*_#>-–—•")
    return word.start in openings or not before or before[-1] in ".!?:…\n"


def same_name(name: Word, reading: Reading) -> bool:
    """True when the text holds the name, another inflection of it, or its initials."""
    if reading.knows(name):
        return True
    least = max(4, round(len(name.text) * 0.6))
    if len(name.text) < least:
        return False
    front = name.text[:least]
    return any(
        word.text.startswith(front) and len(word.text) >= 4 and abs(len(word.text) - len(name.text)) <= 4
        for word in reading.words
    )


def may_be_name(word: Word) -> bool:
    """False for a word that is inflected as Persian, Arabic or Hindi verbs, plurals and adjectives are."""
    return len(word.text) > 2 and not _INFLECTED.search(word.text)


def initials(words: tuple[Word, ...]) -> str:
    """Return the first letters of the words: united nations gives un."""
    return "".join(word.text[0] for word in words)
