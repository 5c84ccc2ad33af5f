"""What a chunk that begins inside a table must be told: the names of the columns that it doesn't say itself."""

from bisect import bisect_right
from collections.abc import Sequence

from sources.core.extract.tables import SEPARATOR
from sources.core.extract.types import Table


class TableContext:
    """The tables of a text, asked for the place where a chunk begins."""

    def __init__(self, text: str, tables: Sequence[Table]) -> None:
        self._text = text
        self._tables = tables
        self._starts = [table.start for table in tables]

    def at(self, offset: int) -> tuple[str, ...]:
        """Return what to put below the headings of a chunk that begins at `offset`; mostly nothing.

        In Markdown those are all names, as the chunk holds no header; else the name of the cell that an earlier
        chunk begins.
        """
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or not self._tables[index].start < offset < self._tables[index].end:
            return ()
        table = self._tables[index]
        if not table.names_in_rows:
            return (SEPARATOR.join(filter(None, table.columns)),) if any(table.columns) else ()
        return self._cut_cell(table, offset)

    def _cut_cell(self, table: Table, offset: int) -> tuple[str, ...]:
        line = self._text.rfind("\n", table.start, offset) + 1 or table.start
        bar = self._text.rfind(SEPARATOR, line, offset)
        cell = bar + len(SEPARATOR) if bar >= 0 else line
        if cell >= offset:
            return ()
        name, colon, _ = self._text[cell:offset].partition(": ")
        return (name,) if colon and name in table.columns else ()
