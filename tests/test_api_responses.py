"""POST /v1/responses, judged by the official client with strict validation."""

import warnings
from collections.abc import Mapping
from typing import Any

import pytest
from openai.types.responses import Response

from sources.models import Document
from tests.api_client import ALERTS, PERSIAN, QUESTION, Program, cited, script
from tests.model_server import ModelServer, chat_text

pytestmark = pytest.mark.django_db(transaction=True)

ASK: dict[str, Any] = {"model": "chat-model", "input": QUESTION}


@pytest.fixture(autouse=True)
def _scripted(model: ModelServer, pricing: Document) -> None:
    script(model, pricing)


def check(response: Mapping[str, Any]) -> None:
    """Check that text, annotations and citations say the same."""
    search, message = response["output"]
    assert (search["type"], search["status"], search["queries"]) == (
        "file_search_call",
        "completed",
        [QUESTION],
    )
    (part,) = message["content"]
    assert part["text"] == f"{PERSIAN}[^1] Done."
    (noted,) = part["annotations"]
    assert part["text"][noted["start_index"] : noted["end_index"]] == "[^1]"
    (source,) = response["citations"]
    assert noted["document_index"] == source["document_index"] == 0
    assert ALERTS in source["cited_text"]
    assert (response["status"], response["error"], response["incomplete_details"]) == (
        "completed",
        None,
        None,
    )
    assert response["usage"]["total_tokens"] == 18


def dumped(response: Response) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return response.model_dump()


def test_it_works(program: Program) -> None:
    response = program.client().responses.create(**ASK)
    check(dumped(response))
    assert response.output_text == f"{PERSIAN}[^1] Done."


def test_a_stored_response_is_the_same(program: Program) -> None:
    client = program.client()
    first = client.responses.create(**ASK, metadata={"case": "7"}, instructions="Be brief.")
    again = client.responses.retrieve(first.id)
    assert dumped(again) == dumped(first)
    assert (again.metadata, again.instructions) == ({"case": "7"}, "Be brief.")


def test_the_events_come_in_order_and_say_the_same(program: Program) -> None:
    names, numbers, text, noted, last = [], [], "", [], None
    for event in program.client().responses.create(**ASK, stream=True):
        names.append(event.type.removeprefix("response."))
        numbers.append(event.sequence_number)
        if event.type == "response.output_text.delta":
            text += event.delta
        elif event.type == "response.output_text.annotation.added":
            noted.append(event.annotation)
        elif event.type == "response.completed":
            last = event.response
    assert last is not None
    check(dumped(last))
    assert text == last.output_text
    assert len(noted) == 1
    assert numbers == list(range(len(numbers)))
    deltas = [name for name in names if name != "output_text.delta"]
    assert deltas == [
        "created",
        "in_progress",
        "output_item.added",
        "file_search_call.in_progress",
        "file_search_call.searching",
        "file_search_call.completed",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.annotation.added",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]


def test_the_stream_helper_adds_up_to_the_same(program: Program) -> None:
    with program.client().responses.stream(**ASK) as stream:
        final = stream.get_final_response()
    check(dumped(final))


async def test_the_asynchronous_client_gets_the_same(program: Program) -> None:
    async with program.async_client() as client:
        check(dumped(await client.responses.create(**ASK)))
        async with client.responses.stream(**ASK) as stream:
            check(dumped(await stream.get_final_response()))


def test_a_response_goes_on_from_another(program: Program, model: ModelServer, pricing: Document) -> None:
    client = program.client()
    first = client.responses.create(**ASK, instructions="Be brief.")
    model.script(chat_text("Yes."), cited(pricing))
    second = client.responses.create(model="chat-model", input="Really?", previous_response_id=first.id)
    third = client.responses.create(model="chat-model", input="How?", previous_response_id=second.id)
    assert third.previous_response_id == second.id
    said = [(message["role"], message["content"]) for message in model.requests[-1].messages]
    assert said[1:5] == [
        ("user", QUESTION),
        ("assistant", f"{PERSIAN} Done."),
        ("user", "Really?"),
        ("assistant", "Yes."),
    ]
    # Instructions hold for one response only, as OpenAI has it.
    assert "Be brief." in str(model.requests[0].messages[0])
    assert "Be brief." not in str(model.requests[-1].messages)


def test_two_responses_may_go_on_from_one(program: Program, model: ModelServer) -> None:
    client = program.client()
    first = client.responses.create(**ASK)
    model.always(chat_text("Yes."))
    client.responses.create(model="chat-model", input="Left?", previous_response_id=first.id)
    client.responses.create(model="chat-model", input="Right?", previous_response_id=first.id)
    assert "Left?" not in str(model.requests[-1].messages)


def test_a_whole_history_is_understood(program: Program, model: ModelServer) -> None:
    client = program.client()
    first = client.responses.create(**ASK)
    history = [{"role": "user", "content": QUESTION}, *(item.model_dump() for item in first.output)]
    client.responses.create(model="chat-model", input=[*history, {"role": "user", "content": "And then?"}])
    said = [(message["role"], message["content"]) for message in model.requests[-1].messages]
    assert said[1:3] == [("user", QUESTION), ("assistant", f"{PERSIAN} Done.")]


def test_a_deleted_response_is_gone_and_its_audit_record_stays(program: Program) -> None:
    client = program.client()
    first = client.responses.create(**ASK)
    client.responses.delete(first.id)
    with program.http() as http:
        gone, other = (http.get(f"/v1/responses/{name}") for name in (first.id, "resp_" + "0" * 32))
    assert (
        (gone.status_code, gone.json()["error"]["code"])
        == (other.status_code, "not_found")
        == (404, "not_found")
    )


def test_results_are_shown_on_request(program: Program) -> None:
    response = program.client().responses.create(**ASK, include=["file_search_call.results"])
    (search, _message) = response.output
    assert search.type == "file_search_call"
    assert search.results
    assert search.results[0].filename == "pricing.md"
    assert ALERTS in (search.results[0].text or "")
    assert 0 <= (search.results[0].score or 0) <= 1
