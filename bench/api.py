"""What the API adds to a model's stream: `BASE_URL=… API_KEY=… python bench/api.py --pid WEB --database-pid POSTGRES`.

Start the server with CITEWEB_MODEL=bench-model CITEWEB_MODEL_API=chat OPENAI_BASE_URL=http://127.0.0.1:8799/v1
CITEWEB_EMBEDDINGS=none; this script is that model (port 8799) and the programs that ask it. Each chunk carries the time
when it left the model, so that every delay is measured on one clock. Model and programs need CPU time too, in this
process and one more: what is printed of it is the server's alone.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import psutil

PORT = 8799
CHUNKS, PER_SECOND = 300, 50
QUESTION = "How much is the Enterprise plan?"
_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
    b"Connection: close\r\n\r\n"
)


def _event(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    data = json.dumps({"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]})
    return _framed(f"data: {data}\n\n".encode())


def _framed(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


async def _read_request(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        int(v.split(b":")[1]) for v in head.split(b"\r\n") if v.lower().startswith(b"content-length")
    )
    await reader.readexactly(length)


async def _model(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _read_request(reader)
    arrived = begin = time.monotonic()
    writer.write(_HEAD)
    for number in range(CHUNKS):
        await asyncio.sleep(max(0.0, begin + number / PER_SECOND - time.monotonic()))
        writer.write(_event({"content": f"A{arrived:.6f}T{time.monotonic():.6f}. "}))
    writer.write(_event({}, "stop") + _framed(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    await writer.drain()
    writer.close()


def _serve_model() -> None:
    async def main() -> None:
        server = await asyncio.start_server(_model, "127.0.0.1", PORT)
        await server.serve_forever()

    asyncio.run(main())


@dataclass
class Seen:
    """One stream's delays in seconds: until the model was asked, and of its chunks."""

    before: float = 0.0
    first: float = 0.0
    delays: list[float] = field(default_factory=list)


async def _ask(url: str, model: str, key: str) -> Seen:
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    body = json.dumps({"model": model, "stream": True, "messages": [{"role": "user", "content": QUESTION}]})
    head = f"POST {where.path}/chat/completions HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: Bearer {key}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    asked = time.monotonic()
    writer.write((head + body).encode())
    seen = Seen()
    while line := await reader.readline():
        came = time.monotonic()
        for stamp in line.decode().split("A")[1:]:
            arrived, _, sent = stamp.partition("T")
            if not sent:
                continue
            delay = came - float(sent.split(". ")[0].split('."')[0].rstrip('".'))
            if not seen.delays:
                seen.before, seen.first = float(arrived) - asked, delay
            seen.delays.append(delay)
    writer.close()
    assert len(seen.delays) >= CHUNKS - 1, f"only {len(seen.delays)} chunks came"
    return seen


async def _run(url: str, model: str, key: str, streams: int) -> list[Seen]:
    async def one(number: int) -> Seen:
        # Programs don't all begin in the same millisecond.
        await asyncio.sleep(2.0 * number / streams)
        return await _ask(url, model, key)

    return list(await asyncio.gather(*(one(number) for number in range(streams))))


def _p(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a process and of those that it started and that still run: web processes, backends."""
    process = psutil.Process(pid)
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return float(sum(one.user + one.system for one in times))


def _line(name: str, streams: int, seen: Sequence[Seen], cpu: Sequence[float]) -> str:
    before, first = [one.before for one in seen], [one.first for one in seen]
    every = [delay for one in seen for delay in one.delays]
    used = "".join(f" | {1000 * one / (len(seen) * CHUNKS):.3f}" for one in cpu)
    return (
        f"{name} | {streams} | {_p(before, 0.5):.1f} / {_p(before, 0.99):.1f} | "
        f"{_p(first, 0.5):.2f} / {_p(first, 0.99):.2f} | {1000 * statistics.median(every):.2f}{used}"
    )


def main() -> None:
    """Measure a direct call and ours at each number of streams."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pid", type=int, required=True, help="the web process (of several: the first)")
    parser.add_argument("--database-pid", type=int, help="the PostgreSQL server, for its CPU time")
    parser.add_argument("--streams", type=int, nargs="+", default=[1, 20, 100])
    options = parser.parse_args()
    pids = [pid for pid in (options.pid, options.database_pid) if pid]
    model = multiprocessing.Process(target=_serve_model, daemon=True)
    model.start()
    time.sleep(1)
    ours, key = os.environ["BASE_URL"], os.environ["API_KEY"]
    print(f"load {os.getloadavg()[0]:.2f}")
    print(
        "way | streams | model asked after ms p50 / p99 | first chunk ms p50 / p99 | any p50"
        " | CPU s per 1,000 chunks: web | database"
    )
    asyncio.run(_run(ours, "bench-model", key, 2))
    for streams in options.streams:
        # One stream says nothing of a p99: it is asked again and again.
        times = 5 if streams == 1 else 1
        direct, through = [], []
        for _ in range(times):
            direct += asyncio.run(_run(f"http://127.0.0.1:{PORT}/v1", "m", "x", streams))
        before = [_cpu(pid) for pid in pids]
        for _ in range(times):
            through += asyncio.run(_run(ours, "bench-model", key, streams))
        used = [_cpu(pid) - was for pid, was in zip(pids, before, strict=True)]
        print(_line("direct", streams, direct, ()), flush=True)
        print(_line("ours", streams, through, used), flush=True)
    model.terminate()


if __name__ == "__main__":
    main()
