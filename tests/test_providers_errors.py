"""Failures of a model service: what people read, what staff read, and when it is tried again."""

import logging
import socket
import time
import traceback

import pytest

from chat.providers.base import Api, Retries, TextDelta, Timeouts
from chat.providers.errors import DETAIL_LIMIT, ModelError, plain_detail
from tests.model_calls import call, running_server, server, settings_for
from tests.model_server import (
    Drop,
    Hang,
    ModelServer,
    Status,
    Step,
    chat_chunk,
    chat_text,
    response_event,
    responses_text,
)

__all__ = ["running_server", "server"]

KEY = "sk-proj-VerySecretKey1234567890"
QUICK = Retries(attempts=3, first_wait=0.01, longest_wait=0.5)
APIS = pytest.mark.parametrize("api", [Api.CHAT, Api.RESPONSES])


def whole(api: Api) -> list[Step]:
    return chat_text("Hello.") if api is Api.CHAT else responses_text("Hello.")


def begun(api: Api) -> list[Step]:
    if api is Api.CHAT:
        return [chat_chunk({"content": "Half an"})]
    return [response_event("output_text.delta", delta="Half an")]


def body(message: str, code: str | None = None, kind: str = "invalid_request_error") -> dict[str, object]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


@APIS
@pytest.mark.parametrize(
    ("status", "answer", "code"),
    [
        (401, body("Incorrect API key provided", "invalid_api_key"), "auth"),
        (403, body("Country not supported"), "auth"),
        (402, body("Insufficient credits"), "quota"),
        (404, body("The model `gone` does not exist", "model_not_found"), "rejected"),
        (408, body("Request timeout"), "timeout"),
        (400, body("maximum context length is 8192 tokens", "context_length_exceeded"), "context_length"),
        (400, {"message": "prompt is too long: 9000 tokens > 8192 maximum"}, "context_length"),
        (413, "Payload Too Large", "context_length"),
        (400, body("The response was filtered", "content_filter"), "content_filter"),
        (422, {"detail": "Input should be a valid list"}, "rejected"),
        (429, body("Rate limit reached", "rate_limit_exceeded"), "rate_limit"),
        (429, body("You exceeded your current quota", "insufficient_quota"), "quota"),
        (500, body("The server had an error"), "unavailable"),
        (502, "<html><h1>Bad Gateway</h1></html>", "unavailable"),
        (529, body("Overloaded"), "unavailable"),
    ],
)
async def test_a_status_becomes_an_error(
    server: ModelServer, api: Api, status: int, answer: object, code: str
) -> None:
    server.script([Status(status, answer)])
    failure = (await call(settings_for(server, api=api))).failure
    assert failure.code == code
    assert str(status) in failure.detail
    assert "<" not in failure.detail


def test_every_error_has_one_plain_sentence_or_two_for_people() -> None:
    def tree(kind: type[ModelError]) -> list[type[ModelError]]:
        return [kind, *(below for child in kind.__subclasses__() for below in tree(child))]

    kinds = tree(ModelError)
    assert len({kind.code for kind in kinds}) == len(kinds) == 11
    for kind in kinds:
        assert kind.public.endswith(".")
        assert len(kind.public) < 120
        assert not {"{", "<", "http"} & set(kind.public.split())


