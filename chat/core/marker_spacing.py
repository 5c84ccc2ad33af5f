"""The parser's last step: leave no trace of a lifted marker in the spaces around it.

Spaces before a marker go when white space, closing punctuation or the end follows; at a line start the
spaces after it go. Line breaks never change, and nothing changes in code.
"""

import re

from chat.core.marker_events import Event, Mark, Run, Text
from chat.core.marker_offsets import Offsets

_SPACES = " \t\u00a0\u2009\u202f\u3000"
_GAP_LIMIT = 16
_GAP = re.compile(f"[{_SPACES}]*")
_CLOSING = frozenset(".,;:!?)]}»”’…。、，；：！？）】」』》〉〕］｝،؛؟۔।॥％%|")
# These close only when nothing is stuck to them from behind: **bold**, "quoted", marks of direction.
_MAYBE_CLOSING = re.compile("[*_~\"'\u200c-\u200f\u202a-\u202e\u2066-\u2069]{1,4}")
_LINE_START = re.compile(r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)*|(?:[ \t]*>)+[ \t]*")


class Spacing:
    """Turn `Run`s and `Mark`s into events with clean spacing; the held text is spaces and four characters."""

    def __init__(self) -> None:
        self.offsets = Offsets()
        self._gap = ""
        self._marks: list[tuple[str, Mark]] = []
        self._gaps = 0
        self._after = ""
        self._line: str = ""
        self._out: list[Event] = []

    @property
    def held(self) -> int:
        """Code points held back now."""
        return len(self._gap) + len(self._after) + (self._gaps if self._marks else 0)

    def feed(self, items: list[Run | Mark]) -> list[Event]:
        """Take what the step before has settled and return the events that are settled here."""
        for item in items:
            if isinstance(item, Mark):
                self._mark(item)
            else:
                self._run(item)
        return self._taken()

    def flush(self) -> list[Event]:
        """End the answer and return the rest."""
        self._settle(final=True)
        self._write(self._gap)
        self._gap = ""
        return self._taken()

    def _taken(self) -> list[Event]:
        out, self._out = self._out, []
        return out

    def _run(self, run: Run) -> None:
        if run.literal:
            self._settle(final=True, following=run.text)
            self._write(self._gap + run.text)
            self._gap = ""
        elif self._marks:
            self._after += run.text
            self._settle(final=False)
        else:
            self._plain(run.text)

    def _plain(self, text: str) -> None:
        text = self._gap + text
        self._gap = ""
        if text[-1:] not in _SPACES:
            self._write(text)
            return
        shown = text.rstrip(_SPACES)
        shown = text[: max(len(shown), len(text) - _GAP_LIMIT)]
        self._gap = text[len(shown) :]
        self._write(shown)

    def _mark(self, mark: Mark) -> None:
        if mark.quiet:
            self._settle(final=True, following="x")
            self._write(self._gap)
            self._gap = ""
            self._out += mark.events
            return
        if not self._marks and not self._gap and _LINE_START.fullmatch(self._line) is None:
            # Nothing that follows can move this mark, so its chip need not wait for the next words.
            self._out += mark.events
            return
        spaces = _GAP.match(self._after)
        room = self._gaps <= 2 * _GAP_LIMIT
        if self._marks and spaces and spaces.end() == len(self._after) and room:
            self._marks.append((self._after, mark))
            self._gaps += len(self._after)
            self._after = ""
            return
        self._settle(final=True, following="x")
        if not self._gap:
            # Nothing before it is in doubt: the citation need not wait for what follows.
            self._out += mark.events
            mark = Mark()
        self._marks.append((self._gap, mark))
        self._gaps, self._gap = len(self._gap), ""

    def _settle(self, *, final: bool, following: str = "") -> None:
        """Decide on the spaces around the pending marks once what follows them is known.

        `following` is the start of what comes next when that is not part of the text held here.
        """
        if not self._marks:
            return
        gap = _GAP.match(self._after)
        spaces = gap.group()[:_GAP_LIMIT] if gap else ""
        rest = self._after[len(spaces) :]
        if not final and (not rest or self._undecided(rest)):
            return
        following = rest + following[:1]
        at_start = _LINE_START.fullmatch(self._line + self._marks[0][0]) is not None
        if at_start and following[:1] not in ("", "\r", "\n"):
            self._write_at_line_start(spaces)
        else:
            self._write_marks(spaces, self._closes(following))
        self._after = ""
        self._plain(rest)

    def _undecided(self, rest: str) -> bool:
        match = _MAYBE_CLOSING.match(rest)
        return match is not None and match.end() == len(rest) and len(rest) <= 4

    def _closes(self, following: str) -> bool:
        """Say whether a space in front of `following` would be out of place."""
        match = _MAYBE_CLOSING.match(following)
        if match:
            following = following[match.end() :][:1]
            return not following or not (following[0].isalnum() or following[0] in "*_~\"'([{«“‘`")
        return not following or following[0] in _CLOSING or following[0].isspace()

    def _write_at_line_start(self, spaces: str) -> None:
        for index, (gap, mark) in enumerate(self._marks):
            if index == 0:
                self._write(gap)
            else:
                self.offsets.cut(len(gap))
            self._out += mark.events
        self._marks.clear()
        self.offsets.cut(len(spaces))

    def _write_marks(self, spaces: str, closes: bool) -> None:
        marks, self._marks = self._marks, []
        followed = [closes or bool(spaces)] * len(marks)
        for index in range(len(marks) - 2, -1, -1):
            followed[index] = bool(marks[index + 1][0]) or followed[index + 1]
        for (gap, mark), drop in zip(marks, followed, strict=True):
            if drop:
                self.offsets.cut(len(gap))
            else:
                self._write(gap)
            self._out += mark.events
        self._gap = spaces

    def _write(self, text: str) -> None:
        if not text:
            return
        self.offsets.keep(len(text))
        last = self._out[-1] if self._out else None
        if isinstance(last, Text):
            self._out[-1] = Text(last.text + text)
        else:
            self._out.append(Text(text))
        start = max(text.rfind("\n"), text.rfind("\r")) + 1
        self._line = (self._line + text if not start else text[start:])[:80]
