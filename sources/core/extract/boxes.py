"""Character boxes, packed: about three bytes a character.

Whole steps of 1/20 point, in four planes that each hold the change from the character before (left and upper edge),
the width, and the change of the lower edge; then zlib. Planes, not rows: along a line three of the four hardly change.
"""

import zlib

import numpy as np
from numpy.typing import NDArray

Boxes = NDArray[np.float32]
_STEPS_PER_POINT = 20
# Pages up to this many points a side fit into 16 bits.
_USUAL_SIDE = 3000.0
_LONGEST_SIDE = 1e8


def pack_boxes(boxes: NDArray[np.floating], width: float, height: float) -> bytes:
    """Pack boxes of shape (n, 4), x0, y0, x1, y1 in points, of a page of the given size; parts outside are cut off."""
    # Side by side, as they stand in the planes: several times faster than row by row.
    left, top, right, bottom = (
        _steps(boxes[:, side], edge) for side, edge in enumerate((width, height, width, height))
    )
    # What has an area keeps one, however small.
    right[(left == right) & (boxes[:, 2] > boxes[:, 0])] += 1
    bottom[(top == bottom) & (boxes[:, 3] > boxes[:, 1])] += 1
    planes = np.empty((4, len(boxes)), dtype=_kind(width, height))
    planes[0], planes[1] = np.diff(left, prepend=0), right - left
    planes[2], planes[3] = np.diff(top, prepend=0), np.diff(bottom, prepend=0)
    return zlib.compress(planes.tobytes(), 1)


def _steps(side: NDArray[np.floating], edge: float) -> NDArray[np.int64]:
    inside = side.clip(0, min(max(edge, 0.0), _LONGEST_SIDE))
    steps: NDArray[np.int64] = np.rint(inside * _STEPS_PER_POINT).astype(np.int64)
    return steps


def unpack_boxes(packed: bytes, width: float, height: float) -> Boxes:
    """Return the boxes of a page, shape (n, 4) as x0, y0, x1, y1 in points with the origin at the top left.

    A box of four zeros means that the character is drawn nowhere.
    """
    kind = _kind(width, height)
    planes = np.frombuffer(zlib.decompress(packed), dtype=kind).reshape(4, -1)
    # Sums wrap around as the differences did.
    left, top, bottom = (np.cumsum(planes[row], dtype=kind) for row in (0, 2, 3))
    right = left + planes[1]
    return (np.stack((left, top, right, bottom), axis=1) / np.float32(_STEPS_PER_POINT)).astype(np.float32)


def _kind(width: float, height: float) -> "np.dtype[np.unsignedinteger]":
    return np.dtype("<u2" if max(width, height) <= _USUAL_SIDE else "<u4")
