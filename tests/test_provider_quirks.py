"""Services that speak our two APIs in ways of their own, from the wire to the answer that is shown and cited.

The shapes are those of recorded streams and of the services' references; the words are ours.
"""

import uuid
from collections.abc import Sequence

import pytest

from chat.core.citations import WebSource
from chat.providers.base import Annotation, Api, EndReason, HostedSource
from chat.reading import Reading, Settled
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

STOP: list[Step] = [chat_chunk({}, "stop"), DONE]


def words(*pieces: str) -> list[Step]:
    return [chat_chunk({"content": piece}) for piece in pieces]


async def chat(server: ModelServer, *script: Step, **changes: object) -> Call:
    server.script(list(script))
    return await call(settings_for(server, **{"numbered_sources": True, **changes}))


def shown(answer: Call) -> tuple[str, list[tuple[int, int, str]]]:
    """Return the clean answer, and the place, number and address or title of each citation, as a page has them."""
    reading = Reading(turn_id=uuid.uuid4(), question="?", offered=(), numbered=False)
    settled = Settled("", (), ())
    for event in answer.events:
        if isinstance(event, Annotation | HostedSource):
            text = event.quote if isinstance(event, Annotation) else event.text
            reading.take_hosted(event, WebSource(event.source_id, event.url, event.title or event.url, text))
        for read in reading.take(event):
            settled = read if isinstance(read, Settled) else settled
    cited = [item.citation for item in settled.cited]
    return settled.text, [(c.position, c.number, c.source.title) for c in cited]


# Azure OpenAI On Your Data: the sources come in a context of the message, the marks are [doc1], [doc2] …
CONTEXT: Payload = {
    "citations": [
        {
            "content": "Fees rose to 30 euros.",
            "title": "Fees 2024",
            "url": "https://files.example/fees.pdf",
            "filepath": "fees.pdf",
            "chunk_id": "0",
        },
        {
            "content": "Children pay nothing.",
            "title": None,
            "url": None,
            "filepath": "children.docx",
            "chunk_id": "3",
        },
        {"content": "Dogs stay out.", "title": None, "url": None, "filepath": "dogs.docx", "chunk_id": "0"},
    ],
    "intent": '["fees"]',
}
DATA_ANSWER = "Fees are 30 euros [doc1]. Children are free [doc2][doc3]. `[doc1]`"
DATA_SHOWN = (
    "Fees are 30 euros. Children are free. `[doc1]`",
    [(18, 1, "Fees 2024"), (37, 2, "children.docx"), (37, 3, "dogs.docx")],
)


async def test_azure_on_your_data_streams_its_context_first(server: ModelServer) -> None:
    empty: Payload = {**chat_chunk(), "object": "", "created": 0, "model": "", "prompt_filter_results": []}
    first = chat_chunk({"role": "assistant", "context": CONTEXT}, end_turn=None)
    filtered: Payload = {**chat_chunk({}), "object": "", "content_filter_results": {}}
    answer = await chat(server, empty, first, *words(DATA_ANSWER[:20], DATA_ANSWER[20:]), filtered, *STOP)
    assert shown(answer) == DATA_SHOWN
    assert answer.end.reason is EndReason.STOP


async def test_azure_on_your_data_at_once(server: ModelServer) -> None:
    message = {"role": "assistant", "content": DATA_ANSWER, "context": CONTEXT, "end_turn": True}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    answer = await chat(server, Status(200, {"object": "chat.completion", "choices": [choice]}))
    assert shown(answer) == DATA_SHOWN
    assert [a.quote for a in answer.annotations][1] == "Children pay nothing."


async def test_marks_of_documents_name_our_blocks_unless_the_service_numbers_its_own(
    server: ModelServer,
) -> None:
    answer = await chat(server, chat_chunk({"context": CONTEXT}), *words("Free [doc2]."), *STOP)
    assert len(answer.annotations) == 1


# Perplexity: addresses and results on every chunk, [n] counts from 1.
async def test_perplexity(server: ModelServer) -> None:
    extras: dict[str, object] = {
        "citations": ["https://a.example/1", "https://b.example/2"],
        "search_results": [
            {"title": "A page", "url": "https://a.example/1", "date": "2024-01-01", "last_updated": None},
            {"title": "B page", "url": "https://b.example/2", "date": None},
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 9, "total_tokens": 12, "citation_tokens": 5},
    }
    script = [
        {**chat_chunk({"role": "assistant", "content": piece}), **extras}
        for piece in ("It rains[2", "]", "[1].")
    ]
    answer = await chat(server, *script, {**chat_chunk({"content": ""}, "stop"), **extras})
    assert shown(answer) == ("It rains.", [(9, 1, "B page"), (9, 2, "A page")])


