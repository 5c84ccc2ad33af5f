"""OpenDocument texts and presentations: headings, lists, tables, notes; slides as pages."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from sources.core.extract.archive import MOST_OF_A_TEXT, open_archive
from sources.core.extract.canonical import CanonicalText
from sources.core.extract.containers import ODP, ODT
from sources.core.extract.docx import HIDDEN
from sources.core.extract.odf import (
    CONTENT,
    Line,
    hidden_styles,
    odf_properties,
    read_line,
    refuse_protected,
    repeated,
    text_of,
)
from sources.core.extract.types import Extracted
from sources.core.extract.xml_reading import Element, attribute, child, descendants, local, stream_xml

# document-content / body / text or presentation / block
_BLOCK_DEPTH = 4
_STYLES_DEPTH = 2
_MOST_COLUMNS = 500
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_WRAPPERS = {
    "section",
    "list-header",
    "text-box",
    "index-body",
    "table-of-content",
    "frame",
    "g",
    "custom-shape",
    "rect",
}


def read_odf_text(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a text or presentation. Raises ExtractionError."""
    canonical = CanonicalText()
    with open_archive(path) as archive:
        refuse_protected(archive)
        writer = _Writer(canonical)
        slides, in_body = 0, False
        with archive.stream(CONTENT, most=MOST_OF_A_TEXT) as stream:
            for event, element, depth in stream_xml(stream):
                in_body |= local(element) == "body"
                if event == "end" and depth == _STYLES_DEPTH and local(element) == "automatic-styles":
                    writer.hidden = hidden_styles(element)
                if event == "end" and depth == _BLOCK_DEPTH and in_body:
                    slides += local(element) == "page"
                    writer.block(element)
                    element.clear()
        progress(max(slides, 1), max(slides, 1))
        return canonical.extracted(ODP if slides else ODT, file_name, **odf_properties(archive))


class _Writer:
    """Writes the blocks of a document one by one; `hidden` are the styles that show nothing."""

    def __init__(self, canonical: CanonicalText) -> None:
        self._canonical = canonical
        self.hidden: set[str] = set()
        self._notes = count(1)
        self._slides = count(1)

    def block(self, element: Element, depth: int = 0) -> None:
        name = local(element)
        if attribute(element, "style-name") in self.hidden or attribute(element, "display") == "none":
            self._canonical.warn(HIDDEN)
        elif name in {"h", "p"}:
            self._line(element)
        elif name == "list":
            self._list(element, depth)
        elif name == "table":
            self._table(element)
        elif name == "page":
            self._slide(element)
        elif name in _WRAPPERS:
            for one in element:
                self.block(one, depth)

    def _line(self, element: Element) -> None:
        line = read_line(element, self.hidden)
        if local(element) == "h":
            level = attribute(element, "outline-level", "1")
            self._canonical.heading(line.text, int(level) if level.isdigit() else 1)
        else:
            self._canonical.paragraph(line.text)
        self._follow_up(line)

    def _follow_up(self, line: Line) -> None:
        if line.has_hidden_text:
            self._canonical.warn(HIDDEN)
        for frame in line.frames:
            self.block(frame)
        for note in line.notes:
            body = child(note, "note-body")
            if body is not None:
                number = str(next(self._notes)).translate(_SUPERSCRIPT)
                self._canonical.paragraph(f"{number} {text_of(body, self.hidden)}")

    def _list(self, element: Element, depth: int) -> None:
        for entry in element:
            is_first = local(entry) == "list-item"
            for one in entry:
                if local(one) == "list":
                    self._list(one, depth + 1)
                elif local(one) in {"p", "h"}:
                    line = read_line(one, self.hidden)
                    if is_first:
                        self._canonical.item(line.text, depth=depth)
                    else:
                        self._canonical.paragraph(line.text)
                    is_first = False
                    self._follow_up(line)

    def _table(self, element: Element) -> None:
        header = len(list(_rows(element, within={"table-header-rows"})))
        grid = [self._cells(row) for row in _rows(element)]
        if max(map(len, grid), default=0) == 1:
            for (text,) in grid:
                self._canonical.paragraph(text)
            return
        self._canonical.table(grid, header_rows=header if 0 < header < len(grid) else None)

    def _cells(self, row: Element) -> list[str]:
        cells: list[str] = []
        for cell in row:
            if local(cell) in {"table-cell", "covered-table-cell"} and len(cells) < _MOST_COLUMNS:
                times = repeated(cell, "number-columns-repeated", _MOST_COLUMNS)
                cells += [text_of(cell, self.hidden)] * times
        while cells and not cells[-1]:
            cells.pop()
        return cells

    def _slide(self, page: Element) -> None:
        self._canonical.begin_page(str(next(self._slides)))
        frames = [one for one in page if local(one) != "notes"]
        for frame in sorted(frames, key=lambda one: attribute(one, "class") != "title"):
            if attribute(frame, "class") == "title":
                self._canonical.heading(text_of(frame, self.hidden), 1)
            else:
                self.block(frame)
        for notes in descendants(page, "notes"):
            if text := text_of(notes, self.hidden):
                self._canonical.paragraph(f"Notes: {text}")


def _rows(element: Element, within: set[str] | None = None) -> Iterator[Element]:
    """The rows of a table, those of its header and its groups among them; or only those `within`."""
    for one in element:
        name = local(one)
        if name == "table-row" and within is None:
            yield one
        elif name in {"table-header-rows", "table-rows", "table-row-group"} and (
            within is None or name in within
        ):
            yield from _rows(one)
