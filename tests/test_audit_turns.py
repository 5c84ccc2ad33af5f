"""The record of a turn: complete however the turn ended, right in itself, and without a purged document's words."""

import asyncio
import json
import uuid

import pytest
from django.db import transaction
from django.utils import timezone

from chat import audit, sharing, store
from chat.audit.evidence import Evidence
from chat.audit.replay import Purged, replayed
from chat.audit.turns import turn_record
from chat.change_records import record as record_change
from chat.models import AuditRecord, AuditText, Citation, Turn, TurnState
from chat.rereading import Inputs, passage_as_json
from citeweb.accounts.changes import Change, Kind
from citeweb.threads import in_thread
from sources.core.passages import Passage
from sources.models import Document
from sources.retrieval import retrieve
from tests.chat_socket import chat_page
from tests.conftest import House
from tests.model_server import Gate, Hang, ModelServer, chat_chunk
from tests.proved_turns import faults
from tests.sources import PRICING, add_document
from tests.web_server import WebServer, session_cookie

pytestmark = pytest.mark.django_db


@pytest.fixture
def pricing(house: House) -> Document:
    return add_document(house.open_shelf, "pricing.md", PRICING)


def running(house: House) -> Turn:
    new = store.NewTurn(uuid.uuid4(), uuid.uuid4(), "When do alerts come?", "some-model", "req-1")
    return store.begin_turn(new, user=house.stranger.user, tenant=house.tenant)[0]


def offer(house: House, turn: Turn, **inputs: object) -> list[Passage]:
    """Offer what retrieval finds, as an answer does before the model is asked."""
    passages = retrieve(user=house.stranger.user, tenant=house.tenant, query="budget alerts", limit=4)
    store.note_offer(
        turn.pk,
        offered=[passage_as_json(passage) for passage in passages],
        settings={"messages": [["developer", "The rules."]], "line_numbers": False},
        reading={**Inputs().as_json(), **inputs},
    )
    return passages


def interrupted(turn: Turn, raw: str, **fields: str) -> dict[str, object]:
    """End a turn that had come so far, as somebody who finds it silent does, and return its record's body."""
    values = {"raw": raw, "text": "", **fields}
    Turn.objects.filter(pk=turn.pk).update(**values)
    turn.refresh_from_db()
    assert store.end_unfinished(turn, TurnState.INTERRUPTED)
    body: dict[str, object] = json.loads(AuditRecord.objects.get(turn_id=turn.pk).body)
    return body


def test_a_turn_that_was_broken_off_holds_what_its_raw_output_gives(house: House, pricing: Document) -> None:
    turn = running(house)
    first = offer(house, turn)[0]
    body = interrupted(turn, f"Alerts come at 80%.[[{first.block_id}]] And then [[{first.block_id[:8]}")
    assert body["text"] == "Alerts come at 80%. And then"
    turn.refresh_from_db()
    assert [(c.position, c.block_id) for c in turn.citations.all()] == [(19, first.block_id)]
    assert faults() == []


def test_a_citation_whose_words_were_not_saved_is_taken_back(house: House, pricing: Document) -> None:
    turn = running(house)
    passage = offer(house, turn)[0]
    body = interrupted(turn, f"Alerts come.[[{passage.block_id}]] More.[[{passage.block_id}]]")
    kept = [citation.pk for citation in Citation.objects.order_by("ordinal")]
    again = running(house)
    offer(house, again)
    stored = Citation.objects.get(pk=kept[1])
    stored.pk, stored.turn_id, stored.ordinal = uuid.uuid4(), again.pk, 1
    stored.save(force_insert=True)
    assert interrupted(again, "Alerts")["citations"] == []
    assert len(kept) == 2
    assert body["state"] == "interrupted"
    assert faults() == []


def test_the_record_says_how_and_from_what(house: House, pricing: Document) -> None:
    turn = running(house)
    passages = offer(house, turn)
    body = interrupted(turn, "Nothing yet")
    assert body["via"] == "page"
    assert body["prompt"] == [{"role": "developer", "content": "The rules."}]
    offered = Evidence.of(AuditRecord.objects.get(turn_id=turn.pk)).offered
    assert [one["text"] for one in offered] == [passage.text for passage in passages]
    assert {one["collection_id"] for one in offered} == {str(house.open_shelf.pk)}


