"""A server on loopback that speaks OpenAI's embeddings API, with vectors that a test can foresee."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# A text's vector has a 1 for each row of which it holds a word: what the rows' words have in common is meaning.
MEANINGS = (("car", "automobile", "vehicle"), ("dog", "hound", "puppy"), ("bread", "loaf", "bakery"))
DIMENSION = len(MEANINGS) + 1


def vector_of(text: str) -> list[float]:
    """Return the vector of a text; the last number keeps a text without known words from being all zeros."""
    words = text.lower()
    return [float(any(word in words for word in row)) for row in MEANINGS] + [0.1]


@dataclass
class EmbeddingServer:
    """What was asked, and how to answer."""

    url: str
    asked: list[dict[str, object]] = field(default_factory=list)
    status: int = 200
    dimension: int = DIMENSION

    @property
    def inputs(self) -> list[list[str]]:
        """The inputs of each request."""
        return [
            list(map(str, request["input"])) for request in self.asked if isinstance(request["input"], list)
        ]


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """Run the server for the time of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append(body)
            # Out of order, as the API allows.
            rows = [
                {"object": "embedding", "index": index, "embedding": vector_of(text)[: state.dimension]}
                for index, text in enumerate(body["input"])
            ][::-1]
            answer = json.dumps(
                {"object": "list", "data": rows, "model": body["model"], "usage": {}}
            ).encode()
            self.send_response(state.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state = EmbeddingServer(f"http://127.0.0.1:{server.server_port}/v1")
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
