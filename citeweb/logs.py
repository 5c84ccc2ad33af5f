"""Logs that say what happened to which request and turn, and hold no content: no question, answer, name or secret.

What an exception says may quote a row or a text, so by default only its kind and where it was raised are written;
CITEWEB_LOG_CONTENT adds the words. `bound` gives everything that is logged inside it the ids of a request or turn.
"""

import json
import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from http import HTTPStatus
from types import TracebackType

_ids: ContextVar[dict[str, str]] = ContextVar("citeweb.log-ids", default={})  # noqa: B039  # never changed in place
# Where a request keeps its id: Django logs how one ended when nothing is bound any more.
REQUEST_ID = "citeweb.request_id"
# What logging itself puts on a record; everything else came in by `extra`.
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "request"}
# Loggers whose messages quote what people sent: only the fact is written.
_QUOTING = ("django.request", "django.security", "asyncio")
ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]


@contextmanager
def bound(**ids: str) -> Iterator[None]:
    """Add ids, such as `turn_id`, to all that is logged inside, also in tasks that are started there."""
    token = _ids.set({**_ids.get(), **ids})
    try:
        yield
    finally:
        _ids.reset(token)


def _ids_of(record: logging.LogRecord) -> dict[str, str]:
    own = getattr(getattr(record, "request", None), "META", {}).get(REQUEST_ID)
    return {**({"request_id": own} if own else {}), **_ids.get()}


def _ending(record: logging.LogRecord) -> str:
    """Return how a request ended, in the words of HTTP."""
    status = getattr(record, "status_code", None)
    return HTTPStatus(status).phrase if status in set(HTTPStatus) else "event"


class Formatter(logging.Formatter):
    """One line a record: JSON, or words with `key=value` behind them. `content` adds what exceptions say."""

    def __init__(self, *, form: str = "text", content: bool = False) -> None:
        super().__init__()
        self._form = form
        self._content = content

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields = self._fields(record)
        if self._form == "json":
            return json.dumps(fields, ensure_ascii=False, default=str)
        head = f"{fields.pop('time')} {fields.pop('level')} {fields.pop('logger')}: {fields.pop('event')}"
        frames = fields.pop("frames", [])
        line = " ".join([head, *(f"{name}={value}" for name, value in fields.items())])
        return "\n    ".join([line, *map(str, frames if isinstance(frames, list) else [])])

    def _fields(self, record: logging.LogRecord) -> dict[str, object]:
        fields: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "event": self._event(record),
            **_ids_of(record),
            **{name: value for name, value in vars(record).items() if name not in _OWN},
        }
        if record.exc_info and record.exc_info[0] is not None:
            fields |= self._exception(record.exc_info)
        return fields

    def _event(self, record: logging.LogRecord) -> str:
        if record.name.startswith(_QUOTING) and not self._content:
            return str(record.msg).partition("%s")[0].rstrip(": ") or _ending(record)
        # A line of ours stays one line.
        return " ".join(record.getMessage().split())

    def _exception(self, info: ExcInfo) -> dict[str, object]:
        kind, error, trace = info
        frames = [f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(trace)]
        names = f"{kind.__module__}.{kind.__qualname__}"
        cause = error.__cause__ or error.__context__
        found: dict[str, object] = {"error": names, "frames": frames}
        if cause is not None:
            found["cause"] = f"{type(cause).__module__}.{type(cause).__qualname__}"
        if self._content:
            found["said"] = str(error)
        return found
