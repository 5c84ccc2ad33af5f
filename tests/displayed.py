"""Where the words of a PDF stand on its displayed pages, by PDFium's own boxes and by nothing of ours."""

import math
from collections.abc import Sequence
from pathlib import Path

import pypdfium2 as pdfium

Point = tuple[float, float]
Box = tuple[float, float, float, float]


def displayed_characters(pdf: Path, words: str, number: int = 1) -> tuple[list[Point], list[Point]]:
    """Return the centres of the characters of `words` and of all others on that page, in points from its top left.

    White space has no centre. The words must stand there once, line ends aside.
    """
    page = pdfium.PdfDocument(pdf)[number - 1]
    text_page = page.get_textpage()
    chars = [text_page.get_text_range(index, 1) for index in range(text_page.count_chars())]
    drawn = [index for index, char in enumerate(chars) if char and not char.isspace()]
    letters = "".join(chars[index] for index in drawn)
    wanted = "".join(words.split())
    start = letters.index(wanted)
    centres = [_displayed(page, text_page.get_charbox(index)) for index in drawn]
    inside = centres[start : start + len(wanted)]
    return inside, centres[:start] + centres[start + len(wanted) :]


def _displayed(page: pdfium.PdfPage, box: Box) -> Point:
    """Turn the centre of a box in PDF user space as the page is turned, from its crop box."""
    left, bottom, right, top = page.get_cropbox()
    x, y = (box[0] + box[2]) / 2 - left, (box[1] + box[3]) / 2 - bottom
    width, height = right - left, top - bottom
    turns = {0: (x, height - y), 90: (y, x), 180: (width - x, y), 270: (height - y, width - x)}
    return turns[page.get_rotation()]


def covered(points: Sequence[Point], boxes: Sequence[Box], slack: float = 0) -> list[bool]:
    """Tell for each point whether a box (left, top, right, bottom) is over it, give or take `slack`."""
    return [
        any(
            left - slack <= x <= right + slack and top - slack <= y <= bottom + slack
            for left, top, right, bottom in boxes
        )
        for x, y in points
    ]


def near(one: float, other: float, by: float) -> bool:
    """Tell whether two measures differ by no more than `by`."""
    return math.isclose(one, other, abs_tol=by)
