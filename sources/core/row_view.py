"""Rows of tables cut into cells, so that they can be shown in columns. Offsets are code points into the text."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from sources.core.extract.tables import SEPARATOR
from sources.core.extract.types import Table

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CellSpan:
    """A cell: its name in the text, "Badge: ", and what it says; `name` is empty for cells without one."""

    column: int
    name: Span
    words: Span


class Rows:
    """The tables of a text, asked for the cells of its lines."""

    def __init__(self, text: str, tables: Sequence[Table]) -> None:
        self._text = text
        self._tables = [table for table in tables if table.names_in_rows]
        self._starts = [table.start for table in self._tables]

    def table_at(self, span: Span) -> Table | None:
        """Return the table that a line belongs to."""
        index = bisect_right(self._starts, span[0]) - 1
        found = self._tables[index] if index >= 0 else None
        return found if found and span[0] < span[1] <= found.end else None

    def is_head(self, span: Span) -> bool:
        """Whether a line holds the names of a table's columns."""
        table = self.table_at(span)
        return table is not None and bool(table.columns) and span[0] == table.start

    def cells(self, span: Span) -> list[CellSpan]:
        """Return the cells of a line, none when it is no row; columns are counted from 0 and leave gaps."""
        table = self.table_at(span)
        if table is None:
            return []
        cells: list[CellSpan] = []
        start, is_head = span[0], self.is_head(span)
        for piece in self._text[slice(*span)].split(SEPARATOR):
            least = cells[-1].column + 1 if cells else 0
            name, colon, _ = piece.partition(": ")
            named = bool(colon) and not is_head and name in table.columns[least:]
            words = start + len(name) + len(colon) if named else start
            column = _column(table.columns, name if named else piece if is_head else "", least)
            cells.append(CellSpan(column, (start, words), (words, start + len(piece))))
            start += len(piece) + len(SEPARATOR)
        return cells


def _column(names: tuple[str, ...], name: str, least: int) -> int:
    """The next column of that name, else simply the next."""
    return names.index(name, least) if name in names[least:] else least
