"""Chat Completions against a real server on loopback: every deviation that services are known for."""

import asyncio
from contextlib import aclosing

import pytest

from chat.core.hosted import Annotation, AnnotationKind
from chat.providers.base import (
    End,
    EndReason,
    HostedSource,
    HostedTool,
    ReasoningTags,
    Role,
    TextDelta,
    TextWithdrawn,
    Timeouts,
    Usage,
)
from chat.providers.errors import CutStream
from chat.providers.registry import client_for
from tests.model_calls import Call, call, request_to, running_server, server, settings_for
from tests.model_server import DONE, Gate, Hang, ModelServer, Status, Step, chat_chunk, chat_text, event

__all__ = ["running_server", "server"]


async def chat(server: ModelServer, script: list[Step], **changes: object) -> Call:
    server.script(script)
    return await call(settings_for(server, **changes))


def words(*pieces: str) -> list[Step]:
    return [chat_chunk({"content": piece}) for piece in pieces]


STOP: list[Step] = [chat_chunk({}, "stop"), DONE]


async def test_it_works(server: ModelServer) -> None:
    answer = await chat(server, chat_text("Hello", " world."))
    assert answer.events == [
        TextDelta("Hello world."),
        Usage(input_tokens=11, output_tokens=7),
        End(EndReason.STOP, "stop"),
    ]


async def test_the_request_asks_for_a_stream_with_usage(server: ModelServer) -> None:
    await chat(server, chat_text("x"), max_output_tokens=99, temperature=0.5, extra_body={"seed": 7})
    sent = server.requests[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.body == {
        "model": "test-model",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [
            {"role": "system", "content": "The rules."},
            {"role": "user", "content": "The blocks."},
            {"role": "user", "content": "The question?"},
        ],
        "max_tokens": 99,
        "temperature": 0.5,
        "seed": 7,
    }


async def test_roles_can_be_named_and_merged_as_the_service_wants(server: ModelServer) -> None:
    await chat(server, chat_text("x"), rules_role=Role.DEVELOPER, merge_roles=True)
    assert server.requests[0].body["messages"] == [
        {"role": "developer", "content": "The rules."},
        {"role": "user", "content": "The blocks.\n\nThe question?"},
    ]


async def test_hosted_web_search_is_asked_for(server: ModelServer) -> None:
    tool = HostedTool("web_search", {"search_context_size": "low"})
    await chat(server, chat_text("x"), hosted_tools=(tool,))
    assert server.requests[0].body["web_search_options"] == {"search_context_size": "low"}


@pytest.mark.parametrize("parameter", ["stream_options", "max_tokens", "temperature"])
async def test_a_refused_optional_parameter_is_left_out(server: ModelServer, parameter: str) -> None:
    refusal = {"error": {"message": f"Unrecognized request argument supplied: {parameter}"}}
    server.script([Status(400, refusal)])
    answer = await chat(server, chat_text("x"), max_output_tokens=50, temperature=0.1)
    # the first script was the refusal; the second try got the answer
    assert answer.text == "x"
    assert parameter not in server.requests[1].body
    if parameter == "max_tokens":
        assert server.requests[1].body["max_completion_tokens"] == 50


async def test_closing_the_events_closes_the_connection_at_once(server: ModelServer) -> None:
    server.script([*words("Hello "), Hang()])
    settings = settings_for(server)
    async with aclosing(client_for(settings).stream(request_to(settings))) as events:
        assert await anext(events) == TextDelta("Hello ")
    server.requests[0].wait_closed(2)
    assert server.requests[0].disconnected is not None


async def test_cancelling_the_reader_closes_the_connection(server: ModelServer) -> None:
    gate = Gate()
    server.script([*words("Hello "), gate])
    settings = settings_for(server, timeouts=Timeouts(between_events=60))

    async def read() -> None:
        async with aclosing(client_for(settings).stream(request_to(settings))) as events:
            async for _ in events:
                pass

    task = asyncio.create_task(read())
    assert await asyncio.to_thread(gate.reached.wait, 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    server.requests[0].wait_closed(2)
    assert server.requests[0].disconnected is not None


async def test_chunks_that_carry_nothing_are_passed_over(server: ModelServer) -> None:
    script: list[Step] = [
        chat_chunk(None, prompt_filter_results=[{"prompt_index": 0}]),
        chat_chunk({"role": "assistant"}),
        chat_chunk({"content": None}),
        chat_chunk({}),
        {"choices": [{"index": 0}]},
        {"choices": [{"index": 1, "delta": {"content": "another choice"}}]},
        {"id": "x", "object": ""},
        *words("Yes."),
        *STOP,
    ]
    assert (await chat(server, script)).text == "Yes."


async def test_usage_may_come_on_any_chunk_and_the_last_counts(server: ModelServer) -> None:
    script: list[Step] = [
        chat_chunk({"content": "a"}, usage={"prompt_tokens": 5, "completion_tokens": 1}),
        chat_chunk({"content": "b"}, "stop", usage={"prompt_tokens": 5, "completion_tokens": 2}),
        chat_chunk(None, usage=None),
        DONE,
    ]
    assert Usage(5, 2) in (await chat(server, script)).events


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("stop", EndReason.STOP),
        ("length", EndReason.LENGTH),
        ("content_filter", EndReason.CONTENT_FILTER),
        ("tool_calls", EndReason.OTHER),
        ("abort", EndReason.OTHER),
        ("something_new", EndReason.OTHER),
    ],
)
async def test_finish_reasons(server: ModelServer, raw: str, reason: EndReason) -> None:
    assert (await chat(server, [*words("x"), chat_chunk({}, raw), DONE])).end == End(reason, raw)


