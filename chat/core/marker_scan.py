"""The parser's second step: read text as Markdown, keep code as it is, repair the soft forms elsewhere.

What the first step lifted out arrives as `Mark`s between the characters. A mark inside code or a link's
target is set after it. Everything is decided on a bounded look-ahead, so that the slicing does not matter.
"""

import re

from chat.core.marker_blocks import LOOK_AHEAD, Fence, code_span_end, read_fence_line, read_line_start
from chat.core.marker_events import Cite, Dropped, Mark, Run
from chat.core.marker_ids import OfferedIds
from chat.core.marker_offsets import Offsets
from chat.core.marker_spellings import unfinished

_SPECIAL = re.compile(r"[`\n]")


class MarkdownScan:
    """Turn the first step's `Run`s and `Mark`s into literal and ordinary `Run`s, and `Mark`s."""

    def __init__(self, ids: OfferedIds) -> None:
        self._ids = ids
        self.offsets = Offsets()
        self._buffer = ""
        self._marks: list[tuple[int, Mark]] = []
        self._moved: list[Cite | Dropped] = []
        self._line_start = True
        self._fence: Fence | None = None
        self._indented = False
        self._after_blank = True
        self._list_indent = 0
        self._previous = ""
        self._out: list[Run | Mark] = []

    def feed(self, items: list[Run | Mark]) -> list[Run | Mark]:
        """Take what the first step has settled and return what is settled here."""
        for item in items:
            if isinstance(item, Mark):
                self._marks.append((len(self._buffer), item))
            else:
                self._buffer += item.text
        return self._drain(final=False)

    def flush(self) -> list[Run | Mark]:
        """End the answer and return the rest."""
        self._drain_into(final=True)
        self._release()
        return self._taken()

    def _drain(self, *, final: bool) -> list[Run | Mark]:
        self._drain_into(final=final)
        return self._taken()

    def _drain_into(self, *, final: bool) -> None:
        while self._step(final):
            pass

    def _taken(self) -> list[Run | Mark]:
        out, self._out = self._out, []
        return out

    def _step(self, final: bool) -> bool:
        if self._fence is None and not self._indented:
            self._show_marks()
        if not self._buffer:
            self._move_marks()
            return False
        if self._line_start:
            return self._fence_line(self._fence, final) if self._fence else self._prose_line(final)
        if self._fence or self._indented:
            return self._code_line()
        return self._inline(final)

    # Emitting.

    def _show(self, length: int, *, literal: bool = False) -> None:
        """Let `length` characters through, with the marks between them; literal text moves them on."""
        done = 0
        while self._marks and self._marks[0][0] < length:
            at, mark = self._marks.pop(0)
            self._run(self._buffer[done:at], literal)
            done = at
            if literal:
                self._moved += mark.events
            else:
                self._out.append(mark)
        self._run(self._buffer[done:length], literal)
        if length:
            self._previous = self._buffer[length - 1]
        self._forget(length)

    def _run(self, text: str, literal: bool) -> None:
        if text:
            self._out.append(Run(text, literal))
            self.offsets.keep(len(text))

    def _forget(self, length: int) -> None:
        self._buffer = self._buffer[length:]
        if self._marks:
            self._marks = [(at - length, mark) for at, mark in self._marks]

    def _show_marks(self) -> None:
        while self._marks and self._marks[0][0] <= 0:
            self._out.append(self._marks.pop(0)[1])
            self._previous = ""

    def _move_marks(self) -> None:
        while self._marks and self._marks[0][0] <= 0:
            self._moved += self._marks.pop(0)[1].events

    def _release(self) -> None:
        """Set the citations of a piece of code after it."""
        if self._moved:
            self._out.append(Mark(tuple(self._moved), quiet=True))
            self._moved = []

    # Lines.

    def _fence_line(self, fence: Fence, final: bool) -> bool:
        kind = read_fence_line(self._buffer, fence, final=final)
        if kind is None:
            return False
        if kind is True:
            self._fence = None
            self._release()
            return True
        self._line_start = False
        if kind is False:
            return True
        rest = self._closing_rest(kind.end(), final)
        if rest is None:
            self._line_start = True
            return False
        if rest:
            self._show(kind.end(), literal=True)
            self._fence = None
            self._release()
        return True

    def _closing_rest(self, start: int, final: bool) -> bool | None:
        """Say whether nothing but markers follows a closing fence on its line; None if more text is needed."""
        window = self._buffer[start : start + LOOK_AHEAD]
        line, newline, _ = window.partition("\n")
        if not line.strip():
            return True if newline or final or len(window) == LOOK_AHEAD else None
        return False

    def _prose_line(self, final: bool) -> bool:
        start = read_line_start(self._buffer, final=final)
        if start is None:
            return False
        self._line_start = False
        in_list = self._list_indent and not (
            self._after_blank and not start.blank and not start.item and start.indent < self._list_indent
        )
        if not in_list:
            self._list_indent = 0
        if start.item:
            self._list_indent = start.indent
        if start.fence and (start.item or start.indent <= self._list_indent + 3):
            self._open_fence(start.length, start.fence)
        elif (
            not start.blank and not start.item and self._after_blank and start.indent >= self._list_indent + 4
        ):
            self._indented = True
        else:
            self._after_blank = start.blank
            self._show(start.length)
        return True

    def _open_fence(self, prefix: int, mark: str) -> None:
        quoted = ">" in self._buffer[:prefix]
        self._fence = Fence(mark, quoted, self._list_indent)
        self._after_blank = False
        self._show(prefix + len(mark), literal=True)

    def _code_line(self) -> bool:
        end = self._buffer.find("\n")
        if end < 0:
            self._show(len(self._buffer), literal=True)
            return False
        if self._indented:
            line = self._buffer[:end].removesuffix("\r")
            self._show(len(line), literal=True)
            self._move_marks()
            self._release()
            self._indented = False
            self._after_blank = True
            return True
        self._show(end + 1, literal=True)
        self._line_start = True
        return True

    # Running text.

    def _inline(self, final: bool) -> bool:
        found = _SPECIAL.search(self._buffer)
        end = found.start() if found else len(self._buffer) - (0 if final else unfinished(self._buffer))
        if end:
            self._show(end)
            return found is not None
        if found is None:
            return False
        return self._special(found.group(), final)

    def _special(self, char: str, final: bool) -> bool:
        if char == "\n":
            self._show(1)
            self._line_start = True
            return True
        return self._backticks(final)

    def _backticks(self, final: bool) -> bool:
        run = len(self._buffer) - len(self._buffer.lstrip("`"))
        if run == len(self._buffer) and not final and run < LOOK_AHEAD:
            return False
        end = code_span_end(self._buffer, run, final=final)
        if end is None:
            return False
        self._show(end or run, literal=bool(end))
        self._release()
        return True
