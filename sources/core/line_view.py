"""A window of numbered lines with the cited span and the hits of a search marked inside them.

Offsets are code points into the text.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from sources.core.extract.types import Table
from sources.core.lines import line_at, line_span
from sources.core.table_rows import Cell, Tables

Span = tuple[int, int]
# A line may be a whole file long; more than this many characters of it are not shown.
LONGEST_LINE = 4000
# Wider tables are shown as text.
MOST_CELLS = 60


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that a search found, with its number from 1."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Marks:
    """What is marked: the cited span strongly, the chunk around it lightly, the hits of a search apart from both.

    Empty spans mark nothing. `hits` are in order and don't overlap; `current` is the number of the one looked at.
    """

    cited: Span = (0, 0)
    chunk: Span = (0, 0)
    hits: tuple[Hit, ...] = ()
    current: int = 0

    def hits_in(self, start: int, end: int) -> Iterator[Hit]:
        """Return the hits that a span touches."""
        first = bisect_right(self.hits, start, key=lambda hit: hit.end)
        return takewhile(lambda hit: hit.start < end, self.hits[first:])


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line, cited or not; `hit` is the number of the search hit that it belongs to, or 0."""

    text: str
    cited: bool = False
    hit: int = 0
    current: bool = False


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line with its number from 1; `cut` says that only a part of it is shown.

    `heading` is the level of the heading that begins in it, 0 for none; `page` the label of a page that does.
    A line of a table has the table's index and its cells, one for each column and any that belong to none.
    """

    number: int
    parts: tuple[Part, ...]
    cited: bool
    begins_cited: bool
    in_chunk: bool
    heading: int
    cut: bool
    page: str
    table: int = -1
    begins_table: bool = False
    cells: tuple[tuple[Part, ...], ...] = ()


def lines_of_span(starts: list[int], span: Span) -> Span:
    """Return the numbers of the first and last line that a span touches."""
    return line_at(starts, span[0]), line_at(starts, max(span[0], span[1] - 1))


class LineView:
    """A text by its lines; `headings` are levels by the offsets where headings begin, `pages` labels likewise."""

    def __init__(
        self,
        text: str,
        starts: list[int],
        *,
        headings: Mapping[int, int] | None = None,
        pages: Mapping[int, str] | None = None,
        tables: Sequence[Table] = (),
    ) -> None:
        self._text = text
        self._starts = starts
        self._tables = Tables(text, tables)
        self._headings = {line_at(starts, offset): level for offset, level in (headings or {}).items()}
        self._pages = {line_at(starts, offset): label for offset, label in (pages or {}).items()}

    def lines(self, numbers: range, marks: Marks) -> list[NumberedLine]:
        """Return the lines of those numbers."""
        return [self._line(number, marks) for number in numbers]

    def _line(self, number: int, marks: Marks) -> NumberedLine:
        span = line_span(self._text, self._starts, number, number)
        shown = _shown(span, marks)
        # An empty line inside a passage belongs to it too.
        inked = span[0], max(span[1], span[0] + 1)
        cited = _overlaps(inked, marks.cited)
        # A line that is not shown whole has no whole cells either.
        table = self._tables.at(span[0]) if shown == span and span[1] > span[0] else -1
        cells = self._tables.row(table, span) if table >= 0 else []
        if len(cells) > MOST_CELLS:
            table, cells = -1, []
        return NumberedLine(
            number=number,
            parts=tuple(_parts(self._text, shown, marks)),
            cited=cited,
            begins_cited=cited and span[0] <= marks.cited[0],
            in_chunk=cited or _overlaps(inked, marks.chunk),
            heading=self._headings.get(number, 0),
            cut=shown != span,
            page=self._pages.get(number, ""),
            table=table,
            begins_table=table >= 0 and self._tables.tables[table].start == span[0],
            cells=tuple(self._cell(cell, marks) for cell in self._tables.row(table, span))
            if table >= 0
            else (),
        )

    def _cell(self, cell: Cell, marks: Marks) -> tuple[Part, ...]:
        """Return the pieces of a cell; the name of its column only where a search found something in it."""
        named = cell.name[0] < cell.name[1] and any(marks.hits_in(*cell.name))
        shown = (cell.name[0] if named else cell.words[0], cell.words[1])
        return tuple(_parts(self._text, shown, marks))


def _shown(span: Span, marks: Marks) -> Span:
    """Return what is shown of a line: all of it, or what stands around the mark."""
    start, end = span
    if end - start <= LONGEST_LINE:
        return span
    mark = _looked_at(span, marks)
    middle = (max(mark[0], start) + min(mark[1], end)) // 2 if _overlaps(span, mark) else start
    first = min(max(start, middle - LONGEST_LINE // 2), end - LONGEST_LINE)
    return first, first + LONGEST_LINE


def _looked_at(span: Span, marks: Marks) -> Span:
    current = [(hit.start, hit.end) for hit in marks.hits_in(*span) if hit.number == marks.current]
    return next((mark for mark in (*current, marks.cited) if _overlaps(span, mark)), marks.chunk)


def _parts(text: str, shown: Span, marks: Marks) -> Sequence[Part]:
    """Cut a line wherever a mark begins or ends in it."""
    hits = list(marks.hits_in(*shown))
    edges = {*shown, *marks.cited, *(edge for hit in hits for edge in (hit.start, hit.end))}
    inside = sorted(edge for edge in edges if shown[0] <= edge <= shown[1])
    return [_part(text, (start, end), marks, hits) for start, end in pairwise(inside)]


def _part(text: str, span: Span, marks: Marks, hits: Sequence[Hit]) -> Part:
    number = next((hit.number for hit in hits if _overlaps(span, (hit.start, hit.end))), 0)
    current = number > 0 and number == marks.current
    return Part(text[slice(*span)], _overlaps(span, marks.cited), number, current)


def _overlaps(one: Span, two: Span) -> bool:
    return max(one[0], two[0]) < min(one[1], two[1])
