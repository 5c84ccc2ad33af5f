"""Turns in the database: stored first, ended once, proved."""

import json
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from chat import audit, store
from chat.models import AuditRecord, AuditText, Citation, Turn, TurnState
from citeweb.accounts.models import Membership
from tests.conftest import House

pytestmark = pytest.mark.django_db


def new_turn(question: str = "When?", **fields: uuid.UUID) -> store.NewTurn:
    return store.NewTurn(
        conversation_id=fields.get("conversation_id", uuid.uuid4()),
        client_id=fields.get("client_id", uuid.uuid4()),
        question=question,
        model="citeweb-quote",
        request_id="req-1",
    )


def begin(house: House, new: store.NewTurn | None = None) -> Turn:
    return store.begin_turn(new or new_turn(), user=house.stranger.user, tenant=house.tenant)[0]


def cite(turn: Turn) -> Citation:
    return Citation(
        tenant_id=turn.tenant_id,
        turn=turn,
        ordinal=1,
        number=1,
        position=4,
        position_utf16=4,
        block_id="block_x",
        document_id=uuid.uuid4(),
        version_id=uuid.uuid4(),
        title="Pricing",
        start=0,
        end=4,
        quote="Soon",
        first_line=1,
        last_line=1,
    )


def save(turn: Turn, text: str) -> set[uuid.UUID]:
    return store.save_progress([store.Progress(turn.pk, text, text, {})])


DONE = store.Outcome(state=TurnState.COMPLETE, raw="Soon.", text="Soon.")


def test_the_question_is_stored_and_names_the_conversation(house: House) -> None:
    turn = begin(house, new_turn("When do\n customers get alerts?"))
    assert turn.state == TurnState.RUNNING
    assert turn.conversation.title == "When do customers get alerts?"


def test_a_long_question_is_cut_at_a_word(house: House) -> None:
    assert store.title_from("word " * 40) == "word " * 15 + "word…"


def test_the_same_client_id_never_makes_a_second_turn(house: House) -> None:
    new = new_turn()
    first, made = store.begin_turn(new, user=house.stranger.user, tenant=house.tenant)
    again, made_again = store.begin_turn(new, user=house.stranger.user, tenant=house.tenant)
    assert (first, made, made_again) == (again, True, False)


def test_nobody_asks_in_another_users_conversation(house: House) -> None:
    turn = begin(house)
    with pytest.raises(store.Refused):
        store.begin_turn(
            new_turn(conversation_id=turn.conversation_id), user=house.owner.user, tenant=house.tenant
        )


def test_nobody_asks_in_their_own_conversation_of_another_tenant(house: House, neighbour: House) -> None:
    turn = begin(house)
    with pytest.raises(store.Refused):
        store.begin_turn(
            new_turn(conversation_id=turn.conversation_id), user=house.stranger.user, tenant=neighbour.tenant
        )


def test_a_conversation_closes_with_the_membership(house: House) -> None:
    turn = begin(house)
    Membership.objects.filter(user=house.stranger.user).delete()
    with pytest.raises(store.Refused):
        store.conversation_for(turn.conversation_id, user=house.stranger.user)


def test_a_foreign_turn_is_refused(house: House) -> None:
    turn = begin(house)
    assert store.turn_for(turn.pk, user=house.stranger.user) == turn
    with pytest.raises(store.Refused):
        store.turn_for(turn.pk, user=house.owner.user)


def test_progress_is_saved_and_tells_of_a_stop(house: House) -> None:
    turn = begin(house)
    other = begin(house)
    assert save(turn, "So") == {turn.pk}
    store.request_stop(turn.pk)
    both = [store.Progress(one.pk, "Soon", "Soon", {}) for one in (turn, other)]
    assert store.save_progress(both) == {other.pk}
    turn.refresh_from_db()
    assert (turn.text, turn.state) == ("Soon", TurnState.RUNNING)


def test_a_turn_ends_once_with_one_record(house: House) -> None:
    turn = begin(house)
    assert store.finish_turn(turn.pk, DONE)
    assert not store.finish_turn(turn.pk, store.Outcome(state=TurnState.FAILED, raw="", text=""))
    turn.refresh_from_db()
    assert (turn.state, turn.text) == (TurnState.COMPLETE, "Soon.")
    assert AuditRecord.objects.filter(turn_id=turn.pk).count() == 1


def test_the_record_holds_the_whole_proof(house: House) -> None:
    turn = begin(house)
    store.add_citations([cite(turn)])
    store.finish_turn(turn.pk, DONE)
    body = json.loads(AuditRecord.objects.get(turn_id=turn.pk).body)
    assert body["user_email"] == house.stranger.user.email
    assert body["question"] == "When?"
    assert [c["quote_sha256"] for c in body["citations"]] == [audit.sha256_of("Soon")]
    assert json.loads(AuditText.objects.get(sequence=body["sequence"]).text)["quote"] == "Soon"
    assert {
        "offered",
        "raw",
        "text",
        "rejections",
        "model",
        "settings",
        "usage",
        "timings",
        "request_id",
    } <= set(body)


def test_a_citation_is_stored_once(house: House) -> None:
    turn = begin(house)
    citation = cite(turn)
    store.add_citations([citation])
    store.add_citations([citation])
    assert turn.citations.count() == 1


def test_a_silent_turn_is_interrupted_and_keeps_its_text(house: House) -> None:
    turn, alive = begin(house), begin(house)
    save(turn, "So far")
    Turn.objects.filter(pk=turn.pk).update(heartbeat_at=timezone.now() - timedelta(minutes=1))
    assert store.interrupt_silent_turns() == 1
    turn.refresh_from_db()
    alive.refresh_from_db()
    assert (turn.state, turn.text, alive.state) == (TurnState.INTERRUPTED, "So far", TurnState.RUNNING)
    assert AuditRecord.objects.filter(turn_id=turn.pk).count() == 1
