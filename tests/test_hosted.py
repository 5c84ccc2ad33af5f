"""Sources that a provider's own tools found, from the model's stream to the page, the export and the API."""

import json
import uuid

import pytest
from django.test import Client

from chat import export
from chat.api.completion import chat_completion
from chat.core.citations import RejectReason
from chat.models import Citation, CitationKind, Turn
from citeweb.accounts.models import User
from citeweb.accounts.tenancy import Place
from citeweb.threads import in_thread
from sources.hosted_files import hosted_file
from sources.models import Document
from tests.chat_socket import ChatPage, chat_page
from tests.conftest import House
from tests.model_server import (
    DONE,
    Drop,
    ModelServer,
    Payload,
    Step,
    chat_chunk,
    response_event,
    response_object,
    responses_text,
)
from tests.page_reading import read
from tests.sources import PRICING, add_document
from tests.web_server import WebServer, session_cookie

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "When do enterprise customers get budget alerts?"
ALERTS = "Enterprise customers receive usage alerts at 80% and 100% of their monthly budget."
LINK = "([example.org](https://example.org/a?utm_source=openai))"


@pytest.fixture
def pricing(house: House) -> Document:
    return add_document(house.open_shelf, "pricing.md", PRICING)


@pytest.fixture
def secret(house: House) -> Document:
    """A document on the shelf that `stranger` may not read."""
    return add_document(
        house.closed_shelf, "bonus.md", "# Bonus\n\nThe bonus of the board is 4,350 euro a month.\n"
    )


def annotation(words: str, text: str) -> Payload:
    start = text.index(words)
    address = "https://example.org/a?utm_source=openai"
    return {
        "type": "url_citation",
        "start_index": start,
        "end_index": start + len(words),
        "title": "A page",
        "url": address,
    }


def file_citation(file_id: str, index: int) -> Payload:
    return {"type": "file_citation", "file_id": file_id, "filename": "pricing.md", "index": index}


def file_search(*results: Payload) -> Step:
    item = {
        "id": "fs_1",
        "type": "file_search_call",
        "status": "completed",
        "queries": [],
        "results": list(results),
    }
    return response_event("output_item.done", item=item, output_index=1)


async def answer(server: WebServer, place: Place, model: str = "responses-model") -> tuple[Turn, list[str]]:
    """Ask, wait for the end, and return the turn and all frames."""
    cookie = await in_thread(session_cookie, place.user)
    async with chat_page(server, place, cookie=cookie) as page:
        await page.ask(QUESTION, model=model)
        await page.ended()
        return await stored(page), page.frames


async def stored(page: ChatPage) -> Turn:
    turn: Turn = await in_thread(Turn.objects.get, pk=await page.turn_id())
    return turn


async def citations_of(turn: Turn) -> list[Citation]:
    return await in_thread(list, turn.citations.order_by("ordinal"))


async def test_a_web_page_becomes_a_chip_in_place_of_the_providers_mark(
    server: WebServer, house: House, model: ModelServer
) -> None:
    text = f"Fees rose {LINK}. Then they fell."
    model.script(responses_text(text[:20], text[20:], annotations=[annotation(LINK, text)]))
    turn, frames = await answer(server, house.stranger)
    assert (turn.state, turn.text) == ("complete", "Fees rose. Then they fell.")
    (citation,) = await citations_of(turn)
    assert (citation.kind, citation.url) == (CitationKind.WEB, "https://example.org/a")
    assert (citation.position, citation.verdict) == (10, "")
    assert f'hx-get="/cite/{citation.pk}/"' in frames[-1] + frames[-2]
    assert "utm_source" not in frames[-1]


