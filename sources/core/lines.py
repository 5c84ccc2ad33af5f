"""The one definition of a line: text between LF, CRLF or CR, as browsers and editors count.

`str.splitlines` also breaks at U+2028, NEL, form feeds and others, so it is not used for numbering.
"""

import re
from bisect import bisect_right

_LINE_END = re.compile(r"\r\n|\n|\r")


def line_starts(text: str) -> list[int]:
    """Return the code-point offset at which each line begins; line n starts at index n - 1."""
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def line_at(starts: list[int], offset: int) -> int:
    """Return the 1-based number of the line that holds the character at `offset`."""
    return bisect_right(starts, offset)


def line_span(text: str, starts: list[int], first: int, last: int) -> tuple[int, int]:
    """Return the half-open span of lines `first` to `last` without the final line end.

    Raises ValueError if the lines don't exist.
    """
    if not 1 <= first <= last <= len(starts):
        raise ValueError(f"no lines {first} to {last} in a text of {len(starts)} lines")
    end = starts[last] if last < len(starts) else len(text)
    while end > starts[last - 1] and text[end - 1] in "\r\n":
        end -= 1
    return starts[first - 1], end
