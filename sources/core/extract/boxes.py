"""Character boxes, packed: four planes (x0, y0, x1, y1) of 16-bit steps, zlib'd.

A step is the longer side of the page divided by 65,535, so an A4 page is exact to about 0.013 points.
Planes, not rows: the y values repeat along a line and compress to almost nothing.
"""

import zlib

import numpy as np
from numpy.typing import NDArray

Boxes = NDArray[np.float32]
_STEPS = 65535
_SIDES = 4


def pack_boxes(boxes: NDArray[np.floating], width: float, height: float) -> bytes:
    """Pack `boxes` of shape (n, 4) in points of a page of the given size; parts outside the page are cut off."""
    step = max(width, height, 1.0) / _STEPS
    steps = np.clip(np.rint(boxes / step), 0, _STEPS).astype("<u2")
    return zlib.compress(np.ascontiguousarray(steps.T).tobytes(), 1)


def unpack_boxes(packed: bytes, width: float, height: float) -> Boxes:
    """Return the boxes of a page, shape (n, 4) as x0, y0, x1, y1 in points with the origin at the top left.

    A box of four zeros means that the character is drawn nowhere.
    """
    step = max(width, height, 1.0) / _STEPS
    planes = np.frombuffer(zlib.decompress(packed), dtype="<u2").reshape(_SIDES, -1)
    return (planes.T * np.float32(step)).astype(np.float32)
