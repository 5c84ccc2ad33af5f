"""The body of POST /v1/responses: what OpenAI's API takes, and our few additions."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from chat.api.asking import Order, model_for, thread, turn_of
from chat.api.caller import Caller
from chat.api.chat_request import Extras, Metadata
from chat.api.dialogue import BadMessage, Dialogue, Said, answer_said, dialogue, text_of
from chat.api.errors import ApiError, invalid, unsupported
from chat.api.ids import RESPONSE, own_id
from chat.api.tools import Tool, file_search
from chat.api.wishes import RESPONSES, Wishes
from chat.core.prompt import HistoryTurn
from chat.models import CitationKind, Turn, TurnState

RESULTS = "file_search_call.results"
# Items of earlier outputs that come back with a history and say nothing to a model of ours.
_SILENT = ("file_search_call", "web_search_call", "reasoning")


class InputItem(BaseModel):
    """A message, or an item of an earlier response's output."""

    model_config = ConfigDict(extra="allow")
    type: str | None = None
    role: Literal["system", "developer", "user", "assistant"] | None = None
    content: str | list[dict[str, object]] | None = None


class ResponsesRequest(Extras):
    """A question, with its history or with the response that it goes on from."""

    model_config = ConfigDict(extra="forbid")
    model: str
    input: str | list[InputItem]
    instructions: str | None = Field(
        None, description="Added to the rules; they can't weaken those on citing."
    )
    previous_response_id: str | None = None
    stream: bool | None = None
    stream_options: dict[str, object] | None = None
    max_output_tokens: int | None = Field(None, ge=1)
    temperature: float | None = Field(None, ge=0, le=2)
    tools: list[Tool] | None = None
    tool_choice: str | dict[str, object] | None = None
    include: list[str] | None = Field(None, description=f"`{RESULTS}` shows what was found.")
    metadata: Metadata | None = None
    store: bool | None = Field(
        None, description="False: the answer can't be fetched later. It is audited either way."
    )
    text: dict[str, object] | None = None
    background: bool | None = None
    conversation: str | dict[str, object] | None = None
    prompt: dict[str, object] | None = None
    top_logprobs: int | None = None
    # Taken and not used: they don't change what an answer means.
    top_p: float | None = Field(None, ge=0, le=1)
    truncation: str | None = None
    reasoning: dict[str, object] | None = None
    parallel_tool_calls: bool | None = None
    max_tool_calls: int | None = None
    user: str | None = None
    safety_identifier: str | None = None
    prompt_cache_key: str | None = None
    prompt_cache_options: dict[str, object] | None = None
    prompt_cache_retention: str | None = None
    service_tier: str | None = None
    moderation: dict[str, object] | None = None
    context_management: list[dict[str, object]] | None = None
    access_programs: dict[str, object] | None = None
    image: dict[str, object] | None = None


def order_of(body: ResponsesRequest, caller: Caller) -> Order:
    """Return the request as an order. Reads the database; raises ApiError."""
    _refuse_what_is_not_done(body)
    model = model_for(
        body.model, caller, max_output_tokens=body.max_output_tokens, temperature=body.temperature
    )
    previous = _previous(body.previous_response_id, caller)
    search = file_search(body.tools, body.tool_choice, caller)
    return Order(_dialogue(body, previous), model, _wishes(body, previous), search, previous)


def _wishes(body: ResponsesRequest, previous: Turn | None) -> Wishes:
    return Wishes(
        api=RESPONSES,
        style=body.citation_style,
        citations=body.return_citations,
        related=body.return_related_questions,
        stored=body.store is not False,
        searches=bool(body.tools),
        results=RESULTS in (body.include or []),
        instructions=body.instructions,
        previous=previous.pk.hex if previous else None,
        metadata=body.metadata or {},
        settings={
            "max_output_tokens": body.max_output_tokens,
            "temperature": body.temperature,
            "top_p": body.top_p,
            "tool_choice": body.tool_choice or "auto",
            "tools": [tool.model_dump(exclude_none=True) for tool in body.tools or []],
            "truncation": body.truncation if body.truncation in ("auto", "disabled") else "disabled",
            "user": body.user,
        },
    )


def _previous(given: str | None, caller: Caller) -> Turn | None:
    if given is None:
        return None
    turn = turn_of(own_id(RESPONSE, given), caller)
    if turn is None or not turn.conversation.by_api:
        message = f"Previous response with id '{given}' not found."
        raise ApiError(404, message, param="previous_response_id", code="previous_response_not_found")
    if turn.state == TurnState.RUNNING:
        raise ApiError(409, f"The response '{given}' is still being written.", param="previous_response_id")
    return turn


def _dialogue(body: ResponsesRequest, previous: Turn | None) -> Dialogue:
    try:
        said = [Said("user", body.input)] if isinstance(body.input, str) else _items(body.input)
        if body.instructions:
            said.insert(0, Said("system", body.instructions))
        made = dialogue(said, param="input")
    except BadMessage as exc:
        raise invalid(exc.message, exc.param, "invalid_value") from exc
    if previous is None:
        return made
    earlier = thread(previous)
    history = tuple(HistoryTurn(turn.question, turn.text) for turn in earlier if turn.text)
    before = tuple(dict.fromkeys(made.cited_before + _cited(earlier)))
    return Dialogue(made.question, history + made.history, made.instructions, before)


def _cited(turns: list[Turn]) -> tuple[str, ...]:
    """Return the chunks that earlier turns cited, the newest first."""
    return tuple(
        citation.block_id
        for turn in reversed(turns)
        for citation in sorted(turn.citations.all(), key=lambda one: one.ordinal)
        if citation.kind == CitationKind.PASSAGE
    )


def _items(items: list[InputItem]) -> list[Said]:
    return [said for index, item in enumerate(items) if (said := _said(item, f"input[{index}]"))]


def _said(item: InputItem, param: str) -> Said | None:
    if item.type in _SILENT:
        return None
    if item.type not in (None, "message"):
        raise BadMessage(f"Invalid value: '{item.type}'. Supported values are: 'message'.", f"{param}.type")
    if item.role is None:
        raise BadMessage(f"Missing required parameter: '{param}.role'.", f"{param}.role")
    if item.role == "assistant":
        return _answer(item.content, f"{param}.content")
    text = text_of(item.content, param=f"{param}.content", allowed=("input_text", "text"))
    return Said(item.role, text)


def _answer(content: str | list[dict[str, object]] | None, param: str) -> Said:
    """Return an earlier answer; each part's annotations count within that part."""
    if not isinstance(content, list):
        return answer_said(content or "", None)
    allowed = ("output_text", "refusal", "input_text", "text")
    parts = [
        answer_said(
            text_of([part], param=f"{param}[{index}]", allowed=allowed),
            part.get("annotations"),
        )
        for index, part in enumerate(content)
    ]
    return Said("assistant", "".join(p.text for p in parts), tuple(name for p in parts for name in p.cited))


def _refuse_what_is_not_done(body: ResponsesRequest) -> None:
    kind = (body.text or {}).get("format")
    if isinstance(kind, dict) and kind.get("type") != "text":
        raise unsupported("text.format", "Answers are Markdown text.")
    for name in ("background", "prompt", "top_logprobs"):
        if getattr(body, name):
            raise unsupported(name, "Leave it out.")
    if body.conversation is not None:
        raise unsupported("conversation", "Use previous_response_id.")