async def test_the_export_and_the_api_name_the_page(
    server: WebServer, house: House, model: ModelServer
) -> None:
    text = f"سلام 🎉. Fees rose {LINK}."
    model.script(responses_text(text, annotations=[annotation(LINK, text)]))
    turn, _frames = await answer(server, house.stranger)
    user = house.stranger.user
    plain = await in_thread(export.exported, turn, user=user, form="txt")
    assert plain == "سلام 🎉. Fees rose.[1]\n\n[1] A page, example.org, https://example.org/a\n"
    completion = json.loads(json.dumps(await in_thread(chat_completion, turn, user=user)))
    message = completion["choices"][0]["message"]
    (place,) = (noted["url_citation"] for noted in message["annotations"])
    assert message["content"][place["start_index"] : place["end_index"]] == "[^1]"
    assert (place["url"], place["title"], place["page"]) == ("https://example.org/a", "A page", None)
    assert uuid.UUID(place["source_id"])
    (source,) = completion["citations"]
    assert (source["source_url"], source["document_title"]) == ("https://example.org/a", "A page")


async def test_numbers_of_the_provider_are_its_own_sources(
    server: WebServer, house: House, pricing: Document, model: ModelServer
) -> None:
    pages = ["https://example.org/a", "https://example.org/b"]
    model.script(
        [
            chat_chunk({"content": "It rose [2], `arr[1]` says. See [7]."}, citations=pages),
            chat_chunk({}, "stop"),
            DONE,
        ]
    )
    turn, _frames = await answer(server, house.stranger, "searching-model")
    assert turn.text == "It rose, `arr[1]` says. See [7]."
    assert [(c.number, c.url, c.position) for c in await citations_of(turn)] == [(1, pages[1], 7)]


async def test_a_hosted_file_is_shown_as_the_document_that_it_is(
    server: WebServer, house: House, pricing: Document, model: ModelServer
) -> None:
    await in_thread(Document.objects.filter(pk=pricing.pk).update, provider_file_id="file-abc")
    found = file_search({"file_id": "file-abc", "filename": "x.md", "text": f"… {ALERTS}"[2:], "score": 0.9})
    text = "Alerts come at 80%."
    model.script([found, *responses_text(text, annotations=[file_citation("file-abc", 18)])])
    turn, frames = await answer(server, house.stranger)
    (citation,) = await citations_of(turn)
    assert (citation.kind, citation.quote, citation.position) == (CitationKind.PASSAGE, ALERTS, 19)
    assert citation.document_id == pricing.pk
    assert citation.verdict == "supported"
    assert "Pricing Policy" in frames[-1]


async def test_a_place_that_is_not_found_is_never_guessed(
    server: WebServer, house: House, pricing: Document, model: ModelServer
) -> None:
    """The id is that of our own API; the provider's copy says something else."""
    file_id = f"file-{pricing.pk.hex}"
    found = file_search(
        {"file_id": file_id, "filename": "x.md", "text": ALERTS.replace("80", "85"), "score": 0.9}
    )
    model.script([found, *responses_text("Alerts come.", annotations=[file_citation(file_id, 11)])])
    turn, _frames = await answer(server, house.stranger)
    (citation,) = await citations_of(turn)
    assert (citation.kind, citation.start, citation.end) == (CitationKind.DOCUMENT, 0, 0)
    page = await in_thread(shown, house.stranger.user, citation.pk)
    assert "didn't say where in it" in page
    assert not read(page).with_class("cited")


async def test_our_own_id_can_not_be_given_to_another_document(
    house: House, pricing: Document, secret: Document
) -> None:
    file_id = f"file-{pricing.pk.hex}"
    await in_thread(Document.objects.filter(pk=secret.pk).update, provider_file_id=file_id)
    found = await in_thread(hosted_file, user=house.owner.user, tenant=house.tenant, file_id=file_id)
    assert found is not None
    assert found.document_id == pricing.pk


async def test_a_hosted_file_that_the_asker_may_not_read_leaves_no_trace(
    server: WebServer, house: House, pricing: Document, secret: Document, model: ModelServer
) -> None:
    await in_thread(Document.objects.filter(pk=secret.pk).update, provider_file_id="file-secret")
    notes = [file_citation("file-secret", 11), file_citation("file-nobody", 11)]
    model.script(responses_text("Alerts come.", annotations=notes))
    turn, frames = await answer(server, house.stranger)
    assert await citations_of(turn) == []
    assert not any("Bonus" in frame for frame in frames)
    assert [r["reason"] for r in turn.rejections] == [RejectReason.HOSTED_FILE_NOT_OURS] * 2


