"""How answers go wrong while they stream, over both APIs: the text, the state and the citations that are left.

Cases read off public reports of products like ours: thinking mixed into answers, prompts that are too long, errors
and cuts in mid-answer.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from chat.providers.base import Api, EndReason, ReasoningTags
from chat.reading import Cited, Reading, Refused, Said, Withdrawn
from tests.model_calls import BLOCK, Call, call, running_server, server, settings_for
from tests.model_server import (
    DONE,
    Drop,
    ModelServer,
    Payload,
    Step,
    chat_chunk,
    response_event,
    response_object,
)

__all__ = ["running_server", "server"]

APIS = pytest.mark.parametrize("api", [Api.CHAT, Api.RESPONSES])
MARKER = "\ue200cite\ue202block_k7m2\ue201"


def said(api: Api, *pieces: str) -> list[Step]:
    if api is Api.CHAT:
        return [chat_chunk({"content": piece}) for piece in pieces]
    return [response_event("output_text.delta", delta=piece, logprobs=[], output_index=1) for piece in pieces]


def thought(api: Api, *pieces: str) -> list[Step]:
    if api is Api.CHAT:
        return [chat_chunk({"content": None, "reasoning_content": piece}) for piece in pieces]
    return [response_event("reasoning_text.delta", delta=piece) for piece in pieces]


def ended(api: Api, reason: str = "") -> list[Step]:
    """Return a proper end: whole, or cut for a reason in Chat's words."""
    if api is Api.CHAT:
        return [chat_chunk({}, reason or "stop"), DONE]
    details = {"incomplete_details": {"reason": {"length": "max_output_tokens"}.get(reason, reason)}}
    whole = response_object("incomplete" if reason else "completed", **(details if reason else {}))
    return [response_event("incomplete" if reason else "completed", response=whole)]


def failed(api: Api, code: str, message: str) -> list[Step]:
    """Return an error inside the stream."""
    error: Payload = {"code": code, "message": message, "type": code}
    if api is Api.CHAT:
        return [{"error": error}]
    return [response_event("failed", response=response_object("failed", error=error))]


@dataclass(frozen=True)
class Shown:
    """What is left of an answer for its reader."""

    text: str
    cited: tuple[tuple[int, int], ...]
    refused: int


def shown(answer: Call) -> Shown:
    """Read a model's events as the product does, with one block offered."""
    reading = Reading(turn_id=uuid.uuid4(), question="?", offered=(BLOCK,))
    text, cited, refused = "", [], 0
    events = [read for event in answer.events for read in reading.take(event)]
    for read in [*events, *(reading.finish() if answer.error else ())]:
        match read:
            case Said():
                text += read.text
            case Cited():
                cited.append((read.citation.position, read.citation.number))
            case Refused():
                refused += 1
            case Withdrawn():
                text, cited, refused = "", [], 0
    return Shown(text, tuple(cited), refused)


async def ask(server: ModelServer, api: Api, *script: Sequence[Step], **changes: object) -> Call:
    server.script([step for steps in script for step in steps])
    return await call(settings_for(server, api=api, **changes))


@APIS
async def test_thinking_in_its_own_events_is_no_answer(server: ModelServer, api: Api) -> None:
    answer = await ask(
        server, api, thought(api, "Let me", " see."), said(api, f"Rain fell.{MARKER}"), ended(api)
    )
    assert answer.reasoning == "Let me see."
    assert shown(answer) == Shown("Rain fell.", ((10, 1),), 0)


@APIS
@pytest.mark.parametrize(
    "pieces",
    [
        ("<think>Let me see.</think>\n\nRain fell.",),
        ("<th", "ink>Let me", " see.</thi", "nk>", "\n\nRain", " fell."),
        tuple("<think>Let me see.</think>Rain fell."),
        ("Let me see.", "</think>", "Rain fell."),
        ("Let me see.</th", "ink>\n", "Rain fell."),
    ],
)
async def test_thinking_in_tags_is_no_answer(server: ModelServer, api: Api, pieces: tuple[str, ...]) -> None:
    answer = await ask(server, api, said(api, *pieces), ended(api))
    assert answer.reasoning == "Let me see."
    assert shown(answer) == Shown("Rain fell.", (), 0)


