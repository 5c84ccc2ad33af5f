"""The chat socket, against the real server and a scripted model: streaming, stopping, failing, surviving."""

import json
import re
import time
import uuid

import pytest
import websockets

from chat.models import AuditRecord, Conversation, Turn
from citeweb.threads import in_thread
from tests.chat_socket import chat_page
from tests.conftest import House
from tests.model_server import Drop, Gate, Hang, ModelServer, Recorded, Status, Step, chat_chunk, chat_text
from tests.sources import PRICING, add_document
from tests.web_server import WebServer, session_cookie

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "When do enterprise customers get budget alerts?"
PRIVATE_USE = re.compile("[\ue200-\ue206]")


@pytest.fixture
def cookie(house: House) -> str:
    """The session of `stranger`, who reads the open shelf with the pricing policy on it."""
    add_document(house.open_shelf, "pricing.md", PRICING)
    return session_cookie(house.stranger.user)


def marker_in(request: Recorded) -> str:
    """Return a whole marker for the block that the recorded prompt shows."""
    blocks = next(str(m["content"]) for m in request.messages if "Citable blocks" in str(m["content"]))
    found = re.search(r'<BLOCK id="(block_\w+)"', blocks)
    assert found is not None
    return f"\ue200cite\ue202{found[1]}\ue201"


async def stored(turn_id: str) -> Turn:
    turn: Turn = await in_thread(Turn.objects.get, pk=turn_id)
    return turn


async def proofs() -> int:
    """Return how many turns have a record; what people change has records of its own."""
    number: int = await in_thread(AuditRecord.objects.filter(kind="turn").count)
    return number


async def count(model_class: type[Turn] | type[Conversation]) -> int:
    number: int = await in_thread(model_class._default_manager.count)
    return number


async def test_the_built_in_model_answers_with_a_chip(server: WebServer, house: House, cookie: str) -> None:
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask(QUESTION)
        end = await page.ended("complete")
        assert "Pricing Policy" in end
    turn = await stored(await page.turn_id())
    assert "Enterprise customers receive usage alerts at 80% and 100% of their monthly budget." in turn.text
    assert sum("answer__open" in frame for frame in page.frames) >= 2
    assert await proofs() == 1


async def test_a_chip_appears_in_place_while_the_model_still_writes(
    server: WebServer, house: House, cookie: str, model: ModelServer
) -> None:
    gate = Gate()
    model.script([chat_chunk({"content": "Alerts come at 80%."}), Hang()])
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask(QUESTION, model="patient-model")
        await page.wait_for("Alerts come at 80%")
        marker = marker_in(model.requests[0])
        await page.stop(await page.turn_id())
        await page.ended("stopped")
        model.script([chat_chunk({"content": f"Alerts come at 80%.{marker}"}), gate, *chat_text(" Bye.")[1:]])
        page.frames.clear()
        await page.ask(QUESTION, model="patient-model")
        frame = await page.wait_for('class="chip')
        assert re.search(r"Alerts come at 80%\..{0,40}<button[^>]*chip", frame, re.DOTALL)
        gate.open()
        await page.ended("complete")
    assert not any(PRIVATE_USE.search(frame) for frame in page.frames)


async def test_no_part_of_a_marker_is_ever_sent(
    server: WebServer, house: House, cookie: str, model: ModelServer
) -> None:
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        model.script(chat_text("Hello."))
        await page.ask(QUESTION, model="chat-model")
        await page.ended("complete")
        answer = f"Alerts come at 80%.{marker_in(model.requests[0])} Done."
        for cut in range(1, len(answer)):
            page.frames.clear()
            model.script(chat_text(answer[:cut], answer[cut:]))
            await page.ask(QUESTION, model="chat-model")
            end = await page.ended("complete")
            assert not any(PRIVATE_USE.search(frame) for frame in page.frames), cut
            assert end.count('class="reference"') == 1, cut
        # The first frame may still be the list of the turn before.
        turn = await stored(await page.turn_id())
    assert turn.text == "Alerts come at 80%. Done."


async def test_stop_closes_the_models_connection_and_keeps_the_text(
    server: WebServer, house: House, cookie: str, model: ModelServer
) -> None:
    model.script([chat_chunk({"content": "The first words."}), Hang()])
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask(QUESTION, model="patient-model")
        await page.wait_for("The first words")
        asked_to_stop = time.monotonic()
        await page.stop(await page.turn_id())
        end = await page.ended("stopped")
        assert "You stopped this answer." in end
    model.requests[0].wait_closed(2)
    assert model.requests[0].disconnected is not None
    assert model.requests[0].disconnected - asked_to_stop < 2
    turn = await stored(await page.turn_id())
    assert (turn.state, turn.text) == ("stopped", "The first words.")
    assert await proofs() == 1


async def test_closing_the_tab_stops_nothing(
    server: WebServer, house: House, cookie: str, model: ModelServer
) -> None:
    gate = Gate()
    model.script([chat_chunk({"content": "Slow"}), gate, *chat_text(" but whole.")[1:]])
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask(QUESTION, model="patient-model")
        await page.wait_for("Slow")
    gate.open()
    async with chat_page(
        server, house.stranger, cookie=cookie, conversation_id=page.conversation_id
    ) as again:
        await again.ended("complete")
        assert any("Slow but whole." in frame for frame in again.frames)


