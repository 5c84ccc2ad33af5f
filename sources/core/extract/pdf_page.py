"""One PDF page from PDFium's characters to canonical text with a box for each of its code points."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
import pypdfium2 as pdfium
from numpy.typing import NDArray

from sources.core.extract.pdf_arrange import Arranged, arranged
from sources.core.extract.pdf_bidi import RIGHT_TO_LEFT, is_right_to_left
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
from sources.core.extract.pdf_text import page_pieces
from sources.core.extract.reading_order import in_reading_order

# In font sizes: wider gaps part columns and cells.
_CELL_GAP = 1.1
# Ink lower than this part of its font size comes from a font without glyphs, as text recognition uses.
_FLAT = 0.25
_TOO_SMALL = 0.3
_TOO_HIGH = 1.5
_BASELINE_JUMP = 0.7

_Spans = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Measured:
    """Lines with their displayed ink and quarter turns."""

    lines: list[Line]
    ink: Floats
    turns: NDArray[np.int64]
    sizes: Floats


def read_page_text(text_page: pdfium.PdfTextPage, frame: PageFrame) -> tuple[str, Floats]:
    """Return a page's canonical text and boxes (x0, y0, x1, y1 in displayed points; zeros where nothing is drawn)."""
    characters = read_characters(text_page)
    spans = line_spans(characters.text)
    if not spans:
        return "", np.zeros((0, 4))
    boxes = frame.displayed_boxes(characters.boxes)
    anchors = read_anchors(text_page, middle_characters(characters.text, spans))
    ink = _ink_or_font(text_page, frame, characters, spans, anchors, boxes)
    seen = _seen(ink, frame)
    text = mend_ligatures(characters.text, characters.boxes)
    page = Arranged(text, boxes, np.arange(len(text)), list(compress(spans, seen)))
    if not page.spans:
        return "", np.zeros((0, 4))
    page, measured = _split_at_baselines(
        text_page, frame, page, _measured(frame, page.spans, anchors.those(seen), ink[seen])
    )
    if RIGHT_TO_LEFT.search(text):
        page = arranged(page, measured.lines)
        measured = _measure(text_page, frame, page)
    return _written(text_page, frame, page, measured)


def _split_at_baselines(
    text_page: pdfium.PdfTextPage, frame: PageFrame, page: Arranged, measured: _Measured
) -> tuple[Arranged, _Measured]:
    """Cut what PDFium takes for one line and is two: it is too high for its font, and its baseline jumps."""
    spans: _Spans = []
    for line in measured.lines:
        if line.bottom - line.top > _TOO_HIGH * line.size:
            spans += _pieces_on_one_baseline(text_page, frame, page.text, line)
        else:
            spans.append((line.start, line.end))
    if len(spans) == len(page.spans):
        return page, measured
    page = replace(page, spans=spans)
    return page, _measure(text_page, frame, page)


def _pieces_on_one_baseline(
    text_page: pdfium.PdfTextPage, frame: PageFrame, text: str, line: Line
) -> Iterator[tuple[int, int]]:
    drawn = [place for place in range(line.start, line.end) if not text[place].isspace()]
    origins = np.tile(frame.displayed(read_anchors(text_page, drawn).origins), 2)
    baselines = upright(origins, np.full(len(drawn), line.turn))[:, 1]
    start = line.start
    for at in np.flatnonzero(np.abs(np.diff(baselines)) > _BASELINE_JUMP * line.size).tolist():
        yield start, drawn[at] + 1
        start = drawn[at + 1]
    yield start, line.end


def _ink_or_font(
    text_page: pdfium.PdfTextPage,
    frame: PageFrame,
    characters: Characters,
    spans: _Spans,
    anchors: Anchors,
    boxes: Floats,
) -> Floats:
    """Return the ink of the lines; `boxes` get the font's own measures where glyphs have no ink worth the name."""
    ink = ink_of_lines(boxes, spans)
    sides = ink[:, 2:] - ink[:, :2]
    across = np.where((anchors.quarters + frame.quarters) % 2 == 0, sides[:, 1], sides[:, 0])
    flat = ~(across >= _FLAT * anchors.sizes)
    chosen = [
        index
        for index, (start, end) in enumerate(spans)
        if flat[index]
        for index in range(start, end)
        if not characters.text[index].isspace()
    ]
    if not chosen:
        return ink
    boxes[chosen] = frame.displayed_boxes(read_loose_boxes(text_page, chosen))
    return ink_of_lines(boxes, spans)


def _seen(ink: Floats, frame: PageFrame) -> NDArray[np.bool_]:
    """Which lines lie on the displayed page and are drawn at all: no reader sees the others."""
    width, height = frame.size
    seen: NDArray[np.bool_] = (ink[:, 2] > 0) & (ink[:, 3] > 0) & (ink[:, 0] < width) & (ink[:, 1] < height)
    return seen


def _written(
    text_page: pdfium.PdfTextPage, frame: PageFrame, page: Arranged, measured: _Measured
) -> tuple[str, Floats]:
    parts = split_at_gaps(page.spans, page.boxes, measured.turns, measured.sizes, _CELL_GAP)
    if len(parts) > len(page.spans):
        page = replace(page, spans=parts)
        measured = _measure(text_page, frame, page)
    lines = in_reading_order(measured.lines, right_to_left=is_right_to_left(page.text))
    canonical, indices = page_pieces(page.text, lines)
    even = even_heights(page.boxes, page.spans, measured.ink, measured.turns)
    return canonical, np.where((indices >= 0)[:, None], even[indices], 0.0)


def _measure(text_page: pdfium.PdfTextPage, frame: PageFrame, page: Arranged) -> _Measured:
    middles = middle_characters(page.text, page.spans)
    anchors = read_anchors(text_page, page.places[middles].tolist())
    return _measured(frame, page.spans, anchors, ink_of_lines(page.boxes, page.spans))


def _measured(frame: PageFrame, spans: _Spans, anchors: Anchors, ink: Floats) -> _Measured:
    turns = turns_of_lines(ink, anchors.sizes, anchors.quarters, frame.quarters)
    left, top, right, bottom = upright(ink, turns).T.tolist()
    sizes = _plausible(anchors.sizes, ink, turns)
    origins = np.tile(frame.displayed(anchors.origins), 2)
    baselines = upright(origins, turns)[:, 1].tolist()
    rows = zip(left, right, top, bottom, baselines, sizes.tolist(), turns.tolist(), strict=True)
    lines = [Line(*span, *row) for span, row in zip(spans, rows, strict=True)]
    return _Measured(lines, ink, turns, sizes)


def _plausible(sizes: Floats, ink: Floats, turns: NDArray[np.int64]) -> Floats:
    """Font sizes, or the ink's height for fonts that count in units of their own (Type 3)."""
    across = np.where(turns % 2 == 0, ink[:, 3] - ink[:, 1], ink[:, 2] - ink[:, 0])
    return np.where(sizes < _TOO_SMALL * across, across, sizes)
