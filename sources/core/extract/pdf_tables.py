"""Tables in a PDF's text: rows in which wide gaps part the cells, under a row that names the columns.

A PDF says nothing of tables. Lines whose parts stand clearly apart come with a tab between them (pdf_arrange); a few
such lines below each other are taken for a table if the first reads like the names of columns.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sources.core.extract.tables import names_columns
from sources.core.extract.types import PageLayout, Table

_LINE = re.compile(r"[^\n]+")
_FEWEST_ROWS = 3
# Lines without a gap between two rows: the rest of a long cell.
_MOST_BETWEEN = 2
_LONGEST_BETWEEN = 80


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows below each other on a page, `[start, end)` of the text."""

    start: int
    end: int
    cells: tuple[tuple[str, ...], ...]

    @property
    def width(self) -> int:
        """How many cells most rows have."""
        counts = [len(row) for row in self.cells]
        return max(set(counts), key=counts.count)


def pdf_tables(text: str, pages: Sequence[PageLayout]) -> tuple[Table, ...]:
    """Find the tables of all pages; one that goes on overleaf without its names keeps those of the page before."""
    tables: list[Table] = []
    before: tuple[str, ...] = ()
    for page in pages:
        runs = list(_runs(text, page.start, page.end))
        columns: tuple[str, ...] = ()
        for number, rows in enumerate(runs):
            own = _names(rows)
            columns = own or (before if number == 0 and len(before) == rows.width else ())
            if columns:
                tables.append(Table(rows.start, rows.end, columns, names_in_rows=False))
        # Only the last table of a page can go on overleaf.
        before = columns if runs else ()
    return tuple(tables)


def _names(rows: _Rows) -> tuple[str, ...]:
    """The first row if it names columns. Two cells may as well be a form, a bullet or a line of a contents page."""
    first = rows.cells[0]
    is_form = any(cell.endswith((":", "：")) for cell in first)
    return first if len(first) > 2 and not is_form and names_columns(rows.cells) else ()


def _runs(text: str, start: int, end: int) -> Iterator[_Rows]:
    rows: list[tuple[int, int, tuple[str, ...]]] = []
    between = 0
    for line in _LINE.finditer(text, start, end):
        words = line.group()
        cells = tuple(cell.strip() for cell in words.split("\t") if cell.strip())
        if len(cells) > 1:
            rows.append((line.start(), line.end(), cells))
            between = 0
        elif words.strip():
            between += 1
            if between > _MOST_BETWEEN or len(words) > _LONGEST_BETWEEN:
                yield from _run(rows)
                rows = []
    yield from _run(rows)


def _run(rows: Sequence[tuple[int, int, tuple[str, ...]]]) -> Iterator[_Rows]:
    if len(rows) >= _FEWEST_ROWS:
        yield _Rows(rows[0][0], rows[-1][1], tuple(cells for _, _, cells in rows))
