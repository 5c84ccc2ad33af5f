"""A conversation longer than the model's limit goes on, and says what the model no longer read (case B55)."""

import uuid

import pytest
from django.utils import timezone

from chat.models import Conversation, Turn, TurnState
from citeweb.threads import in_thread
from tests.chat_socket import chat_page
from tests.conftest import House
from tests.model_server import ModelServer, chat_text
from tests.sources import add_document
from tests.test_socket import marker_in
from tests.web_server import WebServer, session_cookie

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "When do enterprise customers get budget alerts?"
LONG = "# Policy\n\n" + "\n\n".join(
    f"Rule {n}. Enterprise customers get budget alerts in case {n}, as the policy of part {n} says at length."
    for n in range(400)
)


def long_conversation(house: House) -> Conversation:
    """Store a conversation of sixty long turns."""
    conversation = Conversation.objects.create(tenant=house.tenant, user=house.stranger.user, title="Long")
    for ordinal in range(1, 61):
        Turn.objects.create(
            tenant=house.tenant,
            conversation=conversation,
            ordinal=ordinal,
            client_id=uuid.UUID(int=ordinal),
            question=f"Question {ordinal}: " + "what about the budget of a department? " * 20,
            text=f"Answer {ordinal}: " + "the budget of the department is as it was. " * 40,
            state=TurnState.COMPLETE,
            finished_at=timezone.now(),
            model="small-model",
            request_id="r",
        )
    return conversation


async def test_it_works(server: WebServer, house: House, model: ModelServer) -> None:
    await in_thread(add_document, house.open_shelf, "policy.md", LONG)
    conversation = await in_thread(long_conversation, house)
    cookie = await in_thread(session_cookie, house.stranger.user)
    model.script(chat_text("x"))
    async with chat_page(server, house.stranger, cookie=cookie, conversation_id=conversation.pk) as page:
        await page.ask(QUESTION, model="small-model")
        await page.wait_for("no longer fit, so the model")
        marker = marker_in(model.requests[0])
        model.script(chat_text(f"In each case.{marker}"))
        page.frames.clear()
        await page.ask(QUESTION, model="small-model")
        await page.wait_for('class="chip')
        await page.ended("complete")
    turn = await in_thread(Turn.objects.get, ordinal=62)
    assert turn.settings["left_out_turns"] > 30
    assert turn.offered
    assert await in_thread(turn.citations.count) == 1
    assert model.requests[-1].messages[-1]["content"] == QUESTION
    assert sum(len(str(message["content"])) for message in model.requests[-1].messages) < 4_096 * 4
