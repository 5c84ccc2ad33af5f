"""A window of numbered lines with the cited span marked inside them. Offsets are code points into the text."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sources.core.lines import line_at, line_span

Span = tuple[int, int]
# A line may be a whole file long; more than this many characters of it are not shown.
LONGEST_LINE = 4000


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line, cited or not."""

    text: str
    cited: bool


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line with its number from 1; `cut` says that only a part of it is shown."""

    number: int
    parts: tuple[Part, ...]
    in_chunk: bool
    heading: bool
    cut: bool

    @property
    def cited(self) -> bool:
        """Whether any of it is cited."""
        return any(part.cited for part in self.parts)


@dataclass(frozen=True, slots=True)
class Marks:
    """What is marked: the cited span strongly, the chunk around it lightly. Empty spans mark nothing."""

    cited: Span = (0, 0)
    chunk: Span = (0, 0)


def lines_of_span(starts: list[int], span: Span) -> Span:
    """Return the numbers of the first and last line that a span touches."""
    return line_at(starts, span[0]), line_at(starts, max(span[0], span[1] - 1))


def numbered_lines(
    text: str,
    starts: list[int],
    numbers: range,
    *,
    marks: Marks,
    headings: Collection[int] = (),
) -> list[NumberedLine]:
    """Return the lines of those numbers; `headings` are the offsets where headings start."""
    heading_lines = {line_at(starts, offset) for offset in headings}
    return [_line(text, line_span(text, starts, n, n), n, marks, n in heading_lines) for n in numbers]


def _line(text: str, span: Span, number: int, marks: Marks, heading: bool) -> NumberedLine:
    shown = _shown(span, marks)
    # An empty line inside a chunk belongs to it too.
    inked = span[0], max(span[1], span[0] + 1)
    return NumberedLine(
        number=number,
        parts=tuple(_parts(text, shown, marks.cited)),
        in_chunk=_overlaps(inked, marks.chunk) or _overlaps(inked, marks.cited),
        heading=heading,
        cut=shown != span,
    )


def _shown(span: Span, marks: Marks) -> Span:
    """Return what is shown of a line: all of it, or what stands around the mark."""
    start, end = span
    if end - start <= LONGEST_LINE:
        return span
    mark = marks.cited if _overlaps(span, marks.cited) else marks.chunk
    middle = (max(mark[0], start) + min(mark[1], end)) // 2 if _overlaps(span, mark) else start
    first = min(max(start, middle - LONGEST_LINE // 2), end - LONGEST_LINE)
    return first, first + LONGEST_LINE


def _parts(text: str, shown: Span, cited: Span) -> Sequence[Part]:
    start, end = shown
    first, last = min(max(cited[0], start), end), min(max(cited[1], start), end)
    pieces = ((start, first, False), (first, last, True), (last, end, False))
    return [Part(text[a:b], marked) for a, b, marked in pieces if a < b]


def _overlaps(one: Span, two: Span) -> bool:
    return max(one[0], two[0]) < min(one[1], two[1])
