"""Tables of HTML as rows of plain cells; merged cells say the same in every row and column that they span."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from sources.core.extract.html_walk import is_unseen, seen_text

_MOST_SPANNED = 1000
_MOST_COLUMNS = 500
_LONGEST_CELL = 1500
_OF_A_TEXT = "table, h1, h2, h3, h4, h5, h6, pre"


def is_layout(table: LexborNode) -> bool:
    """Whether a table only arranges a page: a single column, or cells that hold texts with their own structure."""
    if any(one.mem_id != table.mem_id for one in table.css(_OF_A_TEXT)):
        return True
    widest = longest = 0
    for row in _rows(table):
        cells = list(_cells(row))
        widest = max(widest, sum(_number(cell, "colspan", _MOST_COLUMNS) for cell in cells))
        longest = max([longest, *(len(cell.text()) for cell in cells)])
    return widest < 2 or longest > _LONGEST_CELL


def table_grid(table: LexborNode) -> tuple[list[list[str]], int | None]:
    """Return the rows, and how many of the first ones are marked as headings (None when none is)."""
    grid: list[list[str]] = []
    header = 0
    # Column → text of a cell that reaches down, and for how many more rows.
    reaching: dict[int, tuple[str, int]] = {}
    for row in _rows(table):
        cells = list(_cells(row))
        if len(grid) == header and cells and all(cell.tag == "th" for cell in cells):
            header += 1
        grid.append(_filled(cells, reaching))
    return grid, header if 0 < header < len(grid) else None


def _filled(cells: list[LexborNode], reaching: dict[int, tuple[str, int]]) -> list[str]:
    row: list[str] = []
    for cell in cells:
        _take_reaching(row, reaching)
        text, down = seen_text(cell), _number(cell, "rowspan", _MOST_SPANNED)
        for place in range(_number(cell, "colspan", _MOST_COLUMNS)):
            if len(row) >= _MOST_COLUMNS:
                break
            if down > 1:
                reaching[len(row)] = (text if not place else "", down - 1)
            # A heading over several columns belongs to each of them, a value is said once.
            row.append(text if not place or cell.tag == "th" else "")
    _take_reaching(row, reaching)
    return row


def _take_reaching(row: list[str], reaching: dict[int, tuple[str, int]]) -> None:
    while len(row) in reaching:
        column = len(row)
        text, left = reaching.pop(column)
        if left > 1:
            reaching[column] = (text, left - 1)
        row.append(text)


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    return (row for row in table.css("tr") if not is_unseen(row))


def _cells(row: LexborNode) -> Iterator[LexborNode]:
    return (cell for cell in row.iter() if cell.tag in {"td", "th"} and not is_unseen(cell))


def _number(cell: LexborNode, name: str, most: int) -> int:
    value = cell.attributes.get(name) or "1"
    return min(max(int(value), 1), most) if value.isascii() and value.isdigit() and len(value) < 7 else 1