@APIS
async def test_the_key_goes_out_in_the_header_and_nowhere_else(
    server: ModelServer, api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("TEST_MODEL_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    server.script([Status(401, body(f"Incorrect API key provided: {KEY}. Header: Bearer {KEY}"))])
    answer = await call(settings_for(server, api=api, key_variable="TEST_MODEL_KEY"))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    trace = "".join(traceback.format_exception(answer.failure))
    assert (
        KEY not in trace + repr(answer.failure) + answer.failure.detail + answer.failure.public + caplog.text
    )


@APIS
async def test_a_key_that_is_not_set_is_an_error_before_any_call(
    server: ModelServer, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEST_MODEL_KEY", raising=False)
    failure = (await call(settings_for(server, api=api, key_variable="TEST_MODEL_KEY"))).failure
    assert (failure.code, server.requests) == ("auth", [])
    assert "TEST_MODEL_KEY" in failure.detail


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("key sk-abcdef123456 refused", "key *** refused"),
        ("Authorization: Bearer abc.def-123456", "Authorization: *** ***"),
        ("api_key=abcdef123", "api_key=***"),
        ("at https://user:pass@host/v1", "at https://***@host/v1"),
        ("<b>Bad</b> <script>x()</script>gateway", "Bad gateway"),
        ("line\x00one\r\ntwo\x1b[31m", "line one two [31m"),
    ],
)
def test_details_hide_secrets_and_markup(text: str, masked: str) -> None:
    assert plain_detail(text) == masked


def test_details_are_bounded() -> None:
    assert len(plain_detail("word " * 10_000)) == DETAIL_LIMIT


@APIS
@pytest.mark.parametrize(
    "first", [Status(500, {}), Status(503, "busy"), Status(429, {}), Status(429, {}, {"retry-after": "0"})]
)
async def test_a_passing_failure_is_tried_again(server: ModelServer, api: Api, first: Status) -> None:
    server.script([first], whole(api))
    answer = await call(settings_for(server, api=api, retries=QUICK))
    assert (answer.text, answer.error, len(server.requests)) == ("Hello.", None, 2)


@APIS
@pytest.mark.parametrize("first", [[Drop()], [{"choices": []}, Drop()]])
async def test_a_connection_that_breaks_before_the_first_text_is_tried_again(
    server: ModelServer, api: Api, first: list[Step]
) -> None:
    server.script(first, whole(api))
    answer = await call(settings_for(server, api=api, retries=QUICK))
    assert (answer.text, answer.error) == ("Hello.", None)


@APIS
async def test_tries_are_bounded(server: ModelServer, api: Api) -> None:
    server.always([Status(500, {})])
    assert (await call(settings_for(server, api=api, retries=QUICK))).failure.code == "unavailable"
    assert len(server.requests) == 3


@APIS
@pytest.mark.parametrize(
    "first",
    [
        Status(401, {}),
        Status(400, {}),
        Status(429, body("no credit", "insufficient_quota")),
        Status(429, {}, {"retry-after": "30"}),
    ],
)
async def test_what_waiting_does_not_help_is_not_tried_again(
    server: ModelServer, api: Api, first: Status
) -> None:
    server.script([first], whole(api))
    answer = await call(settings_for(server, api=api, retries=QUICK))
    assert answer.events == []
    assert len(server.requests) == 1


@APIS
async def test_the_wait_that_the_service_asks_for_is_told(server: ModelServer, api: Api) -> None:
    server.script([Status(429, {}, {"retry-after": "30"})])
    assert (await call(settings_for(server, api=api))).failure.retry_after == 30


@APIS
async def test_nothing_is_tried_again_once_text_has_come(server: ModelServer, api: Api) -> None:
    server.script([*begun(api), Drop()], whole(api))
    answer = await call(settings_for(server, api=api, retries=QUICK))
    assert answer.events == [TextDelta("Half an")]
    assert answer.failure.code == "cut"
    assert len(server.requests) == 1


@APIS
async def test_a_refused_connection_is_unavailable(server: ModelServer, api: Api) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    answer = await call(settings_for(server, api=api, base_url=f"http://127.0.0.1:{port}/v1", retries=QUICK))
    assert answer.failure.code == "unavailable"


@APIS
@pytest.mark.parametrize(
    "when", ["before the headers", "before the first event", "between events", "pinging"]
)
async def test_silence_times_out(server: ModelServer, api: Api, when: str) -> None:
    script: dict[str, list[Step]] = {
        "before the headers": [Hang()],
        "before the first event": [b": hello\n\n", Hang()],
        "between events": [*begun(api), Hang()],
        "pinging": [*begun(api), b": ping\n\n", Hang()],
    }
    server.script(script[when])
    started = time.monotonic()
    answer = await call(settings_for(server, api=api, timeouts=Timeouts(first_event=0.3, between_events=0.3)))
    assert answer.failure.code == "timeout"
    assert time.monotonic() - started < 3
    server.requests[0].wait_closed(2)


@APIS
async def test_an_answer_of_the_wrong_kind_is_a_bad_response(server: ModelServer, api: Api) -> None:
    server.script([b"data: [1, 2]\n\n"])
    assert (await call(settings_for(server, api=api))).failure.code == "bad_response"