# xAI: a link with a number of its own; the list holds every page that was looked at, in another order.
async def test_xai_links_mean_their_address(server: ModelServer) -> None:
    seen = ["https://seen.example/x", "https://cited.example/a", "https://cited.example/b"]
    text = "It rains.[[1]](https://cited.example/b)[[2]](https://new.example/c) Then not [[1]](https://cited.example/b)."
    answer = await chat(server, *words(text), chat_chunk({}, "stop", citations=seen), DONE)
    assert shown(answer) == (
        "It rains. Then not.",
        [
            (9, 1, "https://cited.example/b"),
            (9, 2, "https://new.example/c"),
            (19, 1, "https://cited.example/b"),
        ],
    )


async def test_xai_links_to_listed_pages_count_beside_our_blocks(server: ModelServer) -> None:
    text = "It rains.[[1]](https://cited.example/a) See [[2]](https://other.example/x)."
    script = [*words(text), chat_chunk({}, "stop", citations=["https://cited.example/a"]), DONE]
    server.script(script)
    settings = settings_for(server, numbered_sources=False)
    answer = await call(settings, passages=True)
    assert [(a.start, a.url) for a in answer.annotations] == [(9, "https://cited.example/a")]


# OpenRouter: annotations before the text and without a place, reasoning in details, the end said twice.
async def test_openrouter(server: ModelServer) -> None:
    source = {
        "url": "https://a.example/1",
        "title": "A",
        "content": "Rain.",
        "start_index": 0,
        "end_index": 0,
    }
    annotation = {"type": "url_citation", "url_citation": source}
    thought = {"type": "reasoning.text", "text": "Hm."}
    script: list[Step] = [
        b": OPENROUTER PROCESSING\n\n",
        chat_chunk({"role": "assistant", "content": "", "annotations": [annotation]}),
        chat_chunk({"content": "", "reasoning": None, "reasoning_details": [thought]}),
        *words("It ", "rains."),
        chat_chunk({"content": ""}, "stop", native_finish_reason="stop"),
        chat_chunk({"content": ""}, "stop", usage={"prompt_tokens": 3, "completion_tokens": 4}),
        DONE,
    ]
    answer = await chat(server, *script)
    assert shown(answer) == ("It rains.", [(9, 1, "A")])
    assert answer.reasoning == "Hm."


# LiteLLM: what Anthropic cites comes one by one before its words, or in lists on the whole message.
PAGE: Payload = {
    "type": "web_search_result_location",
    "url": "https://a.example/1",
    "title": "Rain &amp; sun",
    "cited_text": "It&#x27;s raining.",
    "encrypted_index": "x",
}
FILE: Payload = {
    "type": "char_location",
    "document_index": 1,
    "document_title": "Diary",
    "cited_text": "Sun.",
    "start_char_index": 0,
    "end_char_index": 4,
}


def extra(name: str, value: object) -> Step:
    return chat_chunk({"content": "", "provider_specific_fields": {name: value}})


async def test_litellm_citations_stand_behind_the_sentence_that_follows(server: ModelServer) -> None:
    script = [
        *words("I looked. "),
        extra("citation", PAGE),
        *words("It rains", " today. ", "Or so they say. "),
        extra("citation", FILE),
        extra("citation", PAGE),
        *words("Sun tomorrow."),
        *STOP,
    ]
    answer = await chat(server, *script)
    assert shown(answer) == (
        "I looked. It rains today. Or so they say. Sun tomorrow.",
        [(25, 1, "Rain & sun"), (55, 2, "Diary"), (55, 1, "Rain & sun")],
    )
    assert answer.annotations[0].quote == "It's raining."
    assert all(annotation.approximate for annotation in answer.annotations)


async def test_litellm_citations_of_a_whole_message_have_no_place(server: ModelServer) -> None:
    fields = {"citations": [[PAGE], None, [FILE, PAGE]], "thinking_blocks": None}
    message = {"role": "assistant", "content": "It rains. Sun tomorrow.", "provider_specific_fields": fields}
    answer = await chat(
        server, Status(200, {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]})
    )
    assert [(a.start, a.title) for a in answer.annotations] == [(None, "Rain & sun"), (None, "Diary")]


