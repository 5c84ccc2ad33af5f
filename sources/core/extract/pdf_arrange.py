"""A page whose right-to-left lines are put into the order of reading."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from sources.core.extract.pdf_bidi import Glyph, in_logical_order, is_right_to_left
from sources.core.extract.pdf_characters import Floats
from sources.core.extract.pdf_layout import Line, upright

# In font sizes: pieces of one line that PDFium has cut stand no further apart.
_SAME_ROW = 0.5
_SAME_PIECE = 1.0
_OWN = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
# From the first to the last right-to-left letter without a Latin one between.
_FOREIGN_RUN = re.compile(f"[{_OWN}](?:[^a-zA-Z\u00c0-\u024f]*[{_OWN}])?")

_TURNED_BRACKET = re.compile(r"( ?)\((?=[A-Za-z])")


@dataclass(frozen=True, slots=True)
class Arranged:
    """Characters with their displayed boxes and their places in PDFium's list (-1 for made-up ones), cut into lines."""

    text: str
    boxes: Floats
    places: NDArray[np.int64]
    spans: list[tuple[int, int]]


def arranged(page: Arranged, lines: Sequence[Line]) -> Arranged:
    """Order the glyphs of every right-to-left line; the others stay as they are. `lines` are those of the page."""
    pieces: list[list[Glyph]] = []
    page_is_right_to_left = is_right_to_left(page.text)
    for row in _rows(lines):
        words = "".join(page.text[line.start : line.end] for line in row)
        if is_right_to_left(words) or (page_is_right_to_left and not any(map(str.isalpha, words))):
            glyphs = [glyph for line in row for glyph in _glyphs(page, line)]
            pieces.append(in_logical_order(glyphs, row[0].size))
        else:
            pieces += [_with_foreign_words(page, line) for line in row]
    return _put_together(page, pieces)


def _with_foreign_words(page: Arranged, line: Line) -> list[Glyph]:
    """A left-to-right line whose right-to-left words are put in order and whose other characters stay."""
    ordered: list[Glyph] = []
    at = line.start
    for match in _FOREIGN_RUN.finditer(page.text, line.start, line.end):
        ordered.append(_as_it_is(page, at, match.start()))
        run = replace(line, start=match.start(), end=match.end())
        ordered += in_logical_order(list(_glyphs(page, run)), line.size)
        at = match.end()
        if turned := _TURNED_BRACKET.match(page.text, at, line.end):
            # PDFium turns the bracket behind such a word around, and sets the space before it.
            ordered += [
                Glyph(")", (turned.end() - 1,)),
                *([_as_it_is(page, at, at + 1)] if turned[1] else []),
            ]
            at = turned.end()
    return [*ordered, _as_it_is(page, at, line.end)]


def _as_it_is(page: Arranged, start: int, end: int) -> Glyph:
    return Glyph(page.text[start:end], tuple(range(start, end)))


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    rows: list[list[Line]] = []
    for line in lines:
        if rows and _is_one_piece(rows[-1][-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _is_one_piece(one: Line, two: Line) -> bool:
    gap = max(two.left - one.right, one.left - two.right)
    near = abs(one.baseline - two.baseline) < _SAME_ROW * one.size and gap < _SAME_PIECE * one.size
    return near and one.turn == two.turn


def _glyphs(page: Arranged, line: Line) -> Iterator[Glyph]:
    """The drawn glyphs of a line; characters that share a box, as those of a ligature do, are one."""
    turns = np.full(line.end - line.start, line.turn)
    sides = upright(page.boxes[line.start : line.end], turns)[:, [0, 2]].tolist()
    boxes = page.boxes[line.start : line.end].tolist()
    drawn = [place for place in range(line.start, line.end) if not page.text[place].isspace()]
    for _, places in groupby(drawn, key=lambda place: boxes[place - line.start]):
        together = tuple(places)
        left, right = sides[together[0] - line.start]
        yield Glyph("".join(page.text[place] for place in together), together, left, right)


def _put_together(page: Arranged, pieces: Sequence[Sequence[Glyph]]) -> Arranged:
    words: list[str] = []
    places: list[int] = []
    spans: list[tuple[int, int]] = []
    for glyphs in pieces:
        start = len(places)
        for glyph in glyphs:
            words.append(glyph.text)
            places += glyph.places or (-1,) * len(glyph.text)
        spans.append((start, len(places)))
        words.append("\n")
        places.append(-1)
    order = np.array(places, dtype=np.int64)
    boxes = np.where((order >= 0)[:, None], page.boxes[order], 0.0)
    known = np.where(order >= 0, page.places[order], -1)
    return Arranged("".join(words), boxes, known, spans)
