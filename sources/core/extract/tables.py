"""Tables as lines of text in which every row names its columns, so that a row is whole wherever it is quoted.

The first line of a table holds the names alone; each further one a row: `Badge: B04321 | Door code: 7731`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice

from sources.core.extract.decoding import clean_text

SEPARATOR = " | "
_ESCAPED = r" \| "
_LONGEST_NAME = 100
_LOOK_AHEAD = 12
# Digits with what stands around them in amounts, dates, times and shares; of any script that has digits.
_NUMBER = re.compile(r"[^\w]*\d[\d\s.,:/٬٫'’%–+-]*[^\W\d_]{0,4}[^\w]*")
# No name of a column ends like a sentence.
_SENTENCE_END = re.compile(r"[.,;!،؛。、，；！]$")
_YEAR = re.compile(r"(?:1[5-9]|20|21|۱[۲-۴]|١[٣-٥])[\d][\d]")


@dataclass(frozen=True, slots=True)
class TableLine:
    """A line of a table with the names of the table's columns, "" for one without; a caption is no row of it."""

    text: str
    columns: tuple[str, ...]
    is_caption: bool = False


def table_lines(rows: Iterable[list[str]], header_rows: int | None = None) -> Iterator[TableLine]:
    """Write rows as lines, reading them one by one; rows without any text are left out.

    With `header_rows` None, rows of one cell above the first full row are captions, and that row names the
    columns unless it holds numbers as data rows do.
    """
    filled = (_clean(row) for row in rows)
    source = (row for row in filled if any(row))
    ahead = list(islice(source, _LOOK_AHEAD))
    if header_rows is None:
        captions, header_rows = _captions(ahead), 0
        yield from (TableLine(next(filter(None, row)), (), is_caption=True) for row in ahead[:captions])
        ahead = ahead[captions:]
        header_rows = int(names_columns(ahead))
    columns = names = _names(ahead[:header_rows])
    for number, row in enumerate(chain(ahead, source)):
        named = names if number >= header_rows else ()
        yield TableLine(_line(row, named), columns)


def looks_like_header(row: Sequence[str], below: Sequence[str]) -> bool:
    """Whether a row of words stands above a row with numbers in it."""
    words = [cell for cell in row if cell.strip()]
    pairs = zip(row, below, strict=False)
    numbers = any(cell.strip() and _NUMBER.fullmatch(under.strip()) for cell, under in pairs)
    return numbers and len(words) > 1 and not any(_NUMBER.fullmatch(cell.strip()) for cell in words)


def _line(row: Sequence[str], names: Sequence[str]) -> str:
    padded = [*names, *[""] * (len(row) - len(names))]
    pairs = [(name, cell) for name, cell in zip(padded, row, strict=False) if cell]
    return SEPARATOR.join(f"{name}: {cell}" if name else cell for name, cell in pairs)


def _clean(row: Sequence[str]) -> list[str]:
    """Cells as single lines; the sign that parts cells is escaped inside them, as in Markdown."""
    return [" ".join(clean_text(cell).split()).replace(SEPARATOR, _ESCAPED) for cell in row]


def _captions(rows: Sequence[Sequence[str]]) -> int:
    """How many rows with a single cell stand above the first row that has several."""
    counts = [sum(map(bool, row)) for row in rows]
    return next((index for index, count in enumerate(counts) if count > 1), 0)


def names_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first of several rows names columns: short words, no amounts, none of them twice."""
    if len(rows) < 2:
        return False
    cells = [cell for cell in rows[0] if cell]
    # A second table beside the first makes some rows wider; the next few rows tell.
    width = sorted(sum(map(bool, row)) for row in rows[1:6])[len(rows[1:6]) // 2]
    if len(cells) < width - 1 or (len(cells) < 2 <= width):
        return False
    # A name over several columns comes once for each of them.
    names = [name for name, _ in groupby(cells)]
    if len(set(names)) < len(names) or max(map(len, names)) > _LONGEST_NAME:
        return False
    return not any(
        (_NUMBER.fullmatch(cell) and not _YEAR.fullmatch(cell)) or _SENTENCE_END.search(cell)
        for cell in cells
    )


def _names(header: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """A name for each column; of several header rows, the parts that differ, from above to below."""
    width = max(map(len, header), default=0)
    names: list[str] = []
    for column in range(width):
        parts = [row[column].rstrip(" :：") for row in header if column < len(row)]
        name = " / ".join(dict.fromkeys(part for part in parts if part))
        names.append(_unlike(name, names))
    return tuple(names) if any(names) else ()


def _unlike(name: str, names: Sequence[str]) -> str:
    """The name, numbered when an earlier column has the same."""
    number = 2
    unlike = name
    while name and unlike in names:
        unlike, number = f"{name} ({number})", number + 1
    return unlike
