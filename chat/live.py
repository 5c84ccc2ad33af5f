"""An answer while it is being written, as its viewers see it: state, not deltas."""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from chat.core.render import Chip, Frame, StreamRenderer


@dataclass(frozen=True, slots=True)
class View:
    """All that a viewer with `cursor` closed blocks still needs.

    `closed` are the blocks after the cursor, `total` counts all closed ones, `open_html` is the unfinished last
    block. A slow viewer simply gets more in one view. A new `epoch` means that all that was shown before is void.
    """

    version: int
    epoch: int
    closed: Sequence[str]
    total: int
    open_html: str
    status: str
    finished: bool


class LiveTurn:
    """The growing answer of one turn. Lives in the generating process; every change wakes all viewers."""

    def __init__(self, turn_id: uuid.UUID) -> None:
        self.turn_id = turn_id
        self._epoch = 0
        self._version = 0
        self._reset()
        self._changed = asyncio.Event()
        self._finished = False
        self._status = ""

    def _reset(self) -> None:
        self._renderer = StreamRenderer()
        self._closed: list[str] = []
        self._open_html = ""
        self._stale = False

    def set_status(self, status: str) -> None:
        """Say in one plain line what happens before the first words come."""
        self._status = status
        self._wake()

    def append(self, text: str) -> None:
        """Add clean Markdown."""
        self._renderer.append(text)
        self._stale = True
        self._wake()

    def place(self, chip: Chip) -> None:
        """Add a chip at its position in the text so far."""
        self._renderer.place(chip)
        self._stale = True
        self._wake()

    def withdraw(self) -> None:
        """Forget the text so far: it turned out to be the model's thinking."""
        self._reset()
        self._epoch += 1
        self._wake()

    def finish(self) -> None:
        """Mark the end; the stored turn is now the truth."""
        self._finished = self._stale = True
        self._wake()

    def view(self, cursor: int) -> View:
        """Return the state after `cursor` closed blocks, rendering at most once a change."""
        if self._stale:
            self._show(self._renderer.finish() if self._finished else self._renderer.frame())
        return View(
            version=self._version,
            epoch=self._epoch,
            closed=tuple(self._closed[cursor:]),
            total=len(self._closed),
            open_html=self._open_html,
            status=self._status,
            finished=self._finished,
        )

    def _show(self, frame: Frame) -> None:
        if frame.restart:
            self._closed = []
            self._epoch += 1
        self._closed.extend(frame.closed)
        self._open_html, self._stale = frame.open_html, False

    async def wait_beyond(self, version: int) -> None:
        """Wait until something is newer than `version`."""
        while self._version <= version:
            await self._changed.wait()

    def _wake(self) -> None:
        self._version += 1
        # Each waiter holds the old event, so one that is slow to run can't miss the next change.
        self._changed.set()
        self._changed = asyncio.Event()
