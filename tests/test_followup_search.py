"""A follow-up is searched with what it leans on, as the record shows (case B77)."""

import pytest

from chat.models import Turn
from citeweb.threads import in_thread
from tests.chat_socket import chat_page
from tests.conftest import House
from tests.model_server import ModelServer, chat_text
from tests.sources import add_document
from tests.web_server import WebServer, session_cookie

pytestmark = pytest.mark.django_db(transaction=True)

PRICES = """# Workshop prices

The Model 3 tyre change costs 90 euro.

The Model 3 service costs 200 euro.

The Model 9 service costs 900 euro.
"""


async def test_it_works(server: WebServer, house: House, model: ModelServer) -> None:
    await in_thread(add_document, house.open_shelf, "prices.md", PRICES)
    cookie = await in_thread(session_cookie, house.stranger.user)
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        for question, answer in (
            ("What does the Model 3 tyre change cost?", "90 euro. \ue200cite\ue202block_zzzz\ue201"),
            ("And a service?", "200 euro. Shall I list the Model 9 service too?"),
            ("yes", "900 euro."),
        ):
            model.script(chat_text(answer))
            page.frames.clear()
            await page.ask(question, model="chat-model")
            await page.ended("complete")
    turns = await in_thread(list, Turn.objects.order_by("ordinal"))
    assert [turn.settings["query"] for turn in turns] == [
        "What does the Model 3 tyre change cost?",
        "And a service? What does the Model 3 tyre change cost?",
        "Shall I list the Model 9 service too?",
    ]
    assert all(turn.offered for turn in turns)
    # The model reads the questions as they were typed.
    assert model.requests[-1].messages[-1]["content"] == "yes"


async def test_the_built_in_model_follows_too(server: WebServer, house: House) -> None:
    await in_thread(add_document, house.open_shelf, "prices.md", PRICES)
    cookie = await in_thread(session_cookie, house.stranger.user)
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        for question in ("What does the Model 3 tyre change cost?", "And a service?"):
            page.frames.clear()
            await page.ask(question)
            await page.ended("complete")
    turns = await in_thread(list, Turn.objects.order_by("ordinal"))
    assert "90 euro" in turns[0].text
    assert "200 euro" in turns[1].text
