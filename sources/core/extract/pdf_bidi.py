"""Right-to-left lines in the order of reading, worked out from where their glyphs stand.

A PDF draws glyphs; PDFium guesses their order and often turns single words of Persian, Arabic or Hebrew around, as
in files printed by Chromium. On the page there is no doubt: such a line is read from the right, and the numbers and
Latin words in it from the left. This is the Unicode bidirectional algorithm backwards, for one line.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_OWN = {"R", "AL"}
_LATIN = {"L"}
_DIGITS = {"EN", "AN"}
# Signs that hold a number together; a dash does too, unless it stands at the number's end.
_INNER = frozenset(".,/:٫٬-")
_BRACKETS = {"(": "()", ")": "()", "[": "[]", "]": "[]", "«": "«»", "»": "«»", "{": "{}", "}": "{}"}
# In font sizes: what parts words where PDFium does not have the two glyphs side by side.
_WORD_GAP = 0.19
# The same where PDFium has them side by side but one is a letter and the other a sign; and what parts cells.
_SIGN_GAP = 0.3
_CELL_GAP = 1.1
_NUMBER = _DIGITS | {"ES", "ET", "CS"}


@dataclass(frozen=True, slots=True)
class Glyph:
    """What is drawn as one: its characters, their places in PDFium's text, and its sides along the line.

    A space between words has no place.
    """

    text: str
    places: tuple[int, ...]
    left: float = 0.0
    right: float = 0.0

    @property
    def kind(self) -> str:
        """The bidirectional class of the first character."""
        return unicodedata.bidirectional(self.text[0])


_SPACE = Glyph(" ", ())
_CELL = Glyph("\t", ())


def is_right_to_left(words: str) -> bool:
    """Whether at least half of the letters are read from the right."""
    own = len(RIGHT_TO_LEFT.findall(words))
    return own > 0 and 2 * own >= sum(char.isalpha() for char in words)


def in_logical_order(glyphs: Sequence[Glyph], size: float) -> list[Glyph]:
    """Order the glyphs of one right-to-left line of a font size in points, with spaces between its words."""
    from_right = sorted(_with_marks(glyphs), key=lambda glyph: -(glyph.left + glyph.right))
    spaced: list[Glyph] = []
    for glyph, following in zip_longest(from_right, from_right[1:]):
        spaced.append(glyph)
        if following and _parts_words(glyph, following, size):
            spaced.append(_CELL if glyph.left - following.right > _CELL_GAP * size else _SPACE)
    return _numbers_turned(spaced)


def _with_marks(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Put combining marks behind the letter they stand at."""
    bases = [glyph for glyph in glyphs if glyph.kind != "NSM"]
    if not bases:
        return list(glyphs)
    for mark in (glyph for glyph in glyphs if glyph.kind == "NSM"):
        middle = mark.left + mark.right
        nearest = min(range(len(bases)), key=lambda at: abs(bases[at].left + bases[at].right - middle))
        base = bases[nearest]
        bases[nearest] = Glyph(base.text + mark.text, base.places + mark.places, base.left, base.right)
    return bases


def _parts_words(one: Glyph, two: Glyph, size: float) -> bool:
    gap = one.left - two.right
    if all(abs(place - other) != 1 for place in one.places for other in two.places):
        return gap > _WORD_GAP * size
    if gap > _CELL_GAP * size:
        return True
    # Side by side in PDFium's text without white space, letters are one word and digits one number.
    is_same = _is_number(one) == _is_number(two) and one.text[0].isalpha() == two.text[0].isalpha()
    return not is_same and not (_is_number(one) and _is_number(two)) and gap > _SIGN_GAP * size


def _is_number(glyph: Glyph) -> bool:
    return glyph.kind in _NUMBER


def _numbers_turned(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Turn around the parts that are read from the left; brackets outside of them are set by their order."""
    ordered: list[Glyph] = []
    opened: set[str] = set()
    at = 0
    while at < len(glyphs):
        end = _end_of_left_to_right(glyphs, at)
        if end > at:
            ordered += reversed(glyphs[at:end])
            at = end
        else:
            ordered.append(_mirrored(glyphs[at], opened))
            at += 1
    return ordered


def _end_of_left_to_right(glyphs: Sequence[Glyph], start: int) -> int:
    """The end of what is read from the left, from `start` on as seen from the right; `start` for nothing."""
    if glyphs[start].kind not in _LATIN | _DIGITS:
        return start
    number, last_latin = _end_of_number(glyphs, start), -1
    at = start
    while at < len(glyphs) and glyphs[at].kind not in _OWN and glyphs[at] is not _CELL:
        last_latin = at if glyphs[at].kind in _LATIN else last_latin
        at += 1
    if last_latin < 0:
        return number
    # "3D": a number that touches the Latin word at its left belongs to it.
    return max(last_latin + 1, _end_of_number(glyphs, last_latin + 1))


def _end_of_number(glyphs: Sequence[Glyph], start: int) -> int:
    at = end = start
    while at < len(glyphs) and (glyphs[at].kind in _DIGITS or (glyphs[at].text in _INNER and at > start)):
        end = at + 1 if glyphs[at].kind in _DIGITS else end
        at += 1
    dash = next((place for place in range(start, end) if glyphs[place].text == "-"), end)
    # "5-2-" before a heading: with a dash behind, each number stands for itself.
    return dash if end < len(glyphs) and glyphs[end].text == "-" else end


def _mirrored(glyph: Glyph, opened: set[str]) -> Glyph:
    """A bracket as opening or closing, whichever is due: glyphs only show which way it bends on the page."""
    pair = _BRACKETS.get(glyph.text)
    if not pair:
        return glyph
    due = pair[1] if pair in opened else pair[0]
    opened.symmetric_difference_update({pair})
    return Glyph(due, glyph.places, glyph.left, glyph.right)