async def test_a_finish_that_comes_twice_counts_once(server: ModelServer) -> None:
    script: list[Step] = [*words("x"), chat_chunk({}, "length"), chat_chunk({"content": ""}, "stop"), DONE]
    answer = await chat(server, script)
    assert [item for item in answer.events if isinstance(item, End)] == [End(EndReason.LENGTH, "length")]


async def test_done_without_a_finish_reason_is_an_end(server: ModelServer) -> None:
    assert (await chat(server, [*words("x"), DONE])).end.reason is EndReason.STOP


async def test_a_finish_reason_without_done_is_an_end(server: ModelServer) -> None:
    assert (await chat(server, [*words("x"), chat_chunk({}, "stop")])).end.reason is EndReason.STOP


async def test_a_server_that_hangs_after_the_finish_is_not_waited_for(server: ModelServer) -> None:
    script: list[Step] = [*words("x"), chat_chunk({}, "stop"), Hang()]
    assert (await chat(server, script)).end.reason is EndReason.STOP


async def test_a_stream_without_a_finish_is_cut(server: ModelServer) -> None:
    answer = await chat(server, words("Half an ans"))
    assert answer.text == "Half an ans"
    assert isinstance(answer.error, CutStream)


async def test_content_may_be_a_list_of_parts(server: ModelServer) -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "Yes"},
        {"type": "output_text", "text": ", it is."},
    ]
    answer = await chat(server, [chat_chunk({"content": parts}), *STOP])
    assert (answer.text, answer.reasoning) == ("Yes, it is.", "Hm.")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_fields_stay_out_of_the_answer(server: ModelServer, field: str) -> None:
    script: list[Step] = [
        chat_chunk({field: "I see \ue200cite\ue202block_1\ue201", "content": None}),
        chat_chunk({field: " it.", "content": ""}),
        *words("Answer."),
        *STOP,
    ]
    answer = await chat(server, script)
    assert answer.text == "Answer."
    assert answer.reasoning == "I see \ue200cite\ue202block_1\ue201 it."


async def test_the_same_reasoning_under_two_names_comes_once(server: ModelServer) -> None:
    script: list[Step] = [chat_chunk({"reasoning": "Hm.", "reasoning_content": "Hm."}), *words("A."), *STOP]
    assert (await chat(server, script)).reasoning == "Hm."


async def test_reasoning_alone_gives_no_text(server: ModelServer) -> None:
    script: list[Step] = [chat_chunk({"reasoning_content": "Let me"}), chat_chunk({}, "length"), DONE]
    answer = await chat(server, script)
    assert answer.text == ""
    assert answer.end.reason is EndReason.LENGTH


async def test_think_tags_cut_over_chunks(server: ModelServer) -> None:
    answer = await chat(server, [*words("<th", "ink>I rea", "son</thi", "nk>\n\nAns", "wer."), *STOP])
    assert (answer.text, answer.reasoning) == ("Answer.", "I reason")


async def test_a_missing_opening_tag_withdraws_the_text(server: ModelServer) -> None:
    answer = await chat(server, [*words("I reason", " about it.\n</think>", "\n\nAnswer."), *STOP])
    withdrawn = answer.events.index(TextWithdrawn())
    assert Call(answer.events[withdrawn:]).text == "Answer."
    assert answer.reasoning == "I reason about it.\n"


