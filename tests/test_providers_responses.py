"""The Responses API against a real server on loopback: every event that can carry text or annotations."""

from contextlib import aclosing

import openai
import pytest
from openai.types.responses import ResponseStreamEvent

from chat.core.hosted import Annotation, AnnotationKind
from chat.providers.base import Api, EndReason, HostedSource, HostedTool, Role, TextDelta, Usage
from chat.providers.errors import CutStream
from chat.providers.registry import client_for
from tests.model_calls import Call, call, request_to, running_server, server, settings_for
from tests.model_server import (
    DONE,
    Hang,
    ModelServer,
    Payload,
    Status,
    Step,
    response_event,
    response_message,
    response_object,
    responses_text,
)

__all__ = ["running_server", "server"]

LINK = "([example.org](https://example.org/a?utm_source=openai))"


async def respond(server: ModelServer, script: list[Step], **changes: object) -> Call:
    server.script(script)
    return await call(settings_for(server, api=Api.RESPONSES, **changes))


def text(*pieces: str, **place: object) -> list[Step]:
    return [response_event("output_text.delta", delta=piece, logprobs=[], **place) for piece in pieces]


def completed(*output: Payload) -> Step:
    return response_event("completed", response=response_object("completed", *output))


def url_citation(start: int, end: int) -> dict[str, object]:
    address = "https://example.org/a?utm_source=openai"
    return {"type": "url_citation", "start_index": start, "end_index": end, "title": "A", "url": address}


def added(annotation: Payload, index: int = 0, **place: object) -> Step:
    return response_event(
        "output_text.annotation.added", annotation=annotation, annotation_index=index, **place
    )


async def test_it_works(server: ModelServer) -> None:
    answer = await respond(server, responses_text("Hello", " world."))
    assert answer.events == [
        TextDelta("Hello world."),
        Usage(input_tokens=11, output_tokens=7),
        answer.end,
    ]
    assert answer.end.reason is EndReason.STOP


async def test_the_request_stores_nothing(server: ModelServer) -> None:
    await respond(
        server, responses_text("x"), max_output_tokens=99, temperature=0.5, rules_role=Role.DEVELOPER
    )
    sent = server.requests[0]
    assert sent.path == "/v1/responses"
    assert sent.body == {
        "model": "test-model",
        "stream": True,
        "store": False,
        "instructions": "The rules.",
        "input": [
            {"role": "user", "content": "The blocks."},
            {"role": "user", "content": "The question?"},
        ],
        "max_output_tokens": 99,
        "temperature": 0.5,
    }


async def test_hosted_tools_ask_for_their_sources(server: ModelServer) -> None:
    tools = (HostedTool("web_search", {}), HostedTool("file_search", {"vector_store_ids": ["vs_1"]}))
    await respond(server, responses_text("x"), hosted_tools=tools)
    body = server.requests[0].body
    assert body["tools"] == [{"type": "web_search"}, {"type": "file_search", "vector_store_ids": ["vs_1"]}]
    assert body["include"] == ["file_search_call.results", "web_search_call.action.sources"]


async def test_closing_the_events_closes_the_connection_at_once(server: ModelServer) -> None:
    server.script([*text("Hello "), Hang()])
    settings = settings_for(server, api=Api.RESPONSES)
    async with aclosing(client_for(settings).stream(request_to(settings))) as events:
        assert await anext(events) == TextDelta("Hello ")
    server.requests[0].wait_closed(2)
    assert server.requests[0].disconnected is not None


async def test_the_whole_text_comes_once_though_four_events_repeat_it(server: ModelServer) -> None:
    assert (await respond(server, responses_text("One ", "two."))).text == "One two."


@pytest.mark.parametrize(
    "step",
    [
        response_event("output_text.done", text="One two.", logprobs=[]),
        response_event("output_item.done", item=response_message("One two.")),
    ],
)
async def test_lost_text_is_made_up_from_what_repeats_it(server: ModelServer, step: Payload) -> None:
    assert (await respond(server, [*text("One "), step, completed()])).text == "One two."


async def test_lost_text_is_made_up_from_the_final_object(server: ModelServer) -> None:
    assert (
        await respond(server, [*text("One "), completed(response_message("One two."))])
    ).text == "One two."


