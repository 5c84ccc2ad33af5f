"""The audit's pages: who sees what, every filter, and that each look leaves a record."""

import re
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import transaction
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat import audit
from chat.audit.tries import DOCUMENT, ORIGINAL, PASSAGE
from chat.audit.wording import KINDS
from chat.models import AuditRecord
from citeweb.accounts.changes import Kind
from citeweb.accounts.models import Role, User
from sources.models import Document
from tests.answering import Answered, answered_turn
from tests.audited import kinds, last, superuser
from tests.conftest import House, join
from tests.documents import add_version, put
from tests.page_reading import Page, read

pytestmark = pytest.mark.django_db


@pytest.fixture
def handbook(house: House) -> Document:
    return put(house.open_shelf, "Handbook", "Leave is 30 days a year. Alerts come at eight.")


@pytest.fixture
def asked(house: House, handbook: Document) -> Answered:
    return answered_turn(house.stranger, handbook, "How many days of leave are there?", "Leave is 30 days.^")


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def auditor(house: House) -> Client:
    return signed_in(house.auditor.user)


@pytest.fixture
def staff(db: None) -> Client:
    return signed_in(User.objects.create_user("staff@citeweb.example", is_staff=True))


def page(response: object) -> Page:
    assert isinstance(response, HttpResponse)
    assert response.status_code == 200
    return read(response.content.decode())


def listed(client: Client, query: str = "") -> list[str]:
    """Return the summaries that the list shows."""
    shown = page(client.get(f"/audit/?{query}"))
    return [row.text for row in shown.with_class("audit-list__summary")]


def record_address(record: AuditRecord) -> str:
    return reverse("audit:record", args=[record.tenant_id, record.sequence])


# --- Who sees it ---------------------------------------------------------------------------------------


def test_it_works(auditor: Client, asked: Answered) -> None:
    assert listed(auditor) == ["How many days of leave are there?"]


@pytest.mark.parametrize("person", ["owner", "granted", "stranger"])
def test_to_others_the_audit_does_not_exist(house: House, asked: Answered, person: str) -> None:
    client = signed_in(getattr(house, person).user)
    for address in ("/audit/", record_address(asked.record), f"/audit/documents/{uuid.uuid4()}/"):
        assert client.get(address).status_code == 404


def test_an_auditor_sees_their_own_tenant_only(
    house: House, neighbour: House, auditor: Client, asked: Answered
) -> None:
    manual = put(neighbour.open_shelf, "Manual", "The pump runs at night.")
    theirs = answered_turn(neighbour.stranger, manual, "When does the pump run?", "At night.^")
    assert listed(auditor) == ["How many days of leave are there?"]
    absent = reverse("audit:record", args=[uuid.uuid4(), 1])
    answers = [auditor.get(address) for address in (record_address(theirs.record), absent)]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert auditor.get(f"/audit/documents/{manual.pk}/").status_code == 404
    assert listed(auditor, f"tenant={neighbour.tenant.pk}") == ["How many days of leave are there?"]


def test_staff_see_all_tenants_and_leave_a_record_in_each(
    house: House, neighbour: House, staff: Client, asked: Answered
) -> None:
    manual = put(neighbour.open_shelf, "Manual", "The pump runs at night.")
    answered_turn(neighbour.stranger, manual, "When does the pump run?", "At night.^")
    assert len(listed(staff)) == 2
    assert listed(staff, f"tenant={house.tenant.pk}") == ["How many days of leave are there?"]
    staff.get(record_address(asked.record))
    assert kinds(neighbour.tenant)[-1] == "audit_listed"
    assert kinds(house.tenant)[-3:] == ["audit_listed", "audit_listed", "audit_read"]
    assert (last(house.tenant)["actor_email"], last(house.tenant)["actor_is_staff"]) == (
        "staff@citeweb.example",
        True,
    )


def test_who_was_taken_the_role_sees_nothing_any_more(house: House, auditor: Client, asked: Answered) -> None:
    house.auditor.user.memberships.all().delete()
    assert auditor.get("/audit/").status_code in (403, 404)


# --- Filters -------------------------------------------------------------------------------------------


