"""Right-to-left lines in the order of reading, worked out from where their glyphs stand.

A PDF draws glyphs; PDFium guesses their order and often turns single words of Persian, Arabic or Hebrew around, as
in files printed by Chromium. On the page there is no doubt: such a line is read from the right, and the numbers and
Latin words in it from the left. This is the Unicode bidirectional algorithm backwards, for one line.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_OWN = {"R", "AL"}
_LATIN = {"L"}
_DIGITS = {"EN", "AN"}
# Signs that hold a number together. Dashes do so in Hebrew; behind Arabic letters the parts of "2024-05-01" follow
# each other from the right.
_INNER = frozenset(".,/:٫٬")
_INNER_DASHES = frozenset("-+")
_PERCENTS = frozenset("%٪‰؉")
_BRACKETS = {"(": "()", ")": "()", "[": "[]", "]": "[]", "«": "«»", "»": "«»", "{": "{}", "}": "{}"}
# In font sizes: what parts words where PDFium does not have the two glyphs side by side.
_WORD_GAP = 0.19
# The same where PDFium has them side by side but one is a sign; within numbers, as «۰» is narrow; between cells.
_SIGN_GAP = 0.3
_NUMBER_GAP = 0.5
_CELL_GAP = 1.1
_STROKE_GAP = 0.02
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
    # The bidirectional class of the first character; asked for so often that it is worked out once.
    kind: str = field(init=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", unicodedata.bidirectional(self.text[:1] or " "))


_SPACE = Glyph(" ", ())
_CELL = Glyph("\t", ())
# PDFium drops it, though the page shows it: two letters that would join and don't («می‌شود»).
_NON_JOINER = Glyph("\u200c", ())
_JOINING = frozenset("بپتثجچحخسشصضطظعغفقکكگلمنهيیىئ")


def is_right_to_left(words: str) -> bool:
    """Whether at least half of the letters are read from the right."""
    own = len(RIGHT_TO_LEFT.findall(words))
    return own > 0 and 2 * own >= sum(char.isalpha() for char in words)


def in_logical_order(glyphs: Sequence[Glyph], size: float) -> list[Glyph]:
    """Order the glyphs of one right-to-left line of a font size in points, with spaces between its words."""
    from_right = sorted(_with_marks(glyphs), key=lambda glyph: -(glyph.left + glyph.right))
    spaced: list[Glyph] = []
    is_joined = _is_joined_up(from_right, size)
    for glyph, following in zip_longest(from_right, from_right[1:]):
        spaced.append(glyph)
        if following and _parts_words(glyph, following, size):
            spaced.append(_CELL if glyph.left - following.right > _CELL_GAP * size else _SPACE)
        elif following and is_joined and _joins(glyph, following) and not _touches(glyph, following, size):
            spaced.append(_NON_JOINER)
    return _numbers_turned(spaced)


def _is_joined_up(glyphs: Sequence[Glyph], size: float) -> bool:
    """Whether the letters of this font touch, as far as can be told from the pairs that should."""
    pairs = [
        (one, two) for one, two in pairwise(glyphs) if _joins(one, two) and not _parts_words(one, two, size)
    ]
    return 2 * sum(_touches(one, two, size) for one, two in pairs) > len(pairs)


def _joins(one: Glyph, two: Glyph) -> bool:
    """Whether two letters side by side within a word are written in one stroke."""
    last = next((char for char in reversed(one.text) if char.isalpha()), "")
    return last in _JOINING and two.kind == "AL" and two.text[0].isalpha()


def _touches(one: Glyph, two: Glyph, size: float) -> bool:
    return one.left - two.right < _STROKE_GAP * size


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
    return one.left - two.right > _least_gap(one, two) * size


def _least_gap(one: Glyph, two: Glyph) -> float:
    if _is_number(one) and _is_number(two):
        return _NUMBER_GAP
    if all(abs(place - other) != 1 for place in one.places for other in two.places):
        return _WORD_GAP
    # Side by side in PDFium's text, without white space, letters are one word.
    return _CELL_GAP if one.text[0].isalpha() and two.text[0].isalpha() else _SIGN_GAP


def _is_number(glyph: Glyph) -> bool:
    return glyph.kind in _NUMBER


def _numbers_turned(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Turn around the parts that are read from the left; brackets outside of them are set by their order."""
    ordered: list[Glyph] = []
    opened: set[str] = set()
    inner = _INNER | _INNER_DASHES if any(glyph.kind == "R" for glyph in glyphs) else _INNER
    at = 0
    while at < len(glyphs):
        end = _end_of_left_to_right(glyphs, at, inner)
        if glyphs[at].text in _PERCENTS and (number := _end_of_left_to_right(glyphs, at + 1, inner)) > at + 1:
            # Set apart from the Persian around it, «۸۰٪» shows its sign at the right; it is read after the number.
            ordered += [*reversed(glyphs[at + 1 : number]), glyphs[at]]
            at = number
        elif end > at:
            ordered += reversed(glyphs[at:end])
            at = end
        else:
            ordered.append(_mirrored(glyphs[at], opened))
            at += 1
    return ordered


def _end_of_left_to_right(glyphs: Sequence[Glyph], start: int, inner: frozenset[str]) -> int:
    """The end of what is read from the left, from `start` on as seen from the right; `start` for nothing."""
    if start == len(glyphs) or glyphs[start].kind not in _LATIN | _DIGITS:
        return start
    number, last_latin = _end_of_number(glyphs, start, inner), -1
    at = start
    while at < len(glyphs) and glyphs[at].kind not in _OWN and glyphs[at] is not _CELL:
        last_latin = at if glyphs[at].kind in _LATIN else last_latin
        at += 1
    if last_latin < 0:
        return number
    # "3D": a number that touches the Latin word at its left belongs to it.
    return max(last_latin + 1, _end_of_number(glyphs, last_latin + 1, inner))


def _end_of_number(glyphs: Sequence[Glyph], start: int, inner: frozenset[str]) -> int:
    at = end = start
    while at < len(glyphs) and (glyphs[at].kind in _DIGITS or (glyphs[at].text in inner and at > start)):
        end = at + 1 if glyphs[at].kind in _DIGITS else end
        at += 1
    return end


def _mirrored(glyph: Glyph, opened: set[str]) -> Glyph:
    """A bracket as opening or closing, whichever is due: glyphs only show which way it bends on the page."""
    pair = _BRACKETS.get(glyph.text)
    if not pair:
        return glyph
    due = pair[1] if pair in opened else pair[0]
    opened.symmetric_difference_update({pair})
    return Glyph(due, glyph.places, glyph.left, glyph.right)
