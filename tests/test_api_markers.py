"""What markers, footnotes and numbers come to in the API: the cases of kind (a)."""

import uuid
from typing import Any

import pytest

from chat.models import Turn
from citeweb.threads import in_thread
from sources.models import Document, Grant
from tests.api_client import ALERTS, QUESTION, Program, block_of, marker, program_of, streamed
from tests.chat_socket import chat_page
from tests.conftest import House
from tests.model_server import DONE, Drop, ModelServer, Step, chat_chunk, chat_text
from tests.sources import add_document
from tests.web_server import WebServer, session_cookie

pytestmark = pytest.mark.django_db(transaction=True)

ASK: dict[str, Any] = {"model": "chat-model", "messages": [{"role": "user", "content": QUESTION}]}
PRIVATE_USE = ("\ue200", "\ue201", "\ue202", "cite\ue202", "turn0")
INVOICES = "Invoices are sent on the first day of each month."


@pytest.fixture
def alerts(pricing: Document) -> str:
    """The marker of the block about alerts."""
    return marker(block_of(pricing, ALERTS))


@pytest.fixture
def rooms(house: House) -> Document:
    return add_document(
        house.open_shelf,
        "rooms.md",
        "# Rooms\n\nAlerts about budget for enterprise customers hang in room 7.\n",
    )


def content_of(program: Program, **asked: Any) -> str:
    completion = program.client().chat.completions.create(**{**ASK, **asked})
    return completion.choices[0].message.content or ""


@pytest.mark.parametrize(
    "foreign",
    [
        "\ue200filecite\ue202turn0file0\ue201",
        "\\ue200cite\\ue202turn0file0\\ue201",
        "citeturn0file0",
        "【4:0†x.pdf】",
    ],
)
def test_foreign_markers_leave_nothing(
    program: Program, model: ModelServer, foreign: str, alerts: str
) -> None:
    model.always(chat_text(f"Fees are monthly.{foreign} Alerts come.{alerts}"))
    text = content_of(program)
    assert text == "Fees are monthly. Alerts come.[^1]"
    assert streamed(program, **ASK).text == text


def test_no_slice_of_a_marker_is_ever_sent(program: Program, model: ModelServer, alerts: str) -> None:
    model.always(chat_text(*f"Alerts come.{alerts} Yes."))
    got = streamed(program, **ASK)
    pieces = [chunk.choices[0].delta.content or "" for chunk in got.chunks if chunk.choices]
    assert got.text == "Alerts come.[^1] Yes."
    assert not any(mark in piece for piece in pieces for mark in PRIVATE_USE)
    assert all(piece.count("[") == piece.count("]") for piece in pieces)


@pytest.mark.parametrize("who", ["tenant", "user"])
def test_who_wants_no_citations_gets_none(
    program: Program, model: ModelServer, house: House, alerts: str, who: str
) -> None:
    chosen = house.tenant if who == "tenant" else house.stranger.user
    chosen.shows_citations = False
    chosen.save()
    model.always(chat_text(f"Alerts come.{alerts}"))
    completion = program.client().chat.completions.create(**ASK).model_dump()
    message = completion["choices"][0]["message"]
    assert (message["content"], message["annotations"], completion["citations"]) == ("Alerts come.", [], [])
    got = streamed(program, **ASK)
    assert (got.text, got.annotations, got.citations) == ("Alerts come.", [], [])
    # The record has them all the same.
    assert Turn.objects.latest("created_at").citations.count() == 1


@pytest.mark.parametrize(
    ("written", "marked"),
    [
        ("**Alerts come.§**", "**Alerts come.**[^1]"),
        ("- Alerts come.§\n- More.", "- Alerts come.[^1]\n- More."),
        ("> Alerts come.§", "> Alerts come.[^1]"),
    ],
)
def test_a_mark_keeps_its_element(
    program: Program, model: ModelServer, alerts: str, written: str, marked: str
) -> None:
    model.always(chat_text(written.replace("§", alerts)))
    text = content_of(program)
    assert text.replace("[^1]**", "**[^1]") == marked
    assert not any(mark in text for mark in PRIVATE_USE)


