"""The order in which the lines of a page are read, where the file's own order is plainly wrong.

Most files draw their text in reading order, and theirs is better than anything guessed from places. Two faults are
common enough to mend: columns of prose drawn row by row, and lines drawn from the bottom up.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from sources.core.extract.pdf_layout import Line

# A gutter is at least so many font sizes wide, with so many rows and characters a line on both sides.
_GUTTER = 1.0
_LEAST_ROWS = 5
_LEAST_CHARACTERS = 15
# Lines of prose fill their column; the cells of a table don't.
_FILLED = 0.6
_LEAST_RETURNS = 3
_SAME_ROW = 0.5
_MOST_RISES = 0.4
# The share of lines that may lie across a gutter, such as titles.
_ACROSS = 0.2


def in_reading_order(lines: Sequence[Line], *, right_to_left: bool) -> list[Line]:
    """Return the lines of one page in reading order; the given order stays wherever it makes sense."""
    ordered = _by_columns(list(lines), right_to_left)
    if right_to_left:
        ordered = [line for row in _rows(ordered) for line in sorted(row, key=lambda line: -line.right)]
    return _downwards(ordered) if _rises(ordered) else ordered


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Neighbours in the given order that stand side by side."""
    rows: list[list[Line]] = []
    for line in lines:
        if rows and rows[-1][-1].turn == line.turn and _is_beside(rows[-1][-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _is_beside(one: Line, two: Line) -> bool:
    return abs(one.baseline - two.baseline) < _SAME_ROW * one.size


def _by_columns(lines: list[Line], right_to_left: bool) -> list[Line]:
    gutter = _gutter(lines)
    if gutter is None or _returns(lines, gutter) < _LEAST_RETURNS:
        return lines
    ordered: list[Line] = []
    for band in _bands(lines, gutter):
        # Within a column the given order stays.
        band.sort(key=lines.index)
        sides = (
            [line for line in band if line.right <= gutter],
            [line for line in band if line.left >= gutter],
        )
        if not sides[0] or not sides[1]:
            ordered += band
            continue
        first, second = reversed(sides) if right_to_left else sides
        ordered += _by_columns(first, right_to_left) + _by_columns(second, right_to_left)
    return ordered


def _gutter(lines: Sequence[Line]) -> float | None:
    """The middle of the widest empty strip with prose on both sides, if there is one."""
    if len(lines) < 2 * _LEAST_ROWS or len({line.turn for line in lines}) > 1:
        return None
    # Cells of a table: not worth the search, which takes the square of their number.
    if median(line.end - line.start for line in lines) < _LEAST_CHARACTERS:
        return None
    size = median(line.size for line in lines)
    edges = sorted({line.right for line in lines})
    lefts = sorted(line.left for line in lines)
    best: tuple[float, float] | None = None
    for edge in edges[:-1]:
        following = bisect_right(lefts, edge)
        beyond = lefts[following] if following < len(lefts) else edge
        width = min(beyond, edge + 10 * size) - edge
        middle = edge + width / 2
        if width >= _GUTTER * size and (best is None or width > best[0]) and _parts_prose(lines, middle):
            best = width, middle
    return best[1] if best else None


def _parts_prose(lines: Sequence[Line], middle: float) -> bool:
    sides = [line for line in lines if line.right <= middle], [line for line in lines if line.left >= middle]
    if sum(map(len, sides)) < (1 - _ACROSS) * len(lines):
        return False
    return all(map(_is_prose, sides))


def _is_prose(column: Sequence[Line]) -> bool:
    if len(column) < _LEAST_ROWS or median(line.end - line.start for line in column) < _LEAST_CHARACTERS:
        return False
    width = max(line.right for line in column) - min(line.left for line in column)
    return median(line.right - line.left for line in column) >= _FILLED * width


def _returns(lines: Sequence[Line], gutter: float) -> int:
    """How often the given order jumps over the gutter within a row."""
    return sum(
        (one.right <= gutter <= two.left or two.right <= gutter <= one.left) and _is_beside(one, two)
        for one, two in pairwise(lines)
    )


def _bands(lines: Sequence[Line], gutter: float) -> list[list[Line]]:
    """Cut the page above and below each line that lies across the gutter; such a line is a band of its own."""
    bands: list[list[Line]] = [[]]
    for line in sorted(lines, key=lambda line: (line.baseline, line.left)):
        if line.left < gutter < line.right:
            bands += [[line], []]
        else:
            bands[-1].append(line)
    return [band for band in bands if band]


def _rises(lines: Sequence[Line]) -> bool:
    """Whether the order goes up the page so often, in the same column, that it can't be meant."""
    steps = [
        two.baseline - one.baseline
        for one, two in pairwise(lines)
        if one.turn == two.turn and min(one.right, two.right) > max(one.left, two.left)
    ]
    rising = sum(step < 0 for step in steps)
    return rising > _MOST_RISES * len(steps)


def _downwards(lines: Sequence[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: (line.turn, line.baseline, line.left))
