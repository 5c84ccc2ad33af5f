"""A tenant with a document and a key, and the official client pointed at the running server."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from openai import APIError, AsyncOpenAI, OpenAI
from openai.types.chat import ChatCompletionChunk

from citeweb.accounts.api_keys import issue
from citeweb.accounts.tenancy import Place
from sources.models import Document
from tests.conftest import House
from tests.model_server import ModelServer, Step, chat_text
from tests.sources import PRICING, add_document
from tests.web_server import WebServer

QUESTION = "When do enterprise customers get budget alerts?"
ALERTS = "Enterprise customers receive usage alerts at 80% and 100% of their monthly budget."
# Words outside the basic plane before the mark: code points and UTF-16 units differ.
PERSIAN = "مشتریان سازمانی 🚀 در ۸۰٪ بودجه هشدار می‌گیرند."


@dataclass(frozen=True)
class Program:
    """What a program needs to call the API as one person."""

    base_url: str
    key: str

    def client(self, *, strict: bool = True, **options: object) -> OpenAI:
        """Return the official client, which never tries twice."""
        return OpenAI(
            base_url=self.base_url,
            api_key=self.key,
            max_retries=0,
            _strict_response_validation=strict,
            **options,  # type: ignore[arg-type]  # the client's own options
        )

    def async_client(self, *, strict: bool = True) -> AsyncOpenAI:
        """Return the official asynchronous client."""
        return AsyncOpenAI(
            base_url=self.base_url, api_key=self.key, max_retries=0, _strict_response_validation=strict
        )

    def http(self) -> httpx2.Client:
        """Return a plain HTTP client with the key."""
        return httpx2.Client(
            base_url=self.base_url.removesuffix("/v1"),
            headers={"Authorization": f"Bearer {self.key}"},
            timeout=30,
        )


def program_of(server: WebServer, place: Place, **wishes: object) -> Program:
    """Issue a key for a person and return what their program needs."""
    _key, text = issue(tenant=place.tenant, user=place.user, **wishes)  # type: ignore[arg-type]  # of issue()
    return Program(f"{server.url}/v1", text)


@pytest.fixture
def pricing(house: House) -> Document:
    """A document that everybody in the tenant may read."""
    return add_document(house.open_shelf, "pricing.md", PRICING)


@pytest.fixture
def program(server: WebServer, house: House, pricing: Document) -> Program:
    """A program of somebody who may read the open shelf only."""
    return program_of(server, house.stranger)


@pytest.fixture
def http(program: Program) -> Iterator[httpx2.Client]:
    """A plain HTTP client with the program's key."""
    with program.http() as client:
        yield client


def marker(block_id: str) -> str:
    """Return what a model writes to cite a block."""
    return f"\ue200cite\ue202{block_id}\ue201"


def block_of(document: Document, words: str) -> str:
    """Return the id of the chunk that holds the words."""
    version = document.current_version
    assert version is not None
    block = version.chunks.filter(text__contains=words).values_list("block_id", flat=True).get()
    return str(block)


def cited(document: Document, *, before: str = PERSIAN, after: str = " Done.") -> list[Step]:
    """Return a model's stream that cites the alerts, cut inside the marker."""
    mark = marker(block_of(document, ALERTS))
    return chat_text(before[:9], before[9:], mark[:7], mark[7:], after)


def script(model: ModelServer, document: Document) -> None:
    """Let the model cite the document whenever it is asked."""
    model.always(cited(document))


@dataclass
class Streamed:
    """What came of a chat stream: the text, the last chunk's extras and how it ended."""

    text: str = ""
    annotations: list[dict[str, Any]] = field(default_factory=list)
    citations: list[dict[str, Any]] | None = None
    finish: str | None = None
    error: APIError | None = None
    chunks: list[ChatCompletionChunk] = field(default_factory=list)


def streamed(program: Program, **asked: Any) -> Streamed:
    """Ask with streaming and gather what comes, also of a stream that breaks."""
    got = Streamed()
    stream = program.client().chat.completions.create(**asked, stream=True)
    try:
        for chunk in stream:
            got.chunks.append(chunk)
            if not chunk.choices:
                continue
            choice, extras = chunk.choices[0], chunk.choices[0].delta.model_extra or {}
            got.text += choice.delta.content or ""
            got.annotations += extras.get("annotations", [])
            got.citations = extras.get("citations", got.citations)
            got.finish = choice.finish_reason or got.finish
    except APIError as error:
        got.error = error
    return got
