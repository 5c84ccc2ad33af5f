"""The connection to a model: what comes on it as it comes, and every way in which it can end."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx2
import pytest

from chat.providers.wire import transport

Answering = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


@asynccontextmanager
async def client(answering: Answering) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a client of a server that answers each connection once, after the request's head."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        try:
            await answering(reader, writer)
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    wire = transport(ssl.create_default_context())
    assert wire is not None
    async with server, httpx2.AsyncClient(transport=wire, base_url=f"http://127.0.0.1:{port}") as made:
        yield made


def saying(*pieces: bytes) -> Answering:
    """Answer with these bytes, each on its way before the next, and close."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)

    return answer


@pytest.mark.parametrize(
    "pieces",
    [
        [HEAD, b"Content-Length: 5\r\n\r\n", b"Hel", b"lo"],
        [HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"2\r\nHe\r\n3\r\n", b"llo\r\n0\r\n\r\n"],
        [HEAD + b"\r\nHel", b"lo"],
        [b"HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n", HEAD + b"Content-Length: 5\r\n\r\nHello"],
        [bytes([one]) for one in HEAD + b"Content-Length: 5\r\n\r\nHello"],
    ],
    ids=["with a length", "in chunks", "to the connection's end", "after an interim answer", "byte by byte"],
)
async def test_it_works(pieces: list[bytes]) -> None:
    async with client(saying(*pieces)) as http:
        answer = await http.post("/v1/x?y=1", content=b"Question")
    assert (answer.status_code, answer.headers["content-type"], answer.text) == (
        200,
        "text/event-stream",
        "Hello",
    )
    assert "x-early" not in answer.headers


async def test_the_request_is_sent_as_it_was_made() -> None:
    seen = bytearray()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.extend(await reader.readexactly(len("Frage ü".encode())))
        writer.write(HEAD + b"Content-Length: 0\r\n\r\n")

    async with client(answer) as http:
        await http.post("/", content="Frage ü".encode(), headers={"Authorization": "Bearer k"})
    assert seen.decode() == "Frage ü"


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [b"HTTP/1.1 200 OK\r\nContent"],
        [HEAD + b"Content-Length: 5\r\n\r\nHel"],
        [HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n"],
        [HEAD + b"Transfer-Encoding: chunked\r\n\r\nnonsense\r\n"],
        [b"SSH-2.0-OpenSSH_9.2\r\n"],
        [b"HTTP/1.1 200 OK\r\nX: ", b"x" * 300_000],
    ],
    ids=[
        "nothing",
        "half a head",
        "half a body",
        "no last chunk",
        "no chunk",
        "no HTTP",
        "a head without end",
    ],
)
async def test_a_broken_answer_is_an_error(pieces: list[bytes]) -> None:
    async with client(saying(*pieces)) as http:
        with pytest.raises(httpx2.RemoteProtocolError):
            await http.post("/", content=b"")


async def test_what_came_before_the_break_is_there() -> None:
    async with (
        client(saying(HEAD + b"Content-Length: 9\r\n\r\nHello")) as http,
        http.stream("POST", "/") as answer,
    ):
        pieces = answer.aiter_bytes()
        assert await anext(pieces) == b"Hello"
        with pytest.raises(httpx2.RemoteProtocolError):
            await anext(pieces)


async def test_nobody_there_is_an_error() -> None:
    wire = transport(ssl.create_default_context())
    assert wire is not None
    async with httpx2.AsyncClient(transport=wire) as http:
        with pytest.raises(httpx2.ConnectError):
            await http.post("http://127.0.0.1:9/")


async def test_closing_closes_the_connection() -> None:
    gone = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"\r\nHello")
        assert await reader.read() == b""
        gone.set()

    async with client(answer) as http:
        async with http.stream("POST", "/") as answered:
            assert await anext(answered.aiter_bytes()) == b"Hello"
        async with asyncio.timeout(2):
            await gone.wait()


async def test_a_slow_reader_holds_the_sender_back() -> None:
    all_sent = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"\r\n")
        for _ in range(640):
            writer.write(bytes(100_000))
            await writer.drain()
        all_sent.set()

    async with client(answer) as http, http.stream("POST", "/") as answered:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await all_sent.wait()
        assert len(await answered.aread()) == 64_000_000


async def test_a_proxy_of_the_environment_is_left_to_httpx2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:3128")
    assert transport(ssl.create_default_context()) is None
