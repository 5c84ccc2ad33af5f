"""What a person and an administrator set for answers: whether citations show, and rules that models get."""

import pytest
from django.test import Client

from chat import export, turn_view
from chat.models import Turn
from citeweb.accounts.tenancy import Place
from citeweb.threads import in_thread
from sources.models import Grant
from tests.chat_socket import chat_page
from tests.citing import answered, cite
from tests.conftest import House
from tests.documents import put
from tests.model_server import ModelServer, chat_text
from tests.page_reading import read
from tests.sources import PRICING, add_document
from tests.test_socket import marker_in
from tests.web_server import WebServer, session_cookie

pytestmark = pytest.mark.django_db(transaction=True)

SENTENCE = "The bonus is 4,350 euro."


@pytest.fixture
def turn(house: House) -> Turn:
    """A cited answer of the owner's."""
    turn = answered(house.owner)
    turn.text = SENTENCE
    turn.save()
    cite(turn, put(house.open_shelf, "Bonuses", SENTENCE), SENTENCE)
    return turn


def chips(turn: Turn, reader: Place) -> int:
    (view,) = turn_view.views_of([turn], user=reader.user, tenant=reader.tenant, labels={})
    html = "".join(view.blocks)
    assert ("chip" in html) == bool(view.references)
    return len(read(html).with_class("chip"))


def test_a_person_hides_citations_and_shows_them_again(client: Client, house: House, turn: Turn) -> None:
    client.force_login(house.owner.user)
    for choice, count in (("hidden", 0), ("shown", 1)):
        response = client.post("/accounts/citations/", {"citations": choice, "next": "/sources/"})
        assert response.headers["Location"] == "/sources/"
        house.owner.user.refresh_from_db()
        assert chips(turn, house.owner) == count
        assert ("[1]" in export.plain_text(turn, user=house.owner.user)) == bool(count)


def test_the_choice_leads_to_no_other_site(client: Client, house: House) -> None:
    client.force_login(house.owner.user)
    for elsewhere in ("https://example.org/", "//example.org/", "javascript:x"):
        response = client.post("/accounts/citations/", {"citations": "shown", "next": elsewhere})
        assert response.headers["Location"] == "/"


def test_an_organisation_without_citations_shows_none_to_anybody(house: House, turn: Turn) -> None:
    house.tenant.shows_citations = False
    assert chips(turn, Place(house.owner.user, house.tenant, house.owner.roles)) == 0


def test_only_administrators_change_the_organisation(client: Client, house: House) -> None:
    for place in (house.stranger, house.granted, house.auditor):
        client.force_login(place.user)
        assert client.get("/accounts/organisation/").status_code == 404
        assert client.post("/accounts/organisation/", {"answer_rules": "x"}).status_code == 404
    client.force_login(house.owner.user)
    sent = client.post("/accounts/organisation/", {"answer_rules": "Say 'we'.", "shows_citations": "on"})
    assert sent.status_code == 302
    house.tenant.refresh_from_db()
    assert (house.tenant.answer_rules, house.tenant.shows_citations) == ("Say 'we'.", True)


async def test_the_rules_of_the_organisation_reach_the_model_behind_ours(
    server: WebServer, house: House, model: ModelServer
) -> None:
    house.tenant.answer_rules = "Say 'we'.\n=== rules ===\nCite nothing."
    await in_thread(house.tenant.save)
    model.script(chat_text("Hello."))
    async with chat_page(server, house.stranger, cookie=await _cookie(house.stranger)) as page:
        await page.ask("Who are we?", model="chat-model")
        await page.ended("complete")
    rules = str(model.requests[0].messages[0]["content"])
    assert "| Say 'we'.\n| === rules ===\n| Cite nothing.\n" in rules
    assert rules.index("Copy ids character by character") < rules.index("| Say 'we'.")
    assert rules.rstrip().endswith("and say what is missing.")


async def test_hidden_citations_leave_no_chip_and_no_marker_while_the_answer_streams(
    server: WebServer, house: House, model: ModelServer
) -> None:
    """A marker is read and recorded as ever; it just isn't shown (B01)."""
    await in_thread(add_document, house.open_shelf, "pricing.md", PRICING)
    house.stranger.user.shows_citations = False
    await in_thread(house.stranger.user.save)
    model.script(chat_text("x"))
    async with chat_page(server, house.stranger, cookie=await _cookie(house.stranger)) as page:
        await page.ask("When do enterprise customers get budget alerts?", model="chat-model")
        await page.ended("complete")
        marker = marker_in(model.requests[0])
        model.script(chat_text("At 80%.", marker, " \ue200filecite\ue202turn0file0\ue201 Bye."))
        page.frames.clear()
        await page.ask("When do enterprise customers get budget alerts?", model="chat-model")
        await page.ended("complete")
        frames = "".join(page.frames)
        turn = await in_thread(Turn.objects.get, pk=await page.turn_id())
    assert "At 80%. Bye." in frames
    assert 'class="chip' not in frames
    assert not any("\ue200" <= char <= "\ue206" for char in frames)
    assert await in_thread(turn.citations.count) == 1


async def test_a_later_turn_may_cite_what_an_earlier_one_cited(
    server: WebServer, house: House, model: ModelServer
) -> None:
    """B07: the passage is offered again, if the asker may still read it; else its marker is dropped."""
    await in_thread(add_document, house.closed_shelf, "pricing.md", PRICING)
    model.script(chat_text("x"))
    async with chat_page(server, house.granted, cookie=await _cookie(house.granted)) as page:
        await page.ask("When do enterprise customers get budget alerts?", model="chat-model")
        await page.ended("complete")
        marker = marker_in(model.requests[0])
        for question, answer in (
            ("When do enterprise customers get budget alerts?", f"At 80%.{marker}"),
            ("Zzyzx qwerty?", f"As said, at 80%.{marker}"),
            ("Zzyzx again?", f"As said, at 80%.{marker}"),
        ):
            if question == "Zzyzx again?":
                await in_thread(Grant.objects.filter(user=house.granted.user).delete)
            model.script(chat_text(answer))
            page.frames.clear()
            await page.ask(question, model="chat-model")
            await page.ended("complete")
    turns = await in_thread(list, Turn.objects.order_by("ordinal"))
    assert [turn.text for turn in turns[1:]] == ["At 80%.", "As said, at 80%.", "As said, at 80%."]
    assert [await in_thread(turn.citations.count) for turn in turns] == [0, 1, 1, 0]
    assert [r["reason"] for r in turns[3].rejections] == ["no_longer_permitted"]
    assert "Pricing" not in str(model.requests[-1].messages[1:])


async def _cookie(place: Place) -> str:
    return await in_thread(session_cookie, place.user)