def test_words_of_documents_stand_beside_the_chain_only(house: House, pricing: Document) -> None:
    turn = running(house)
    passage = offer(house, turn)[0]
    interrupted(turn, f"Soon.[[{passage.block_id}]]")
    record = AuditRecord.objects.get(turn_id=turn.pk)
    turn.refresh_from_db()
    words = "usage alerts at 80%"
    assert words in passage.text
    assert words not in record.body
    assert words not in json.dumps([turn.offered, turn.settings, turn.reading])
    assert any(words in one.text for one in AuditText.objects.all())


def test_after_a_purge_the_record_stands_and_says_so(house: House, pricing: Document) -> None:
    turn = running(house)
    passage = offer(house, turn)[0]
    interrupted(turn, f"Soon.[[{passage.block_id}]]")
    with transaction.atomic():
        record_change(Change(Kind.DOCUMENT_PURGED, house.tenant.pk, None, {}, pricing.pk))
    record = AuditRecord.objects.get(turn_id=turn.pk)
    evidence = Evidence.of(record)
    assert all(one["purged"] for one in [*evidence.offered, *evidence.citations])
    with pytest.raises(Purged):
        replayed(record)
    assert faults() == []


def test_a_document_purged_while_it_is_answered_leaves_no_words(house: House, pricing: Document) -> None:
    turn = running(house)
    passage = offer(house, turn)[0]
    Document.objects.filter(pk=pricing.pk).update(purged_at=timezone.now())
    with transaction.atomic():
        record_change(Change(Kind.DOCUMENT_PURGED, house.tenant.pk, None, {}, pricing.pk))
    interrupted(turn, f"Soon.[[{passage.block_id}]]")
    assert not AuditText.objects.exists()
    assert [(one.title, one.quote) for one in turn.citations.all()] == [("", "")]
    assert faults() == []


def test_a_record_that_was_made_up_is_found_wrong(house: House, pricing: Document) -> None:
    turn = running(house)
    passage = offer(house, turn)[0]
    Turn.objects.filter(pk=turn.pk).update(raw=f"Alerts.[[{passage.block_id}]]", text="Alarms.")
    turn.refresh_from_db()
    turn.finished_at, turn.state = turn.created_at, TurnState.COMPLETE
    body, words = turn_record(turn, [])
    record = audit.append(tenant_id=house.tenant.pk, kind="turn", body=body, turn_id=turn.pk, words=words)
    assert replayed(record) == ["another text", "1 citations, not 0"]


@pytest.mark.django_db(transaction=True)
async def test_a_conversation_that_is_deleted_while_it_is_answered_leaves_its_proof(
    server: WebServer, house: House, pricing: Document, model: ModelServer
) -> None:
    model.script([chat_chunk({"content": "The first words."}), Hang()])
    cookie = await in_thread(session_cookie, house.stranger.user)
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask("When?", model="patient-model")
        await page.wait_for("The first words")
        await in_thread(sharing.delete_conversation, page.conversation_id, user=house.stranger.user)
    records = await in_thread(lambda: list(AuditRecord.objects.exclude(kind="uploaded").order_by("sequence")))
    assert [record.kind for record in records] == ["turn", "conversation_deleted"]
    assert records[0].state == "stopped"


@pytest.mark.django_db(transaction=True)
async def test_stops_at_any_moment_leave_right_records(
    server: WebServer, house: House, pricing: Document, model: ModelServer
) -> None:
    """The check behind the test (tests.proved_turns) is what matters here."""
    passages = await in_thread(
        retrieve, user=house.stranger.user, tenant=house.tenant, query="budget alerts", limit=4
    )
    pieces = [f"Alerts come. [[{passages[0].block_id}]] " for _ in range(30)]
    cookie = await in_thread(session_cookie, house.stranger.user)
    for wait in range(6):
        gate = Gate()
        steps = [chat_chunk({"content": piece}) for piece in pieces]
        model.script([*steps[: 3 + wait], chat_chunk({"content": "[["}), gate, *steps, Hang()])
        async with chat_page(server, house.stranger, cookie=cookie) as page:
            await page.ask("When do budget alerts come?", model="patient-model")
            await page.wait_for("Alerts come")
            turn_id = await page.turn_id()
            gate.open()
            for _ in range(wait):
                await asyncio.sleep(0)
            await page.stop(turn_id)
            await page.ended()
