"""A right taken away is gone at the next click, question, regenerate, export and API call, also in open sockets."""

from collections.abc import Callable

import pytest
from django.test import Client

from chat.consumers import NOT_FOUND
from chat.models import Turn
from chat.viewing import CHECK_SECONDS
from citeweb.accounts.models import Group, Membership
from citeweb.threads import in_thread
from sources.models import Document
from sources.shelves import grant, revoke
from tests.api_client import program_of
from tests.chat_socket import ChatPage, chat_page
from tests.conftest import House
from tests.model_server import Gate, ModelServer, Wait, chat_chunk, chat_text
from tests.sources import add_document
from tests.web_server import WebServer, session_cookie

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "What does the director earn a month?"
SECRET = "The director earns 9,000 euros a month."
Take = Callable[[House], None]


@pytest.fixture
def secret(house: House) -> Document:
    """A document that the reader may read through a grant to their group."""
    group = Group.objects.create(tenant=house.tenant, name="Payroll")
    group.users.add(house.stranger.user)
    grant(house.closed_shelf, group=group)
    return add_document(house.closed_shelf, "pay.md", f"# Pay\n\n{SECRET}\n")


def take_grant(house: House) -> None:
    revoke(house.closed_shelf, group=Group.objects.get(name="Payroll"))


def take_out_of_the_group(house: House) -> None:
    Group.objects.get(name="Payroll").users.remove(house.stranger.user)


def delete_the_group(house: House) -> None:
    Group.objects.get(name="Payroll").delete()


def take_membership(house: House) -> None:
    Membership.objects.filter(user=house.stranger.user).delete()


def close_the_account(house: House) -> None:
    house.stranger.user.is_active = False
    house.stranger.user.save()


# After these the reader stays a member.
TAKES = [take_grant, take_out_of_the_group, delete_the_group]
LEAVES = [take_membership, close_the_account]


async def asked(page: ChatPage) -> Turn:
    """Ask the built-in model and return the turn when it is complete."""
    page.frames.clear()
    await page.ask(QUESTION)
    return await ended(page)


async def ended(page: ChatPage) -> Turn:
    await page.ended("complete")
    turn: Turn = await in_thread(Turn.objects.get, pk=await page.turn_id())
    return turn


async def sources_of(turn: Turn) -> int:
    number: int = await in_thread(turn.citations.count)
    return number


# --- Chat ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("take", TAKES)
async def test_the_next_question_and_regenerate_in_an_open_socket(
    server: WebServer, house: House, secret: Document, take: Take
) -> None:
    cookie = await in_thread(session_cookie, house.stranger.user)
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        first = await asked(page)
        assert SECRET in first.text
        await in_thread(take, house)
        again = await asked(page)
        page.frames.clear()
        await page.retry(str(first.pk))
        regenerated = await ended(page)
    for turn in (again, regenerated):
        assert (SECRET in turn.text, turn.offered, await sources_of(turn)) == (False, [], 0)


@pytest.mark.parametrize("leave", LEAVES)
async def test_an_open_socket_of_who_left_takes_no_question(
    server: WebServer, house: House, secret: Document, leave: Take
) -> None:
    cookie = await in_thread(session_cookie, house.stranger.user)
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await asked(page)
        await in_thread(leave, house)
        page.frames.clear()
        await page.ask(QUESTION)
        await page.wait_for("This conversation is not available to you any more")
    assert await in_thread(Turn.objects.count) == 1


@pytest.mark.parametrize("leave", LEAVES)
async def test_an_answer_that_streams_ends_for_who_left(
    server: WebServer, house: House, secret: Document, model: ModelServer, leave: Take
) -> None:
    cookie = await in_thread(session_cookie, house.stranger.user)
    gate = Gate()
    words = [chat_chunk({"content": f"Word {number}. "}) for number in range(20)]
    slowly = [step for word in words[1:] for step in (word, Wait(CHECK_SECONDS / 5))]
    model.script([words[0], gate, *slowly, *chat_text(" The end.")])
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask(QUESTION, model="patient-model")
        await page.wait_for("Word 0")
        await in_thread(leave, house)
        gate.open()
        assert await page.closed() == NOT_FOUND
    assert not any("Word 19" in frame for frame in page.frames)


# --- Pages and files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("take", TAKES)
async def test_the_next_click_and_export(
    server: WebServer, house: House, secret: Document, take: Take
) -> None:
    cookie = await in_thread(session_cookie, house.stranger.user)
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        turn = await asked(page)
    await in_thread(check_clicks, house, turn, secret, take)


def check_clicks(house: House, turn: Turn, secret: Document, take: Take) -> None:
    citation = turn.citations.get()
    client = Client()
    client.force_login(house.stranger.user)
    things = [
        f"/cite/{citation.pk}/",
        f"/d/{secret.pk}/",
        f"/d/{secret.pk}/original",
        f"/sources/{house.closed_shelf.pk}/",
    ]
    export = f"/c/{turn.conversation_id}/turns/{turn.pk}/export.md"
    assert [client.get(address).status_code for address in things] == [200] * len(things)
    assert secret.title in client.get(export).content.decode()
    take(house)
    assert [client.get(address).status_code for address in things] == [404] * len(things)
    for page in (export, "/sources/", f"/c/{turn.conversation_id}/"):
        answer = client.get(page)
        assert (answer.status_code, f"{secret.title}," in answer.content.decode()) == (200, False)


@pytest.mark.parametrize("leave", LEAVES)
def test_pages_of_who_left(house: House, secret: Document, leave: Take) -> None:
    client = Client()
    client.force_login(house.stranger.user)
    address = f"/d/{secret.pk}/"
    assert client.get(address).status_code == 200
    leave(house)
    assert client.get(address).status_code in (302, 403)


# --- The API ------------------------------------------------------------------------------------------


def question() -> dict[str, object]:
    return {"model": "citeweb-quote", "messages": [{"role": "user", "content": QUESTION}]}


@pytest.mark.parametrize("take", TAKES)
def test_the_next_api_call(server: WebServer, house: House, secret: Document, take: Take) -> None:
    with program_of(server, house.stranger).http() as http:
        before = http.post("/v1/chat/completions", json=question()).json()
        assert [one["document_title"] for one in before["citations"]] == [secret.title]
        take(house)
        after = http.post("/v1/chat/completions", json=question()).json()
        assert (after["citations"], SECRET in after["choices"][0]["message"]["content"]) == ([], False)
        # What was answered before is still the caller's; its source is not.
        stored = http.get(f"/v1/chat/completions/{before['id']}").json()
        assert stored["citations"] == stored["choices"][0]["message"]["annotations"] == []


@pytest.mark.parametrize("leave", LEAVES)
def test_the_key_of_who_left(server: WebServer, house: House, secret: Document, leave: Take) -> None:
    with program_of(server, house.stranger).http() as http:
        assert http.post("/v1/chat/completions", json=question()).is_success
        leave(house)
        assert http.post("/v1/chat/completions", json=question()).status_code == 401
