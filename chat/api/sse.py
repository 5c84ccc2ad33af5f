"""Server-sent events that pass proxies and that no client stumbles over."""

import json
import re
from collections.abc import AsyncIterator

from django.http import StreamingHttpResponse

# A comment. No `id:` line is ever sent: the official Python client then takes it for nothing at all (cases, B57).
HEARTBEAT = b": still here\n\n"
DONE = b"data: [DONE]\n\n"
HEADERS = {
    # no-transform keeps proxies from compressing, the second header nginx from collecting the stream.
    "Cache-Control": "no-cache, no-store, no-transform",
    "X-Accel-Buffering": "no",
}
# What Python's splitlines, and so some clients, takes for the end of a line; JSON may write it as an escape.
_LINE_ENDS = re.compile("[\x85\u2028\u2029]")


def dumps(value: object) -> str:
    """Return JSON on one line, in characters rather than escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _LINE_ENDS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def event(data: str, name: str = "") -> bytes:
    """Return one event with JSON for its data."""
    head = f"event: {name}\n" if name else ""
    # A model may send half of a surrogate pair; UTF-8 can't hold it.
    return f"{head}data: {data}\n\n".encode(errors="replace")


def stream(content: AsyncIterator[bytes]) -> StreamingHttpResponse:
    """Return the response that sends events as they are made."""
    return StreamingHttpResponse(content, content_type="text/event-stream; charset=utf-8", headers=HEADERS)
