"""The parser's second step: read text as Markdown, keep code as it is, repair the soft forms elsewhere.

What the first step lifted out arrives as `Mark`s between the characters. A mark inside code or a link's
target is set after it. Everything is decided on a bounded look-ahead, so that the slicing does not matter.
"""

import re

from chat.core.marker_blocks import LOOK_AHEAD, Fence, code_span_end, read_fence_line, read_line_start
from chat.core.marker_events import Cite, Dropped, DropReason, Mark, Run
from chat.core.marker_ids import OfferedIds
from chat.core.marker_inline import SPECIAL, Place, Verdict, read
from chat.core.marker_offsets import Offsets
from chat.core.marker_soft import read_in_code
from chat.core.marker_spellings import completes, unfinished

_PLAIN_MARKER = re.compile(r"\[\[([\w.:,; -]{1,70})\]\]")
_PLAIN_MARKER_BEGINNING = re.compile(r"\[(?:\[[\w.:,; -]{0,70}\]?)?\Z")
_BLANK_LINE = re.compile(r"\n[ \t]{0,80}\r?\n")
_MAYBE_BLANK_LINE = re.compile(r"\n[ \t]{0,80}\r?")
_TARGET_END = re.compile(r"[()\n]")
_MARKERS_ONLY = re.compile(r"[ \t\r]*(?:[\[［【〖<(]|(?:file)?cite|\Z)")


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
        self._tail = ""
        self._joint = False
        self._at_line_start = True
        self._target_depth = 0
        self._element: list[Cite | Dropped] = []
        self._out: list[Run | Mark] = []

    @property
    def held(self) -> int:
        """Code points held back now."""
        return len(self._buffer)

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
        self._end_element()
        self._release()
        return self._taken()

    def _drain(self, *, final: bool) -> list[Run | Mark]:
        self._drain_into(final=final)
        return self._taken()

    def _drain_into(self, *, final: bool) -> None:
        while self._step(final):
            pass
        self._settle_marks()

    def _taken(self) -> list[Run | Mark]:
        out, self._out = self._out, []
        return out

    def _step(self, final: bool) -> bool:
        self._settle_marks()
        if not self._buffer:
            return False
        if self._line_start:
            return self._fence_line(self._fence, final) if self._fence else self._prose_line(final)
        if self._fence or self._indented:
            return self._code_line(final)
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
            self._at_line_start = False
        self._forget(length)

    def _show_code(self, length: int) -> None:
        """Let code through; only the plain-text marker of an offered block is lifted out of it."""
        while found := _PLAIN_MARKER.search(self._buffer, 0, length):
            reading = read_in_code(found[1], self._ids)
            end = found.start() if reading else found.end()
            self._show(end, literal=True)
            length -= end
            if reading:
                length -= self._lift(len(found.group()), reading.events(found.group()), code=True)
        self._show(length, literal=True)

    def _lift(self, length: int, events: tuple[Cite | Dropped, ...], *, code: bool = False) -> int:
        """Take `length` characters out; the marks among them come first."""
        while self._marks and self._marks[0][0] < length:
            mark = self._marks.pop(0)[1]
            if code:
                self._moved += mark.events
            else:
                self._out.append(mark)
        self._forget(length)
        self.offsets.cut(length)
        if code:
            self._moved += events
        else:
            self._out.append(Mark(events))
            self._previous = ""
            self._at_line_start = False
            self._joint = True
        return length

    def _run(self, text: str, literal: bool) -> None:
        if text:
            last = self._out[-1] if self._out else None
            if isinstance(last, Run) and last.literal == literal:
                self._out[-1] = Run(last.text + text, literal)
            else:
                self._out.append(Run(text, literal))
            self._tail = (self._tail + text)[-32:]
            self.offsets.keep(len(text))

    def _forget(self, length: int) -> None:
        self._buffer = self._buffer[length:]
        if self._marks:
            self._marks = [(at - length, mark) for at, mark in self._marks]

    def _settle_marks(self) -> None:
        """Let the marks that stand here through, unless this is code or a link's target: then they move on."""
        if not self._marks:
            return
        if self._fence is None and not self._indented and not self._target_depth:
            self._show_marks()
        elif not self._buffer:
            self._move_marks()

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
        line, newline, _ = self._buffer[start:LOOK_AHEAD].partition("\n")
        ended = bool(newline) or final or len(self._buffer) >= LOOK_AHEAD
        if not line.strip():
            return True if ended else None
        if not ended and _MARKERS_ONLY.match(line):
            return None
        return self._only_markers(line)

    def _only_markers(self, line: str) -> bool:
        """Say whether a line's rest is soft markers of offered blocks and nothing else."""
        rest = line.strip()
        while rest:
            verdict = read(rest, Place("", line_start=False, final=True), self._ids)
            if verdict is None or not verdict.cut or verdict.reading is None or not verdict.reading.refs:
                return False
            rest = rest[verdict.cut :].strip()
        return True

    def _prose_line(self, final: bool) -> bool:
        start = read_line_start(self._buffer, final=final)
        if start is None:
            return False
        self._line_start = False
        if start.blank or start.fence:
            self._end_element()
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
            self._at_line_start = True
        return True

    def _open_fence(self, prefix: int, mark: str) -> None:
        quoted = ">" in self._buffer[:prefix]
        self._fence = Fence(mark, quoted, self._list_indent)
        self._after_blank = False
        self._show(prefix + len(mark), literal=True)

    def _code_line(self, final: bool) -> bool:
        end = self._buffer.find("\n")
        if end < 0:
            self._show_code(len(self._buffer) if final else self._settled_code())
            return False
        if self._indented:
            self._show_code(len(self._buffer[:end].removesuffix("\r")))
            self._move_marks()
            self._release()
            self._indented = False
            self._after_blank = True
            return True
        self._show_code(end + 1)
        self._line_start = True
        return True

    def _settled_code(self) -> int:
        """Return how much of a code line that goes on is neither the start of a marker nor of a line end."""
        beginning = _PLAIN_MARKER_BEGINNING.search(self._buffer)
        return beginning.start() if beginning else len(self._buffer.removesuffix("\r"))

    # Running text.

    def _inline(self, final: bool) -> bool:
        if self._target_depth:
            return self._link_target()
        if self._joint and not self._check_joint(final):
            return False
        found = SPECIAL.search(self._buffer)
        end = found.start() if found else len(self._buffer) - (0 if final else unfinished(self._buffer))
        if end:
            self._show(end)
            return found is not None
        if found is None:
            return False
        char = found.group()
        if char == "\n":
            return self._line_end(final)
        if char == "`":
            return self._backticks(final)
        if char == "(" and self._previous == "]":
            self._target_depth = 1
            self._show(1, literal=True)
            return True
        verdict = read(self._buffer, Place(self._previous, self._at_line_start, final), self._ids)
        return verdict is not None and self._follow(verdict)

    def _line_end(self, final: bool) -> bool:
        if self._element and not final and _MAYBE_BLANK_LINE.fullmatch(self._buffer):
            return False
        if _BLANK_LINE.match(self._buffer):
            self._end_element()
        self._show(1)
        self._line_start = True
        return True

    def _check_joint(self, final: bool) -> bool:
        """Cut what would complete a spelled-out delimiter across a lifted marker; False if more is needed."""
        length = completes(self._tail, self._buffer)
        if length is None and not final:
            return False
        self._joint = False
        if length:
            self._lift(length, (Dropped(self._buffer[:length], DropReason.STRAY_DELIMITER),))
        return bool(self._buffer)

    def _follow(self, verdict: Verdict) -> bool:
        if not verdict.cut:
            self._show(verdict.keep, literal=verdict.literal)
            self._release()
            return True
        raw = self._buffer[: verdict.cut]
        events: tuple[Cite | Dropped, ...] = ()
        if verdict.reading is not None:
            events = verdict.reading.events(raw)
        elif verdict.reason is not None:
            events = (Dropped(raw, verdict.reason),)
        if verdict.opens or verdict.closes:
            events, self._element = (*self._element, *(events if verdict.closes else ())), []
        if verdict.opens and verdict.reading is not None:
            self._element = list(verdict.reading.events(raw))
        self._lift(verdict.cut, events)
        return True

    def _end_element(self) -> None:
        """Cite what an element that was never closed named."""
        if self._element:
            self._out.append(Mark(tuple(self._element), quiet=True))
            self._element = []

    def _link_target(self) -> bool:
        """Let a link's target through as it is, up to its closing parenthesis or the line's end."""
        found = _TARGET_END.search(self._buffer)
        if found is None:
            self._show(len(self._buffer), literal=True)
            return False
        self._target_depth += {"(": 1, ")": -1}.get(found.group(), -self._target_depth)
        self._show(found.start() if found.group() == "\n" else found.end(), literal=True)
        if not self._target_depth:
            if found.group() == "\n":
                self._move_marks()
            self._release()
        return True

    def _backticks(self, final: bool) -> bool:
        run = min(len(self._buffer) - len(self._buffer.lstrip("`")), LOOK_AHEAD)
        if run == len(self._buffer) and not final and run < LOOK_AHEAD:
            return False
        inside = self._marks[0][0] if self._marks else 0
        if run == 2 * inside:
            # Two equal runs with nothing but a marker between them were code before it was lifted.
            self._lift(run, ())
            return True
        end = code_span_end(self._buffer, run, final=final)
        if end is None:
            return False
        content = self._buffer[run : end - run] if end else ""
        marker = _PLAIN_MARKER.fullmatch(content.strip())
        reading = read_in_code(marker[1], self._ids) if marker else None
        if reading or (end and not content.strip() and 0 < inside < end):
            self._lift(end, reading.events(content.strip()) if reading else ())
        elif end:
            self._show_code(end)
            self._release()
        else:
            self._show(run)
        return True