async def test_a_final_text_that_differs_does_not_change_what_was_said(server: ModelServer) -> None:
    assert (await respond(server, [*text("One"), completed(response_message("Uno dos."))])).text == "One"


async def test_a_server_that_does_not_stream(server: ModelServer) -> None:
    whole = response_object("completed", response_message(f"See {LINK}", [url_citation(4, 4 + len(LINK))]))
    answer = await respond(server, [Status(200, whole)])
    assert answer.text == f"See {LINK}"
    assert [(item.start, item.end) for item in answer.annotations] == [(4, 4 + len(LINK))]
    assert answer.end.reason is EndReason.STOP


async def test_reasoning_of_both_kinds_stays_out_of_the_answer(server: ModelServer) -> None:
    script: list[Step] = [
        response_event(
            "reasoning_summary_part.added", summary_index=0, part={"type": "summary_text", "text": ""}
        ),
        response_event("reasoning_summary_text.delta", summary_index=0, delta="First."),
        response_event("reasoning_summary_text.done", summary_index=0, text="First."),
        response_event("reasoning_summary_text.delta", summary_index=1, delta="Second."),
        response_event("reasoning_text.delta", delta="Raw", output_index=1),
        response_event("reasoning_text.done", text="Raw", output_index=1),
        *text("Answer.", output_index=2),
        completed(),
    ]
    answer = await respond(server, script)
    assert (answer.text, answer.reasoning) == ("Answer.", "First.\n\nSecond.\n\nRaw")


async def test_commentary_between_searches_is_not_the_answer(server: ModelServer) -> None:
    note = response_message("I'll look.", phase="commentary")
    script: list[Step] = [
        response_event("output_item.added", item={**note, "content": []}),
        *text("I'll look."),
        response_event("output_item.done", item=note),
        *text("Found it.", output_index=1),
        completed(note, response_message("Found it.", phase="final_answer")),
    ]
    answer = await respond(server, script)
    assert (answer.text, answer.reasoning) == ("Found it.", "I'll look.")


async def test_a_refusal_is_text_with_its_own_end(server: ModelServer) -> None:
    script: list[Step] = [
        response_event("content_part.added", part={"type": "refusal", "refusal": ""}),
        response_event("refusal.delta", delta="I can't "),
        response_event("refusal.delta", delta="help."),
        response_event("refusal.done", refusal="I can't help."),
        completed(),
    ]
    answer = await respond(server, script)
    assert (answer.text, answer.end.reason) == ("I can't help.", EndReason.REFUSAL)


@pytest.mark.parametrize(
    ("reason", "end"),
    [
        ("max_output_tokens", EndReason.LENGTH),
        ("content_filter", EndReason.CONTENT_FILTER),
        ("steered", EndReason.OTHER),
    ],
)
async def test_incomplete_responses(server: ModelServer, reason: str, end: EndReason) -> None:
    response = response_object("incomplete", incomplete_details={"reason": reason})
    answer = await respond(server, [*text("Half"), response_event("incomplete", response=response)])
    assert (answer.text, answer.end.reason, answer.end.raw) == ("Half", end, reason)


async def test_the_status_of_the_object_counts_more_than_the_name_of_the_event(server: ModelServer) -> None:
    response = response_object("incomplete", incomplete_details={"reason": "max_output_tokens"})
    answer = await respond(server, [*text("Half"), response_event("completed", response=response)])
    assert answer.end.reason is EndReason.LENGTH


async def test_a_failed_response(server: ModelServer) -> None:
    response = response_object("failed", error={"code": "server_error", "message": "It broke."})
    answer = await respond(server, [*text("Half"), response_event("failed", response=response)])
    assert (answer.text, answer.failure.code) == ("Half", "unavailable")
    assert "It broke." in answer.failure.detail


@pytest.mark.parametrize(
    "error",
    [
        {"type": "error", "code": "rate_limit_exceeded", "message": "Slow down", "param": None},
        {
            "type": "error",
            "error": {"type": "requests", "code": "rate_limit_exceeded", "message": "Slow down"},
        },
        {"error": {"code": "rate_limit_exceeded", "message": "Slow down"}},
    ],
)
async def test_errors_in_the_stream_flat_and_nested(server: ModelServer, error: Payload) -> None:
    answer = await respond(server, [*text("Half"), error])
    assert (answer.text, answer.failure.code) == ("Half", "rate_limit")
    assert "Slow down" in answer.failure.detail