def test_a_later_turn_may_cite_an_earlier_turns_source(
    program: Program, model: ModelServer, house: House, alerts: str
) -> None:
    client = program.client()
    model.always(chat_text(f"Alerts come.{alerts}"))
    first = client.chat.completions.create(**ASK)
    answer = first.choices[0].message.model_dump()
    asked = [*ASK["messages"], answer, {"role": "user", "content": "Where do llamas live?"}]
    model.always(chat_text(f"As said.{alerts}"))
    second = client.chat.completions.create(model="chat-model", messages=asked)
    assert second.choices[0].message.content == "As said.[^1]"
    assert "[^1]" not in str(model.requests[-1].messages)
    # Who may not see the source any more gets neither it nor its marker.
    house.open_shelf.restricted = True
    house.open_shelf.save()
    third = client.chat.completions.create(model="chat-model", messages=asked)
    assert third.choices[0].message.content == "As said."
    assert third.model_dump()["citations"] == []


def test_numbers_follow_the_first_appearance(
    program: Program, model: ModelServer, alerts: str, rooms: Document
) -> None:
    other = marker(block_of(rooms, "room 7"))
    model.always(chat_text(f"One.{other} Two.{alerts} Three.{other}"))
    completion = program.client().chat.completions.create(**ASK).model_dump()
    message = completion["choices"][0]["message"]
    assert message["content"] == "One.[^1] Two.[^2] Three.[^1]"
    places = [noted["url_citation"] for noted in message["annotations"]]
    assert [place["citation_number"] for place in places] == [1, 2, 1]
    assert len({place["start_index"] for place in places}) == 3
    assert [source["document_title"] for source in completion["citations"]] == ["Rooms", "Pricing Policy"]