async def test_implied_thinking_is_never_shown(server: ModelServer) -> None:
    answer = await chat(
        server, [*words("I reason</think>Answer."), *STOP], reasoning_tags=ReasoningTags.IMPLIED
    )
    assert TextWithdrawn() not in answer.events
    assert (answer.text, answer.reasoning) == ("Answer.", "I reason")


async def test_a_refusal_is_text_with_its_own_end(server: ModelServer) -> None:
    script: list[Step] = [
        chat_chunk({"content": None, "refusal": "I can't "}),
        chat_chunk({"refusal": "help."}),
    ]
    answer = await chat(server, [*script, *STOP])
    assert answer.text == "I can't help."
    assert answer.end.reason is EndReason.REFUSAL


async def test_a_server_that_does_not_stream(server: ModelServer) -> None:
    message = {"role": "assistant", "content": "Whole.", "refusal": None}
    whole = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1},
    }
    assert (await chat(server, [Status(200, whole)])).events == [
        TextDelta("Whole."),
        Usage(3, 1),
        End(EndReason.STOP, "stop"),
    ]


async def test_a_last_message_that_repeats_the_deltas_adds_nothing(server: ModelServer) -> None:
    message = {"role": "assistant", "content": "One two."}
    last = {"choices": [{"index": 0, "delta": {}, "message": message, "finish_reason": "stop"}]}
    assert (await chat(server, [*words("One ", "two."), last, DONE])).text == "One two."


LINK = "[example.org](https://example.org/a?utm_source=openai)"


def url_citation(start: int, end: int, **extra: object) -> dict[str, object]:
    body = {
        "start_index": start,
        "end_index": end,
        "title": "A",
        "url": "https://example.org/a?utm_source=openai",
    }
    return {"type": "url_citation", "url_citation": {**body, **extra}}


async def test_annotations_on_deltas_are_placed_in_the_text(server: ModelServer) -> None:
    text = f"Rain 🌧 fell ({LINK})."
    start = text.index("[")
    delta = {"annotations": [url_citation(start, start + len(LINK))]}
    answer = await chat(server, [*words(text), chat_chunk(delta), *STOP])
    assert answer.annotations == [
        Annotation(AnnotationKind.URL, start, start + len(LINK), url="https://example.org/a", title="A")
    ]


async def test_utf16_indices_are_converted(server: ModelServer) -> None:
    text = f"🌧🌧 fell {LINK}."
    start = text.index("[")
    delta = {"annotations": [url_citation(start + 2, start + 2 + len(LINK))]}
    placed = (await chat(server, [*words(text), chat_chunk(delta), *STOP])).annotations[0]
    assert (placed.start, placed.end, placed.approximate) == (start, start + len(LINK), False)


async def test_openrouter_annotations_before_the_text_have_no_place(server: ModelServer) -> None:
    early = chat_chunk({"annotations": [url_citation(0, 0, content="Cited words")]})
    answer = await chat(server, [early, *words("Text."), *STOP])
    assert answer.annotations == [
        Annotation(AnnotationKind.URL, url="https://example.org/a", title="A", quote="Cited words")
    ]


async def test_an_annotation_that_is_sent_again_on_the_message_counts_once(server: ModelServer) -> None:
    text = f"See {LINK}"
    again = url_citation(4, 4 + len(LINK))
    last = {
        "choices": [
            {"index": 0, "message": {"content": text, "annotations": [again]}, "finish_reason": "stop"}
        ]
    }
    answer = await chat(server, [*words(text), chat_chunk({"annotations": [again]}), last, DONE])
    assert len(answer.annotations) == 1


async def test_an_unknown_annotation_is_no_annotation(server: ModelServer) -> None:
    odd = chat_chunk({"annotations": [{"type": "moon_citation", "url": "https://example.org"}, "x", None]})
    assert (await chat(server, [*words("Text."), odd, *STOP])).annotations == []


async def test_an_address_that_is_not_http_gives_no_link(server: ModelServer) -> None:
    delta = {"annotations": [url_citation(0, 4, url="javascript:alert(1)")]}
    answer = await chat(server, [*words("Text."), chat_chunk(delta), *STOP])
    assert answer.annotations[0].url == ""


async def test_perplexity_addresses_and_results(server: ModelServer) -> None:
    citations = ["https://a.example/1", "https://b.example/2"]
    results = [{"title": "B", "url": "https://b.example/2", "snippet": "words"}]
    script: list[Step] = [
        chat_chunk({"content": "One[1], "}, citations=citations, search_results=results),
        chat_chunk({"content": "two[2], `x[1]`."}, "stop", citations=citations, search_results=results),
        DONE,
    ]
    answer = await chat(server, script)
    assert [item for item in answer.events if isinstance(item, HostedSource)] == [
        HostedSource(number=1, url="https://a.example/1"),
        HostedSource(number=2, url="https://b.example/2", title="B", text="words"),
    ]
    assert [(item.start, item.end, item.url) for item in answer.annotations] == [
        (3, 6, "https://a.example/1"),
        (11, 14, "https://b.example/2"),
    ]


