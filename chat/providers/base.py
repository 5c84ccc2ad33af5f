"""What the rest of Citeweb knows of a model: settings, a request, and a stream of typed events."""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from chat.core.hosted import Annotation, AnnotationKind, HostedSource
from chat.core.prompt import HistoryTurn, MarkerStyle, Message, Role
from chat.core.tokens import TokenWeights
from sources.core.passages import Passage

__all__ = [
    "Annotation",
    "AnnotationKind",
    "Api",
    "End",
    "EndReason",
    "HistoryTurn",
    "HostedSource",
    "HostedTool",
    "MarkerStyle",
    "Message",
    "ModelClient",
    "ModelEvent",
    "ModelRequest",
    "ModelSettings",
    "Pause",
    "ReasoningDelta",
    "ReasoningTags",
    "Retries",
    "Role",
    "TextDelta",
    "TextWithdrawn",
    "Timeouts",
    "Usage",
    "no_pause",
]


class Api(StrEnum):
    """Which way a model is spoken to."""

    RESPONSES = "responses"
    CHAT = "chat"
    QUOTE = "quote"


class ReasoningTags(StrEnum):
    """What `<think>` in the text of a model means.

    AUTO: thinking is recognised by its tags. IMPLIED: the content begins inside the thinking, because the
    server's template has written the opening tag (DeepSeek R1 and its like). OFF: tags are plain text.
    """

    AUTO = "auto"
    IMPLIED = "implied"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds of silence that are borne. Keep-alive comments don't count as a sign of life."""

    connect: float = 10.0
    first_event: float = 180.0
    between_events: float = 90.0
    after_finish: float = 5.0


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a call is tried before its first event, and the waits between in seconds."""

    attempts: int = 3
    first_wait: float = 0.5
    longest_wait: float = 8.0


@dataclass(frozen=True, slots=True)
class HostedTool:
    """A tool that the provider runs: its type and the options sent with it as they are."""

    type: str
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """One configured model. It names the variable that holds the key, never the key.

    `context_tokens` is what the model reads in all, `max_output_tokens` what it is asked to write at most
    (None: its own limit). `tenants` are the slugs that may use it (None: all). `extra_body` goes into every
    request as it is. `numbered_sources` says that the provider writes [n] for its own search results, so
    that [n] must not be taken for a block.
    """

    name: str
    label: str
    api: Api
    base_url: str = ""
    key_variable: str = ""
    upstream_name: str = ""
    marker_style: MarkerStyle = MarkerStyle.PRIVATE_USE
    context_tokens: int = 32_768
    token_weights: TokenWeights = TokenWeights.CURRENT
    max_output_tokens: int | None = None
    temperature: float | None = None
    rules_role: Role = Role.DEVELOPER
    blocks_role: Role = Role.USER
    line_numbers: bool = False
    merge_roles: bool = False
    hosted_tools: tuple[HostedTool, ...] = ()
    numbered_sources: bool = False
    reasoning_tags: ReasoningTags = ReasoningTags.AUTO
    token_limit_field: str = "max_tokens"
    tenants: tuple[str, ...] | None = None
    timeouts: Timeouts = Timeouts()
    retries: Retries = Retries()
    extra_body: Mapping[str, object] = field(default_factory=dict)

    @property
    def prompt_tokens(self) -> int:
        """The tokens that are left for the prompt once the answer has its room."""
        answer = self.max_output_tokens or min(4_096, self.context_tokens // 4)
        return max(self.context_tokens - answer, self.context_tokens // 4)

    def allows(self, tenant_slug: str) -> bool:
        """Say whether members of this tenant may choose the model."""
        return self.tenants is None or tenant_slug in self.tenants


Pause = Callable[[], float]


def no_pause() -> float:
    """Let nothing gather."""
    return 0.0


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call. `passages` are the blocks in `messages`; the quoting model reads only them.

    `pause` says, asked before each reading, how many seconds the model's words may gather first.
    """

    settings: ModelSettings
    question: str
    history: tuple[HistoryTurn, ...] = ()
    passages: tuple[Passage, ...] = ()
    messages: tuple[Message, ...] = ()
    max_output_tokens: int | None = None
    temperature: float | None = None
    pause: Pause = no_pause


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the answer, as raw as the model wrote it."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """The next piece of the model's thinking, which is never part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class TextWithdrawn:
    """All text so far turned out to be thinking whose opening tag was missing: forget it.

    It comes at most once, and the forgotten text follows as a ReasoningDelta.
    """


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counts them."""

    input_tokens: int
    output_tokens: int


class EndReason(StrEnum):
    """Why a model stopped. Only STOP is a whole answer."""

    STOP = "stop"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"
    REFUSAL = "refusal"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class End:
    """The last event of a stream that ended properly; `raw` is the provider's own word."""

    reason: EndReason
    raw: str = ""


ModelEvent = TextDelta | ReasoningDelta | TextWithdrawn | Annotation | HostedSource | Usage | End


class ModelClient(Protocol):
    """Anything that answers."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the events of one answer, End last.

        Close the generator (contextlib.aclosing) to close the connection to the model at once.
        Raises chat.providers.errors.ModelError.
        """
        ...
