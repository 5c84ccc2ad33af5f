"""Arabic ligatures that PDFium takes apart in the wrong order.

One glyph for lam and alef comes out as alef, lam (a word like «کالا» as «کاال»): PDFium turns right-to-left runs
around by character and forgets that these belong together. Both share the glyph's box, which gives them away.
"""

import re

import numpy as np

from sources.core.extract.pdf_characters import Floats

_TURNED = re.compile("[اأإآٱ]ل|هلل")


def mend_ligatures(text: str, boxes: Floats) -> str:
    """Put the letters of one glyph back into the order in which they are read."""
    for match in _TURNED.finditer(text):
        start, end = match.span()
        if np.ptp(boxes[start:end], axis=0).max() == 0 and boxes[start].any():
            text = text[:start] + text[start:end][::-1] + text[end:]
    return text
