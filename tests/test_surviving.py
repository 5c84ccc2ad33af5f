"""What dies: the server by signal, the server by kill, one of several servers. Nothing accepted is lost."""

import re
import uuid
from pathlib import Path

import pytest

from chat.models import AuditRecord, Turn
from citeweb.threads import in_thread
from tests.chat_socket import chat_page
from tests.conftest import House
from tests.model_server import Gate, Hang, ModelServer, chat_chunk, chat_text
from tests.web_server import WebServer, session_cookie, web_server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cookie(house: House) -> str:
    return session_cookie(house.stranger.user)


async def the_turn() -> Turn:
    turn: Turn = await in_thread(Turn.objects.get)
    return turn


async def test_a_killed_server_leaves_an_interrupted_turn_with_its_text(
    house: House, cookie: str, model: ModelServer, models_file: Path
) -> None:
    model.script([chat_chunk({"content": "The first words."}), Hang()])
    with web_server(CITEWEB_MODELS_FILE=str(models_file), CITEWEB_TURN_SILENCE_SECONDS="2") as server:
        async with chat_page(server, house.stranger, cookie=cookie) as page:
            await page.ask("When?", model="patient-model")
            await page.wait_for("The first words")
            # Saved every half second; the kill comes after one save.
            while (await the_turn()).text == "":  # the other process writes it
                await in_thread(lambda: None)
            server.kill()
        server.start()
        async with chat_page(
            server, house.stranger, cookie=cookie, conversation_id=page.conversation_id
        ) as again:
            end = await again.ended("interrupted")
            assert "The first words." in end
            assert 'value="retry"' in end
    turn = await the_turn()
    assert (turn.state, turn.text, turn.question) == ("interrupted", "The first words.", "When?")
    assert await in_thread(AuditRecord.objects.count) == 1


async def test_a_server_that_is_told_to_stop_stores_what_it_has(
    house: House, cookie: str, model: ModelServer, models_file: Path
) -> None:
    model.script([chat_chunk({"content": "The first words."}), Hang()])
    with web_server(CITEWEB_MODELS_FILE=str(models_file)) as server:
        async with chat_page(server, house.stranger, cookie=cookie) as page:
            await page.ask("When?", model="patient-model")
            await page.wait_for("The first words")
            await in_thread(server.stop)
    model.requests[0].wait_closed(2)
    turn = await the_turn()
    assert (turn.state, turn.text) == ("interrupted", "The first words.")


async def test_another_server_shows_and_stops_the_same_answer(
    server: WebServer, house: House, cookie: str, model: ModelServer, models_file: Path
) -> None:
    gate = Gate()
    model.script([chat_chunk({"content": "Slow words."}), gate, chat_chunk({"content": " More."}), Hang()])
    with web_server(CITEWEB_MODELS_FILE=str(models_file)) as other:
        async with chat_page(server, house.stranger, cookie=cookie) as page:
            await page.ask("When?", model="patient-model")
            await page.wait_for("Slow words")
            async with chat_page(
                other, house.stranger, cookie=cookie, conversation_id=page.conversation_id
            ) as elsewhere:
                await elsewhere.wait_for("Slow words")
                gate.open()
                await elsewhere.wait_for("Slow words. More.")
                await elsewhere.stop(await page.turn_id())
                await elsewhere.ended("stopped")
            await page.ended("stopped")
    model.requests[0].wait_closed(2)


async def test_a_retry_after_a_restart_answers(
    house: House, cookie: str, model: ModelServer, models_file: Path
) -> None:
    model.script([chat_chunk({"content": "Some words."}), Hang()], chat_text("Whole."))
    with web_server(CITEWEB_MODELS_FILE=str(models_file)) as server:
        async with chat_page(server, house.stranger, cookie=cookie) as page:
            await page.ask("When?", model="patient-model", client_id=uuid.uuid4())
            await page.wait_for("Some words")
            await in_thread(server.stop)
        server.start()
        async with chat_page(
            server, house.stranger, cookie=cookie, conversation_id=page.conversation_id
        ) as again:
            end = await again.ended("interrupted")
            found = re.search(r'name="turn" value="([0-9a-f-]{36})"', end)
            assert found is not None
            await again.retry(found[1])
            await again.ended("complete")