def test_each_filter_finds_and_leaves_out(
    house: House, auditor: Client, asked: Answered, handbook: Document
) -> None:
    other = put(house.closed_shelf, "Salaries", "The director earns 9,000 a month.")
    answered_turn(
        house.granted,
        other,
        "What does the director earn?",
        "The director earns 4,000.^ He owns three cars and a boat too. [[block_zzzz]]",
        model="other-model",
        verdict="unsupported",
    )
    leave, pay = "How many days of leave are there?", "What does the director earn?"
    version = asked.body["citations"][0]["version_id"]
    today, tomorrow = timezone.now().date(), timezone.now().date() + timedelta(days=1)
    for query, expected in {
        "": [pay, leave],
        "kind=turn": [pay, leave],
        f"user={house.stranger.user.email.upper()}": [leave],
        "user=nobody@x.example": [],
        "model=other-model": [pay],
        "state=complete": [pay, leave],
        "state=failed": [],
        "verdict=unsupported": [pay],
        "verdict=supported": [leave],
        "rejected=any": [pay],
        "rejected=unknown_id": [pay],
        "rejected=malformed": [],
        "claims=uncited": [pay],
        f"collection={house.open_shelf.pk}": [leave],
        f"collection={house.closed_shelf.pk}": [pay],
        f"document={handbook.pk}": [leave],
        "document=handb": [leave],
        "document=nothing": [],
        f"version={version}": [leave],
        "q=directors": [pay],
        "q=leave": [leave],
        "q=leave+director": [],
        "q=boat&verdict=unsupported&model=other-model": [pay],
        "q=boat&verdict=supported": [],
        f"since={today}&until={today}": [pay, leave],
        f"since={tomorrow}": [],
        f"until={today - timedelta(days=1)}": [],
    }.items():
        assert listed(auditor, query) == expected, query


def test_words_are_found_in_any_script(house: House, auditor: Client) -> None:
    document = put(house.open_shelf, "سیاست", "مرخصی سی روز است.")
    answered_turn(house.stranger, document, "چند روز مرخصی دارم؟", "مرخصی سی روز است.^")
    assert listed(auditor, "q=مرخصي") == ["چند روز مرخصی دارم؟"]


def test_a_filter_that_cannot_be_read_says_so_and_shows_nothing(auditor: Client, asked: Answered) -> None:
    shown = page(auditor.get("/audit/?since=soon"))
    assert "Enter a valid date." in shown.texts
    assert listed(auditor, "since=soon") == []


def test_pages_follow_each_other_without_loss(house: House, auditor: Client) -> None:
    for number in range(120):
        with transaction.atomic():
            body = {"turn_id": str(uuid.uuid4()), "question": f"Question {number}", "state": "complete"}
            audit.append(tenant_id=house.tenant.pk, kind="turn", body=body)
    every = [f"Question {number}" for number in reversed(range(120))]
    pages, addresses = walk(auditor, "next", "")
    assert [len(one) for one in pages] == [50, 50, 20]
    assert [summary for one in pages for summary in one] == every
    back, _addresses = walk(auditor, "prev", addresses[-1])
    # The way back goes by whole pages, and ends at the first.
    assert [one[-1] for one in back] == ["Question 0", "Question 20", "Question 70"]
    assert back[-1] == pages[0]
    assert walk(auditor, "next", "q=question&kind=turn")[0] == pages
    filtered = walk(auditor, "next", "q=question")[1]
    assert [one[-1] for one in walk(auditor, "prev", filtered[-1])[0]] == [one[-1] for one in back]


def walk(client: Client, way: str, query: str) -> tuple[list[list[str]], list[str]]:
    """Follow the links `next` or `prev` to their end; return the pages and their addresses."""
    pages, addresses = [], [query]
    while True:
        pages.append(listed(client, addresses[-1]))
        links = page(client.get(f"/audit/?{addresses[-1]}")).elements
        following = [e.attributes["href"] for e in links if e.attributes.get("rel") == way]
        if not following:
            return pages, addresses
        addresses.append(following[0].removeprefix("?"))


def test_staff_who_are_shown_nothing_leave_a_record_too(
    house: House, neighbour: House, staff: Client
) -> None:
    assert listed(staff, "q=redundancies") == []
    # In each chain, but not the words: they may be about the other one.
    assert [last(one.tenant)["filters"] for one in (house, neighbour)] == [{"q": "…"}] * 2
    listed(staff, f"q=redundancies&tenant={house.tenant.pk}")
    assert last(house.tenant)["filters"] == {"q": "redundancies"}
    assert len(kinds(neighbour.tenant)) == 1


def test_other_events_are_listed_by_kind(house: House, auditor: Client, asked: Answered) -> None:
    auditor.get("/audit/")
    assert listed(auditor, "kind=audit_listed") != []
    assert len(listed(auditor, "kind=any")) > len(listed(auditor))


