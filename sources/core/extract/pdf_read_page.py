"""One page of a PDF after another: text, boxes, label, and whether there is more to see than to read."""

from dataclasses import dataclass

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from sources.core.extract.boxes import pack_boxes
from sources.core.extract.decoding import clean_text
from sources.core.extract.pdf_layout import PageFrame
from sources.core.extract.pdf_page import read_page_text
from sources.core.extract.pdf_quality import is_garbled, is_unreadable

_FEW_CHARACTERS = 20
_FULL_PAGE = 0.5
# Letters may be drawn as shapes; a page with fewer of them is blank, with a rule or a frame at most.
_MANY_SHAPES = 20
_NO_BOXES = pack_boxes(np.zeros((0, 4)), 0, 0)


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page as it was read; boxes are packed, sizes are points as displayed."""

    text: str
    boxes: bytes
    label: str
    width: float
    height: float
    # Nothing to read where something is drawn.
    is_scan: bool
    is_garbled: bool
    is_unreadable: bool = False


def read_page(document: pdfium.PdfDocument, index: int) -> ReadPage:
    """Read the page of that index from 0; a broken one comes without anything."""
    label = clean_text(document.get_page_label(index)) or str(index + 1)
    try:
        page = document[index]
        text_page = page.get_textpage()
    except pdfium.PdfiumError:
        # One broken page: the others are still worth having, and a warning names this one.
        return ReadPage("", _NO_BOXES, label, 0.0, 0.0, is_scan=True, is_garbled=False)
    left, bottom, right, top = page.get_bbox()
    frame = PageFrame(left, bottom, right, top, page.get_rotation() // 90)
    text, boxes = read_page_text(text_page, frame)
    unreadable = is_unreadable(text, text_page)
    if unreadable:
        text, boxes = "", np.zeros((0, 4))
    result = ReadPage(
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
