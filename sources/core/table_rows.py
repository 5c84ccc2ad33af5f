"""The lines of a table taken apart into cells, to be shown below each other in columns.

Canonical text keeps a table line by line; see `sources.core.extract.types.Table`. Offsets are code points.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sources.core.extract.tables import SEPARATOR
from sources.core.extract.types import Table

_MARKDOWN_RULE = re.compile(r"[|\s:+-]*-[|\s:+-]*")
_MARKDOWN_BAR = re.compile(r"(?<!\\)\|")

Span = tuple[int, int]
NOTHING = (0, 0)


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a cell's words stand, and before them the name of the column with its colon, empty if it is not said."""

    words: Span = NOTHING
    name: Span = NOTHING


# A cell for each column, then those that belong to none.
Row = list[Cell]


class Tables:
    """The tables of a text, asked for the one at a place."""

    def __init__(self, text: str, tables: Sequence[Table]) -> None:
        self._text = text
        self.tables = tables
        self._starts = [table.start for table in tables]

    def at(self, offset: int) -> int:
        """Return the index of the table in which a line begins, -1 for none."""
        index = bisect_right(self._starts, offset) - 1
        return index if index >= 0 and offset < self.tables[index].end else -1

    def row(self, index: int, line: Span) -> Row:
        """Return the cells of a line of a table; none for a line that only rules Markdown off."""
        table = self.tables[index]
        if not table.names_in_rows:
            return [Cell(words) for words in _markdown_cells(self._text, line)]
        if line[0] == table.start and table.columns:
            return _head_cells(self._text, line, table.columns)
        return _named_cells(self._text, line, table.columns)


def _pieces(text: str, line: Span) -> Iterator[Span]:
    at, end = line
    while (bar := text.find(SEPARATOR, at, end)) >= 0:
        yield at, bar
        at = bar + len(SEPARATOR)
    yield at, end


def _head_cells(text: str, line: Span, columns: Sequence[str]) -> Row:
    """The line of the names, in which columns without one are left out."""
    pieces = list(_pieces(text, line))
    if len(pieces) != sum(map(bool, columns)):
        return [Cell(piece) for piece in pieces]
    named = iter(pieces)
    return [Cell(next(named)) if name else Cell() for name in columns]


def _named_cells(text: str, line: Span, columns: Sequence[str]) -> Row:
    """Put each cell below its name; one without goes to the next column without, or behind all."""
    row = [Cell()] * len(columns)
    free = 0
    for start, end in _pieces(text, line):
        name, colon, _ = text[start:end].partition(": ")
        named = bool(colon and name) and name in columns[free:]
        words = start + len(name) + len(colon) if named else start
        wanted = name if named else ""
        if wanted in columns[free:]:
            free = columns.index(wanted, free) + 1
            row[free - 1] = Cell((words, end), (start, words))
        else:
            row.append(Cell((start, end)))
    return row


def _markdown_cells(text: str, line: Span) -> Iterator[Span]:
    words = text[slice(*line)].strip()
    if _MARKDOWN_RULE.fullmatch(words):
        return
    start = text.index(words, *line)
    end = start + len(words)
    edges = [start - 1, *(bar.start() for bar in _MARKDOWN_BAR.finditer(text, start, end)), end]
    # A bar at either end only frames the row.
    if words.startswith("|"):
        edges = edges[1:]
    if len(edges) > 2 and edges[-2] == end - 1:
        edges = edges[:-1]
    for left, right in pairwise(edges):
        yield _trimmed(text, left + 1, right)


def _trimmed(text: str, start: int, end: int) -> Span:
    words = text[start:end]
    first = start + len(words) - len(words.lstrip())
    return first, max(first, start + len(words.rstrip()))
