"""How many lines are shown at once: so many, or fewer where they are long, as those of a wide table are.

A page of lines then has a bounded size, whatever the document. Lines are counted from 1; `starts` are the code-point
offsets at which they begin, `length` is that of the text.
"""

from collections.abc import Iterable

from sources.core.line_view import LONGEST_LINE

MOST_LINES = 400
# Characters; with the cells and marks around them, these are at most about half a megabyte of HTML.
MOST_CHARACTERS = 60_000


def last_of(starts: list[int], length: int, first: int, *, room: int = MOST_CHARACTERS) -> int:
    """Return the last line of the window that begins with `first`; at least that one is in it."""
    end = min(first + MOST_LINES - 1, len(starts))
    return first + _fitting(starts, length, range(first, end + 1), room) - 1


def first_of(
    starts: list[int], length: int, last: int, *, most: int = MOST_LINES, room: int = MOST_CHARACTERS
) -> int:
    """Return the first line of the window of up to `most` lines that ends with `last`; at least that one is in it."""
    begin = max(last - most + 1, 1)
    return last - _fitting(starts, length, range(last, begin - 1, -1), room) + 1


def _fitting(starts: list[int], length: int, lines: Iterable[int], room: int) -> int:
    """Count the lines that there is room for, in their order; at least one."""
    count = 0
    for line in lines:
        end = starts[line] if line < len(starts) else length
        room -= min(end - starts[line - 1], LONGEST_LINE)
        if room < 0 and count:
            break
        count += 1
    return count
