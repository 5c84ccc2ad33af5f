"""Make streamed text storable: no lone surrogates, no NUL characters."""


class TextMender:
    """Join surrogate pairs that a service has cut over two pieces; replace lone halves with U+FFFD."""

    def __init__(self) -> None:
        self._high = ""

    def feed(self, piece: str) -> str:
        """Return the storable text that `piece` settles."""
        text = self._high + piece
        self._high = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._high = text[:-1], text[-1]
        return _storable(text)

    def flush(self) -> str:
        """Return what was held back."""
        held, self._high = self._high, ""
        return _storable(held)


def _storable(text: str) -> str:
    if "\0" in text:
        text = text.replace("\0", "")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
