"""A scriptable OpenAI-compatible model server: real HTTP on a loopback port, driven by the test.

    with ModelServer() as server:
        server.script(chat_text("Hello."))          # the next request gets this; then the default again
        ... point a model's base_url at server.base_url ...
        assert server.requests[0].body["model"] == "test-model"

A script is a list of steps, played in order: JSON payloads (sent as one `data:` event each), `bytes` (sent as
they are), and the steps below (Status, Wait, Gate, Hang, Drop). Another process scripts it by
`POST /_script` with {"steps": [...], "always": false}: objects are payloads, strings are raw bytes,
{"$wait": seconds}, {"$status": [code, body, headers]}, {"$hang": true} and {"$drop": true} are steps;
`GET /_requests` lists what came in; `POST /_reset` forgets everything.
"""

import asyncio
import json
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import uvicorn

Payload = Mapping[str, object]
Receive = Callable[[], Awaitable[dict[str, object]]]
Send = Callable[[dict[str, object]], Awaitable[None]]


@dataclass(frozen=True)
class Status:
    """Answer with this status and body instead of a stream; a str body is sent as it is."""

    code: int
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Wait:
    """Pause for so many seconds."""

    seconds: float


@dataclass(frozen=True)
class Gate:
    """Stand still until the test calls `open()`; `reached` tells the test that the stream has come so far."""

    reached: threading.Event = field(default_factory=threading.Event)
    opened: threading.Event = field(default_factory=threading.Event)

    def open(self) -> None:
        self.opened.set()


@dataclass(frozen=True)
class Hang:
    """Send nothing more and keep the connection open until the other side closes it."""


@dataclass(frozen=True)
class Drop:
    """Break the connection without the closing chunk, as a crashed service does."""


Step = Payload | bytes | Status | Wait | Gate | Hang | Drop


@dataclass
class Recorded:
    """One request: what came in, and when the other side hung up before the script was done (monotonic)."""

    path: str
    headers: dict[str, str]
    body: dict[str, object]
    started: float = field(default_factory=time.monotonic)
    disconnected: float | None = None
    finished: bool = False
    closed: threading.Event = field(default_factory=threading.Event)

    @property
    def messages(self) -> list[dict[str, object]]:
        """The messages of either API, `instructions` first."""
        items = self.body.get("messages") or self.body.get("input") or []
        assert isinstance(items, list)
        first = self.body.get("instructions")
        return [*([{"role": "instructions", "content": first}] if first else []), *items]

    def wait_closed(self, seconds: float = 5.0) -> None:
        """Wait until the connection is closed by the other side or the script has ended."""
        assert self.closed.wait(seconds), "the connection is still open"


class ModelServer:
    """The server in a thread of its own, so that it answers whatever the test's loop is doing."""

    def __init__(self, port: int = 0) -> None:
        self.requests: list[Recorded] = []
        self._scripts: deque[Sequence[Step]] = deque()
        self._always: Sequence[Step] | None = None
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port: int = self._socket.getsockname()[1]
        self.base_url = f"http://127.0.0.1:{self.port}/v1"
        config = uvicorn.Config(
            self._app, interface="asgi3", log_level="critical", lifespan="off", timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=10)
        self._socket.close()

    def script(self, *scripts: Sequence[Step]) -> None:
        """Queue one script a request, to be used once each in this order."""
        self._scripts.extend(scripts)

    def always(self, script: Sequence[Step] | None) -> None:
        """Play this script whenever the queue is empty (None: echo the last message)."""
        self._always = script

    def reset(self) -> None:
        """Forget scripts and requests."""
        self._scripts.clear()
        self._always = None
        self.requests.clear()

    def _run(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    async def _app(self, scope: dict[str, object], receive: Receive, send: Send) -> None:
        assert scope["type"] == "http"
        path = str(scope["path"])
        body = await _read_body(receive)
        if path.startswith("/_"):
            await self._control(path, body, send)
            return
        pairs = scope["headers"]
        assert isinstance(pairs, list)
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in pairs}
        request = Recorded(path, headers, json.loads(body) if body else {})
        self.requests.append(request)
        await self._answer(request, receive, send)

    async def _answer(self, request: Recorded, receive: Receive, send: Send) -> None:
        play = asyncio.ensure_future(_play(self._next_script(request), request, send))
        watch = asyncio.ensure_future(_watch(receive, request))
        await asyncio.wait((play, watch), return_when=asyncio.FIRST_COMPLETED)
        for task in (play, watch):
            task.cancel()
        await asyncio.gather(play, watch, return_exceptions=True)
        request.closed.set()
        if play.done() and not play.cancelled() and play.exception() is not None:
            raise ConnectionAbortedError  # uvicorn then closes the socket without the last chunk

    def _next_script(self, request: Recorded) -> Sequence[Step]:
        if self._scripts:
            return self._scripts.popleft()
        if self._always is not None:
            return self._always
        last = request.messages[-1]["content"] if request.messages else ""
        return responses_text(str(last)) if request.path.endswith("/responses") else chat_text(str(last))

    async def _control(self, path: str, body: bytes, send: Send) -> None:
        answer: object = {"ok": True}
        if path == "/_script":
            order = json.loads(body)
            steps = [_step(item) for item in order["steps"]]
            if order.get("always"):
                self.always(steps)
            else:
                self.script(steps)
        elif path == "/_reset":
            self.reset()
        elif path == "/_requests":
            answer = [
                {"path": r.path, "body": r.body, "disconnected": r.disconnected, "finished": r.finished}
                for r in self.requests
            ]
        await _send_json(send, 200, answer, {})


