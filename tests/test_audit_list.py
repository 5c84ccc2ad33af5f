"""The audit's list: every filter, and paging."""

import re
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from chat import audit
from chat.audit.tries import DOCUMENT, ORIGINAL, PASSAGE
from chat.audit.wording import KINDS
from citeweb.accounts.changes import Kind
from citeweb.accounts.models import User
from sources.models import Document
from tests.answering import Answered, answered_turn
from tests.audit_pages import listed, page, signed_in
from tests.audited import kinds, last
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


@pytest.fixture
def staff(db: None) -> Client:
    return signed_in(User.objects.create_user("staff@citeweb.example", is_staff=True))


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