async def test_a_stream_without_a_final_event_is_cut(server: ModelServer) -> None:
    answer = await respond(
        server, [response_event("created", response=response_object("in_progress")), *text("Half")]
    )
    assert answer.text == "Half"
    assert isinstance(answer.error, CutStream)


async def test_done_after_the_whole_text_is_an_end(server: ModelServer) -> None:
    script: list[Step] = [*text("All."), response_event("output_text.done", text="All."), DONE]
    assert (await respond(server, script)).end.reason is EndReason.STOP


async def test_done_in_mid_text_is_a_cut(server: ModelServer) -> None:
    assert isinstance((await respond(server, [*text("Half"), DONE])).error, CutStream)


async def test_unknown_events_are_ignored(server: ModelServer) -> None:
    script: list[Step] = [
        {"type": "response.moon.rising", "delta": "No"},
        {"type": "keepalive"},
        b"event: ping\ndata: {}\n\n",
        *text("Yes."),
        completed(),
    ]
    assert (await respond(server, script)).text == "Yes."


async def test_url_citations_come_with_their_place(server: ModelServer) -> None:
    said = f"Rain 🌧 fell. {LINK}"
    start = said.index("(")
    script = [*text(said), added(url_citation(start, start + len(LINK))), completed()]
    assert (await respond(server, script)).annotations == [
        Annotation(AnnotationKind.URL, start, start + len(LINK), url="https://example.org/a", title="A")
    ]


async def test_an_annotation_may_come_before_its_text(server: ModelServer) -> None:
    script = [added(url_citation(4, 4 + len(LINK))), *text("See ", LINK), completed()]
    assert [(item.start, item.end) for item in (await respond(server, script)).annotations] == [
        (4, 4 + len(LINK))
    ]


async def test_a_lost_annotation_is_made_up_from_the_final_object(server: ModelServer) -> None:
    said = f"A {LINK} B {LINK}"
    both = [url_citation(2, 2 + len(LINK)), url_citation(said.rindex("("), len(said))]
    both[1]["start_index"] = said.index("(", 10 + len(LINK) - 10 + 4)
    script = [*text(said), added(both[0]), completed(response_message(said, both))]
    answer = await respond(server, script)
    assert [item.start for item in answer.annotations] == [2, both[1]["start_index"]]


async def test_one_page_cited_in_two_places_stays_two_annotations(server: ModelServer) -> None:
    said = f"A {LINK} B {LINK}"
    second = said.index("B") + 2
    script = [
        *text(said),
        added(url_citation(2, 2 + len(LINK)), 0),
        added(url_citation(second, second + len(LINK)), 1),
        completed(),
    ]
    assert [item.start for item in (await respond(server, script)).annotations] == [2, second]


async def test_places_in_a_second_part_count_from_its_own_start(server: ModelServer) -> None:
    script = [
        *text("First part."),
        *text(f"See {LINK}", output_index=1),
        added(url_citation(4, 4 + len(LINK)), output_index=1),
        completed(),
    ]
    answer = await respond(server, script)
    [placed] = answer.annotations
    assert answer.text == f"First part.\n\nSee {LINK}"
    assert placed.start is not None
    assert answer.text[placed.start : placed.end] == LINK


async def test_utf16_and_byte_indices_are_converted(server: ModelServer) -> None:
    said = f"از باران 🌧 {LINK}"
    start = said.index("(")
    as_bytes = len(said[:start].encode())
    for offset in (start + 1, as_bytes):
        script = [*text(said), added(url_citation(offset, offset + len(LINK))), completed()]
        [placed] = (await respond(server, script)).annotations
        assert (placed.start, placed.end, placed.approximate) == (start, start + len(LINK), False)


async def test_indices_beyond_the_text_are_repaired(server: ModelServer) -> None:
    script = [*text("Short."), added(url_citation(400, 420)), completed()]
    [placed] = (await respond(server, script)).annotations
    assert (placed.start, placed.end, placed.approximate) == (6, 6, True)


async def test_xai_annotations_have_no_place(server: ModelServer) -> None:
    script = [*text("Text."), added({"type": "url_citation", "url": "https://x.example/p"}), completed()]
    [placed] = (await respond(server, script)).annotations
    assert (placed.start, placed.url) == (None, "https://x.example/p")


