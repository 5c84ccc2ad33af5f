"""Render an answer while it is being written: closed blocks once, the open end anew each frame."""

from dataclasses import dataclass

from chat.core.render_chips import Chip
from chat.core.render_html import Placed, write_blocks
from chat.core.render_parse import parse_blocks
from chat.core.render_source import FoldedSource


@dataclass(frozen=True, slots=True)
class Frame:
    """What changed since the frame before.

    `closed` are blocks that are finished and will never change; `open_html` replaces the open end.
    With `restart` a chip came for a block that was closed already: `closed` then holds every closed
    block from the beginning, and takes the place of all that was shown.
    """

    closed: tuple[str, ...]
    open_html: str
    restart: bool = False


class StreamRenderer:
    """Collect text and chips; the joined frames equal `render_markdown` of the whole.

    Place a chip as soon as the text before it is appended. Not safe for use from several threads.
    """

    def __init__(self) -> None:
        self._folding = FoldedSource()
        self._source = ""
        self._closed_source: list[str] = []
        self._base = 0
        self._closed_chips: list[Chip] = []
        self._chips: list[Chip] = []
        self._proven = 0

    def append(self, text: str) -> None:
        """Take the next piece of the clean text."""
        self._source += self._folding.feed(text)

    def place(self, chip: Chip) -> None:
        """Take a chip at its position in the whole text."""
        self._chips.append(chip)

    def frame(self) -> Frame:
        """Return what changed since the last frame. Text that may yet turn out otherwise stays open."""
        restart = self._restart_if_late()
        closed = self._close()
        return Frame(tuple(closed), "".join(self._render(self._source)), restart)

    def finish(self) -> Frame:
        """Close everything that is left. Nothing may be appended afterwards."""
        restart = self._restart_if_late()
        closed = self._render(self._source)
        self._chips, self._source = [], ""
        return Frame(tuple(closed), "", restart)

    def _placed(self) -> list[Placed]:
        """Return the open chips as offsets into the open source, in order of place."""
        placed = [(self._folding.position(chip.position) - self._base, chip) for chip in self._chips]
        return sorted(placed, key=lambda pair: pair[0])

    def _render(self, source: str) -> list[str]:
        return write_blocks(source, parse_blocks(source), self._placed())

    def _close(self) -> list[str]:
        """Close the blocks that complete lines prove finished: all but the last of them."""
        complete = self._source.rfind("\n") + 1
        if complete == self._proven:
            return []
        self._proven = complete
        source = self._source[:complete]
        blocks = parse_blocks(source)
        if len(blocks) < 2:
            return []
        cut = source.rfind("\n", 0, blocks[-1].start) + 1
        before = [(at, chip) for at, chip in self._placed() if at <= blocks[-1].start]
        html = write_blocks(source, blocks[:-1], before)
        self._move(cut, [chip for _, chip in before])
        return html

    def _move(self, cut: int, chips: list[Chip]) -> None:
        self._closed_source.append(self._source[:cut])
        self._closed_chips += chips
        gone = set(map(id, chips))
        self._chips = [chip for chip in self._chips if id(chip) not in gone]
        self._source = self._source[cut:]
        self._base += cut
        self._proven -= cut

    def _restart_if_late(self) -> bool:
        """Open everything again if a chip belongs to a closed block."""
        if not self._base:
            return False
        begin = len(self._source) - len(self._source.lstrip())
        if all(at > begin for at, _ in self._placed()):
            return False
        self._source = "".join((*self._closed_source, self._source))
        self._chips = self._closed_chips + self._chips
        self._closed_source, self._closed_chips = [], []
        self._base = self._proven = 0
        return True