def test_every_kind_of_record_has_words() -> None:
    """Kinds stand in the code as the first word of what appends a record, or as a constant."""
    pattern = re.compile(r'(?:kind=|_record\(|\bnote\(\s*|FOUND = |REFUSED = |Kind = )"([a-z_]+)"')
    sources = [path.read_text() for path in Path("chat").rglob("*.py") if "migrations" not in path.parts]
    named = {kind for text in sources for kind in pattern.findall(text)}
    found = {kind for kind in named if not kind.endswith("_error")}  # those are the API's
    assert {"share_read", "answer_exported", "passages_found", "audit_listed", "access_refused"} <= found
    assert ({str(kind) for kind in Kind} | {PASSAGE, DOCUMENT, ORIGINAL} | found) - set(KINDS) == set()


# --- One record ----------------------------------------------------------------------------------------


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


# --- Documents -----------------------------------------------------------------------------------------


def test_who_saw_a_document_and_what_rests_on_which_version(
    house: House, auditor: Client, asked: Answered, handbook: Document
) -> None:
    citation = asked.turn.citations.get()
    signed_in(house.owner.user).get(f"/cite/{citation.pk}/")
    before = " ".join(page(auditor.get(f"/audit/documents/{handbook.pk}/")).texts)
    assert house.stranger.user.email in before
    assert house.owner.user.email in before
    assert "to review" not in before
    add_version(handbook, "Leave is 28 days a year.")
    after = page(auditor.get(f"/audit/documents/{handbook.pk}/"))
    assert "to review" in after.texts
    assert "How many days of leave are there?" in " ".join(after.texts)
    assert last(house.tenant)["kind"] == "audit_document_read"


# --- Reasons -------------------------------------------------------------------------------------------


def test_where_the_tenant_wants_a_reason_it_is_asked_first(
    house: House, auditor: Client, asked: Answered
) -> None:
    house.tenant.asks_audit_reason = True
    house.tenant.save()
    address = record_address(asked.record)
    refused = auditor.get(address)
    assert (refused.status_code, refused["Location"]) == (
        302,
        f"/audit/reason/?next={address.replace('/', '%2F')}",
    )
    assert auditor.post("/audit/reason/", {"reason": "no"}).status_code == 200
    given = auditor.post("/audit/reason/", {"reason": "A complaint of 3 May", "next": address})
    assert (given.status_code, given["Location"]) == (302, address)
    assert auditor.get(address).status_code == 200
    assert (last(house.tenant)["kind"], last(house.tenant)["why"]) == ("audit_read", "A complaint of 3 May")


def test_a_reason_leads_to_our_own_pages_only(house: House, auditor: Client) -> None:
    house.tenant.asks_audit_reason = True
    house.tenant.save()
    given = auditor.post("/audit/reason/", {"reason": "A complaint", "next": "https://evil.example/"})
    assert given["Location"] == "/audit/"


def test_staff_are_asked_too(house: House, staff: Client, asked: Answered) -> None:
    assert staff.get("/audit/").status_code == 200
    house.tenant.asks_audit_reason = True
    house.tenant.save()
    assert staff.get("/audit/").status_code == 302


def test_a_reason_holds_for_the_tenant_that_asked_and_is_told_to_no_other(
    house: House, neighbour: House, staff: Client
) -> None:
    for one in (house, neighbour):
        one.tenant.asks_audit_reason = True
        one.tenant.save()
    address = f"/audit/?tenant={house.tenant.pk}"
    asked_at = staff.get(address)["Location"]
    assert f"tenant={house.tenant.pk}" in asked_at
    fields = {
        element.attributes["name"] for element in page(staff.get(asked_at)).elements if element.tag == "input"
    }
    assert {"next", "tenant"} <= fields
    given = {"reason": "A complaint of 3 May", "next": address, "tenant": str(house.tenant.pk)}
    assert staff.post("/audit/reason/", given)["Location"] == address
    assert staff.get(address).status_code == 200
    assert staff.get(f"/audit/?tenant={neighbour.tenant.pk}").status_code == 302
    assert staff.get("/audit/").status_code == 302
    assert kinds(house.tenant) == ["audit_reason", "audit_listed"]
    assert kinds(neighbour.tenant) == []


def test_an_auditor_of_two_tenants_audits_the_one_they_work_in(
    house: House, neighbour: House, auditor: Client, asked: Answered
) -> None:
    join(house.auditor.user, neighbour.tenant, Role.AUDITOR)
    auditor.post("/accounts/tenant/", {"tenant": str(neighbour.tenant.pk)})
    assert listed(auditor) == []
