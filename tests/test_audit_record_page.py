"""The page of one record."""

import pytest
from django.db import transaction
from django.http import StreamingHttpResponse
from django.test import Client

from chat import audit
from chat.audit.record_view import SHOWN
from chat.models import AuditRecord
from sources.models import Document
from tests.answering import Answered, answered_turn
from tests.audit_pages import listed, page, record_address, signed_in
from tests.audited import superuser
from tests.conftest import House
from tests.documents import put

pytestmark = pytest.mark.django_db


@pytest.fixture
def handbook(house: House) -> Document:
    return put(house.open_shelf, "Handbook", "Leave is 30 days a year. Alerts come at eight.")


@pytest.fixture
def asked(house: House, handbook: Document) -> Answered:
    return answered_turn(house.stranger, handbook, "How many days of leave are there?", "Leave is 30 days.^")


@pytest.fixture
def auditor(house: House) -> Client:
    return signed_in(house.auditor.user)


def test_a_record_shows_all_that_it_proves(auditor: Client, asked: Answered) -> None:
    shown = page(auditor.get(record_address(asked.record)))
    text = " ".join(shown.texts)
    for words in (
        "How many days of leave are there?",
        "Unaltered: its digest is right and follows the record before it.",
        "Read again, the raw output gives this answer and these citations.",
        "Handbook",
        "Leave is 30 days a year.",
        "Borne out",
        "cited",
        asked.record.digest,
        asked.body["offered"][0]["block_id"],
    ):
        assert words in text, words
    marks = [e for e in shown.elements if e.tag == "mark" and e.attributes.get("class") == "audit-raw__cited"]
    assert len(marks) == 1


def test_a_record_of_another_event_shows_its_facts(house: House, auditor: Client) -> None:
    auditor.get("/audit/?q=leave")
    record = AuditRecord.objects.latest("pk")
    assert record.kind == "audit_listed"
    texts = page(auditor.get(record_address(record))).texts
    assert (texts[texts.index("Filters") + 1], texts[texts.index("Entries shown") + 1]) == ("q: leave", "0")


def test_hostile_text_stays_text(house: House, auditor: Client) -> None:
    document = put(house.open_shelf, "<script>alert(1)</script>", "<img src=x onerror=alert(1)> is here.")
    asked = answered_turn(house.stranger, document, "<b>Where?</b>", "<script>x</script> is here.^")
    shown = page(auditor.get(record_address(asked.record)))
    assert [e for e in shown.elements if e.tag == "script" and "src" not in e.attributes] == []
    assert [e for e in shown.elements if "onerror" in e.attributes] == []


def test_hidden_signs_are_spelled_out(house: House, auditor: Client, handbook: Document) -> None:
    asked = answered_turn(house.stranger, handbook, "Pay \u202elive\u202c?", "Leave\u2066 is 30 days.")
    assert listed(auditor) == ["Pay ⟨U+202E⟩live⟨U+202C⟩?"]
    texts = page(auditor.get(record_address(asked.record))).texts
    assert "Pay ⟨U+202E⟩live⟨U+202C⟩?" in texts
    assert "Leave⟨U+2066⟩ is 30 days." in texts


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "body",
    [
        "{",
        "[]",
        '{"kind":"turn","sequence":2,"recorded_at":"x","reading":5}',
        '{"kind":"turn","sequence":2,"recorded_at":"x","reading":{},"text":"x","citations":[{}]}',
    ],
)
def test_a_record_that_was_made_unreadable_still_has_a_page(
    auditor: Client, asked: Answered, body: str
) -> None:
    with superuser() as cursor:
        cursor.execute("UPDATE chat_auditrecord SET body = %s WHERE id = %s", [body, asked.record.pk])
    for address in (record_address(asked.record), f"{record_address(asked.record)}dossier.html"):
        assert "The chain is broken here: the record was altered." in page(auditor.get(address)).texts
    exported: object = auditor.post("/audit/export/", {"format": "csv"})
    assert isinstance(exported, StreamingHttpResponse)
    assert asked.record.digest in exported.getvalue().decode()


def test_a_long_record_shows_its_beginning_and_leads_to_all(
    house: House, auditor: Client, handbook: Document
) -> None:
    many = SHOWN + 3
    answer = "".join(f"Leave is 30 days.^ Leave number {number} is as long too.\n" for number in range(many))
    asked = answered_turn(house.stranger, handbook, "How long is leave?", answer)
    address = record_address(asked.record)
    shown, whole = page(auditor.get(address)), page(auditor.get(f"{address}?all=1"))
    assert "Read again, the raw output gives this answer and these citations." in shown.texts
    assert f"These are the first {SHOWN} of {many}." in shown.texts
    assert [len(one.with_class("audit-citation")) for one in (shown, whole)] == [SHOWN, many]
    assert [text for text in whole.texts if text.startswith("These are the first")] == []
    # Each chip leads to its citation, also to one that isn't on this page.
    chips = [link.attributes["href"] for link in shown.with_class("chip")]
    places = [f"#citation-{one['citation_id']}" for one in asked.body["citations"]]
    assert chips == [*places[:SHOWN], *(f"?all=1{place}" for place in places[SHOWN:])]
    assert [link.attributes["href"] for link in whole.with_class("chip")] == places
    dossier = page(auditor.get(f"{address}dossier.html"))
    assert len(dossier.with_class("audit-citation")) == many


def test_signs_without_a_picture_are_spelled_out_everywhere(
    house: House, auditor: Client, handbook: Document
) -> None:
    answer = "Leave is 30 days. \ue200cite\ue202block_zzzzzzzz\ue201 And \u202eit\u202c is as long as that."
    asked = answered_turn(house.stranger, handbook, "How long is leave?", answer)
    texts = page(auditor.get(record_address(asked.record))).texts
    assert "⟨U+E200⟩cite⟨U+E202⟩block_zzzzzzzz⟨U+E201⟩" in texts
    assert "And ⟨U+202E⟩it⟨U+202C⟩ is as long as that." in texts
    with transaction.atomic():
        body = {"collection": "Pay\u202eroll", "before": ["member"], "after": ["curator"]}
        named = audit.append(tenant_id=house.tenant.pk, kind="collection_renamed", body=body)
    texts = page(auditor.get(record_address(named))).texts
    assert "Pay⟨U+202E⟩roll" in texts
    assert texts[texts.index("Before the change") + 1] == "member"