async def test_magisterium_citations_on_the_last_chunk(server: ModelServer) -> None:
    citation = {
        "cited_text": "Text of the source",
        "document_title": "Annex A",
        "document_index": 0,
        "source_url": "https://example.org/annex",
    }
    script: list[Step] = [*words("30%.[^1]"), chat_chunk({}, "stop", citations=[citation]), DONE]
    answer = await chat(server, script)
    source = HostedSource(
        number=1, url="https://example.org/annex", title="Annex A", text="Text of the source"
    )
    assert source in answer.events
    assert [(item.start, item.end, item.quote) for item in answer.annotations] == [
        (4, 8, "Text of the source")
    ]


async def test_xai_links_with_numbers(server: ModelServer) -> None:
    script: list[Step] = [
        *words("So it is.[[1]](https://x.example/p)"),
        chat_chunk({}, "stop", citations=["https://x.example/p"]),
        DONE,
    ]
    assert [(a.start, a.end) for a in (await chat(server, script)).annotations] == [(9, 35)]


async def test_an_error_object_in_the_stream(server: ModelServer) -> None:
    error = {"error": {"code": 502, "message": "Provider disconnected"}}
    failed = {**chat_chunk({"content": ""}, "error"), **error}
    answer = await chat(server, [*words("Some text"), failed, DONE])
    assert answer.text == "Some text"
    assert answer.failure.code == "unavailable"
    assert "Provider disconnected" in answer.failure.detail


async def test_an_error_that_is_null_is_no_error(server: ModelServer) -> None:
    assert (await chat(server, [chat_chunk({"content": "x"}, error=None), *STOP])).text == "x"


async def test_keep_alives_and_empty_events_do_no_harm(server: ModelServer) -> None:
    script: list[Step] = [
        b": OPENROUTER PROCESSING\n\n",
        b"id: 1\n" + event(chat_chunk({"content": "a"})),
        b": ping\n\n",
        b"data:\n\n",
        b"data: \n\n",
        b"event: ping\n\n",
        b"retry: 3000\n\n",
        event(chat_chunk({"content": "b"})).replace(b"\n", b"\r\n"),
        b"data:" + event(chat_chunk({"content": "c"}, "stop"))[6:],
        b"data:[DONE]\n\n",
    ]
    assert (await chat(server, script)).text == "abc"


async def test_every_byte_may_come_alone(server: ModelServer) -> None:
    stream = event(chat_chunk({"content": "Grüße 🌧 از"}, "stop")) + DONE
    script: list[Step] = [stream[i : i + 1] for i in range(len(stream))]
    assert (await chat(server, script)).text == "Grüße 🌧 از"


async def test_halves_of_a_surrogate_pair_are_joined_and_lone_ones_replaced(server: ModelServer) -> None:
    script: list[Step] = [
        b'data: {"choices":[{"index":0,"delta":{"content":"rain \\ud83c"}}]}\n\n',
        b'data: {"choices":[{"index":0,"delta":{"content":"\\udf27 end\\u0000"}}]}\n\n',
        b'data: {"choices":[{"index":0,"delta":{"content":" \\udf27"},"finish_reason":"stop"}]}\n\n',
    ]
    assert (await chat(server, script)).text == "rain 🌧 end \ufffd"


async def test_a_last_event_without_its_blank_line_counts(server: ModelServer) -> None:
    answer = await chat(server, [*words("x"), b'data: {"choices":[{"finish_reason":"stop"}]}'])
    assert (answer.text, answer.end.reason) == ("x", EndReason.STOP)


async def test_json_that_is_broken_is_a_bad_response(server: ModelServer) -> None:
    answer = await chat(server, [*words("x"), b"data: {broken\n\n", *STOP])
    assert (answer.text, answer.failure.code) == ("x", "bad_response")


async def test_a_web_page_is_a_bad_response_without_its_markup(server: ModelServer) -> None:
    page = "<html><script>steal()</script><body><h1>Welcome to the proxy</h1></body></html>"
    answer = await chat(server, [Status(200, page)])
    assert answer.failure.code == "bad_response"
    assert "Welcome to the proxy" in answer.failure.detail
    assert "<" not in answer.failure.detail
    assert "steal" not in answer.failure.detail
