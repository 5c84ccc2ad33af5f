"""From the characters of a PDF page to its lines: where each stands, and in which order they are read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sources.core.extract.pdf_characters import LINE_HYPHEN, Floats

_LINE = re.compile(f"[^\r\n{LINE_HYPHEN}]*{LINE_HYPHEN}?")
_BLANK = " \t\u00a0\x00"
# Upright columns of characters: higher than this many sizes and narrower than that many.
_VERTICAL_HEIGHT = 1.8
_VERTICAL_WIDTH = 1.3


@dataclass(frozen=True, slots=True)
class PageFrame:
    """A page's box in PDF user space and its /Rotate in quarter turns clockwise."""

    left: float
    bottom: float
    right: float
    top: float
    quarters: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as displayed, in points."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.quarters % 2 else (width, height)

    def displayed(self, points: Floats) -> Floats:
        """Turn user space points (n, 2) into points of the displayed page, origin at the top left."""
        x, y = points[:, 0], points[:, 1]
        across, up = x - self.left, y - self.bottom
        back, down = self.right - x, self.top - y
        pair = ((across, down), (up, across), (back, up), (down, back))[self.quarters % 4]
        return np.column_stack(pair)

    def displayed_boxes(self, boxes: Floats) -> Floats:
        """Turn user space boxes (left, right, bottom, top) into displayed ones (x0, y0, x1, y1)."""
        one = self.displayed(boxes[:, [0, 2]])
        other = self.displayed(boxes[:, [1, 3]])
        return np.hstack((np.minimum(one, other), np.maximum(one, other)))


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page: `[start, end)` of its characters, without outer white space.

    The numbers are points in a frame turned so that the text is upright: its ink from `left` to `right` and
    `top` to `bottom` (which grows downwards), its baseline, and the font size (em).
    `turn` is how many quarter turns clockwise the text is turned on the displayed page.
    """

    start: int
    end: int
    left: float
    right: float
    top: float
    bottom: float
    baseline: float
    size: float
    turn: int


def line_spans(text: str) -> list[tuple[int, int]]:
    """Cut a page's characters into lines without outer white space; a line-end hyphen stays in its line."""
    spans = []
    for match in _LINE.finditer(text):
        words = match.group()
        lead = len(words) - len(words.lstrip(_BLANK))
        length = len(words.strip(_BLANK))
        if length:
            spans.append((match.start() + lead, match.start() + lead + length))
    return spans


