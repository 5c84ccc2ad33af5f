"""Excel workbooks: sheets as pages, rows that name their columns, numbers and dates as they are shown."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from sources.core.extract.archive import open_archive
from sources.core.extract.canonical import CanonicalText
from sources.core.extract.office import XLSX, properties, relationships, required
from sources.core.extract.sheet_tables import Row, write_sheet
from sources.core.extract.titles import file_title
from sources.core.extract.types import Extracted, ExtractionError, FailureReason
from sources.core.extract.xlsx_cells import Book, column_of, read_book
from sources.core.extract.xml_reading import (
    Element,
    child,
    children,
    local,
    parse_xml,
    stream_xml,
)

HIDDEN_SHEETS = "Hidden sheets, rows or columns were left out: what isn't shown can't be found or cited here."
UNSAVED_RESULTS = (
    "Some cells hold formulas without their results; open the workbook, save it and upload it again."
)
# The most that Excel itself can hold.
_MOST_ROWS = 1_048_576
_ROW_DEPTH = 3


def read_xlsx(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a workbook sheet by sheet. Raises ExtractionError."""
    canonical = CanonicalText()
    with open_archive(path) as archive:
        main = required(archive)
        workbook = parse_xml(archive.read(main))
        links = relationships(archive, main)
        book = read_book(archive, main, workbook)
        sheets = [sheet for sheet in children(child(workbook, "sheets"), "sheet") if _part_id(sheet) in links]
        shown = [sheet for sheet in sheets if sheet.get("state", "visible") == "visible"]
        if len(shown) < len(sheets):
            canonical.warn(HIDDEN_SHEETS)
        for number, sheet in enumerate(shown, 1):
            link = links[_part_id(sheet)]
            if link.kind == "worksheet":
                with archive.stream(link.target) as stream:
                    write_sheet(canonical, sheet.get("name", ""), _rows(stream, book, canonical), len(shown))
            progress(number, len(shown))
        if book.has_unsaved_results:
            canonical.warn(UNSAVED_RESULTS)
        about = properties(archive)
        # The name of a sheet is a worse title than that of the file.
        return canonical.extracted(
            XLSX, file_name, **about | {"title": about.get("title") or file_title(file_name)}
        )


def _part_id(sheet: Element) -> str:
    return next((value for name, value in sheet.items() if name.endswith("}id")), "")


def _rows(stream: IO[bytes], book: Book, canonical: CanonicalText) -> Iterator[Row]:
    """The rows that hold anything, as they are read from the file."""
    hidden: set[int] = set()
    number = 0
    for event, element, depth in stream_xml(stream):
        if event == "start" or depth != _ROW_DEPTH:
            if event == "end" and depth == _ROW_DEPTH - 1:
                element.clear()
            continue
        name = local(element)
        if name == "col" and element.get("hidden") in {"1", "true"}:
            hidden |= _columns(element)
        elif name == "row":
            stated = element.get("r", "")
            number = int(stated) if stated.isdigit() else number + 1
            if number > _MOST_ROWS:
                raise ExtractionError(FailureReason.TOO_LARGE, f"more than {_MOST_ROWS} rows in a sheet")
            cells = _cells(element, book)
            if element.get("hidden") in {"1", "true"} or any(
                column in hidden and cells[column] for column in cells
            ):
                canonical.warn(HIDDEN_SHEETS)
            if element.get("hidden") not in {"1", "true"}:
                yield Row(
                    number,
                    [
                        cells.get(at, "") if at not in hidden else ""
                        for at in range(max(cells, default=-1) + 1)
                    ],
                )
        element.clear()


def _cells(row: Element, book: Book) -> dict[int, str]:
    cells: dict[int, str] = {}
    at = -1
    for cell in row:
        at = column_of(cell.get("r", ""), at + 1)
        if text := book.cell(cell):
            cells[at] = text
    return cells


def _columns(element: Element) -> set[int]:
    first, last = element.get("min", ""), element.get("max", "")
    if not (first.isdigit() and last.isdigit()):
        return set()
    return set(range(int(first) - 1, min(int(last), 16_384)))
