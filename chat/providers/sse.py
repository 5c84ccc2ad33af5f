"""Server-sent events from bytes, incrementally and leniently.

The openai package's own decoder makes events of empty `data:` lines and of keep-alive comments once any event
had an `id:`, and then fails to read them as JSON. Here an event without data is no event, as the standard
says (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_EVENT = 32 * 1024 * 1024

_LINE_END = re.compile(rb"\r\n|\n|\r(?!\n)")


class EventTooLong(ValueError):
    """An event grew beyond LONGEST_EVENT bytes."""


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """The name ("" if none was given) and the joined data lines of one event."""

    name: str
    data: str


class EventDecoder:
    """Turn pieces of an event stream into events; every slicing gives the same ones."""

    def __init__(self) -> None:
        self._pending = bytearray()
        self._name = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, piece: bytes) -> Iterator[ServerEvent]:
        """Yield the events that `piece` completes."""
        searched = max(len(self._pending) - 1, 0)
        self._pending += piece
        start = 0
        for line_end in _LINE_END.finditer(self._pending, searched):
            if line_end.group() == b"\r" and line_end.end() == len(self._pending):
                break  # its LF may come with the next piece
            yield from self._line(bytes(self._pending[start : line_end.start()]))
            start = line_end.end()
        del self._pending[:start]
        self._check(len(self._pending))

    def flush(self) -> Iterator[ServerEvent]:
        """Yield the event that was left without its closing blank line, if any."""
        yield from self._line(bytes(self._pending).rstrip(b"\r"))
        yield from self._line(b"")
        self._pending.clear()

    def _line(self, raw: bytes) -> Iterator[ServerEvent]:
        if not raw:
            if any(self._data):
                yield ServerEvent(self._name, "\n".join(self._data))
            self._name, self._data, self._size = "", [], 0
            return
        field, _, value = raw.decode("utf-8", "replace").lstrip("\ufeff").partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
            self._check(len(raw))
            self._size += len(raw)
        elif field == "event":
            self._name = value

    def _check(self, more: int) -> None:
        if self._size + more > LONGEST_EVENT:
            raise EventTooLong(f"an event of more than {LONGEST_EVENT} bytes")
