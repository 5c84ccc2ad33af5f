"""Which sentences of an answer state something and cite nothing."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from chat.core.absence import says_what_is_missing
from chat.core.quoting_phrases import all_phrases
from sources.core.normalise import word_parts
from sources.core.sentences import sentence_spans

# Shorter ones are headings, greetings and names of list items.
FEWEST_WORDS = 4
_FENCE = re.compile(r"^(?:```|~~~).*?(?:^(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_RULE_OR_HEAD = re.compile(r"\s*(?:#{1,6}\s|\|?[-:| ]{3,}\|?$)")
_NO_STATEMENT = re.compile(r"[?？؟:：][\"'”’»)*_]*\s*$")


def uncited_claims(text: str, positions: Iterable[int]) -> list[tuple[int, int]]:
    """Return the half-open code-point spans of the sentences that state something without a citation.

    `positions` are where citations stand. A citation counts for the sentence in which, or directly behind which, it
    stands. What asks, introduces, heads, says that something is missing, or is code, states nothing.
    """
    spans = sentence_spans(text)
    ends = [*(start for start, _ in spans[1:]), len(text)]
    cited = sorted(positions)
    code = [match.span() for match in _FENCE.finditer(text)]
    return [
        (start, end)
        for (start, end), until in zip(spans, ends, strict=False)
        if not _has_one(cited, start, until) and not _within(code, start) and _states(text[start:end])
    ]


def _has_one(places: Sequence[int], start: int, until: int) -> bool:
    """Tell whether one of the places, which are in order, lies behind `start` and not behind `until`."""
    at = bisect_right(places, start)
    return at < len(places) and places[at] <= until


def _within(spans: Sequence[tuple[int, int]], place: int) -> bool:
    """Tell whether one of the spans, which are in order, has the place."""
    at = bisect_right(spans, place, key=lambda span: span[0])
    return at > 0 and place < spans[at - 1][1]


def _states(sentence: str) -> bool:
    if _RULE_OR_HEAD.match(sentence) or _NO_STATEMENT.search(sentence):
        return False
    if any(sentence.startswith(phrase) for phrase in _OWN):
        return False
    if sum(not is_part for _word, is_part in word_parts(sentence)) < FEWEST_WORDS:
        return False
    # Saying what is missing is what the rules ask for where there is nothing to cite.
    return not says_what_is_missing(sentence)


# The words that the quoting model says itself, up to what is filled in.
_OWN = tuple(
    phrase.partition("{")[0] for phrases in all_phrases() for phrase in (phrases.missing, phrases.nothing)
)
