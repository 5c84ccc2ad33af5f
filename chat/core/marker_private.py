"""The parser's first step: lift out the markers that the reserved characters delimit.

    U+E200 cite U+E202 id [U+E202 id]... [U+E202 L8-L13] U+E201

It knows nothing of Markdown: such a marker is one wherever it stands. Fields are read one by one, so that
a marker with many ids is never held back as a whole; only its last, unfinished field is.
"""

import re
from dataclasses import dataclass
from typing import Literal

from chat.core.marker_events import Dropped, DropReason, Mark, Repair, Run
from chat.core.marker_ids import HOSTED_RUN, OfferedIds, Reading, without_invisible
from chat.core.marker_offsets import Offsets
from chat.core.marker_spellings import (
    CLOSE,
    DELIMITER,
    FAMILIES,
    FAMILY_AT_END,
    OPEN,
    SEPARATOR,
    character,
    is_beginning,
    is_family_beginning,
    unfinished,
)
from chat.core.marker_unfinished import (
    FAMILY_AT_START,
    LOOSE_ID,
    bare_id,
    read_loose_ids,
    read_unfinished_family,
)

FIELD_LIMIT = 200
"""Code points after which a field that nothing ends counts as unfinished."""
_WINDOW = FIELD_LIMIT + 32
_SWALLOW_LIMIT = 4_096
_RAW_LIMIT = 4_096
_TRIGGER = re.compile(rf"\ufffd{{1,4}}|{DELIMITER.pattern}")
_BOUNDARY = re.compile(rf"[\r\n]|{DELIMITER.pattern}")
_BLANK_LINE = re.compile(r"\n[ \t]*\r?\n")
_MAYBE_TOKEN = re.compile(r"[ \t]{0,2}[A-Za-z0-9_.:#-]*")
_OVER_LINES = re.compile(r"\s*[A-Za-z0-9_.:#-]*\s*")
_MAYBE_OVER_LINES = re.compile(r"\s*[A-Za-z0-9_.:#-]*\s*(?:[\\&{<\[%uU].{0,24})?")
_ID_CHARACTERS = re.compile(r"[A-Za-z0-9_.:-]*")
_BROKEN = re.compile(
    r"(?:filecite|cite)\ufffd{1,4}([A-Za-z0-9_.:-]{1,80})\ufffd{1,4}(?:(L\d{1,9}(?:-L\d{1,9})?)\ufffd{1,4})?",
    re.IGNORECASE,
)
_BROKEN_BEGINNING = re.compile(
    r"[a-z]{0,8}|(?:filecite|cite)\ufffd{1,4}(?:[A-Za-z0-9_.:-]{0,80}|[A-Za-z0-9_.:-]{1,80}\ufffd{1,4}(?:L[\dL-]{0,22})?)"
    r"|(?:filecite|cite)\ufffd{1,4}[A-Za-z0-9_.:-]{1,80}\ufffd{1,4}L[\dL-]{1,22}\ufffd{1,4}",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Open:
    """A marker whose end has not been seen. `family` is None until its field is read."""

    reading: Reading
    raw: str
    family: str | None = None
    bare: bool = False

    def add(self, raw: str) -> None:
        self.raw = (self.raw + raw)[:_RAW_LIMIT]


class PrivateMarkers:
    """Turn raw text pieces into `Run`s without reserved characters and `Mark`s where markers stood."""

    def __init__(self, ids: OfferedIds) -> None:
        self._ids = ids
        self.offsets = Offsets()
        self._buffer = ""
        self._open: _Open | None = None
        self._swallow = 0
        self._out: list[Run | Mark] = []

    @property
    def held(self) -> int:
        """Code points held back now."""
        return len(self._buffer)

    def feed(self, piece: str) -> list[Run | Mark]:
        """Take a piece of the answer and return what is settled."""
        self._buffer += piece
        return self._drain(final=False)

    def flush(self) -> list[Run | Mark]:
        """End the answer and return the rest."""
        return self._drain(final=True)

    def _drain(self, *, final: bool) -> list[Run | Mark]:
        while self._step(final):
            pass
        out, self._out = self._out, []
        return out

    def _step(self, final: bool) -> bool:
        """Settle one thing; return False when nothing more can be settled."""
        if self._swallow:
            return self._swallow_token()
        if self._open is not None:
            return self._field(self._open, final)
        return bool(self._buffer) and self._prose(final)

    def _settled(self, final: bool) -> int:
        """Return the length of the buffer without what may be a delimiter half spelled out."""
        return len(self._buffer) - (0 if final else unfinished(self._buffer))

    def _show(self, length: int) -> None:
        if length:
            self._out.append(Run(self._buffer[:length]))
            self._buffer = self._buffer[length:]
            self.offsets.keep(length)

    def _cut(self, length: int) -> str:
        raw, self._buffer = self._buffer[:length], self._buffer[length:]
        self.offsets.cut(length)
        return raw

    def _lift(self, length: int, *events: Dropped) -> None:
        self._cut(length)
        self._out.append(Mark(events))

    # Prose: look for the next delimiter.

    def _prose(self, final: bool) -> bool:
        settled = self._settled(final)
        found = _TRIGGER.search(self._buffer, 0, settled)
        if found is None:
            self._show(settled)
            return False
        char = character(found.group())
        start, end = found.span()
        if char == OPEN:
            return self._opener(start, end, final)
        if char == SEPARATOR:
            return self._separator(start, end, final)
        if char.startswith("\ufffd"):
            return self._broken(start, end, final)
        if end - start > 1:
            self._show(end)
        else:
            self._show(start)
            self._lift(1, Dropped(char, DropReason.STRAY_DELIMITER))
        return True

    def _opener(self, start: int, end: int, final: bool) -> bool:
        spelled = end - start > 1
        if spelled:
            opens = self._opens_marker(self._buffer[end:], final)
            if opens is None:
                self._show(start)
                return False
            if not opens:
                self._show(end)
                return True
        self._begin(start, end, family=None, repair=Repair.LITERAL_ESCAPE if spelled else None)
        return True

    def _opens_marker(self, rest: str, final: bool) -> bool | None:
        """Say whether a spelled-out opener really opens a marker; None if more text is needed."""
        text = rest[:100].lstrip(" \t")
        if FAMILY_AT_START.match(text):
            return True
        delimiter = DELIMITER.match(text)
        if delimiter:
            return character(delimiter.group()) in (OPEN, SEPARATOR)
        if not final and (not text or is_beginning(text)):
            return None if len(rest) < 100 else False
        token = LOOSE_ID.match(text)
        if token and (final or token.end() < len(text)):
            return bare_id(token) in self._ids or (final and is_family_beginning(text))
        if final or not token:
            return False
        return None if len(rest) < 100 else False

    def _separator(self, start: int, end: int, final: bool) -> bool:
        family = FAMILY_AT_END.search(self._buffer[max(0, start - 8) : start])
        if family:
            self._begin(start - len(family.group()), end, family="cite", repair=Repair.MISSING_START)
            return True
        if end - start > 1:
            rest = self._buffer[end : end + FIELD_LIMIT]
            if not final and len(rest) < FIELD_LIMIT and _MAYBE_TOKEN.fullmatch(rest):
                self._show(start)
                return False
            token = LOOSE_ID.match(rest)
            if not token or not (token[2] in self._ids or HOSTED_RUN.match(token[2])):
                self._show(end)
                return True
        self._begin(start, end, family="cite", repair=Repair.MISSING_START)
        if self._open:
            self._open.bare = True
        return True

    def _broken(self, start: int, end: int, final: bool) -> bool:
        """Read a marker whose delimiters were lost to U+FFFD by a byte-wise decoder."""
        rest = self._buffer[end : end + FIELD_LIMIT]
        if not final and len(rest) < FIELD_LIMIT and _BROKEN_BEGINNING.fullmatch(rest):
            self._show(start)
            return False
        match = _BROKEN.match(rest)
        if match:
            reading = Reading(self._ids, repair=Repair.BROKEN_CHARACTERS)
            for part in filter(None, match.groups()):
                reading.take_field(part)
            self._show(start)
            raw = self._cut(end - start + match.end())
            self._out.append(Mark(reading.events(raw)))
            return True
        self._show(end)
        return True

    def _begin(self, start: int, end: int, *, family: str | None, repair: Repair | None) -> None:
        self._show(start)
        self._open = _Open(Reading(self._ids, repair=repair), self._cut(end - start), family)

    # Inside a marker: one field at a time.

    def _field(self, marker: _Open, final: bool) -> bool:
        settled = min(self._settled(final), _WINDOW)
        boundary = _BOUNDARY.search(self._buffer, 0, settled)
        while boundary and character(boundary.group()) in "\ue203\ue204\ue205\ue206":
            boundary = _BOUNDARY.search(self._buffer, boundary.end(), settled)
        if boundary is None or boundary.start() >= FIELD_LIMIT:
            if not final and len(self._buffer) < _WINDOW:
                return False
            text = self._buffer[:FIELD_LIMIT]
            return self._unfinished(marker, text, at_end=final and text == self._buffer)
        text = self._buffer[: boundary.start()]
        kind = character(boundary.group())
        if kind == OPEN and marker.family is None and not text.strip():
            marker.reading.repaired(Repair.DOUBLED_DELIMITER)
            return self._consume(marker, boundary.end())
        if kind in "\r\n" and not marker.bare:
            joined = self._over_lines(marker, boundary.end(), final)
            if joined is None:
                return False
            if joined:
                boundary, kind = joined, character(joined.group())
                text = self._buffer[: boundary.start()]
        if marker.bare or kind not in (SEPARATOR, CLOSE):
            closer = len(boundary.group()) if kind == CLOSE else 0
            return self._unfinished(marker, text, at_end=False, closer=closer)
        if marker.family is None:
            return self._family(marker, text, boundary, final)
        if marker.family == "navlist" and " " in text:
            return self._consume(marker, boundary.start() if kind == CLOSE else boundary.end())
        if kind == SEPARATOR and " " in text.strip() and not self._all_known(text):
            return self._unfinished(marker, text, at_end=False)
        return self._whole_field(marker, text, boundary)

    def _over_lines(self, marker: _Open, start: int, final: bool) -> re.Match[str] | Literal[False] | None:
        """Return the delimiter after a line break that stands inside a marker; False if it ends the marker."""
        boundary = DELIMITER.search(self._buffer, start, min(self._settled(final), _WINDOW))
        if boundary is None or boundary.start() >= FIELD_LIMIT:
            rest = self._buffer[start:]
            plausible = len(self._buffer) < _WINDOW and _MAYBE_OVER_LINES.fullmatch(rest)
            return None if plausible and not final else False
        text = without_invisible(self._buffer[: boundary.start()]).strip()
        short = _OVER_LINES.fullmatch(self._buffer, start, boundary.start())
        mine = not text or text.lower() in FAMILIES or self._all_known(text)
        return boundary if short and mine and character(boundary.group()) in (SEPARATOR, CLOSE) else False

    def _consume(self, marker: _Open, length: int) -> bool:
        marker.add(self._cut(length))
        return True

    def _whole_field(self, marker: _Open, text: str, boundary: re.Match[str]) -> bool:
        marker.reading.take_field(text)
        self._note_spelling(marker, boundary)
        self._consume(marker, boundary.end())
        if character(boundary.group()) == CLOSE:
            self._close(marker)
        return True

    def _note_spelling(self, marker: _Open, boundary: re.Match[str]) -> None:
        if len(boundary.group()) > 1:
            marker.reading.repaired(Repair.LITERAL_ESCAPE)

    def _close(self, marker: _Open) -> None:
        self._out.append(Mark(marker.reading.events(marker.raw)))
        self._open = None

    def _all_known(self, text: str) -> bool:
        trial = Reading(self._ids)
        trial.take_field(text)
        return bool(trial.refs) and not trial.dropped

    def _family(self, marker: _Open, text: str, boundary: re.Match[str], final: bool) -> bool:
        """Read the first field of a marker: its family, or what stands in the family's place."""
        name = without_invisible(text).strip()
        reading = marker.reading
        closing = character(boundary.group()) == CLOSE
        if name.lower() in FAMILIES or (not name and not closing):
            self._note_family(reading, name, text)
            self._note_spelling(marker, boundary)
            marker.family = name.lower()
            self._consume(marker, boundary.end())
            if closing:
                self._close(marker)
            return True
        after = FAMILY_AT_START.match(name)
        if after and self._names_something(name[after.end() :]):
            reading.repaired(Repair.MISSING_DELIMITER)
            marker.family = "cite"
            return self._whole_field(marker, name[after.end() :], boundary)
        if self._all_known(name):
            reading.repaired(Repair.MISSING_FAMILY)
            marker.family = ""
            return self._whole_field(marker, name, boundary)
        return self._unknown_family(marker, boundary.end(), final)

    def _note_family(self, reading: Reading, name: str, text: str) -> None:
        if not name:
            reading.repaired(Repair.MISSING_FAMILY)
        elif name.lower() != "cite":
            reading.repaired(Repair.OTHER_FAMILY)
        elif name != "cite":
            reading.repaired(Repair.WRONG_CASE)
        elif text != name:
            reading.repaired(Repair.STRAY_CHARACTERS)

    def _names_something(self, text: str) -> bool:
        return bool(HOSTED_RUN.match(text)) or self._all_known(text)

    def _unknown_family(self, marker: _Open, end: int, final: bool) -> bool:
        """Strip a whole span such as `entity`, or only its start if nothing closes it soon."""
        window = self._buffer[:_WINDOW]
        ends = (
            found
            for found in DELIMITER.finditer(window, 0, min(self._settled(final), _WINDOW))
            if found.start() < FIELD_LIMIT and character(found.group()) in (OPEN, CLOSE)
        )
        stop = next(ends, None)
        if stop is None and not final and len(window) < _WINDOW:
            return False
        closed = stop is not None and character(stop.group()) == CLOSE
        if stop is not None and closed and not _BLANK_LINE.search(window[: stop.end()]):
            length = stop.end()
        elif stop is None and final and not re.search(r"\s", self._buffer):
            length = len(self._buffer)
        else:
            length = end
        self._consume(marker, length)
        self._out.append(Mark((Dropped(marker.raw, DropReason.UNKNOWN_FAMILY),)))
        self._open = None
        return True

    # A marker that nothing ends: take what is surely its own and give the rest back to the text.

    def _unfinished(self, marker: _Open, text: str, *, at_end: bool, closer: int = 0) -> bool:
        taken = 0
        if marker.family is None:
            marker.family, taken = read_unfinished_family(text, self._ids, at_end=at_end)
        if marker.family is not None:
            taken = read_loose_ids(text, taken, marker.reading, prose_may_follow=marker.bare)
        marker.reading.repaired(Repair.MISSING_END)
        self._open = None
        raw = marker.raw + text[:taken]
        self._cut(taken)
        if at_end and taken == len(text):
            self._out.append(Mark((Dropped(raw, DropReason.CUT_OFF),)))
            return True
        self._out.append(Mark(marker.reading.events(raw)))
        if taken == FIELD_LIMIT:
            self._swallow = _SWALLOW_LIMIT
        elif taken == len(text):
            self._cut(closer)
        return True

    def _swallow_token(self) -> bool:
        """Drop the rest of an overlong id, up to a limit, so that no part of it is shown."""
        match = _ID_CHARACTERS.match(self._buffer, 0, self._swallow)
        length = match.end() if match else 0
        ended = length < len(self._buffer)
        self._cut(length)
        self._swallow = 0 if ended else self._swallow - length
        return ended
