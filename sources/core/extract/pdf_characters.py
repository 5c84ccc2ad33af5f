"""The characters of a PDF page and their boxes, read from PDFium in bulk.

One Python call for each character would cost most of the time of an extraction. PDFium's functions are therefore
called from `map` in C loops and write straight into numpy arrays.
"""

import ctypes
from _ctypes import CFuncPtr
from collections import deque
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_POINTER = ctypes.c_void_p
_INT = ctypes.c_int


def _plain(function: CFuncPtr, *arguments: type, result: type = _INT) -> "ctypes._FuncPointer":
    """The same C function with plain integers for addresses: no ctypes object per call."""
    return ctypes.CFUNCTYPE(result, *arguments)(ctypes.cast(function, _POINTER).value or 0)


_loose_box = _plain(pdfium_c.FPDFText_GetLooseCharBox, _POINTER, _INT, _POINTER)
_origin = _plain(pdfium_c.FPDFText_GetCharOrigin, _POINTER, _INT, *[_POINTER] * 2)
_matrix = _plain(pdfium_c.FPDFText_GetMatrix, _POINTER, _INT, _POINTER)
_font_size = _plain(pdfium_c.FPDFText_GetFontSize, _POINTER, _INT, result=ctypes.c_double)
_angle = _plain(pdfium_c.FPDFText_GetCharAngle, _POINTER, _INT, result=ctypes.c_float)
_unicode = _plain(pdfium_c.FPDFText_GetUnicode, _POINTER, _INT, result=ctypes.c_uint)
_get_text = _plain(pdfium_c.FPDFText_GetText, _POINTER, _INT, _INT, _POINTER)


class _CharBox(CFuncPtr):
    """FPDFText_GetCharBox without a list of argument types: arguments that are ready-made go through as they are.

    Called for every character, with pointers that are made once and not for each call, it takes half the time.
    """

    _flags_ = 1  # the usual calling convention of C, as in ctypes.CFUNCTYPE
    _restype_ = _INT


_char_box = _CharBox(ctypes.cast(pdfium_c.FPDFText_GetCharBox, _POINTER).value or 0)
# Where PDFium writes boxes, a few thousand at a time; like PDFium itself for one thread only.
_written = np.zeros((4096, 4))
_SIDES = [
    [
        _POINTER.from_param(row)
        for row in range(_written.ctypes.data + 8 * side, _written.ctypes.data + _written.nbytes, 32)
    ]
    for side in range(4)
]

# PDFium writes this for the hyphen of a word that goes on in the next line: \x02 by character, U+FFFE in bulk text.
LINE_HYPHEN = "\x02"
_BULK_HYPHEN = "\ufffe"
_SPACE, _HARD_SPACE = 0x20, 0xA0
_SURROGATES = range(0xD800, 0xE000)


@dataclass(frozen=True, slots=True)
class Characters:
    """`text` has exactly one character for each row of `boxes` (left, right, bottom, top in PDF user space)."""

    text: str
    boxes: Floats


@dataclass(frozen=True, slots=True)
class Anchors:
    """For chosen characters: baseline origin x and y and font size (em) in user space, direction in quarter turns."""

    origins: Floats
    sizes: Floats
    quarters: NDArray[np.int64]

    def those(self, chosen: NDArray[np.bool_]) -> "Anchors":
        """Return those of the chosen characters."""
        return Anchors(self.origins[chosen], self.sizes[chosen], self.quarters[chosen])


def read_characters(text_page: pdfium.PdfTextPage) -> Characters:
    """Return all characters that PDFium finds on a page, in its order, made-up spaces and line ends included.

    White space has a box of zeros.
    """
    handle, count = _handle(text_page), text_page.count_chars()
    text = _text(handle, count)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    drawn = np.flatnonzero((codes > _SPACE) & (codes != _HARD_SPACE))
    boxes = np.zeros((count, 4))
    for begin in range(0, len(drawn), len(_written)):
        chosen = drawn[begin : begin + len(_written)]
        _written[:] = 0
        deque(map(_char_box, repeat(_POINTER.from_param(handle)), chosen.tolist(), *_SIDES), maxlen=0)
        boxes[chosen] = _written[: len(chosen)]
    return Characters(text, boxes)


def read_loose_boxes(text_page: pdfium.PdfTextPage, indices: list[int]) -> Floats:
    """Return the boxes that the font gives to characters (left, right, bottom, top), for glyphs without ink."""
    loose = _loose_boxes(_handle(text_page), indices)
    # FS_RECTF is left, top, right, bottom.
    return loose[:, [0, 2, 3, 1]].astype(np.float64)


def read_anchors(text_page: pdfium.PdfTextPage, indices: list[int]) -> Anchors:
    """Return origins, font sizes and directions of a few characters, such as one of each line."""
    handle, count = _handle(text_page), len(indices)
    origins, matrices = np.zeros((count, 2)), np.zeros((count, 6), dtype=np.float32)
    at = origins.ctypes.data
    rows = range(at, at + 16 * count, 16), range(at + 8, at + 8 + 16 * count, 16)
    deque(map(_origin, repeat(handle), indices, *rows), maxlen=0)
    at = matrices.ctypes.data
    deque(map(_matrix, repeat(handle), indices, range(at, at + 24 * count, 24)), maxlen=0)
    stated = np.fromiter(map(_font_size, repeat(handle), indices), dtype=np.float64, count=count)
    angles = np.fromiter(map(_angle, repeat(handle), indices), dtype=np.float64, count=count)
    quarters = np.rint(angles / (np.pi / 2)).astype(np.int64) % 4
    # A matrix is a, b, c, d, e, f; c and d turn and scale the height.
    return Anchors(origins, stated * np.hypot(matrices[:, 2], matrices[:, 3]), quarters)


def _handle(text_page: pdfium.PdfTextPage) -> int:
    return ctypes.cast(text_page.raw, _POINTER).value or 0


def _loose_boxes(handle: int, indices: list[int]) -> NDArray[np.float32]:
    loose = np.zeros((len(indices), 4), dtype=np.float32)
    at = loose.ctypes.data
    deque(map(_loose_box, repeat(handle), indices, range(at, at + 16 * len(indices), 16)), maxlen=0)
    return loose


def _text(handle: int, count: int) -> str:
    if not count:
        return ""
    buffer = ctypes.create_string_buffer(2 * count + 2)
    written = _get_text(handle, 0, count, ctypes.addressof(buffer))
    text = buffer.raw[: 2 * max(written - 1, 0)].decode("utf-16-le", "surrogatepass")
    if len(text) == count:
        return text.replace(_BULK_HYPHEN, LINE_HYPHEN)
    # The bulk text leaves out some characters; then only asking for each keeps text and boxes together.
    codes = map(_unicode, repeat(handle), range(count))
    return "".join(chr(code) if code < 0x110000 and code not in _SURROGATES else "\x00" for code in codes)
