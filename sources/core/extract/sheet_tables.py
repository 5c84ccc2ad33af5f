"""The tables of a sheet: rows that stand together under one row of names."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from sources.core.extract.canonical import CanonicalText
from sources.core.extract.tables import looks_like_header

# What programs call a sheet that nobody has named: no heading worth having.
_UNNAMED = re.compile(
    r"(?:sheet|tabelle|feuil(?:le)?|hoja|foglio|planilha|blad|arkusz|лист|シート|工作表|برگه)\s?\d*$",
    re.IGNORECASE,
)
_GAP = 2


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its number from 1 and the text of its cells from column A on."""

    number: int
    cells: list[str]


def write_sheet(canonical: CanonicalText, name: str, rows: Iterable[Row], sheets: int) -> None:
    """Write a sheet as a page under its name; an empty one leaves no trace but the page."""
    canonical.begin_page(name)
    filled = (row for row in rows if any(cell.strip() for cell in row.cells))
    first = next(filled, None)
    if first is None:
        return
    if sheets > 1 or not _UNNAMED.match(name):
        canonical.heading(name, 1)
    for table in _tables(chain([first], filled)):
        canonical.table(table)


def _tables(rows: Iterator[Row]) -> Iterator[Iterator[list[str]]]:
    """Cut rows into tables. Empty rows end one only if what follows begins like another.

    Each table has to be used up before the next is asked for.
    """
    source = _Ahead(rows)
    while source.peek(0) is not None:
        yield source.table()


class _Ahead:
    """Rows with a look at the next ones."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self._next: list[Row] = []

    def peek(self, index: int) -> Row | None:
        while len(self._next) <= index:
            row = next(self._rows, None)
            if row is None:
                return None
            self._next.append(row)
        return self._next[index]

    def table(self) -> Iterator[list[str]]:
        number = None
        while (row := self.peek(0)) is not None:
            if number is not None and row.number - number >= _GAP and self._begins_anew():
                return
            number = row.number
            del self._next[0]
            yield row.cells

    def _begins_anew(self) -> bool:
        """Whether the next row after a gap is a caption, or names the columns of the rows below it."""
        row, below = self.peek(0), self.peek(1)
        if row is None or sum(map(bool, row.cells)) == 1:
            return True
        is_followed = below is not None and below.number - row.number < _GAP
        return below is not None and is_followed and looks_like_header(row.cells, below.cells)
