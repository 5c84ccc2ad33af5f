"""Where a span of canonical text stands on its page: rectangles to mark it, and words for a text layer.

Points of the displayed page, origin at the top left. A character box is the character's own ink along the line
and the line's full height across it, so boxes of one line piece share their height.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sources.core.extract.boxes import Boxes, unpack_boxes
from sources.core.extract.types import PageLayout

# In line heights: a wider gap starts a new rectangle, so that none reaches over a gutter.
_WIDEST_GAP = 1.5
_SAME_LINE = 0.6
_WORD = re.compile(r"\S+")


Flags = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle in points, `x` and `y` of its upper left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class TextRun:
    """A word as it stands on the page, for a transparent, selectable layer over its picture.

    `turn` is the direction in which it is read, in degrees clockwise: 0, 90 (downwards) or -90 (upwards).
    """

    text: str
    x: float
    y: float
    width: float
    height: float
    turn: int = 0


def rectangles(layout: PageLayout, start: int, end: int) -> list[Rect]:
    """Return the rectangles of the part of `[start, end)` (canonical text) that stands on this page.

    One for each piece of a visual line, in reading order; none where the span is not on the page.
    """
    return rectangles_of(layout, [(start, end)])[0]


def rectangles_of(layout: PageLayout, spans: Sequence[tuple[int, int]]) -> list[list[Rect]]:
    """Return the rectangles of each span, as `rectangles` does; the page is unpacked once."""
    boxes = unpack_boxes(layout.boxes, layout.width, layout.height)
    inks = _Inks(boxes)
    on_page = [
        (max(start, layout.start) - layout.start, min(end, layout.end) - layout.start) for start, end in spans
    ]
    return [_rectangles(boxes, inks, first, last) if first < last else [] for first, last in on_page]


def _rectangles(boxes: Boxes, inks: "_Inks", first: int, last: int) -> list[Rect]:
    def covers_others(area: Boxes) -> bool:
        return inks.is_other_in(area, first, last)

    pieces = _pieces(_inked(boxes[first:last]))
    return [_rect(part) for piece in pieces for part in _without(piece, covers_others)]


class _Inks:
    """The centres of a page's characters in order of height, so that thousands of hits on a large sheet stay quick."""

    def __init__(self, boxes: Boxes) -> None:
        drawn = np.flatnonzero(_has_ink(boxes))
        centres = _centres(boxes[drawn])
        order = np.argsort(centres[:, 1], kind="stable")
        self._index, self._centres = drawn[order], centres[order]

    def is_other_in(self, area: Boxes, first: int, last: int) -> bool:
        """Whether the centre of a character before `first` or from `last` on lies inside the area."""
        left, top, right, bottom = area
        heights = self._centres[:, 1]
        band = slice(np.searchsorted(heights, top, "right"), np.searchsorted(heights, bottom, "left"))
        index, across = self._index[band], self._centres[band, 0]
        return bool(((across > left) & (across < right) & ((index < first) | (index >= last))).any())


def text_runs(layout: PageLayout, page_text: str) -> list[TextRun]:
    """Return the words of a page with their places; `page_text` is the page's slice of the canonical text.

    A word that is broken over two lines comes as two runs. Raises ValueError when text and page don't match.
    """
    boxes = unpack_boxes(layout.boxes, layout.width, layout.height)
    if len(page_text) != len(boxes):
        raise ValueError(f"{len(page_text)} characters with {len(boxes)} boxes")
    drawn = _has_ink(boxes)
    runs: list[TextRun] = []
    for match in _WORD.finditer(page_text):
        at = np.flatnonzero(drawn[match.start() : match.end()]) + match.start()
        for part in _split(at, _breaks(boxes[at])):
            rect = _rect(boxes[part])
            words = page_text[part[0] : part[-1] + 1]
            runs.append(TextRun(words, rect.x, rect.y, rect.width, rect.height, _turn(boxes[part])))
    return runs


def _turn(boxes: Boxes) -> int:
    """Return which way a run is read: along the page's lines (0), or down (90) or up (-90) the page."""
    across, down = (float(moved) for moved in _centres(boxes[-1:])[0] - _centres(boxes[:1])[0])
    if abs(down) <= abs(across):
        return 0
    return 90 if down > 0 else -90


def _has_ink(boxes: Boxes) -> Flags:
    return (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])


def _inked(boxes: Boxes) -> Boxes:
    return boxes[_has_ink(boxes)]


def _centres(boxes: Boxes) -> Boxes:
    return (boxes[:, :2] + boxes[:, 2:]) / np.float32(2)


def _pieces(boxes: Boxes) -> list[Boxes]:
    """Cut a run of boxes into pieces of visual lines."""
    return _split(boxes, _breaks(boxes))


def _split(rows: NDArray[T], breaks: Flags) -> list[NDArray[T]]:
    return np.split(rows, np.flatnonzero(breaks) + 1) if len(rows) else []


def _breaks(boxes: Boxes) -> Flags:
    """Whether each box but the first starts a new piece: on another line, or after a wide gap.

    Lines may run across (either way) or, in turned and vertical text, down or up.
    """
    one, two = boxes[:-1], boxes[1:]
    sizes = np.minimum(one[:, 2:] - one[:, :2], two[:, 2:] - two[:, :2])
    # Negative where the boxes overlap along that axis.
    gaps = np.maximum(two[:, :2] - one[:, 2:], one[:, :2] - two[:, 2:])
    shared = -gaps >= _SAME_LINE * sizes
    across = shared[:, 1] & (gaps[:, 0] <= _WIDEST_GAP * sizes[:, 1])
    down = shared[:, 0] & (gaps[:, 1] <= _WIDEST_GAP * sizes[:, 0])
    breaks: Flags = np.logical_not(across | down)
    return breaks


def _without(piece: Boxes, covers_others: Callable[[Boxes], bool]) -> list[Boxes]:
    """Cut a piece further wherever the rectangle over two neighbours would cover the centre of another character."""
    if not covers_others(_area(piece)):
        return [piece]
    cuts = [covers_others(_area(piece[i : i + 2])) for i in range(len(piece) - 1)]
    return _split(piece, np.array(cuts, dtype=bool))


def _area(boxes: Boxes) -> Boxes:
    return np.concatenate((boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)))


def _rect(boxes: Boxes) -> Rect:
    left, top, right, bottom = (round(float(side), 2) for side in _area(boxes))
    return Rect(left, top, round(right - left, 2), round(bottom - top, 2))
