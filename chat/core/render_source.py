"""The text as the Markdown parser sees it, and the way from the caller's positions into it.

Line ends become LF; private-use characters are left out, because nothing that a person reads may
hold one; NUL and lone surrogates, which no encoding carries, become U+FFFD. Whatever is left out is
remembered, so a chip's position in the given text is known in the folded text too.
"""

import re
from bisect import bisect_left

_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
PRIVATE_USE = re.compile(f"[{_PRIVATE}]")
_TO_FOLD = re.compile(f"\r\n?|[\0\ud800-\udfff]|[{_PRIVATE}]+")


class FoldedSource:
    """Fold a text that arrives in pieces; every slicing gives the same folded text."""

    def __init__(self) -> None:
        self._given = 0
        self._left_out: list[int] = []
        self._ends_in_cr = False

    def feed(self, piece: str) -> str:
        """Return the folded form of the next piece."""
        if self._ends_in_cr and piece.startswith("\n"):
            self._left_out.append(self._given)
            self._given += 1
            piece = piece[1:]
            self._ends_in_cr = False
        if piece:
            self._ends_in_cr = piece.endswith("\r")
        folded = _TO_FOLD.sub(self._fold, piece)
        self._given += len(piece)
        return folded

    def _fold(self, match: re.Match[str]) -> str:
        found = match.group()
        first = self._given + match.start()
        if found[0] == "\r":
            self._left_out.extend(range(first + 1, first + len(found)))
            return "\n"
        if PRIVATE_USE.match(found):
            self._left_out.extend(range(first, first + len(found)))
            return ""
        return "\ufffd"

    def position(self, given: int) -> int:
        """Translate a code-point position in the given text to the folded one."""
        return given - bisect_left(self._left_out, given)


def without_private_use(text: str) -> str:
    """Leave out every private-use character."""
    return PRIVATE_USE.sub("", text)