async def test_gemini_indices_that_count_bytes(server: ModelServer) -> None:
    """LiteLLM passes them on as they are; they cover the claim, so that no address tells which unit is meant."""
    text = "باران می‌بارد. فردا آفتابی است."
    start, end = len(text[:15].encode()), len(text.encode())
    cited = {"url": "https://a.example/1", "title": "A", "start_index": start, "end_index": end}
    script = [
        *words(text),
        chat_chunk({"annotations": [{"type": "url_citation", "url_citation": cited}]}),
        *STOP,
    ]
    answer = await chat(server, *script)
    assert [(a.start, a.end) for a in answer.annotations] == [(15, len(text))]


# Magisterium: objects on the last chunk, zero-based against [^1] in the text; some without an address.
async def test_magisterium_sources_without_an_address_stay_two(server: ModelServer) -> None:
    citations = [
        {"cited_text": "One.", "document_title": "First", "document_index": 0},
        {"cited_text": "Two.", "document_title": "Second", "document_index": 1},
    ]
    answer = await chat(
        server, *words("So[^1] and so[^2]."), chat_chunk({}, "stop", citations=citations), DONE
    )
    assert shown(answer) == ("So and so.", [(2, 1, "First"), (9, 2, "Second")])


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_local_services(server: ModelServer, name: str) -> None:
    """vLLM, Ollama, DeepSeek: thinking under either name, another time on each chunk, an end of its own."""
    script: list[Step] = [
        {**chat_chunk({"role": "assistant", "content": "", name: "Let me see."}), "created": 1},
        {**chat_chunk({"content": "It rains."}), "created": 2, "system_fingerprint": "fp_ollama"},
        {**chat_chunk({"role": "assistant", "content": ""}, "stop"), "created": 3},
        DONE,
    ]
    answer = await chat(server, *script)
    assert (answer.text, answer.reasoning, answer.end.reason) == ("It rains.", "Let me see.", EndReason.STOP)


# The Responses API elsewhere.
async def respond(server: ModelServer, *script: Step) -> Call:
    server.script(list(script))
    return await call(settings_for(server, api=Api.RESPONSES))


def deltas(*pieces: str) -> list[Step]:
    return [response_event("output_text.delta", delta=piece, logprobs=[]) for piece in pieces]


def completed(*output: Payload) -> Step:
    return response_event("completed", response=response_object("completed", *output))


async def test_responses_of_xai_annotate_after_the_text_and_without_places(server: ModelServer) -> None:
    urls: Sequence[Payload] = [{"type": "url_citation", "url": f"https://a.example/{n}"} for n in (1, 2)]
    script = [
        response_event("output_text.annotation.added", annotation=url, annotation_index=index)
        for index, url in enumerate(urls)
    ]
    answer = await respond(
        server, *deltas("It rains."), *script, completed(response_message("It rains.", urls))
    )
    assert shown(answer) == ("It rains.", [(9, 1, "https://a.example/1"), (9, 2, "https://a.example/2")])


async def test_responses_of_gpt_oss_count_annotations_from_one(server: ModelServer) -> None:
    cited = {
        "type": "url_citation",
        "url": "https://a.example/1",
        "title": "A",
        "start_index": 8,
        "end_index": 11,
    }
    script = [
        *deltas("It rains", "[1]"),
        response_event("output_text.annotation.added", annotation=cited, annotation_index=1),
        *deltas("."),
    ]
    answer = await respond(server, *script, completed(response_message("It rains[1].", [cited])))
    assert shown(answer) == ("It rains.", [(9, 1, "A")])


async def test_responses_of_local_services_may_think_in_tags(server: ModelServer) -> None:
    answer = await respond(server, *deltas("<thi", "nk>Let me see.</th", "ink>\n\nIt rains."), completed())
    assert (answer.text, answer.reasoning) == ("It rains.", "Let me see.")


async def test_a_picture_of_the_interpreter_has_no_place_in_the_text(server: ModelServer) -> None:
    picture = {
        "type": "container_file_citation",
        "container_id": "cntr_1",
        "file_id": "cfile_1",
        "filename": "rain.png",
        "start_index": 0,
        "end_index": 0,
    }
    answer = await respond(server, *deltas("It rains."), completed(response_message("It rains.", [picture])))
    assert [(a.start, a.filename) for a in answer.annotations] == [(None, "rain.png")]
