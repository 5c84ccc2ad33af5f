"""Every event type of the installed openai package that can carry text or annotations, in its real shape.

The types are looked up in the package: a new one fails here until somebody decides what it means for an answer.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import openai
import pytest
from openai import BaseModel
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta
from openai.types.responses import ResponseStreamEvent

from chat.providers.base import Api, EndReason
from tests.model_calls import Call, call, running_server, server, settings_for
from tests.model_server import (
    DONE,
    ModelServer,
    Payload,
    Status,
    Step,
    chat_chunk,
    response_event,
    response_message,
    response_object,
)

__all__ = ["running_server", "server"]

SAID = "Rain fell. ([example.org](https://example.org/a))"
PLACE = {"start_index": 11, "end_index": 49}
CITED: Payload = {"type": "url_citation", "title": "A", "url": "https://example.org/a", **PLACE}
PART: Payload = {"type": "output_text", "text": SAID, "annotations": [CITED], "logprobs": []}
REFUSAL: Payload = {"type": "refusal", "refusal": "I can't help with that."}
MESSAGE = response_message(SAID, [CITED])
AT = {"item_id": "msg_1", "output_index": 0, "content_index": 0}


@dataclass(frozen=True)
class Meaning:
    """A stream in which only events of one type carry something, and what must come of it."""

    payload: Payload
    text: str = ""
    cited: bool = False
    reasoning: str = ""
    end: EndReason = EndReason.STOP


def whole(status: str, *output: Payload, **extra: object) -> Payload:
    return {"response": response_object(status, *output, **extra)}


CUT = whole("incomplete", MESSAGE, incomplete_details={"reason": "max_output_tokens"})
READ: dict[str, Meaning] = {
    "response.output_text.delta": Meaning({**AT, "delta": SAID, "logprobs": []}, SAID),
    "response.output_text.done": Meaning({**AT, "text": SAID, "logprobs": []}, SAID),
    "response.output_text.annotation.added": Meaning(
        {**AT, "annotation_index": 0, "annotation": CITED}, cited=True
    ),
    "response.content_part.done": Meaning({**AT, "part": PART}, SAID, cited=True),
    "response.output_item.done": Meaning({"output_index": 0, "item": MESSAGE}, SAID, cited=True),
    "response.completed": Meaning(whole("completed", MESSAGE), SAID, cited=True),
    "response.incomplete": Meaning(CUT, SAID, cited=True, end=EndReason.LENGTH),
    "response.refusal.delta": Meaning(
        {**AT, "delta": "I can't help with that."}, "I can't help with that.", end=EndReason.REFUSAL
    ),
    "response.refusal.done": Meaning(
        {**AT, "refusal": "I can't help with that."}, "I can't help with that.", end=EndReason.REFUSAL
    ),
    "response.reasoning_text.delta": Meaning({**AT, "delta": "Let me see."}, reasoning="Let me see."),
    "response.reasoning_text.done": Meaning({**AT, "text": "Let me see."}, reasoning="Let me see."),
    "response.reasoning_summary_text.delta": Meaning(
        {"item_id": "rs_1", "output_index": 0, "summary_index": 0, "delta": "Let me see."},
        reasoning="Let me see.",
    ),
    "response.reasoning_summary_text.done": Meaning(
        {"item_id": "rs_1", "output_index": 0, "summary_index": 0, "text": "Let me see."},
        reasoning="Let me see.",
    ),
}
FAILED = whole("failed", error={"code": "server_error", "message": "The model broke."})
FAILURES: dict[str, Payload] = {
    "response.failed": FAILED,
    "error": {"code": "server_error", "message": "The model broke.", "param": None},
}
CALLED: Payload = {"item_id": "call_1", "output_index": 0}
# They announce what follows, speak of tools that answers are not made of, or of sound and pictures.
PASSED_OVER: dict[str, Payload] = {
    "response.created": whole("in_progress"),
    "response.queued": whole("queued"),
    "response.in_progress": whole("in_progress"),
    "response.output_item.added": {"output_index": 0, "item": {**MESSAGE, "content": []}},
    "response.content_part.added": {**AT, "part": {**PART, "text": "", "annotations": []}},
    "response.reasoning_summary_part.added": {
        "item_id": "rs_1",
        "output_index": 0,
        "summary_index": 0,
        "part": {"type": "summary_text", "text": ""},
    },
    "response.reasoning_summary_part.done": {
        "item_id": "rs_1",
        "output_index": 0,
        "summary_index": 0,
        "part": {"type": "summary_text", "text": "Let me see."},
    },
    "response.audio.delta": {"delta": "AAAA"},
    "response.audio.transcript.delta": {"delta": "Rain fell."},
    "response.code_interpreter_call_code.delta": {**CALLED, "delta": "print(1)"},
    "response.code_interpreter_call_code.done": {**CALLED, "code": "print(1)"},
    "response.function_call_arguments.delta": {**CALLED, "delta": '{"a":'},
    "response.function_call_arguments.done": {**CALLED, "arguments": '{"a":1}'},
    "response.mcp_call_arguments.delta": {**CALLED, "delta": '{"a":'},
    "response.mcp_call_arguments.done": {**CALLED, "arguments": '{"a":1}'},
    "response.custom_tool_call_input.delta": {**CALLED, "delta": "x"},
    "response.custom_tool_call_input.done": {**CALLED, "input": "xy"},
    "response.shell_call_command.added": {"output_index": 0, "command": "", "command_index": 0},
    "response.shell_call_command.delta": {"output_index": 0, "command_index": 0, "delta": "ls"},
    "response.shell_call_command.done": {"output_index": 0, "command": "ls", "command_index": 0},
    "response.shell_call_output_content.delta": {**CALLED, "command_index": 0, "delta": {"stdout": "x"}},
    "response.shell_call_output_content.done": {**CALLED, "command_index": 0, "output": []},
    "response.image_generation_call.partial_image": {
        **CALLED,
        "partial_image_b64": "AAAA",
        "partial_image_index": 0,
    },
}
BOOKKEEPING = {
    "type",
    "sequence_number",
    "item_id",
    "output_index",
    "content_index",
    "summary_index",
    "annotation_index",
    "command_index",
    "logprobs",
    "obfuscation",
}


def event_types() -> dict[str, type[BaseModel]]:
    """Return the event types of the installed package by their name on the wire."""
    union = ResponseStreamEvent.__origin__  # type: ignore[attr-defined]  # Annotated keeps the union there
    return {member.model_fields["type"].annotation.__args__[0]: member for member in union.__args__}


def test_no_event_type_that_can_carry_something_is_missing() -> None:
    carrying = {name for name, member in event_types().items() if set(member.model_fields) - BOOKKEEPING}
    assert {*READ, *FAILURES, *PASSED_OVER} == carrying, openai.__version__


@pytest.mark.parametrize(
    ("kind", "payload"),
    [*((kind, meaning.payload) for kind, meaning in READ.items()), *FAILURES.items(), *PASSED_OVER.items()],
)
def test_the_recorded_shapes_are_those_of_the_package(kind: str, payload: Payload) -> None:
    made = event_types()[kind].model_validate({"type": kind, "sequence_number": 1, **payload})
    assert not made.model_extra


def one(kind: str, payload: Payload) -> Step:
    return (
        response_event(kind.removeprefix("response."), **payload)
        if kind != "error"
        else {"type": kind, **payload}
    )


async def respond(server: ModelServer, *script: Step) -> Call:
    server.script(list(script))
    return await call(settings_for(server, api=Api.RESPONSES))


@pytest.mark.parametrize("kind", READ)
async def test_each_type_alone_gives_what_it_carries(server: ModelServer, kind: str) -> None:
    meaning = READ[kind]
    last = [] if "response" in meaning.payload else [one("response.completed", whole("completed"))]
    answer = await respond(server, one(kind, meaning.payload), *last)
    assert answer.error is None
    assert (answer.text, answer.reasoning, answer.end.reason) == (
        meaning.text,
        meaning.reasoning,
        meaning.end,
    )
    assert [item.url for item in answer.annotations] == ["https://example.org/a"] * meaning.cited
    if meaning.text and meaning.cited:
        assert [(item.start, item.end) for item in answer.annotations] == [(11, 49)]


@pytest.mark.parametrize("missing", [kind for kind, meaning in READ.items() if meaning.text == SAID])
async def test_what_up_to_six_events_repeat_comes_once(server: ModelServer, missing: str) -> None:
    """The order is that of a real stream; each may be lost."""
    repeating = (
        "response.output_text.delta",
        "response.output_text.annotation.added",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
    )
    script = [one(kind, READ[kind].payload) for kind in repeating if kind != missing]
    answer = await respond(server, *script, one("response.completed", whole("completed", MESSAGE)))
    assert (answer.text, answer.end.reason) == (SAID, EndReason.STOP)
    assert [(item.start, item.end) for item in answer.annotations] == [(11, 49)]


@pytest.mark.parametrize("kind", FAILURES)
async def test_each_type_that_reports_a_failure_is_one(server: ModelServer, kind: str) -> None:
    said = one("response.output_text.delta", READ["response.output_text.delta"].payload)
    answer = await respond(server, said, one(kind, FAILURES[kind]))
    assert (answer.text, answer.failure.code) == (SAID, "unavailable")
    assert "The model broke." in answer.failure.detail


@pytest.mark.parametrize("kind", PASSED_OVER)
async def test_each_other_type_changes_nothing(server: ModelServer, kind: str) -> None:
    said = [
        one("response.output_text.delta", {**AT, "delta": piece, "logprobs": []})
        for piece in (SAID[:9], SAID[9:])
    ]
    done = one("response.completed", whole("completed", MESSAGE))
    answer = await respond(
        server, one(kind, PASSED_OVER[kind]), said[0], one(kind, PASSED_OVER[kind]), said[1], done
    )
    assert (answer.text, answer.reasoning, answer.end.reason) == (SAID, "", EndReason.STOP)
    assert len(answer.annotations) == 1


# Chat Completions has one event type; what carries something are the fields of its delta and of the whole message.
NESTED: Payload = {
    "type": "url_citation",
    "url_citation": {"title": "A", "url": "https://example.org/a", **PLACE},
}
CHAT_READ: dict[str, Meaning] = {
    "content": Meaning({"content": SAID}, SAID),
    "refusal": Meaning({"refusal": "I can't help."}, "I can't help.", end=EndReason.REFUSAL),
    "annotations": Meaning({"content": SAID, "annotations": [NESTED]}, SAID, cited=True),
}
CHAT_PASSED_OVER: dict[str, Payload] = {
    "role": {"role": "assistant"},
    "audio": {"audio": {"id": "a", "data": "AAAA", "expires_at": 1, "transcript": "Rain"}},
    "function_call": {"function_call": {"name": "f", "arguments": "{}"}},
    "tool_calls": {
        "tool_calls": [
            {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ]
    },
}


def test_no_field_of_a_delta_or_message_is_missing() -> None:
    fields = {*ChoiceDelta.model_fields, *ChatCompletionMessage.model_fields}
    assert {*CHAT_READ, *CHAT_PASSED_OVER} == fields, openai.__version__
    assert set(Choice.model_fields) == {"delta", "index", "finish_reason", "logprobs"}
    assert set(ChatCompletionChunk.model_fields) - {"moderation", "obfuscation"} == {
        "id",
        "choices",
        "created",
        "model",
        "object",
        "service_tier",
        "system_fingerprint",
        "usage",
    }


def chunks(payload: Mapping[str, object]) -> Iterator[Step]:
    yield chat_chunk({"role": "assistant", "content": "", "refusal": None})
    yield chat_chunk(payload)
    yield chat_chunk({}, "stop")
    yield DONE


def completion(payload: Mapping[str, object]) -> Step:
    """Return the same as a whole completion, from a service that does not stream."""
    message = {"role": "assistant", "content": None, "refusal": None, **payload}
    choice = {"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}
    body = {**chat_chunk(), "object": "chat.completion", "choices": [choice]}
    ChatCompletion.model_validate(body)
    return Status(200, body)


@pytest.mark.parametrize("field", CHAT_READ)
@pytest.mark.parametrize("streamed", [True, False])
async def test_each_field_gives_what_it_carries(server: ModelServer, field: str, *, streamed: bool) -> None:
    meaning = CHAT_READ[field]
    server.script([*chunks(meaning.payload)] if streamed else [completion(meaning.payload)])
    answer = await call(settings_for(server))
    assert (answer.text, answer.end.reason) == (meaning.text, meaning.end)
    assert [(item.start, item.end) for item in answer.annotations] == [(11, 49)] * meaning.cited


@pytest.mark.parametrize("field", CHAT_PASSED_OVER)
async def test_each_other_field_changes_nothing(server: ModelServer, field: str) -> None:
    server.script(
        [chat_chunk(CHAT_PASSED_OVER[field]), *chunks({"content": SAID, **CHAT_PASSED_OVER[field]})]
    )
    answer = await call(settings_for(server))
    assert (answer.text, answer.reasoning, answer.end.reason) == (SAID, "", EndReason.STOP)
