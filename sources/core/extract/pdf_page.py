"""One PDF page from PDFium's characters to canonical text with a box for each of its code points."""

import numpy as np
import pypdfium2 as pdfium

from sources.core.extract.pdf_characters import (
    Anchors,
    Characters,
    Floats,
    read_anchors,
    read_characters,
    read_loose_boxes,
)
from sources.core.extract.pdf_layout import (
    Line,
    PageFrame,
    even_heights,
    ink_of_lines,
    line_spans,
    middle_characters,
    split_at_gaps,
    turns_of_lines,
    upright,
)
from sources.core.extract.pdf_ligatures import mend_ligatures
from sources.core.extract.pdf_text import RIGHT_TO_LEFT, page_pieces
from sources.core.extract.reading_order import in_reading_order

# In line sizes: wider gaps part columns and cells.
_CELL_GAP = 1.0
# Ink lower than this part of its line box comes from a font without glyphs, as text recognition uses.
_FLAT = 0.25

_Spans = list[tuple[int, int]]


def read_page_text(text_page: pdfium.PdfTextPage, frame: PageFrame) -> tuple[str, Floats]:
    """Return a page's canonical text and boxes (x0, y0, x1, y1 in displayed points; zeros where nothing is drawn)."""
    characters = read_characters(text_page)
    spans = line_spans(characters.text)
    if not spans:
        return "", np.zeros((0, 4))
    boxes = frame.displayed_boxes(characters.boxes)
    anchors = read_anchors(text_page, middle_characters(characters.text, spans))
    _measure_flat_lines(text_page, frame, characters, spans, anchors, boxes)
    spans = _shown(spans, boxes, frame)
    return _written(text_page, frame, mend_ligatures(characters.text, characters.boxes), spans, boxes)


def _measure_flat_lines(
    text_page: pdfium.PdfTextPage,
    frame: PageFrame,
    characters: Characters,
    spans: _Spans,
    anchors: Anchors,
    boxes: Floats,
) -> None:
    """Put the font's own measures into `boxes` for lines whose glyphs have no ink worth the name."""
    ink = ink_of_lines(boxes, spans)
    sides = ink[:, 2:] - ink[:, :2]
    across = np.where((anchors.quarters + frame.quarters) % 2 == 0, sides[:, 1], sides[:, 0])
    flat = ~(across >= _FLAT * anchors.heights)
    chosen = [
        index
        for index, (start, end) in enumerate(spans)
        if flat[index]
        for index in range(start, end)
        if not characters.text[index].isspace()
    ]
    if chosen:
        boxes[chosen] = frame.displayed_boxes(read_loose_boxes(text_page, chosen))


def _shown(spans: _Spans, boxes: Floats, frame: PageFrame) -> _Spans:
    """Leave out lines that lie outside the displayed page or are not drawn at all: no reader sees them."""
    ink = ink_of_lines(boxes, spans)
    width, height = frame.size
    seen = (ink[:, 2] > 0) & (ink[:, 3] > 0) & (ink[:, 0] < width) & (ink[:, 1] < height)
    return [span for span, is_seen in zip(spans, seen.tolist(), strict=True) if is_seen]


def _written(
    text_page: pdfium.PdfTextPage, frame: PageFrame, text: str, spans: _Spans, boxes: Floats
) -> tuple[str, Floats]:
    if not spans:
        return "", np.zeros((0, 4))
    anchors = read_anchors(text_page, middle_characters(text, spans))
    ink = ink_of_lines(boxes, spans)
    turns = turns_of_lines(ink, anchors.heights, anchors.quarters, frame.quarters)
    parts = split_at_gaps(spans, boxes, turns, anchors.heights, _CELL_GAP)
    if len(parts) > len(spans):
        spans = parts
        anchors = read_anchors(text_page, middle_characters(text, spans))
        ink = ink_of_lines(boxes, spans)
        turns = turns_of_lines(ink, anchors.heights, anchors.quarters, frame.quarters)
    lines = _lines(spans, ink, turns, anchors, frame)
    right_to_left = 2 * len(RIGHT_TO_LEFT.findall(text)) > len(text)
    canonical, indices = page_pieces(text, in_reading_order(lines, right_to_left=right_to_left))
    even = even_heights(boxes, spans, ink, turns)
    return canonical, np.where((indices >= 0)[:, None], even[indices], 0.0)


def _lines(spans: _Spans, ink: Floats, turns: np.ndarray, anchors: Anchors, frame: PageFrame) -> list[Line]:
    left, top, right, bottom = upright(ink, turns).T.tolist()
    origins = np.tile(frame.displayed(anchors.origins), 2)
    baselines = upright(origins, turns)[:, 1].tolist()
    rows = zip(left, right, top, bottom, baselines, anchors.heights.tolist(), turns.tolist(), strict=True)
    return [Line(*span, *row) for span, row in zip(spans, rows, strict=True)]