class _Dropped(Exception):
    """The script asked for a broken connection."""


async def _read_body(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        piece = message.get("body", b"")
        assert isinstance(piece, bytes)
        body += piece
        if not message.get("more_body"):
            return body


async def _watch(receive: Receive, request: Recorded) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    if not request.finished:
        request.disconnected = time.monotonic()


async def _play(script: Sequence[Step], request: Recorded, send: Send) -> None:
    steps = list(script)
    if steps and isinstance(steps[0], Status):
        status = steps[0]
        request.finished = True
        await _send_json(send, status.code, status.body, status.headers)
        return
    begun = False
    for step in steps:
        if isinstance(step, Mapping | bytes) and not begun:
            begun = True
            await _begin(send)
        await _do(step, send)
    if not begun:
        await _begin(send)
    request.finished = True
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _begin(send: Send) -> None:
    headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})


async def _do(step: Step, send: Send) -> None:
    match step:
        case bytes():
            await send({"type": "http.response.body", "body": step, "more_body": True})
        case Wait(seconds):
            await asyncio.sleep(seconds)
        case Gate():
            step.reached.set()
            while not step.opened.is_set():  # noqa: ASYNC110  # the event belongs to the test's thread
                await asyncio.sleep(0.005)
        case Hang():
            await asyncio.Event().wait()
        case Drop():
            raise _Dropped
        case Mapping():
            await send({"type": "http.response.body", "body": event(step), "more_body": True})


async def _send_json(send: Send, code: int, body: object, headers: Mapping[str, str]) -> None:
    raw = isinstance(body, str)
    text = body if isinstance(body, str) else json.dumps(body)
    kind = (
        b"text/html"
        if raw and text.lstrip().startswith("<")
        else b"text/plain"
        if raw
        else b"application/json"
    )
    pairs = [(b"content-type", kind), *((k.encode(), v.encode()) for k, v in headers.items())]
    await send({"type": "http.response.start", "status": code, "headers": pairs})
    await send({"type": "http.response.body", "body": text.encode("utf-8"), "more_body": False})


def _step(item: object) -> Step:
    if isinstance(item, str):
        return item.encode("utf-8")
    assert isinstance(item, dict)
    if "$wait" in item:
        return Wait(float(item["$wait"]))
    if "$status" in item:
        return Status(*item["$status"])
    if "$hang" in item:
        return Hang()
    return Drop() if "$drop" in item else item


def event(payload: Payload) -> bytes:
    """Return one server-sent event; Responses events also get their name."""
    name = payload.get("type")
    head = f"event: {name}\n" if isinstance(name, str) else ""
    return f"{head}data: {json.dumps(payload, ensure_ascii=False)}\n\n".encode()


DONE = b"data: [DONE]\n\n"


def chat_chunk(delta: Payload | None = None, finish: str | None = None, **extra: object) -> Payload:
    """Return one Chat Completions chunk; `delta` None makes one without choices."""
    choices = (
        [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]
    )
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "test-model",
        "choices": choices,
        **extra,
    }


def chat_text(*pieces: str, finish: str = "stop") -> list[Step]:
    """Return a whole, well-formed chat stream with usage."""
    return [
        chat_chunk({"role": "assistant", "content": "", "refusal": None}),
        *(chat_chunk({"content": piece}) for piece in pieces),
        chat_chunk({}, finish),
        chat_chunk(None, usage={"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}),
        DONE,
    ]


def response_object(status: str = "completed", *output: Payload, **extra: object) -> Payload:
    """Return a response object with usage."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_700_000_000,
        "model": "test-model",
        "status": status,
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 11,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 18,
        },
        **extra,
    }


def response_message(text: str, annotations: Sequence[Payload] = (), **extra: object) -> Payload:
    """Return a finished output message with one text part."""
    part = {"type": "output_text", "text": text, "annotations": list(annotations), "logprobs": []}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
        **extra,
    }


def response_event(kind: str, **fields: object) -> Payload:
    """Return one Responses event at output 0, content 0, unless `fields` say otherwise."""
    return {
        "type": f"response.{kind}",
        "sequence_number": 1,
        "item_id": "msg_1",
        "output_index": 0,
        "content_index": 0,
        **fields,
    }


def responses_text(*pieces: str, annotations: Sequence[Payload] = ()) -> list[Step]:
    """Return a whole, well-formed Responses stream."""
    whole = "".join(pieces)
    empty = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    added = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    return [
        response_event("created", response=response_object("in_progress")),
        response_event("in_progress", response=response_object("in_progress")),
        response_event("output_item.added", item=added),
        response_event("content_part.added", part=empty),
        *(response_event("output_text.delta", delta=piece, logprobs=[]) for piece in pieces),
        response_event("output_text.done", text=whole, logprobs=[]),
        response_event("content_part.done", part={**empty, "text": whole}),
        response_event("output_item.done", item=response_message(whole, annotations)),
        response_event(
            "completed", response=response_object("completed", response_message(whole, annotations))
        ),
    ]


if __name__ == "__main__":
    with ModelServer(int(sys.argv[1]) if len(sys.argv) > 1 else 0) as server:
        print(f"The model server is ready: {server.base_url}", flush=True)
        signal.pause()
