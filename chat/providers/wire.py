"""One HTTP/1.1 exchange over a connection of its own, for streams that come in a thousand small pieces.

httpx2's own transport wakes up, sets timers and runs a parser in Python for each piece, which took half of all that a
streamed answer cost (docs/decisions.md). Here httptools, which uvicorn reads requests with, parses as bytes arrive, and
the reader is woken once for all that has come. No proxies and no second request on a connection: see `transport`.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from typing import cast
from urllib.request import getproxies

import httpx2
from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

# Bytes that wait for a slow reader before the other side must wait too.
_MOST_WAITING = 1024 * 1024
_LONGEST_HEAD = 256 * 1024


def transport(tls: ssl.SSLContext) -> httpx2.AsyncBaseTransport | None:
    """Return this transport, or None where the environment names a proxy: httpx2's own knows how to use one."""
    return None if getproxies() else _Wire(tls)


class _Wire(httpx2.AsyncBaseTransport):
    def __init__(self, tls: ssl.SSLContext) -> None:
        self._tls = tls

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and return the response as soon as its head has come. Raises httpx2.TransportError."""
        body = await request.aread()
        exchange = await self._connected(request)
        try:
            exchange.send(_head(request) + body)
            await exchange.head_came()
        except BaseException:
            await exchange.closed()
            raise
        return httpx2.Response(
            exchange.status, headers=exchange.headers, stream=_Stream(exchange), request=request
        )

    async def _connected(self, request: httpx2.Request) -> "_Exchange":
        url, seconds = request.url, _connect_seconds(request)
        secure = url.scheme == "https"
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds):
                _, exchange = await loop.create_connection(
                    _Exchange,
                    url.host,
                    url.port or (443 if secure else 80),
                    ssl=self._tls if secure else None,
                    server_hostname=url.host if secure else None,
                )
        except TimeoutError as exc:
            raise httpx2.ConnectTimeout(f"no connection within {seconds:g} s", request=request) from exc
        except OSError as exc:
            raise httpx2.ConnectError(str(exc), request=request) from exc
        return exchange


def _connect_seconds(request: httpx2.Request) -> float:
    timeouts = request.extensions.get("timeout", {})
    return cast(float, timeouts.get("connect") or 60.0)


def _head(request: httpx2.Request) -> bytes:
    """Return the request's head; httpx2 has checked and encoded what stands in it."""
    lines = [b"%s %s HTTP/1.1" % (request.method.encode(), request.url.raw_path)]
    lines += [
        b"%s: %s" % (name, value) for name, value in request.headers.raw if name.lower() != b"connection"
    ]
    return b"\r\n".join((*lines, b"Connection: close", b"", b""))


class _Exchange(asyncio.Protocol):
    """The connection with the response that comes on it. The methods that begin with `on_` are httptools' callbacks."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self._parser = HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._pieces: list[bytes] = []
        self._waiting = 0
        self._in_head = 0
        self._head_came = self._ended = self._paused = False
        self._failure: Exception | None = None
        self._wake = asyncio.Event()
        self._lost = asyncio.Event()

    def send(self, data: bytes) -> None:
        """Send bytes; a connection that is lost meanwhile shows when the answer is awaited."""
        assert self._transport is not None
        self._transport.write(data)

    async def head_came(self) -> None:
        """Wait for status and headers."""
        while not self._head_came:
            await self._news()

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body, each time all that has come."""
        while True:
            if self._pieces:
                yield self._taken()
            elif self._ended:
                return
            else:
                await self._news()

    def close(self) -> None:
        """Close the connection at once, whatever is still to come."""
        if self._transport is not None:
            self._transport.abort()

    async def closed(self) -> None:
        """Close the connection and wait until it is gone: `close` only asks the loop for that."""
        self.close()
        await self._lost.wait()

    async def _news(self) -> None:
        if self._failure is not None:
            raise self._failure
        self._wake.clear()
        await self._wake.wait()

    def _taken(self) -> bytes:
        taken, self._pieces, self._waiting = b"".join(self._pieces), [], 0
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return taken

    def _fail(self, failure: Exception) -> None:
        self._failure = self._failure or failure
        self._wake.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Take in what has come."""
        if not self._head_came:
            self._in_head += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as exc:
            self._fail(httpx2.RemoteProtocolError(f"no HTTP answer: {exc}"))
            self.close()
        if not self._head_came and self._in_head > _LONGEST_HEAD:
            self._fail(httpx2.RemoteProtocolError("a head without an end"))
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the end of a body without a length from a broken one."""
        self._lost.set()
        if self._ended:
            return
        if self._head_came and exc is None and self._ends_with_the_connection:
            self._ended = True
            self._wake.set()
        else:
            detail = str(exc) if exc else "the connection was closed before the answer's end"
            self._fail(httpx2.RemoteProtocolError(detail))

    @property
    def _ends_with_the_connection(self) -> bool:
        names = {name.lower() for name, _ in self.headers}
        return not names & {b"content-length", b"transfer-encoding"}

    def on_message_begin(self) -> None:
        """Forget the head of an interim answer (1xx)."""
        self.headers = []

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Let the answer begin, unless it is an interim one."""
        self.status = self._parser.get_status_code()
        self._head_came = self.status >= 200
        self._wake.set()

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body."""
        self._pieces.append(body)
        self._waiting += len(body)
        if self._waiting > _MOST_WAITING and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()
        self._wake.set()

    def on_message_complete(self) -> None:
        """Note the end."""
        self._ended = self._head_came
        self._wake.set()


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, exchange: _Exchange) -> None:
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes."""
        async for piece in self._exchange.pieces():
            yield piece

    async def aclose(self) -> None:
        """Close the connection, which stops the model."""
        await self._exchange.closed()