@APIS
async def test_thinking_that_begins_without_a_tag_is_never_shown(server: ModelServer, api: Api) -> None:
    script = said(api, "Let me see.", "</think>Rain fell.")
    answer = await ask(server, api, script, ended(api), reasoning_tags=ReasoningTags.IMPLIED)
    assert not any(isinstance(event, Withdrawn) for event in answer.events)
    assert (answer.reasoning, shown(answer).text) == ("Let me see.", "Rain fell.")


@APIS
@pytest.mark.parametrize("tagged", [True, False])
async def test_thinking_alone_is_no_answer(server: ModelServer, api: Api, *, tagged: bool) -> None:
    script = said(api, "<think>Let me see and see.") if tagged else thought(api, "Let me see and see.")
    answer = await ask(server, api, script, ended(api, "length"))
    assert (shown(answer).text, answer.reasoning) == ("", "Let me see and see.")
    assert answer.end.reason is EndReason.LENGTH


@APIS
@pytest.mark.parametrize("tagged", [True, False])
async def test_markers_in_thinking_cite_nothing(server: ModelServer, api: Api, *, tagged: bool) -> None:
    words = f"It says so{MARKER} and [1]."
    script = (
        said(api, f"<think>{words}</think>Rain fell.")
        if tagged
        else [*thought(api, words), *said(api, "Rain fell.")]
    )
    assert shown(await ask(server, api, script, ended(api))) == Shown("Rain fell.", (), 0)


@APIS
async def test_a_cut_answer_says_so(server: ModelServer, api: Api) -> None:
    answer = await ask(server, api, said(api, f"Rain fell.{MARKER} Then"), ended(api, "length"))
    assert shown(answer) == Shown("Rain fell. Then", ((10, 1),), 0)
    assert answer.end.reason is EndReason.LENGTH


@APIS
async def test_a_withheld_answer_says_so(server: ModelServer, api: Api) -> None:
    answer = await ask(server, api, said(api, "Rain"), ended(api, "content_filter"))
    assert (shown(answer).text, answer.end.reason) == ("Rain", EndReason.CONTENT_FILTER)


@APIS
@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        ("context_length_exceeded", "This model's maximum context length is 4096 tokens.", "context_length"),
        ("rate_limit_exceeded", "Rate limit reached.", "rate_limit"),
        ("insufficient_quota", "You exceeded your current quota.", "quota"),
        ("content_filter", "The content management policy was triggered.", "content_filter"),
        ("server_error", "The server had an error.", "unavailable"),
        ("invalid_api_key", "Incorrect API key provided.", "auth"),
    ],
)
async def test_an_error_in_mid_answer_keeps_what_was_said(
    server: ModelServer, api: Api, code: str, message: str, kind: str
) -> None:
    script = said(api, f"Rain fell.{MARKER}", " Then it")
    answer = await ask(server, api, script, failed(api, code, message))
    assert shown(answer) == Shown("Rain fell. Then it", ((10, 1),), 0)
    assert answer.failure.code == kind
    assert message not in answer.failure.public


@APIS
@pytest.mark.parametrize("end", [[], [Drop()], [b"data: {broken\n\n"]])
@pytest.mark.parametrize("cut", range(1, len(MARKER)))
async def test_a_stream_that_ends_within_a_marker_shows_none_of_it(
    server: ModelServer, api: Api, end: list[Step], cut: int
) -> None:
    answer = await ask(server, api, said(api, "Rain fell.", MARKER[:cut]), end)
    assert shown(answer) == Shown("Rain fell.", (), 1)
    assert answer.failure.code == ("bad_response" if end and isinstance(end[0], bytes) else "cut")


@APIS
async def test_half_a_thinking_tag_at_the_end_is_text(server: ModelServer, api: Api) -> None:
    answer = await ask(server, api, said(api, "1 <thi"), ended(api))
    assert shown(answer).text == "1 <thi"
