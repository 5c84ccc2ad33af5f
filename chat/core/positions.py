"""Places in an answer: code points inside Citeweb, UTF-16 units for browsers. Convert here, nowhere else."""


def utf16_length(text: str) -> int:
    """Return the length in UTF-16 code units, which is what JavaScript counts."""
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)


def to_utf16(text: str, position: int) -> int:
    """Return the UTF-16 offset of a code-point offset."""
    return utf16_length(text[:position])


def from_utf16(text: str, units: int) -> int:
    """Return the code-point offset of a UTF-16 offset; inside a surrogate pair, that of its character.

    An offset outside the text becomes the nearest end.
    """
    if text.isascii():
        return min(max(units, 0), len(text))
    seen = 0
    for position, char in enumerate(text):
        seen += 2 if char > "\uffff" else 1
        if seen > units:
            return position
    return len(text)