async def test_a_file_citation_belongs_after_the_punctuation(server: ModelServer) -> None:
    citation = {"type": "file_citation", "file_id": "file-1", "filename": "a.pdf", "index": 9}
    script = [*text("Embedding", " . Next"), added(citation), completed()]
    assert (await respond(server, script)).annotations == [
        Annotation(AnnotationKind.FILE, 11, 11, file_id="file-1", filename="a.pdf")
    ]


async def test_container_files_and_file_paths(server: ModelServer) -> None:
    image = {
        "type": "container_file_citation",
        "container_id": "cntr_1",
        "file_id": "cfile_1",
        "filename": "plot.png",
        "start_index": 0,
        "end_index": 0,
    }
    path = {"type": "file_path", "file_id": "file-9", "index": 3}
    script = [*text("Here."), added(image, 0), added(path, 1), completed()]
    assert (await respond(server, script)).annotations == [
        Annotation(
            AnnotationKind.CONTAINER_FILE, file_id="cfile_1", filename="plot.png", container_id="cntr_1"
        ),
        Annotation(AnnotationKind.FILE_PATH, file_id="file-9"),
    ]


async def test_an_annotation_of_null_or_of_an_unknown_kind_is_none(server: ModelServer) -> None:
    script: list[Step] = [
        *text("Text."),
        response_event("output_text.annotation.added", annotation=None, annotation_index=0),
        added({"type": "moon_citation", "url": "https://example.org"}),
        completed(),
    ]
    assert (await respond(server, script)).annotations == []


async def test_annotations_survive_a_cut(server: ModelServer) -> None:
    answer = await respond(
        server, [*text("Embedding."), added({"type": "file_citation", "file_id": "f", "index": 9})]
    )
    assert isinstance(answer.error, CutStream)
    assert [item.file_id for item in answer.annotations] == ["f"]


async def test_what_the_searches_found_comes_as_sources(server: ModelServer) -> None:
    web: Payload = {
        "id": "ws_1",
        "type": "web_search_call",
        "status": "completed",
        "action": {"type": "search", "sources": [{"type": "url", "url": "https://a.example/"}]},
    }
    found = {"file_id": "file-1", "filename": "a.pdf", "score": 0.7, "text": "Words", "attributes": {}}
    files: Payload = {"id": "fs_1", "type": "file_search_call", "status": "completed", "results": [found]}
    script: list[Step] = [
        response_event(
            "output_item.added", item={"id": "ws_1", "type": "web_search_call", "status": "in_progress"}
        ),
        response_event("web_search_call.in_progress"),
        response_event("web_search_call.searching"),
        response_event("web_search_call.completed"),
        response_event("output_item.done", item=web),
        response_event("file_search_call.searching", output_index=1),
        response_event("output_item.done", item=files, output_index=1),
        *text("Answer.", output_index=2),
        completed(web, files),
    ]
    answer = await respond(server, script)
    assert [item for item in answer.events if isinstance(item, HostedSource)] == [
        HostedSource(url="https://a.example/"),
        HostedSource(file_id="file-1", filename="a.pdf", text="Words", score=0.7),
    ]


async def test_ids_that_the_provider_gives_its_results_are_kept(server: ModelServer) -> None:
    found = {"id": "turn0file1", "file_id": "file-1", "filename": "a.pdf"}
    files: Payload = {"id": "fs_1", "type": "file_search_call", "results": [found]}
    script = [response_event("output_item.done", item=files), *text("A.", output_index=1), completed()]
    answer = await respond(server, script)
    assert [item.source_id for item in answer.events if isinstance(item, HostedSource)] == ["turn0file1"]


def test_no_event_type_of_the_package_breaks_the_reader() -> None:
    """Every event type that the installed package knows is read or passed over; see responses.py for which."""
    from chat.providers.responses import ResponsesReader

    union = ResponseStreamEvent.__origin__  # type: ignore[attr-defined]  # Annotated keeps the union there
    kinds = [member.model_fields["type"].annotation.__args__[0] for member in union.__args__]
    assert len(kinds) >= 50, openai.__version__
    reader = ResponsesReader()
    for kind in kinds:
        if kind not in ("error", "response.failed"):
            list(reader.feed({"type": kind, "delta": "x", "text": None, "item": {}, "response": {}}))
