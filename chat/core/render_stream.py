"""Render an answer while it is being written: closed blocks once, the open end anew each frame."""

from dataclasses import dataclass

from chat.core.render_calm import settled
from chat.core.render_chips import Chip, Placed
from chat.core.render_html import write_blocks
from chat.core.render_open import OpenEnd
from chat.core.render_parse import Block, parse_blocks
from chat.core.render_source import FoldedSource

# An open block above so many characters is rendered anew only when it has grown by this part of itself,
# so that one endless table or paragraph costs a fixed number of times its length, not its square.
_LARGE = 2_500
_GROWTH = 16


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
        self._base = 0
        self._number = 0
        self._chips: list[Chip] = []
        self._order: list[Placed] | None = None
        self._is_new = False
        self._closed_source: list[str] = []
        self._closed_chips: list[Chip] = []
        self._end = OpenEnd()
        self._open_html = ""
        self._rendered = 0
        self._changed = False

    def append(self, text: str) -> None:
        """Take the next piece of the clean text."""
        folded = self._folding.feed(text)
        self._source += folded
        self._changed = True
        if folded != text:
            self._order = None

    def place(self, chip: Chip) -> None:
        """Take a chip at its position in the whole text."""
        self._chips.append(chip)
        self._changed = self._is_new = True
        self._order = None

    def frame(self) -> Frame:
        """Return what changed since the last frame. Text that may yet turn out otherwise stays open."""
        restart = self._restart_if_late()
        if not self._is_due():
            return Frame((), self._open_html, restart)
        closed: list[str] = []
        text, calmly = settled(self._source), not self._source.endswith("\n\n")
        html = self._end.grow(text, self._placed(), calmly=calmly)
        if html is None:
            blocks = parse_blocks(text, self._number)
            closed, blocks = self._close(blocks)
            html = self._end.renew(blocks, self._placed(), calmly=calmly)
        self._open_html = html
        self._rendered = len(self._source)
        self._changed = False
        return Frame(tuple(closed), self._open_html, restart)

    def finish(self) -> Frame:
        """Close everything that is left. Nothing may be appended afterwards."""
        restart = self._restart_if_late()
        blocks = parse_blocks(self._source, self._number)
        closed = write_blocks(blocks, self._placed(), self._end.texts)
        self._move(len(self._source), self._chips, 0)
        self._open_html, self._changed = "", False
        return Frame(tuple(closed), "", restart)

    def _is_due(self) -> bool:
        grown = len(self._source) - self._rendered
        return self._changed and grown >= len(self._source) // _GROWTH * (len(self._source) > _LARGE)

    def _placed(self) -> list[Placed]:
        """Return the open chips as offsets into the open source, in order of place."""
        if self._order is None:
            placed = [(self._folding.position(chip.position) - self._base, chip) for chip in self._chips]
            self._order = sorted(placed, key=lambda pair: pair[0])
        return self._order

    def _close(self, blocks: list[Block]) -> tuple[list[str], list[Block]]:
        """Close all blocks before the last that begins in a complete line; return their HTML and the others.

        A line that is not complete may still change the block that it goes on, but none before that.
        """
        complete = self._source.rfind("\n") + 1
        proven = sum(block.line < complete for block in blocks)
        if proven < 2:
            return [], blocks
        last = blocks[proven - 1]
        before = [(at, chip) for at, chip in self._placed() if at <= last.start]
        html = write_blocks(blocks[: proven - 1], before, self._end.texts)
        self._move(last.line, [chip for _, chip in before], last.number)
        return html, [block.moved(last.line) for block in blocks[proven - 1 :]]

    def _move(self, cut: int, chips: list[Chip], number: int) -> None:
        """Let the text and the chips before `cut` go."""
        self._closed_source.append(self._source[:cut])
        self._closed_chips += chips
        gone = set(map(id, chips))
        self._chips = [chip for chip in self._chips if id(chip) not in gone]
        self._source = self._source[cut:]
        self._base += cut
        self._number = number
        self._order = None
        self._end.forget()

    def _restart_if_late(self) -> bool:
        """Open everything again if a chip belongs to a closed block."""
        is_new, self._is_new = self._is_new, False
        if not self._base or not is_new:
            return False
        begin = len(self._source) - len(self._source.lstrip(" \t\n"))
        if all(at > begin for at, _ in self._placed()):
            return False
        self._source = "".join((*self._closed_source, self._source))
        self._chips = self._closed_chips + self._chips
        self._closed_source, self._closed_chips = [], []
        self._base = self._number = self._rendered = 0
        self._order = None
        self._end.forget()
        return True
