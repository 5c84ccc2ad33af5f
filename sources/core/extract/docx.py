"""Word documents: paragraphs, headings, numbered lists, tables, text boxes, notes; what Word hides stays hidden."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from sources.core.extract.archive import MOST_OF_A_TEXT, Archive, open_archive
from sources.core.extract.canonical import CanonicalText
from sources.core.extract.docx_numbering import Numbering
from sources.core.extract.docx_paragraph import Paragraph, read_paragraph
from sources.core.extract.docx_styles import Styles
from sources.core.extract.html import write_html
from sources.core.extract.markup_encoding import decode_markup
from sources.core.extract.office import (
    DOCX,
    Relationship,
    is_on,
    linked,
    properties,
    relationships,
    required,
)
from sources.core.extract.types import Extracted, ExtractionError
from sources.core.extract.xml_reading import Element, attribute, child, children, local, parse_xml, stream_xml

HIDDEN = "Hidden text was left out: what readers of the file don't see can't be found or cited here."
_BODY_DEPTH = 3
_NOTE_PARTS = {"footnote": "footnotes", "endnote": "endnotes"}
# Block elements that only wrap others; what was deleted or moved away is in none of them.
_WRAPPERS = {"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "txbxContent"}
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def read_docx(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a Word document. Raises ExtractionError."""
    canonical = CanonicalText()
    with open_archive(path) as archive:
        body = _Body(archive, canonical)
        with archive.stream(body.part, most=MOST_OF_A_TEXT) as stream:
            for event, element, depth in stream_xml(stream):
                if event == "end" and depth == _BODY_DEPTH:
                    body.block(element)
                    element.clear()
        progress(1, 1)
        return canonical.extracted(DOCX, file_name, **properties(archive))


class _Body:
    """Writes the blocks of a document one by one."""

    def __init__(self, archive: Archive, canonical: CanonicalText) -> None:
        self.part = required(archive)
        self._archive = archive
        self._canonical = canonical
        self._links = relationships(archive, self.part)
        self._styles = Styles(_part(archive, self.part, "styles"))
        self._numbering = Numbering(_part(archive, self.part, "numbering"))
        self._notes = {kind: _notes(archive, self.part, name) for kind, name in _NOTE_PARTS.items()}
        self._note_numbers = count(1)

    def block(self, element: Element) -> None:
        """Write a block and what hangs on it; unknown blocks are passed over."""
        name = local(element)
        if name == "p":
            self._paragraph(read_paragraph(element, self._styles))
        elif name == "tbl":
            self._table(element)
        elif name == "altChunk":
            self._foreign(self._links.get(attribute(element, "id")))
        elif name in _WRAPPERS:
            for one in element:
                self.block(one)

    def _paragraph(self, paragraph: Paragraph) -> None:
        style = self._styles.of(paragraph.style)
        level = paragraph.outline if paragraph.outline is not None else style.outline
        list_id, depth = paragraph.list_id or style.list_id, paragraph.list_depth or style.list_depth
        mark = self._numbering.next_mark(list_id, depth) if list_id and paragraph.text.strip() else ""
        if level is not None:
            self._canonical.heading(f"{mark} {paragraph.text}".strip(), level + 1)
        elif mark:
            self._canonical.item(paragraph.text, mark=mark, depth=depth)
        else:
            self._canonical.paragraph(paragraph.text)
        self._follow_up(paragraph)

    def _follow_up(self, paragraph: Paragraph) -> None:
        """What stands beside a paragraph comes after it: text boxes, then notes."""
        if paragraph.has_hidden_text:
            self._canonical.warn(HIDDEN)
        for box in paragraph.boxes:
            for one in box:
                self.block(one)
        for kind, key in paragraph.notes:
            if text := self._notes[kind].get(key):
                number = str(next(self._note_numbers)).translate(_SUPERSCRIPT)
                self._canonical.paragraph(f"{number} {text}")

    def _table(self, table: Element) -> None:
        rows = [row for row in _rows(table) if not is_on(child(row, "trPr", "hidden"))]
        grid: list[list[str]] = []
        asides: list[Paragraph] = []
        above: dict[int, str] = {}
        for row in rows:
            cells, paragraphs = self._cells(row, above)
            if not grid and sum(map(bool, cells)) > 1:
                cells = _named_spans(row, cells)
            grid.append(cells)
            asides += paragraphs
        if max(map(len, grid), default=0) == 1:
            for (text,) in grid:
                self._canonical.paragraph(text)
        else:
            self._canonical.table(grid, header_rows=_header_rows(rows))
        for paragraph in asides:
            self._follow_up(paragraph)

    def _cells(self, row: Element, above: dict[int, str]) -> tuple[list[str], list[Paragraph]]:
        """The texts of a row's cells; a cell merged with the one above says the same again."""
        texts: list[str] = []
        found: list[Paragraph] = []
        for cell in _cells_of(row):
            paragraphs = [read_paragraph(one, self._styles) for one in _paragraphs(cell)]
            found += paragraphs
            text = " ".join(one.text for one in paragraphs if one.text.strip())
            merge = child(cell, "tcPr", "vMerge")
            if merge is not None and attribute(merge, "val", "continue") == "continue":
                text = above.get(len(texts), text)
            above[len(texts)] = text
            texts += [text, *[""] * (_span(cell) - 1)]
        return texts, found

    def _foreign(self, link: Relationship | None) -> None:
        """A part in another format, put into the text by Word when it opens the file; only HTML is read."""
        if link and link.target.lower().endswith((".html", ".htm", ".xhtml", ".mht")):
            write_html(self._canonical, decode_markup(self._archive.read(link.target)).text)
        elif link:
            self._canonical.warn("A part of the document in another format was left out.")


