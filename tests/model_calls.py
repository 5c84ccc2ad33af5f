"""Call a model at a scripted server and gather its events; used by the tests of both APIs."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from chat.core.hosted import Annotation
from chat.providers.base import (
    Api,
    End,
    Message,
    ModelEvent,
    ModelRequest,
    ModelSettings,
    ReasoningDelta,
    Retries,
    Role,
    TextDelta,
    Timeouts,
)
from chat.providers.errors import ModelError
from chat.providers.registry import client_for
from sources.core.passages import LineRange, Passage
from tests.model_server import ModelServer

BLOCK = Passage("block_k7m2", "d", "v", "Title", "Rain fell.", 0, 10, LineRange(1, 1), "0" * 64)


@pytest.fixture(scope="module")
def running_server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def server(running_server: ModelServer) -> ModelServer:
    running_server.reset()
    return running_server


def settings_for(server: ModelServer, **changes: object) -> ModelSettings:
    """Return a model with short timeouts and no retries, changed as the test wants."""
    plain = ModelSettings(
        name="m",
        label="M",
        api=Api.CHAT,
        base_url=server.base_url,
        upstream_name="test-model",
        rules_role=Role.SYSTEM,
        timeouts=Timeouts(connect=2, first_event=5, between_events=5, after_finish=0.3),
        retries=Retries(attempts=1),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]  # the tests name fields of ModelSettings


def request_to(settings: ModelSettings) -> ModelRequest:
    """Return a request with rules, blocks and a question."""
    messages = (
        Message(Role.DEVELOPER, "The rules."),
        Message(Role.USER, "The blocks."),
        Message(Role.USER, "The question?"),
    )
    return ModelRequest(settings, "The question?", messages=messages)


@dataclass
class Call:
    """One answer: its events and, if it failed, the error after them."""

    events: list[ModelEvent] = field(default_factory=list)
    error: ModelError | None = None

    @property
    def text(self) -> str:
        return "".join(item.text for item in self.events if isinstance(item, TextDelta))

    @property
    def reasoning(self) -> str:
        return "".join(item.text for item in self.events if isinstance(item, ReasoningDelta))

    @property
    def annotations(self) -> list[Annotation]:
        return [item for item in self.events if isinstance(item, Annotation)]

    @property
    def end(self) -> End:
        last = self.events[-1]
        assert isinstance(last, End)
        return last

    @property
    def failure(self) -> ModelError:
        assert self.error is not None
        return self.error


async def call(settings: ModelSettings, *, passages: bool = False) -> Call:
    """Gather one answer of the model, with a block offered to it if `passages`."""
    request = request_to(settings)
    if passages:
        request = replace(request, passages=(BLOCK,))
    made = Call()
    try:
        async for item in client_for(settings).stream(request):
            _append(made.events, item)  # what came before an error counts
    except ModelError as error:
        made.error = error
    return made


def _append(events: list[ModelEvent], item: ModelEvent) -> None:
    """Join text that follows text: how much of it comes at once is up to the network."""
    last = events[-1] if events else None
    if isinstance(item, TextDelta) and isinstance(last, TextDelta):
        events[-1] = TextDelta(last.text + item.text)
    else:
        events.append(item)
