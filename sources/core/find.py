"""Finding words in a canonical text as a reader means them: whatever the case, the accents, the script's variants.

Both sides are folded as for retrieval (`sources.core.folding`); a hit is a half-open code-point span of the text
as it is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sources.core.folding import Folded, fold_with_map
from sources.core.normalise import fold

MOST_HITS = 2000
LONGEST_QUERY = 200

_ZWNJ = "\u200c"
_ARABIC = re.compile("[\u0620-\u06ff]")
# Scripts that are written without spaces; a line may end between any two characters of theirs.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"
)

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Found:
    """The hits in order. `apart` says that the words stand nowhere together and are found one by one.

    `more` says that there are more than `MOST_HITS`.
    """

    spans: tuple[Span, ...] = ()
    apart: bool = False
    more: bool = False


@dataclass(frozen=True, slots=True)
class Snippet:
    """A hit with some words around it, white space made plain."""

    before: str
    hit: str
    after: str


def find(text: str, query: str) -> Found:
    """Return where the words of `query` stand together; if nowhere, where each of them stands."""
    words = fold(query[:LONGEST_QUERY]).split()
    if not words:
        return Found()
    folded = fold_with_map(text)
    together = _hits(folded, rf"[\s{_ZWNJ}]+".join(map(_pattern, words)))
    if together or len(words) == 1:
        return _found(together, apart=False)
    longest_first = sorted(set(words), key=len, reverse=True)
    return _found(_hits(folded, "|".join(map(_pattern, longest_first))), apart=True)


def snippet(text: str, span: Span, around: int = 60) -> Snippet:
    """Return a hit with about `around` code points on each side, cut between words where there are spaces."""
    start, end = span
    before = " ".join(text[max(0, start - around) : start].split(" ")[1 if start > around else 0 :])
    after = text[end : end + around]
    if end + around < len(text) and " " in after:
        after = after.rsplit(" ", 1)[0]
    return Snippet(_plain(before), _plain(text[start:end]).strip(), _plain(after))


def _found(spans: Sequence[Span], *, apart: bool) -> Found:
    return Found(tuple(spans[:MOST_HITS]), apart, more=len(spans) > MOST_HITS)


def _hits(folded: Folded, pattern: str) -> list[Span]:
    spans: list[Span] = []
    for match in re.finditer(pattern, folded.text):
        spans.append((folded.starts[match.start()], folded.ends[match.end() - 1]))
        if len(spans) > MOST_HITS:
            break
    return spans


def _pattern(word: str) -> str:
    """Return a pattern for a folded word that sees through joiners, and through line ends where no space is written."""
    parts = [re.escape(word[0])]
    for last, char in pairwise(word):
        parts.append(_between(last, char))
        parts.append(rf"[\s{_ZWNJ}]?" if char == _ZWNJ else re.escape(char))
    return "".join(parts)


def _between(last: str, char: str) -> str:
    if _ARABIC.match(last) and _ARABIC.match(char):
        return f"{_ZWNJ}?"
    return r"\s*" if _UNSPACED.match(last) and _UNSPACED.match(char) else ""


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)
