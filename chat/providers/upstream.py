"""One call to an OpenAI-compatible service: open, read, time out, translate errors, retry, close.

The official client builds the request and the errors; its stream class is not used, because it crashes on
empty events and takes a cut stream for a finished one. One client (and so one connection) serves one call:
closing it is what stops the model.
"""

import asyncio
import functools
import json
import os
import random
import re
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import Protocol

import httpx2
from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    AsyncStream,
    BadRequestError,
    DefaultAioHttpClient,
    UnprocessableEntityError,
)

from chat.providers.base import ModelEvent, ModelSettings, Pause, Retries, TextDelta, no_pause
from chat.providers.errors import (
    AuthFailed,
    BadResponse,
    CutStream,
    ModelError,
    TimedOut,
    Unavailable,
    describe,
    from_payload,
    from_status,
    too_long,
)
from chat.providers.fields import JsonObject
from chat.providers.sse import EventDecoder, EventTooLong, ServerEvent

DONE = "[DONE]"
LONGEST_BODY = 32 * 1024 * 1024

_NETWORK_ERRORS = (httpx2.HTTPError, ssl.SSLError, OSError)

Call = Callable[[AsyncOpenAI], Awaitable[AsyncStream[object]]]
# What an event says, or DONE.
Payload = JsonObject | str
Create = Callable[[dict[str, object]], Awaitable[AsyncStream[object]]]

# Parameters that a service may not know, and what to try instead ("" : leave it out).
_SUBSTITUTES = {
    "stream_options": "",
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
    "temperature": "",
    "include": "",
    "store": "",
}


class Reader(Protocol):
    """Turns the payloads of one API into events."""

    @property
    def finished(self) -> bool:
        """Whether the model has said that it is done; what follows is only usage."""
        ...

    @property
    def started(self) -> bool:
        """Whether anything of the answer or of the work on it has come."""
        ...

    def feed(self, payload: JsonObject) -> Iterator[ModelEvent]:
        """Yield the events in one decoded payload; raises ModelError."""
        ...

    def done(self) -> None:
        """Take note of the `[DONE]` line."""
        ...

    def finish(self) -> Iterator[ModelEvent]:
        """Yield what is left and End; raises CutStream if the model never finished."""
        ...

    def salvage(self) -> Iterator[ModelEvent]:
        """Yield what was held back when the stream broke, without an End."""
        ...


def key_of(settings: ModelSettings) -> str:
    """Return the key from the environment, or "" for a service that needs none; raises AuthFailed."""
    if not settings.key_variable:
        return ""
    key = os.environ.get(settings.key_variable, "").strip()
    if not key:
        raise AuthFailed(f"the environment variable {settings.key_variable} is not set")
    return key


async def answer_events(
    settings: ModelSettings,
    call: Call,
    make_reader: Callable[[tuple[str, ...]], Reader],
    pause: Pause = no_pause,
) -> AsyncGenerator[ModelEvent]:
    """Yield the events of one answer; a failure before the first event is retried within bounds."""
    tries = 0
    while True:
        tries += 1
        began = False
        try:
            async with aclosing(_attempt(settings, call, make_reader, pause)) as events:
                async for event in events:
                    began = True
                    yield event
            return
        except ModelError as error:
            wait = None if began else retry_wait(error, tries, settings.retries)
            if wait is None:
                raise
        await asyncio.sleep(wait)


def retry_wait(error: ModelError, tries: int, retries: Retries) -> float | None:
    """Return the seconds to wait before try number `tries` + 1, or None if there should be none."""
    if not error.retryable or tries >= retries.attempts:
        return None
    if error.retry_after is not None:
        return error.retry_after if error.retry_after <= retries.longest_wait else None
    return min(retries.first_wait * 2.0 ** (tries - 1), retries.longest_wait) * random.uniform(0.75, 1.0)


async def lenient(create: Create, body: dict[str, object]) -> AsyncStream[object]:
    """Call `create`; when the service refuses an optional parameter by name, try again without it."""
    refused: set[str] = set()
    while True:
        try:
            return await create(body)
        except (BadRequestError, UnprocessableEntityError) as error:
            name = _refused_parameter(error, body, refused)
            if name is None:
                raise
        refused.add(name)
        value, substitute = body.pop(name), _SUBSTITUTES[name]
        if substitute and substitute not in refused:
            body[substitute] = value


def _refused_parameter(error: APIStatusError, body: dict[str, object], refused: set[str]) -> str | None:
    words = describe(error.body or error.response.text)
    if too_long(words):
        return None
    named = [name for name in _SUBSTITUTES if re.search(rf"\b{name}\b", words)]
    return next((name for name in named if name in body and name not in refused), None)


async def _attempt(
    settings: ModelSettings, call: Call, make_reader: Callable[[tuple[str, ...]], Reader], pause: Pause
) -> AsyncGenerator[ModelEvent]:
    key = key_of(settings)
    secrets = (key,) if key else ()
    reader = make_reader(secrets)
    async with _opened(settings, key, call) as response, aclosing(_payloads(response)) as payloads:
        failure: ModelError | None = None
        try:
            while come := await _next(payloads, reader, settings):
                for event in _joined(_read(come, reader)):
                    yield event
                if not reader.finished and (seconds := pause()):
                    await asyncio.sleep(seconds)
        except ModelError as error:
            error.hide(secrets)
            failure = error
        if failure is None or reader.finished:
            for event in reader.finish():
                yield event
        else:
            for event in reader.salvage():
                yield event
            raise failure


def _read(payloads: list[Payload], reader: Reader) -> Iterator[ModelEvent]:
    for payload in payloads:
        if isinstance(payload, str):
            reader.done()
        else:
            yield from reader.feed(payload)