async def test_a_second_tab_sees_the_turn(
    server: WebServer, house: House, cookie: str, model: ModelServer
) -> None:
    model.script(chat_text("Hello."))
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask("first", model="chat-model")
        await page.ended("complete")
        known = await stored(await page.turn_id())
        async with chat_page(
            server,
            house.stranger,
            cookie=cookie,
            conversation_id=page.conversation_id,
            seen=f"{known.pk}.complete",
        ) as other:
            # A socket takes one thing after the other: what is answered comes after what it caught up on. Without
            # that the second question may be there before, and the whole conversation would rightly be sent.
            await other.send("no frame of ours")
            await other.wait_for(".")
            assert not any("turn-" in frame for frame in other.frames)
            model.script(chat_text("Hello again."))
            await page.ask("second", model="chat-model")
            await other.wait_for("Hello again")
            await other.ended("complete")


async def test_a_resent_question_is_one_turn(server: WebServer, house: House, cookie: str) -> None:
    client_id = uuid.uuid4()
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask(QUESTION, client_id=client_id)
        await page.ask(QUESTION, client_id=client_id)
        await page.ended("complete")
        await page.ask(QUESTION, client_id=client_id)
    assert await count(Turn) == 1


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (
            [
                Status(
                    401,
                    {
                        "error": {
                            "message": "Incorrect API key provided: sk-secret",
                            "code": "invalid_api_key",
                        }
                    },
                )
            ],
            "administrator",
        ),
        ([Status(429, {"error": {"message": "slow down"}}, {"retry-after": "120"})], "busy|requests"),
        ([Status(500, "<html>boom</html>")], "model"),
        ([chat_chunk({"content": "Half an answ"}), Drop()], "model"),
        ([chat_chunk({"content": "Half an answ"}), Hang()], "model"),
        ([Hang()], "model"),
    ],
    ids=["401", "429", "500", "cut", "silence in the middle", "silence"],
)
async def test_a_failing_model_ends_in_a_plain_sentence_with_retry(
    server: WebServer, house: House, cookie: str, model: ModelServer, script: list[Step], sentence: str
) -> None:
    model.script(script)
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask(QUESTION, model="chat-model")
        end = await page.ended("failed")
        assert re.search(sentence, end, re.IGNORECASE)
        assert 'value="retry"' in end
        assert "sk-secret" not in end
        assert "boom" not in end
        turn = await stored(await page.turn_id())
        assert turn.question == QUESTION
        assert turn.text in ("", "Half an answ")
        page.frames.clear()
        model.script(chat_text("Better."))
        await page.retry(str(turn.pk))
        await page.ended("complete")
    assert await count(Turn) == 2
    assert await proofs() == 2


async def test_a_refused_connection_is_a_plain_sentence(server: WebServer, house: House, cookie: str) -> None:
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask(QUESTION, model="nobody-there")
        assert "127.0.0.1" not in await page.ended("failed")


async def test_bad_frames_are_answered_and_the_socket_lives(
    server: WebServer, house: House, cookie: str
) -> None:
    frames: list[str | bytes] = [
        "{",
        "[]",
        b"\xff\x00",
        json.dumps({"action": "stop", "turn": str(uuid.uuid4())}),
    ]
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        for number, bad in enumerate(frames):
            await page.send(bad)
            page.frames.clear()
            assert "toast" in await page.wait_for("notices"), number
        page.frames.clear()
        await page.ask(QUESTION)
        await page.ended("complete")


async def test_a_second_question_waits_for_the_first(
    server: WebServer, house: House, cookie: str, model: ModelServer
) -> None:
    gate = Gate()
    model.script([chat_chunk({"content": "Slow"}), gate, *chat_text(".")[1:]])
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask(QUESTION, model="patient-model")
        await page.wait_for("Slow")
        await page.ask("And now?", model="chat-model")
        await page.wait_for("Please wait for the answer")
        gate.open()
        await page.ended("complete")
    assert await count(Turn) == 1


async def test_another_origin_is_refused(server: WebServer, house: House, cookie: str) -> None:
    with pytest.raises(websockets.InvalidStatus):
        async with chat_page(server, house.stranger, cookie=cookie, origin="http://127.0.0.1:9999"):
            pass
    assert await count(Turn) == 0


async def test_nobody_connects_without_a_session(server: WebServer, house: House) -> None:
    async with chat_page(server, house.stranger, cookie="") as page:
        with pytest.raises(AssertionError, match="the socket closed"):
            await page.wait_for("anything")


async def test_a_foreign_conversation_and_a_random_one_close_alike(
    server: WebServer, house: House, cookie: str
) -> None:
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask(QUESTION)
        await page.ended("complete")
    other = await in_thread(session_cookie, house.granted.user)
    codes = []
    for conversation_id in (page.conversation_id, uuid.uuid4()):
        address = f"{server.url.replace('http', 'ws')}/ws/chat/{conversation_id}/?token=none"
        async with websockets.connect(
            address, additional_headers={"Cookie": other}, origin=websockets.Origin(server.url)
        ) as socket:
            with pytest.raises(websockets.ConnectionClosed):
                await socket.recv()
            codes.append(socket.close_code)
    assert codes == [4404, 4404]
