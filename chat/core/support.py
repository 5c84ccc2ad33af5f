"""Does the cited passage carry the sentence? A deterministic check of numbers, dates, names, negation and words.

It can't prove a claim; it finds what speaks against one. What it can't compare (another language or script) it
calls weak, never unsupported, unless numbers or names differ.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from chat.core.support_findings import find_faults, units_clash
from chat.core.support_names import Finding
from chat.core.support_words import Reading, Word, align, is_run, read, units

SUPPORTED_FROM = 0.55
UNSUPPORTED_BELOW = 0.22
_LONGEST_CLAIM = 2000  # code points; a sentence is shorter, and time must stay bounded
_LONGEST_PASSAGE = 20_000
_GRAVE_SCORE = 0.1
_SLIGHT_SCORE = 0.5
NO_SHARED_LANGUAGE = "no shared language to compare"
_DENIAL_UNSURE = 0.4  # the most that a likeness counts across languages where only one side denies
_FOREIGN_SCORE = 0.45  # nothing comparable: weak


class Verdict(StrEnum):
    """What the check says of a sentence and the passage it cites."""

    SUPPORTED = "supported"
    WEAK = "weak"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Support:
    """The verdict, a score from 0 (against) to 1 (stands in the passage), why, and the best sentence.

    `best` is the half-open code-point span in the passage of the sentence that fits best.
    """

    verdict: Verdict
    score: float
    reasons: tuple[str, ...]
    best: tuple[int, int]


def check_support(claim: str, passage: str, *, similarity: float | None = None, context: str = "") -> Support:
    """Compare one sentence of an answer with the passage it cites.

    `similarity` is how near the two are in meaning, from 0 (unrelated) to 1 (the same), see `from_cosine`.
    `context` is what a reader also sees of the source, such as its title and headings: names and numbers that
    stand there count as known. Give the claim without its citation marks. Looks at the first 2,000 code points of
    the claim and 20,000 of the passage.
    """
    said, source = read(claim[:_LONGEST_CLAIM]), read(passage[:_LONGEST_PASSAGE])
    exact = _verbatim(said, source)
    if exact:
        return Support(Verdict.SUPPORTED, 1.0, (), _sentences_around(source, *exact))
    best = _best_sentence(said, source)
    nearby = _neighbourhood(source, best)
    lexical = _lexical(said, source, nearby, read(context[:_LONGEST_CLAIM]))
    foreign = _is_foreign(said, source, lexical)
    alignment = align(said.words, source.between(*best))
    faults = find_faults(said, source, read(context[:_LONGEST_CLAIM]), alignment, lexical, foreign=foreign)
    agreed = _denies(nearby) if _denies(said.words) else not _denies(source.between(*best))
    if foreign and similarity is not None and not agreed:
        # Vectors of a sentence and of its denial lie close together.
        similarity = min(similarity, _DENIAL_UNSURE)
    return _judge(faults, lexical, similarity, best, foreign=foreign)


def from_cosine(cosine: float, *, unrelated: float, same: float) -> float:
    """Map a cosine to 0..1 for `check_support`; the two marks depend on the embedding model."""
    return min(max((cosine - unrelated) / (same - unrelated), 0.0), 1.0)


def _judge(
    faults: list[Finding], lexical: float, similarity: float | None, best: tuple[int, int], *, foreign: bool
) -> Support:
    score = max(lexical, _FOREIGN_SCORE) if foreign else lexical
    if similarity is not None:
        score = (0.3 * score + 0.7 * similarity) if foreign else max(score, (score + similarity) / 2)
    reasons = [fault.reason for fault in faults]
    if any(fault.grave for fault in faults):
        return Support(Verdict.UNSUPPORTED, round(_GRAVE_SCORE * score, 4), tuple(reasons), best)
    if any(not fault.note for fault in faults):
        score = min(score, _SLIGHT_SCORE) * 0.9
    elif faults:
        score *= 0.9
    if score >= SUPPORTED_FROM:
        return Support(Verdict.SUPPORTED, round(score, 4), tuple(reasons), best)
    if foreign:
        reasons.append(NO_SHARED_LANGUAGE)
    elif lexical < SUPPORTED_FROM:
        reasons.append("few words in common" if score >= UNSUPPORTED_BELOW else "not in this passage")
    verdict = Verdict.WEAK if score >= UNSUPPORTED_BELOW else Verdict.UNSUPPORTED
    return Support(verdict, round(score, 4), tuple(reasons), best)


def _verbatim(claim: Reading, source: Reading) -> tuple[int, int] | None:
    """The span in the passage where the claim stands word for word, unless a denial stands before it."""
    wanted = [word.text for word in claim.words]
    words = source.words
    if len(wanted) < (5 if wanted and is_run(claim.words[0]) else 3):
        return None
    texts = [word.text for word in words]
    for at in range(len(texts) - len(wanted) + 1):
        if texts[at] == wanted[0] and texts[at : at + len(wanted)] == wanted:
            span = words[at].start, words[at + len(wanted) - 1].end
            denied = at and words[at - 1].negative and not words[at].negative
            if not denied and _same_units(claim, source, span):
                return span
    return None


def _denies(words: Sequence[Word]) -> bool:
    return any(word.negative for word in words)


def _same_units(claim: Reading, source: Reading, span: tuple[int, int]) -> bool:
    """False for $5 beside €5, whose words are the same."""
    theirs = [number for number in source.numbers if span[0] <= number.start < span[1]]
    return not any(units_clash(a, b) for a, b in zip(claim.numbers, theirs, strict=False))


def _sentences_around(source: Reading, start: int, end: int) -> tuple[int, int]:
    touching = [span for span in source.sentences if span[0] < end and start < span[1]]
    return (touching[0][0], touching[-1][1]) if touching else (start, end)


def _best_sentence(claim: Reading, source: Reading) -> tuple[int, int]:
    """The sentence with most of the claim's words; of equals the shorter, then the earlier."""
    wanted = {word.stem for word in claim.words if word.content}
    values = {value for number in claim.numbers for value in number.values}
    best, best_score = (0, 0), -1.0
    for start, end in source.sentences:
        words = source.between(start, end)
        stems = {word.stem for word in words}
        shared = len(wanted & stems)
        if values:
            inside = (n for n in source.numbers if start <= n.start < end)
            shared += sum(1 for n in inside if n.values & values)
        score = shared / (len(wanted) + 1 + 0.15 * len(stems))
        if score > best_score:
            best, best_score = (start, end), score
    return best


def _neighbourhood(source: Reading, best: tuple[int, int]) -> tuple[Word, ...]:
    """The words of the best sentence and of the ones before and after it."""
    spans = source.sentences
    at = spans.index(best) if best in spans else 0
    near = spans[max(at - 1, 0) : at + 2]
    return source.between(near[0][0], near[-1][1]) if near else ()


def _lexical(claim: Reading, source: Reading, nearby: tuple[Word, ...], context: Reading) -> float:
    """Share of the claim's content words that stand near the best sentence, and in the passage at all."""
    telling = [w for w in claim.words if w.content and (source.knows(w) or not context.knows(w))]
    wanted = units(tuple(telling) or claim.words)
    if not wanted:
        return 0.5
    close, all_units = set(units(nearby)), set(units(source.words))
    near = sum(unit in close for unit in wanted)
    anywhere = sum(unit in all_units for unit in wanted)
    return (0.6 * near + 0.4 * anywhere) / len(wanted)


def _is_foreign(claim: Reading, source: Reading, lexical: float) -> bool:
    if claim.script and source.script and claim.script != source.script:
        return True
    known = claim.language and source.language
    return bool(known and claim.language != source.language and lexical < 0.6)