def _part(archive: Archive, main: str, kind: str) -> Element | None:
    """A part that helps to read the main one; a damaged one is done without."""
    name = linked(archive, main, kind)
    try:
        return parse_xml(archive.read(name)) if name else None
    except ExtractionError:
        return None


def _notes(archive: Archive, main: str, kind: str) -> dict[str, str]:
    root = _part(archive, main, kind)
    if root is None:
        return {}
    real = [note for note in root if attribute(note, "type", "normal") == "normal"]
    return {attribute(note, "id"): _text(note) for note in real}


def _text(element: Element) -> str:
    return " ".join(read_paragraph(one, Styles(None)).text for one in _paragraphs(element)).strip()


def _paragraphs(element: Element) -> Iterator[Element]:
    """The paragraphs of a cell or note in order, also those of tables inside it."""
    for one in element:
        if local(one) == "p":
            yield one
        elif local(one) in _WRAPPERS or local(one) in {"tbl", "tr", "tc"}:
            yield from _paragraphs(one)


def _rows(table: Element) -> Iterator[Element]:
    for one in table:
        if local(one) == "tr":
            yield one
        elif local(one) in _WRAPPERS:
            yield from _rows(one)


def _cells_of(row: Element) -> Iterator[Element]:
    for one in row:
        if local(one) == "tc":
            yield one
        elif local(one) in _WRAPPERS:
            yield from _cells_of(one)


def _span(cell: Element) -> int:
    found = child(cell, "tcPr", "gridSpan")
    value = attribute(found, "val", "1") if found is not None else "1"
    return min(max(int(value), 1), 100) if value.isascii() and value.isdigit() else 1


def _named_spans(row: Element, cells: list[str]) -> list[str]:
    """The cells of a first row, a name that stands over several columns given to each of them."""
    spans = [_span(cell) for cell in _cells_of(row)]
    starts = [sum(spans[:index]) for index in range(len(spans))]
    return [cells[start] for start, span in zip(starts, spans, strict=True) for _ in range(span)]


def _header_rows(rows: list[Element]) -> int | None:
    """How many rows the file says are repeated on each page; None when it says nothing."""
    marked = 0
    while marked < len(rows) and any(map(is_on, children(child(rows[marked], "trPr"), "tblHeader"))):
        marked += 1
    return marked if 0 < marked < len(rows) else None