def rows_of(spans: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """The indices that spans hold, one span after another."""
    bounds = np.asarray(spans, dtype=np.int64).reshape(-1, 2)
    lengths = bounds[:, 1] - bounds[:, 0]
    first = np.cumsum(lengths) - lengths
    rows: NDArray[np.int64] = np.arange(lengths.sum()) + np.repeat(bounds[:, 0] - first, lengths)
    return rows


def split_at_gaps(
    spans: list[tuple[int, int]], boxes: Floats, turns: NDArray[np.int64], sizes: Floats, gap: float
) -> list[tuple[int, int]]:
    """Cut lines where two neighbours stand more than `gap` font sizes apart: at gutters, between table cells."""
    of_line = np.repeat(np.arange(len(spans)), [end - start for start, end in spans])
    rows = rows_of(spans)
    drawn = has_ink(boxes[rows])
    of_line, rows = of_line[drawn], rows[drawn]
    along = upright(boxes[rows], turns[of_line])[:, [0, 2]]
    space = np.maximum(along[1:, 0] - along[:-1, 1], along[:-1, 0] - along[1:, 1])
    wide = (of_line[1:] == of_line[:-1]) & (space > gap * sizes[of_line[1:]])
    cuts: dict[int, list[int]] = {}
    for at in np.flatnonzero(wide).tolist():
        first, last = np.searchsorted(of_line, (of_line[at], of_line[at] + 1)).tolist()
        if _apart(along[first : at + 1], along[at + 1 : last]) > gap * sizes[of_line[at]]:
            cuts.setdefault(int(of_line[at]), []).extend((int(rows[at]) + 1, int(rows[at + 1])))
    parts: list[tuple[int, int]] = []
    for index, (start, end) in enumerate(spans):
        bounds = [start, *cuts.get(index, ()), end]
        parts += zip(bounds[::2], bounds[1::2], strict=True)
    return parts


def _apart(one: Floats, two: Floats) -> float:
    """The empty space between all of one part and all of the other: neighbours in mixed directions may be far apart."""
    return float(max(two[:, 0].min() - one[:, 1].max(), one[:, 0].min() - two[:, 1].max()))


def middle_characters(text: str, spans: list[tuple[int, int]]) -> list[int]:
    """The index of one drawn character near the middle of each line: the first one is too often a raised mark."""
    chosen = []
    for start, end in spans:
        middle = (start + end) // 2
        chosen.append(next((index for index in range(middle, end) if text[index] not in _BLANK), start))
    return chosen


def ink_of_lines(boxes: Floats, spans: list[tuple[int, int]]) -> Floats:
    """Return the displayed ink (x0, y0, x1, y1) of each line; NaN where nothing is drawn."""
    inked = np.where(has_ink(boxes)[:, None], boxes, np.nan)
    # One row more, so that the end of the last line is an index too.
    inked = np.vstack((inked, np.full((1, 4), np.nan)))
    bounds = np.asarray(spans, dtype=np.int64).ravel()
    low = np.fmin.reduceat(inked[:, :2], bounds)[::2]
    high = np.fmax.reduceat(inked[:, 2:], bounds)[::2]
    return np.hstack((low, high))


def has_ink(boxes: Floats) -> NDArray[np.bool_]:
    """Which boxes have an area; spaces and made-up characters have none."""
    drawn: NDArray[np.bool_] = (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
    return drawn


def turns_of_lines(
    ink: Floats, sizes: Floats, quarters: NDArray[np.int64], page_quarters: int
) -> NDArray[np.int64]:
    """Quarter turns clockwise of each line's text on the displayed page; vertical writing counts as one turn.

    PDFium's angles are clockwise too, in user space.
    """
    turns = (page_quarters + quarters) % 4
    width, height = ink[:, 2] - ink[:, 0], ink[:, 3] - ink[:, 1]
    vertical = (turns == 0) & (height > _VERTICAL_HEIGHT * sizes) & (width < _VERTICAL_WIDTH * sizes)
    return np.where(vertical, 1, turns)


def upright(rows: Floats, turns: NDArray[np.int64]) -> Floats:
    """Turn displayed boxes into each line's own frame, where its text is upright (left, top, right, bottom)."""
    if not turns.any():
        return rows
    x0, y0, x1, y1 = rows.T
    return np.stack(
        [
            np.choose(turns, (x0, y0, -x1, -y1)),
            np.choose(turns, (y0, -x1, -y1, x0)),
            np.choose(turns, (x1, y1, -x0, -y0)),
            np.choose(turns, (y1, -x0, -y0, x1)),
        ],
        axis=1,
    )


def even_heights(
    boxes: Floats, spans: list[tuple[int, int]], ink: Floats, turns: NDArray[np.int64]
) -> Floats:
    """Give every drawn character the full height of its line, so that a mark over a word is one even bar.

    Across the reading direction only; along it each character keeps its own ink.
    """
    ink_of_its_own = has_ink(boxes)
    even = np.where(ink_of_its_own[:, None], boxes, 0.0)
    rows = rows_of(spans)
    of_line = np.repeat(np.arange(len(spans)), [end - start for start, end in spans])
    drawn = ink_of_its_own[rows]
    rows, of_line = rows[drawn], of_line[drawn]
    sideways = turns[of_line] % 2 == 1
    for side in range(4):
        chosen = sideways == (side % 2 == 0)
        even[rows[chosen], side] = ink[of_line[chosen], side]
    return even
