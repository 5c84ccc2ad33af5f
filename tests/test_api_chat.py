"""POST /v1/chat/completions, judged by the official client with strict validation."""

import warnings
from collections.abc import Mapping
from typing import Any

import pytest
from openai.types.chat import ChatCompletion

from chat.models import Turn, TurnState
from sources.models import Document
from tests.api_client import ALERTS, PERSIAN, QUESTION, Program, script
from tests.conftest import House
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)

ASK: dict[str, Any] = {"model": "chat-model", "messages": [{"role": "user", "content": QUESTION}]}


@pytest.fixture(autouse=True)
def _scripted(model: ModelServer, pricing: Document) -> None:
    script(model, pricing)


def check(completion: Mapping[str, Any]) -> None:
    """Check that text, annotations and citations say the same."""
    message = completion["choices"][0]["message"]
    text = message["content"]
    assert text == f"{PERSIAN}[^1] Done."
    (noted,) = message["annotations"]
    assert noted["type"] == "url_citation"
    place = noted["url_citation"]
    assert text[place["start_index"] : place["end_index"]] == "[^1]"
    units = text.encode("utf-16-le")
    assert units[2 * place["start_index_utf16"] : 2 * place["end_index_utf16"]].decode("utf-16-le") == "[^1]"
    (source,) = completion["citations"]
    assert place["document_index"] == source["document_index"] == 0
    assert place["citation_number"] == 1
    assert ALERTS in source["cited_text"]
    assert place["cited_text"] == source["cited_text"]
    assert set(source) == {
        "cited_text",
        "cited_text_heading",
        "document_title",
        "document_index",
        "document_author",
        "document_year",
        "document_reference",
        "source_url",
    }
    assert place["url"].startswith("http://127.0.0.1:8000/cite/")


def test_it_works(program: Program, house: House) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        completion = program.client().chat.completions.create(**ASK)
        dumped = completion.model_dump()
    check(dumped)
    assert (completion.choices[0].finish_reason, completion.usage and completion.usage.total_tokens) == (
        "stop",
        18,
    )
    turn = Turn.objects.get()
    assert (turn.state, turn.conversation.by_api, turn.conversation.user) == (
        TurnState.COMPLETE,
        True,
        house.stranger.user,
    )
    assert turn.request_id == completion._request_id


def test_a_stored_answer_is_the_same(program: Program) -> None:
    client = program.client()
    first = client.chat.completions.create(**ASK)
    assert client.chat.completions.retrieve(first.id).model_dump() == first.model_dump()


def test_the_raw_stream_has_the_same(program: Program) -> None:
    text, last, ends = "", None, 0
    for chunk in program.client().chat.completions.create(**ASK, stream=True):
        text += chunk.choices[0].delta.content or ""
        if chunk.choices[0].finish_reason:
            last, ends = chunk, ends + 1
    assert last is not None
    assert ends == 1
    top, delta = last.model_dump(), last.choices[0].delta.model_dump()
    assert top["citations"] == delta["citations"]
    check(
        {
            "choices": [{"message": {"content": text, "annotations": delta["annotations"]}}],
            "citations": top["citations"],
        }
    )


def test_the_stream_helper_adds_up_to_the_same(program: Program) -> None:
    with program.client().chat.completions.stream(**ASK) as stream:
        final = stream.get_final_completion()
    message = final.choices[0].message.model_dump()
    check({"choices": [{"message": message}], "citations": message["citations"]})
    assert isinstance(final, ChatCompletion)


async def test_the_asynchronous_client_gets_the_same(program: Program) -> None:
    async with program.async_client() as client:
        check((await client.chat.completions.create(**ASK)).model_dump())
        async with client.chat.completions.stream(**ASK) as stream:
            message = (await stream.get_final_completion()).choices[0].message.model_dump()
    check({"choices": [{"message": message}], "citations": message["citations"]})
