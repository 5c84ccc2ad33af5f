"""Filling chunks with paragraphs and sentences up to a size, in which dear characters count for more.

The size of a text is its length in code points, or what its tokens would be in English prose if that is more: so
no chunk is longer than an embedding model reads, be it Chinese, a table of codes or one endless address.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sources.core.model_size import MOST_TOKENS, tokens_of

TARGET = 900
MOST = 1600
_A_TOKEN = MOST / MOST_TOKENS

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is not cut when chunks are filled."""

    start: int
    end: int
    size: float


def size_of(text: str) -> float:
    """Return the size of a text, in code points of English prose."""
    return max(len(text), _A_TOKEN * tokens_of(text))


def packed(text: str, sentences: Iterable[Span], target: int, most: int) -> Iterator[Span]:
    """Fill chunks with paragraphs, and with sentences where a paragraph alone is too long."""
    start = end = -1
    size = 0.0
    for unit in _units(text, sentences, target, most):
        joined = max(size + unit.size, unit.end - start)
        if start >= 0 and (joined <= target or (size < target // 2 and joined <= most)):
            end, size = unit.end, joined
            continue
        if start >= 0:
            yield start, end
        start, end, size = unit.start, unit.end, unit.size
    if start >= 0:
        yield start, end


def _units(text: str, sentences: Iterable[Span], target: int, most: int) -> Iterator[_Unit]:
    for paragraph in _paragraphs(text, sentences):
        first, last = paragraph[0][0], paragraph[-1][1]
        if last - first <= target and (size := size_of(text[first:last])) <= target:
            yield _Unit(first, last, size)
            continue
        for sentence in paragraph:
            yield from _bounded(text, *sentence, most)


def _paragraphs(text: str, sentences: Iterable[Span]) -> Iterator[list[Span]]:
    """Sentences that no blank line parts."""
    paragraph: list[Span] = []
    for start, end in sentences:
        if paragraph and text.count("\n", paragraph[-1][1], start) > 1:
            yield paragraph
            paragraph = []
        paragraph.append((start, end))
    if paragraph:
        yield paragraph


def _bounded(text: str, start: int, end: int, most: int) -> Iterator[_Unit]:
    """Cut what is too long for one chunk: between cells, else at white space, where there is any in the last half."""
    size = size_of(text[start : min(end, start + 2 * most)])
    while end - start > most or size > most:
        room = _room(text, start, most)
        cut = text.rfind(" | ", start + room // 2, start + room) + 2
        cut = cut if cut > 1 else max(text.rfind(space, start + room // 2, start + room) for space in " \n\t")
        cut = cut if cut > start else start + room
        piece = text[start:cut].rstrip()
        yield _Unit(start, start + len(piece), size_of(piece))
        start = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
        size = size_of(text[start : min(end, start + 2 * most)])
    yield _Unit(start, end, size)


def _room(text: str, start: int, most: int) -> int:
    """How many code points from `start` on have at most the size `most`."""
    room = most
    while (size := size_of(text[start : start + room])) > most and room > 1:
        room = max(min(int(room * most / size), room - 1), 1)
    return room
