"""Which sentences of an answer state something and cite nothing."""

import re
from collections.abc import Iterable

from chat.core.quoting_phrases import all_phrases
from sources.core.normalise import word_parts
from sources.core.sentences import sentence_spans

# Shorter ones are headings, greetings and names of list items.
FEWEST_WORDS = 4
_FENCE = re.compile(r"^(?:```|~~~).*?(?:^(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_RULE_OR_HEAD = re.compile(r"\s*(?:#{1,6}\s|\|?[-:| ]{3,}\|?$)")
_NO_STATEMENT = re.compile(r"[?？؟:：][\"'”’»)*_]*\s*$")
# Saying what is missing is what the rules ask for where there is nothing to cite.
_ABSENCE = re.compile(
    r"\b(?:could ?n[o']t|did ?n[o']t|do(?:es)? ?n[o']t|can ?n?[o']t|unable to|no|not any)\b.{0,60}"
    r"\b(?:find|found|contain|mention|mentioned|say|state|specify|cover|information|answer|passages?|documents?|sources?)\b"
    r"|(?:پیدا نکرد|یافت نشد|نیامده|ذکر نشده|اشاره‌ای نشده|اطلاعاتی .{0,40}(?:ندار|نیست))",
    re.IGNORECASE,
)


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
        if not any(start < place <= until for place in cited)
        and not any(first <= start < last for first, last in code)
        and _states(text[start:end])
    ]


def _states(sentence: str) -> bool:
    if _RULE_OR_HEAD.match(sentence) or _NO_STATEMENT.search(sentence) or _ABSENCE.search(sentence):
        return False
    if any(sentence.startswith(phrase) for phrase in _OWN):
        return False
    return sum(not is_part for _word, is_part in word_parts(sentence)) >= FEWEST_WORDS


# The words that the quoting model says itself, up to what is filled in.
_OWN = tuple(
    phrase.partition("{")[0] for phrases in all_phrases() for phrase in (phrases.missing, phrases.nothing)
)
