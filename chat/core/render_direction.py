"""Which way a block runs.

A top-level block carries `dir="auto"`: the browser takes the first strong character. Where that would
mislead, because a Persian sentence opens with a Latin name, the block says `dir="rtl"` outright. Parts
of a block keep its direction (a list's marks and a table's columns stay on one side) unless they hold
nothing of it: an English item in a Persian list, or a cell with numbers only, whose signs would jump.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from markdown_it.token import Token

_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u05ff\u0600-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_CODE = re.compile(r"`+[^`]*`+")
_PARTS = ("li", "p", "td", "th")


@dataclass(frozen=True, slots=True)
class Direction:
    """A block's direction: the `dir` attribute to write, and how its parts differ from it."""

    attribute: str = "auto"
    right_to_left: bool = False
    mixed: bool = False

    def part(self, text: str, tag: str) -> str:
        """Return the `dir` attribute of a part of the block, with its leading space, or nothing."""
        if not self.mixed or tag not in _PARTS:
            return ""
        left, right, _ = _strong(text)
        same, other = (right, left) if self.right_to_left else (left, right)
        bare_cell = self.right_to_left and tag in ("td", "th") and bool(text)
        return ' dir="auto"' if not same and (other or bare_cell) else ""


def block_direction(tokens: Sequence[Token]) -> Direction:
    """Decide a block's direction from all its text but its code."""
    text = text_of(tokens)
    if not _RIGHT_TO_LEFT.search(text):
        return Direction()
    left, right, first_is_right = _strong(text)
    right_to_left = first_is_right or right > left
    attribute = "rtl" if right_to_left and not first_is_right else "auto"
    return Direction(attribute, right_to_left, mixed=True)


def text_of(tokens: Sequence[Token]) -> str:
    """Return the text of a run of tokens without code, one leaf a line."""
    return _CODE.sub("", "\n".join(token.content for token in tokens if token.type == "inline"))


def _strong(text: str) -> tuple[int, int, bool]:
    """Count the strong characters to the left and to the right; tell whether the first is a right one."""
    left = right = 0
    first_is_right = False
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind == "L":
            left += 1
        elif kind in ("R", "AL"):
            first_is_right = first_is_right or left == 0
            right += 1
    return left, right, first_is_right