def without_ids(annotations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out what names the one answer and not the source."""
    own = {"citation_id": "", "url": "", "canonical_url": ""}
    return [{**noted, "url_citation": {**noted["url_citation"], **own}} for noted in annotations]


def ways_to_end(said: str) -> list[tuple[str, list[Step]]]:
    begun = chat_chunk({"content": said})
    return [
        ("stop", chat_text(said)),
        ("length", chat_text(said, finish="length")),
        ("content_filter", chat_text(said, finish="content_filter")),
        ("broken", [begun, Drop()]),
        ("error", [begun, chat_chunk(None, error={"message": "no", "code": 500}), DONE]),
    ]


@pytest.mark.parametrize("way", range(5))
def test_a_stream_gives_its_citations_on_every_way_to_end(
    program: Program, model: ModelServer, alerts: str, way: int
) -> None:
    name, steps = ways_to_end(f"Alerts come.{alerts} Yes.")[way]
    model.always(steps)
    got = streamed(program, **ASK)
    assert got.text == "Alerts come.[^1] Yes."
    assert [noted["url_citation"]["document_index"] for noted in got.annotations] == [0]
    assert got.citations
    assert ALERTS in got.citations[0]["cited_text"]
    if name in ("broken", "error"):
        assert got.error is not None
        assert got.finish is None
        with pytest.raises(Exception, match=r"Error code: 50"):
            program.client().chat.completions.create(**ASK)
        return
    assert (got.finish, got.error) == (name, None)
    completion = program.client().chat.completions.create(**ASK).model_dump()
    message = completion["choices"][0]["message"]
    assert (message["content"], completion["choices"][0]["finish_reason"]) == (got.text, name)
    assert without_ids(message["annotations"]) == without_ids(got.annotations)
    assert [{**s, "source_url": ""} for s in completion["citations"]] == [
        {**s, "source_url": ""} for s in got.citations
    ]


async def test_the_page_and_the_api_say_the_same(
    server: WebServer, program: Program, house: House, model: ModelServer, alerts: str
) -> None:
    model.always(chat_text(f"Alerts come.{alerts} Yes."))
    async with chat_page(
        server, house.stranger, cookie=await in_thread(session_cookie, house.stranger.user)
    ) as page:
        await page.ask(QUESTION, model="chat-model")
        await page.ended("complete")
        turn_id = uuid.UUID(await page.turn_id())
    async with program.async_client() as client:
        by_api = (await client.chat.completions.create(**ASK)).model_dump()
        on_page = (await client.chat.completions.retrieve(f"chatcmpl-{turn_id}")).model_dump()
    one, other = (answer["choices"][0]["message"] for answer in (by_api, on_page))
    assert one["content"] == other["content"] == "Alerts come.[^1] Yes."
    assert without_ids(one["annotations"]) == without_ids(other["annotations"])


@pytest.mark.parametrize(
    ("style", "written"),
    [("footnote", "[^1]"), ("bracket", "[1]"), ("markdown_link", "[1](http"), ("none", "")],
)
def test_the_program_chooses_the_mark(
    program: Program, model: ModelServer, alerts: str, style: str, written: str
) -> None:
    model.always(chat_text(f"Alerts come.{alerts} Yes."))
    completion = (
        program.client().chat.completions.create(**ASK, extra_body={"citation_style": style}).model_dump()
    )
    message = completion["choices"][0]["message"]
    (noted,) = message["annotations"]
    place = noted["url_citation"]
    mark = message["content"][place["start_index"] : place["end_index"]]
    assert mark.startswith(written)
    assert message["content"] == f"Alerts come.{mark} Yes."
    assert len(completion["citations"]) == 1
    assert streamed(program, **ASK, extra_body={"citation_style": style}).text[:12] == "Alerts come."


def test_a_program_may_ask_for_no_citations(program: Program, model: ModelServer, alerts: str) -> None:
    model.always(chat_text(f"Alerts come.{alerts}"))
    completion = (
        program.client().chat.completions.create(**ASK, extra_body={"return_citations": False}).model_dump()
    )
    message = completion["choices"][0]["message"]
    assert (message["content"], message["annotations"], completion["citations"]) == ("Alerts come.", [], [])


def test_an_answer_without_sources_has_an_empty_list(program: Program, model: ModelServer) -> None:
    model.always(chat_text("I found nothing."))
    completion = program.client().chat.completions.create(**ASK).model_dump()
    assert completion["citations"] == []
    assert "error" not in completion


def test_a_stored_answer_forgets_what_may_not_be_seen_any_more(
    server: WebServer, house: House, model: ModelServer
) -> None:
    secret = add_document(
        house.closed_shelf, "bonus.md", "# Bonus\n\nThe bonus of the board is 4,350 euro a month.\n"
    )
    program = program_of(server, house.granted)
    model.always(chat_text(f"It is 4,350 euro.{marker(block_of(secret, '4,350'))}"))
    asked = {
        "model": "chat-model",
        "messages": [{"role": "user", "content": "What is the bonus of the board?"}],
    }
    client = program.client()
    first = client.chat.completions.create(**asked)  # type: ignore[call-overload]  # a dict of parameters
    assert first.model_dump()["citations"][0]["document_title"] == "Bonus"
    Grant.objects.filter(user=house.granted.user).delete()
    again = client.chat.completions.retrieve(first.id).model_dump()
    assert again["choices"][0]["message"]["content"] == "It is 4,350 euro."
    assert (again["choices"][0]["message"]["annotations"], again["citations"]) == ([], [])


def test_questions_that_lead_on_come_on_request(
    program: Program, model: ModelServer, alerts: str, rooms: Document
) -> None:
    model.always(chat_text(f"Alerts come.{alerts}"))
    client = program.client()
    wished: dict[str, Any] = {"extra_body": {"return_related_questions": True}}
    first = client.chat.completions.create(**ASK, **wished)
    expected = ["What does “Rooms” say?"]
    assert first.model_dump()["related_questions"] == expected
    assert client.chat.completions.retrieve(first.id).model_dump()["related_questions"] == expected
    last = streamed(program, **ASK, **wished).chunks[-1].model_dump()
    assert last["related_questions"] == last["choices"][0]["delta"]["related_questions"] == expected
    response = client.responses.create(model="chat-model", input=QUESTION, **wished)
    assert response.model_dump()["related_questions"] == expected
    # What may not be seen any more is asked about no more.
    rooms.collection.restricted = True
    rooms.collection.save()
    assert client.responses.retrieve(response.id).model_dump()["related_questions"] == []
    assert "related_questions" not in client.chat.completions.create(**ASK).model_dump()
