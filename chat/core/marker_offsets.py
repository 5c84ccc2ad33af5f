"""Where a place of the raw answer ended up in the clean text."""

from bisect import bisect_right


class Offsets:
    """Follow one step that copies or cuts characters in order; lengths are code points."""

    def __init__(self) -> None:
        self._read = 0
        self._removed = 0
        self._starts: list[int] = []
        self._cuts: list[tuple[int, int]] = []

    def keep(self, length: int) -> None:
        """Note that `length` characters went through."""
        self._read += length

    def cut(self, length: int) -> None:
        """Note that `length` characters were taken out."""
        if length:
            self._starts.append(self._read)
            self._cuts.append((length, self._removed))
            self._read += length
            self._removed += length

    def after(self, position: int) -> int:
        """Return where the input's `position` is in the output; inside a cut, the place of the cut."""
        index = bisect_right(self._starts, position) - 1
        if index < 0:
            return position
        length, before = self._cuts[index]
        return position - before - min(position - self._starts[index], length)