def _joined(events: Iterator[ModelEvent]) -> Iterator[ModelEvent]:
    """Yield the events with pieces of text that follow each other joined: what came together is read together.

    What came before an error is yielded before it is raised.
    """
    text: list[str] = []
    try:
        for event in events:
            if isinstance(event, TextDelta):
                text.append(event.text)
                continue
            if text:
                yield TextDelta("".join(text))
                text.clear()
            yield event
    except ModelError:
        if text:
            yield TextDelta("".join(text))
        raise
    if text:
        yield TextDelta("".join(text))


async def _next(
    payloads: AsyncGenerator[list[Payload]], reader: Reader, settings: ModelSettings
) -> list[Payload] | None:
    """Return the next payloads, those that came together, or None at the end; silence raises TimedOut."""
    seconds = settings.timeouts.between_events if reader.started else settings.timeouts.first_event
    if reader.finished:
        seconds = min(seconds, settings.timeouts.after_finish)
    try:
        async with asyncio.timeout(seconds):
            return await anext(payloads, None)
    except TimeoutError as error:
        raise TimedOut(f"no event for {seconds:g} s") from error


@asynccontextmanager
async def _opened(settings: ModelSettings, key: str, call: Call) -> AsyncIterator[httpx2.Response]:
    """Send the request and yield the open response; leaving closes the connection."""
    timeouts = settings.timeouts
    # aiohttp reads a stream of a thousand small pieces at half of what httpx2's own transport takes.
    http = DefaultAioHttpClient(
        verify=_tls(),
        timeout=httpx2.Timeout(None, connect=timeouts.connect, write=timeouts.connect, pool=timeouts.connect),
    )
    client = AsyncOpenAI(
        api_key=key or "none",
        base_url=settings.base_url,
        max_retries=0,
        http_client=http,
        timeout=http.timeout,
    )
    async with client:
        try:
            async with asyncio.timeout(timeouts.first_event):
                stream = await call(client)
        except TimeoutError as error:
            raise TimedOut(f"no answer for {timeouts.first_event:g} s") from error
        except APIError as error:
            # Not "from error": a traceback in the log would print what the service said, key and all.
            raise _translated(error, (key,) if key else ()) from None
        try:
            yield stream.response
        finally:
            await stream.close()


@functools.cache
def _tls() -> ssl.SSLContext:
    """Load the certificates once; it takes longer than the rest of a client together."""
    return httpx2.create_ssl_context()


async def _payloads(response: httpx2.Response) -> AsyncGenerator[list[Payload]]:
    """Yield decoded payloads, those that came together in one list, DONE being the last of all.

    Raises CutStream and BadResponse.
    """
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        if kind == "text/html":
            raise BadResponse(f"a web page instead of an answer: {(await _body(response))[:2000]!r}")
        if kind == "application/json":
            yield [_decoded(ServerEvent("", (await _body(response)).decode("utf-8", "replace")))]
            return
        decoder = EventDecoder()
        async for piece in response.aiter_bytes():
            come, failure = _understood(decoder.feed(piece))
            if come:
                yield come
            if failure is not None:
                raise failure
            if DONE in come:
                return
        come, failure = _understood(decoder.flush())
        if come:
            yield come
        if failure is not None:
            raise failure
    except _NETWORK_ERRORS as error:
        raise CutStream(f"{type(error).__name__}: {error}") from error


def _understood(events: Iterator[ServerEvent]) -> tuple[list[Payload], BadResponse | None]:
    """Return the payloads up to DONE or to what can't be read, and what is wrong with that."""
    come: list[Payload] = []
    try:
        for event in events:
            come.append(_payload(event))
            if come[-1] == DONE:
                break
    except EventTooLong as error:
        return come, BadResponse(str(error))
    except BadResponse as error:
        return come, error
    return come, None


async def _body(response: httpx2.Response) -> bytes:
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > LONGEST_BODY:
            raise BadResponse(f"an answer of more than {LONGEST_BODY} bytes")
    return bytes(body)


def _payload(event: ServerEvent) -> Payload:
    return DONE if event.data.strip().startswith(DONE) else _decoded(event)


def _decoded(event: ServerEvent) -> JsonObject:
    try:
        payload = json.loads(event.data)
    except ValueError as error:
        raise BadResponse(f"not JSON: {event.data[:200]}") from error
    if not isinstance(payload, dict):
        raise BadResponse(f"not a JSON object: {event.data[:200]}")
    if event.name and "type" not in payload:
        payload["type"] = event.name
    return payload


def _translated(error: APIError, secrets: tuple[str, ...]) -> ModelError:
    if isinstance(error, APIStatusError):
        body = error.body if error.body is not None else error.response.text
        retry_after = _retry_after(error.response)
        return from_status(error.status_code, body or error.message, retry_after=retry_after, secrets=secrets)
    cause = error.__cause__
    detail = f"{type(cause).__name__}: {cause}" if cause else error.message
    if isinstance(error, APITimeoutError) and not _was_refused(error):
        return TimedOut(detail, secrets=secrets)
    if isinstance(error, APIConnectionError):
        return Unavailable(detail, secrets=secrets)
    return from_payload(error.body or error.message, secrets=secrets)


def _was_refused(error: BaseException) -> bool:
    """Whether there was no connection at all: the client calls that a timeout, aiohttp below it tells them apart."""
    cause = error.__cause__
    is_late = isinstance(cause, TimeoutError)
    return cause is not None and ((isinstance(cause, OSError) and not is_late) or _was_refused(cause))


def _retry_after(response: httpx2.Response) -> float | None:
    """Return the wait in seconds that the service asks for; HTTP dates are not used by model services."""
    for header, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(str(response.headers[header])) / divisor
            return seconds if seconds >= 0 else None
        except (KeyError, ValueError):
            continue
    return None
