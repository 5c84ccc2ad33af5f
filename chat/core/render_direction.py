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

RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u05ff\u0600-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_CODE = re.compile(r"`+[^`]*`+")
_STRONG = ("L", "R", "AL")
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
        found = strong(text)
        same, other = (found.right, found.left) if self.right_to_left else (found.left, found.right)
        bare_cell = self.right_to_left and tag in ("td", "th") and bool(text)
        return ' dir="auto"' if not same and (other or bare_cell) else ""


@dataclass(frozen=True, slots=True)
class Strong:
    """How many strong characters of a text run to the left and to the right, and whether the first is a right one."""

    left: int = 0
    right: int = 0
    first_is_right: bool = False

    def __add__(self, later: "Strong") -> "Strong":
        first = self if self.left or self.right else later
        return Strong(self.left + later.left, self.right + later.right, first.first_is_right)

    @property
    def direction(self) -> Direction:
        """The direction of a block with this text, of which some runs to the right."""
        right_to_left = self.first_is_right or self.right > self.left
        attribute = "rtl" if right_to_left and not self.first_is_right else "auto"
        return Direction(attribute, right_to_left, mixed=True)


def block_direction(tokens: Sequence[Token]) -> Direction:
    """Decide a block's direction from all its text but its code."""
    text = text_of(tokens)
    return strong(text).direction if RIGHT_TO_LEFT.search(text) else Direction()


def text_of(tokens: Sequence[Token]) -> str:
    """Return the text of a run of tokens without code, one leaf a line."""
    return "\n".join([without_code(token.content) for token in tokens if token.type == "inline"])


def without_code(text: str) -> str:
    """Leave out the code spans of a text."""
    return _CODE.sub("", text) if "`" in text else text


def strong(text: str) -> Strong:
    """Count a text's strong characters."""
    kinds = list(map(unicodedata.bidirectional, text))
    left, right = kinds.count("L"), kinds.count("R") + kinds.count("AL")
    first = next((kind for kind in kinds if kind in _STRONG), "L") if right else "L"
    return Strong(left, right, first != "L")
