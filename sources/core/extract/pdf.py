"""PDF: text, character boxes, page labels and title, read with PDFium."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from sources.core.extract.boxes import pack_boxes
from sources.core.extract.decoding import clean_text
from sources.core.extract.detect import PDF
from sources.core.extract.pdf_document import open_pdf, outline_entries, outline_headings
from sources.core.extract.pdf_layout import PageFrame
from sources.core.extract.pdf_page import read_page_text
from sources.core.extract.pdf_quality import is_garbled, is_unreadable
from sources.core.extract.titles import file_title, stated_title
from sources.core.extract.types import Extracted, ExtractionError, FailureReason, PageLayout
from sources.core.language import guess_language

PAGE_BREAK = "\n\n"
_FEW_CHARACTERS = 20
_FULL_PAGE = 0.5
# Letters may be drawn as shapes; a page with fewer of them is blank, with a rule or a frame at most.
_MANY_SHAPES = 20
_PAGES_NAMED = 20
_NO_BOXES = pack_boxes(np.zeros((0, 4)), 0, 0)


@dataclass(frozen=True, slots=True)
class _Page:
    text: str
    boxes: bytes
    label: str
    width: float
    height: float
    # Nothing to read where something is drawn.
    is_scan: bool
    is_garbled: bool
    is_unreadable: bool = False


def read_pdf(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a PDF page by page.

    Raises ExtractionError: ENCRYPTED, CORRUPT, or NO_TEXT when every page is blank or a bare picture.
    """
    with open_pdf(path) as document:
        total = len(document)
        progress(0, total)
        pages = []
        for index in range(total):
            pages.append(_read_page(document, index))
            progress(index + 1, total)
        title = stated_title(document.get_metadata_value("Title")) or file_title(file_name)
        entries = outline_entries(document)
    extracted = _extracted(pages, title)
    return replace(extracted, headings=outline_headings(entries, extracted.text, extracted.pages))


def _extracted(pages: list[_Page], title: str) -> Extracted:
    if not any(page.width for page in pages):
        raise ExtractionError(FailureReason.CORRUPT, f"none of {len(pages)} pages can be read")
    if _is_scanned(pages):
        unreadable = "; its fonts don't say which characters they show" * any(
            one.is_unreadable for one in pages
        )
        raise ExtractionError(
            FailureReason.NO_TEXT, f"none of {len(pages)} pages has a text layer{unreadable}"
        )
    text, layouts = _joined(pages)
    return Extracted(
        text=text,
        media_type=PDF,
        pages=layouts,
        title=title,
        language=guess_language(text),
        warnings=tuple(_warnings(pages)),
    )


def _joined(pages: list[_Page]) -> tuple[str, tuple[PageLayout, ...]]:
    """The pages' texts with a page break between those that have any; a blank page is an empty span."""
    parts: list[str] = []
    layouts = []
    offset = 0
    for number, page in enumerate(pages, 1):
        if page.text and offset:
            parts.append(PAGE_BREAK)
            offset += len(PAGE_BREAK)
        end = offset + len(page.text)
        layouts.append(PageLayout(number, page.label, offset, end, page.width, page.height, page.boxes))
        parts.append(page.text)
        offset = end
    return "".join(parts), tuple(layouts)


def _is_scanned(pages: list[_Page]) -> bool:
    """Whether all text is the same stamp beside a picture on every page; on a single page it may be more."""
    stamps = {page.text for page in pages if page.text}
    return not stamps or (len(pages) > 1 and len(stamps) == 1 and all(page.is_scan for page in pages))


def _warnings(pages: list[_Page]) -> Iterator[str]:
    bare = [number for number, page in enumerate(pages, 1) if page.is_scan]
    if bare:
        yield f"{_named(bare)} no text; what stands there can't be found or cited."
    unreadable = [number for number, page in enumerate(pages, 1) if page.is_unreadable]
    if unreadable:
        yield f"{_named(unreadable)} a text layer that can't be read; what stands there can't be found or cited."
    broken = [number for number, page in enumerate(pages, 1) if page.is_garbled]
    if broken:
        yield f"{_named(broken)} a damaged text layer; words there may be wrong."


def _named(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:_PAGES_NAMED]))
    more = f" and {len(numbers) - _PAGES_NAMED} more" if len(numbers) > _PAGES_NAMED else ""
    return f"Page {shown} has" if len(numbers) == 1 else f"Pages {shown}{more} have"


def _read_page(document: pdfium.PdfDocument, index: int) -> _Page:
    label = clean_text(document.get_page_label(index)) or str(index + 1)
    try:
        page = document[index]
        text_page = page.get_textpage()
    except pdfium.PdfiumError:
        # One broken page: the others are still worth having, and a warning names this one.
        return _Page("", _NO_BOXES, label, 0.0, 0.0, is_scan=True, is_garbled=False)
    left, bottom, right, top = page.get_bbox()
    frame = PageFrame(left, bottom, right, top, page.get_rotation() // 90)
    text, boxes = read_page_text(text_page, frame)
    unreadable = is_unreadable(text, text_page)
    if unreadable:
        text, boxes = "", np.zeros((0, 4))
    result = _Page(
        text=text,
        boxes=pack_boxes(boxes, *frame.size),
        label=label,
        width=frame.size[0],
        height=frame.size[1],
        is_scan=not unreadable and _is_scan(page, len("".join(text.split()))),
        is_garbled=is_garbled(text),
        is_unreadable=unreadable,
    )
    text_page.close()
    page.close()
    return result


def _is_scan(page: pdfium.PdfPage, characters: int) -> bool:
    """Whether a page shows what isn't in its text: one large picture, or on a page without text anything much."""
    if characters >= _FEW_CHARACTERS:
        return False
    width, height = page.get_size()
    drawn = 0
    for one in page.get_objects(max_depth=2):
        drawn += 1
        if one.type == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = one.get_bounds()
            drawn += _MANY_SHAPES if not characters else 0
            if (right - left) * (top - bottom) > _FULL_PAGE * width * height:
                return True
        if drawn > _MANY_SHAPES and not characters:
            return True
    return False
