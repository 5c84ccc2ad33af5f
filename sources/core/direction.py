"""Which way a text is read, by its first letter, as `dir="auto"` decides it."""

import unicodedata
from collections.abc import Iterable

_LEFTWARD = frozenset({"R", "AL"})


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Tell whether the first letter of any kind, in any of the texts, is of a script that is written to the left."""
    kinds = (unicodedata.bidirectional(char) for text in texts for char in text)
    return next((kind in _LEFTWARD for kind in kinds if kind == "L" or kind in _LEFTWARD), False)