async def test_a_marker_may_name_what_the_search_returned_even_late(
    server: WebServer, house: House, model: ModelServer
) -> None:
    marker = "\ue200cite\ue202turn0search0\ue202turn0search9\ue201"
    search = {
        "id": "ws_1",
        "type": "web_search_call",
        "status": "completed",
        "action": {
            "type": "search",
            "query": "q",
            "sources": [
                {"type": "url", "id": "turn0search0", "url": "https://example.org/a", "title": "A page"}
            ],
        },
    }
    model.script(
        [
            response_event("output_text.delta", delta=f"Fees rose.{marker} Then fell.", logprobs=[]),
            response_event("output_item.done", item=search, output_index=1),
            response_event("completed", response=response_object("completed")),
        ]
    )
    turn, _frames = await answer(server, house.stranger)
    assert turn.text == "Fees rose. Then fell."
    assert [(c.url, c.position) for c in await citations_of(turn)] == [("https://example.org/a", 10)]
    assert [r["reason"] for r in turn.rejections] == [RejectReason.HOSTED_ID_OF_OTHER_RESPONSE]


async def test_a_cut_answer_keeps_the_sources_that_it_has(
    server: WebServer, house: House, model: ModelServer
) -> None:
    text = f"Fees rose {LINK}."
    note = response_event(
        "output_text.annotation.added", annotation=annotation(LINK, text), annotation_index=0
    )
    model.script([response_event("output_text.delta", delta=text, logprobs=[]), note, Drop()])
    turn, _frames = await answer(server, house.stranger)
    assert (turn.state, turn.text) == ("failed", "Fees rose.")
    assert [c.url for c in await citations_of(turn)] == ["https://example.org/a"]


async def test_a_file_without_an_address_has_a_page_of_ours(
    server: WebServer, house: House, model: ModelServer
) -> None:
    note = {
        "type": "container_file_citation",
        "container_id": "cntr_1",
        "file_id": "cfile_1",
        "filename": "plot.png",
        "start_index": 0,
        "end_index": 0,
    }
    model.script(responses_text("A plot.", annotations=[note]))
    turn, _frames = await answer(server, house.stranger)
    (citation,) = await citations_of(turn)
    assert (citation.kind, citation.url, citation.title) == (CitationKind.WEB, "", "plot.png")
    page = await in_thread(shown, house.stranger.user, citation.pk)
    assert "can't be opened here" in page
    assert not [to for to in read(page).values_of("href") if not to or to.startswith("http")]


async def test_only_readers_of_the_answer_see_its_web_pages(
    server: WebServer, house: House, neighbour: House, model: ModelServer
) -> None:
    text = f"Fees rose {LINK}."
    model.script(responses_text(text, annotations=[annotation(LINK, text)]))
    turn, _frames = await answer(server, house.stranger)
    (citation,) = await citations_of(turn)
    for reader in (house.stranger, house.auditor):
        page = read(await in_thread(shown, reader.user, citation.pk))
        (link,) = [element for element in page.elements if element.attributes.get("href") == citation.url]
        assert link.attributes["rel"] == "noopener noreferrer nofollow"
    for other in (house.owner, house.granted, neighbour.owner):
        hidden = await in_thread(shown, other.user, citation.pk)
        assert hidden == await in_thread(shown, other.user, uuid.uuid4())


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "ftp://example.org/", "//x", ""]
)
async def test_no_other_address_than_of_the_web_is_ever_a_link(
    server: WebServer, house: House, model: ModelServer, address: str
) -> None:
    note = {"type": "url_citation", "start_index": 0, "end_index": 4, "title": "<b>A</b>", "url": address}
    model.script(responses_text("Fees rose.", annotations=[note]))
    turn, frames = await answer(server, house.stranger)
    assert [c.url for c in await citations_of(turn)] == [""]
    assert "<b>A" not in frames[-1]


def shown(user: User, citation_id: uuid.UUID) -> str:
    client = Client()
    client.force_login(user)
    return client.get(f"/cite/{citation_id}/", headers={"HX-Request": "true"}).content.decode()
