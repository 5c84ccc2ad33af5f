"""The body of POST /v1/chat/completions: what OpenAI's API takes, and our few additions."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from chat.api.asking import Order, model_for
from chat.api.caller import Caller
from chat.api.dialogue import BadMessage, Dialogue, Said, answer_said, dialogue, text_of
from chat.api.errors import invalid, unsupported
from chat.api.tools import Tool, file_search
from chat.api.wishes import CHAT, Wishes
from chat.core.footnotes import Style

Key = Annotated[str, Field(max_length=64)]
Value = Annotated[str, Field(max_length=512)]
Metadata = Annotated[dict[Key, Value], Field(max_length=16)]


class ChatMessage(BaseModel):
    """A message; `content` is text or a list of text parts. Annotations of earlier answers are understood."""

    model_config = ConfigDict(extra="allow")
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[dict[str, object]] | None = None
    annotations: list[dict[str, object]] | None = None


class StreamOptions(BaseModel):
    """With `include_usage` one more chunk with the numbers comes before the end."""

    model_config = ConfigDict(extra="allow")
    include_usage: bool | None = None


class Extras(BaseModel):
    """What a request may ask of us that OpenAI doesn't know."""

    return_citations: bool = Field(True, description="False: no marks, no annotations, no citations.")
    return_related_questions: bool = Field(False, description="Ask for questions that lead on.")
    citation_style: Style = Field(Style.FOOTNOTE, description="How marks are written into the text.")
    safety_settings: dict[str, object] | None = Field(None, description="Accepted and not used.")


class ChatRequest(Extras):
    """A question with its history."""

    model_config = ConfigDict(extra="forbid")
    model: str
    messages: list[ChatMessage] = Field(min_length=1, max_length=2_048)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    temperature: float | None = Field(None, ge=0, le=2)
    tools: list[Tool] | None = None
    tool_choice: str | dict[str, object] | None = None
    metadata: Metadata | None = None
    store: bool | None = Field(
        None, description="False: the answer can't be fetched later. It is audited either way."
    )
    n: int | None = None
    response_format: dict[str, object] | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    stop: str | list[str] | None = None
    modalities: list[str] | None = None
    audio: dict[str, object] | None = None
    functions: list[dict[str, object]] | None = None
    function_call: str | dict[str, object] | None = None
    logit_bias: dict[str, float] | None = None
    web_search_options: dict[str, object] | None = None
    # Taken and not used: they don't change what an answer means.
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    top_p: float | None = None
    seed: int | None = None
    user: str | None = None
    safety_identifier: str | None = None
    prompt_cache_key: str | None = None
    prompt_cache_options: dict[str, object] | None = None
    prompt_cache_retention: str | None = None
    service_tier: str | None = None
    reasoning_effort: str | None = None
    verbosity: str | None = None
    parallel_tool_calls: bool | None = None
    prediction: dict[str, object] | None = None
    moderation: dict[str, object] | None = None


def order_of(body: ChatRequest, caller: Caller) -> Order:
    """Return the request as an order. Reads the database; raises ApiError."""
    _refuse_what_is_not_done(body)
    wishes = Wishes(
        api=CHAT,
        style=body.citation_style,
        citations=body.return_citations,
        related=body.return_related_questions,
        stored=body.store is not False,
        metadata=body.metadata or {},
    )
    model = model_for(
        body.model,
        caller,
        max_output_tokens=body.max_completion_tokens or body.max_tokens,
        temperature=body.temperature,
    )
    return Order(_dialogue(body.messages), model, wishes, file_search(body.tools, body.tool_choice, caller))


def _dialogue(messages: list[ChatMessage]) -> Dialogue:
    try:
        return dialogue([_said(m, f"messages[{n}]") for n, m in enumerate(messages)], param="messages")
    except BadMessage as exc:
        raise invalid(exc.message, exc.param, "invalid_value") from exc


def _said(message: ChatMessage, param: str) -> Said:
    if message.role in ("tool", "function") or (message.model_extra or {}).get("tool_calls"):
        raise BadMessage("Tool calls and their results are not supported.", f"{param}.role")
    answers = message.role == "assistant"
    allowed = ("text", "refusal") if answers else ("text",)
    text = text_of(message.content, param=f"{param}.content", allowed=allowed)
    return answer_said(text, message.annotations) if answers else Said(message.role, text)


def _refuse_what_is_not_done(body: ChatRequest) -> None:
    if body.n not in (None, 1):
        raise unsupported("n", "There is one answer to a question.")
    if body.response_format and body.response_format.get("type") != "text":
        raise unsupported("response_format", "Answers are Markdown text.")
    if body.modalities and body.modalities != ["text"]:
        raise unsupported("modalities", "Answers are text.")
    for name in ("logprobs", "top_logprobs", "stop", "audio", "functions", "logit_bias"):
        if getattr(body, name):
            raise unsupported(name, "Leave it out.")
    if body.function_call not in (None, "none", "auto"):
        raise unsupported("function_call", "Leave it out.")
    if body.web_search_options is not None:
        raise unsupported("web_search_options", "Answers come from the documents.")
