"""OpenDocument spreadsheets: sheets as pages; cells say what they show, so nothing has to be formatted."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from sources.core.extract.archive import open_archive
from sources.core.extract.canonical import CanonicalText
from sources.core.extract.containers import ODS
from sources.core.extract.odf import (
    CONTENT,
    hidden_styles,
    odf_properties,
    refuse_protected,
    repeated,
    text_of,
)
from sources.core.extract.sheet_tables import Row, write_sheet
from sources.core.extract.titles import file_title
from sources.core.extract.types import Extracted
from sources.core.extract.xlsx import HIDDEN_SHEETS
from sources.core.extract.xml_reading import Element, attribute, local, stream_xml

_TABLE_DEPTH = 4
_STYLES_DEPTH = 2
_MOST_COLUMNS = 16_384
# A row that says something and is repeated more often than this is a filler.
_MOST_REPEATED = 1000
_UNSHOWN = {"collapse", "filter"}


def read_ods(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a spreadsheet sheet by sheet. Raises ExtractionError."""
    canonical = CanonicalText()
    with open_archive(path) as archive:
        refuse_protected(archive)
        sheets = 0
        with archive.stream(CONTENT) as stream:
            for name, rows in _sheets(stream, canonical):
                write_sheet(canonical, name, rows, sheets=2)
                sheets += 1
                progress(sheets, sheets)
        about = odf_properties(archive)
        return canonical.extracted(
            ODS, file_name, **about | {"title": about["title"] or file_title(file_name)}
        )


def _sheets(stream: IO[bytes], canonical: CanonicalText) -> Iterator[tuple[str, Iterator[Row]]]:
    """The shown sheets with their rows as they are read; each has to be used up before the next is asked for."""
    events = stream_xml(stream)
    hidden: set[str] = set()
    for event, element, depth in events:
        if event == "end" and depth == _STYLES_DEPTH and local(element) == "automatic-styles":
            hidden = hidden_styles(element)
        if event == "start" and depth == _TABLE_DEPTH and local(element) == "table":
            rows = _rows(events, canonical, hidden)
            if attribute(element, "style-name") in hidden:
                canonical.warn(HIDDEN_SHEETS)
            else:
                yield attribute(element, "name"), rows
            for _ in rows:
                pass


def _rows(
    events: Iterator[tuple[str, Element, int]], canonical: CanonicalText, hidden: set[str]
) -> Iterator[Row]:
    """The rows up to the end of the table that was just begun."""
    number = 0
    for event, element, depth in events:
        if event == "end" and depth == _TABLE_DEPTH:
            element.clear()
            return
        if event == "start" or local(element) != "table-row":
            continue
        cells = _cells(element, hidden)
        times = repeated(element, "number-rows-repeated", 1 << 30)
        if attribute(element, "visibility") in _UNSHOWN:
            if any(cells):
                canonical.warn(HIDDEN_SHEETS)
        elif any(cells):
            yield from (Row(number + more, cells) for more in range(1, min(times, _MOST_REPEATED) + 1))
        number += times
        element.clear()


def _cells(row: Element, hidden: set[str]) -> list[str]:
    cells: list[str] = []
    for cell in row:
        if local(cell) in {"table-cell", "covered-table-cell"} and len(cells) < _MOST_COLUMNS:
            times = repeated(cell, "number-columns-repeated", _MOST_COLUMNS - len(cells))
            text = text_of(cell, hidden) or _value(cell)
            # Empty cells to the edge of the sheet are written as one.
            cells += [text] * (times if text or times < 100 else 100)
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _value(cell: Element) -> str:
    """What a cell without displayed text holds, as some programs write it."""
    for name in ("date-value", "time-value", "string-value", "value"):
        if found := attribute(cell, name):
            return found
    return ""
