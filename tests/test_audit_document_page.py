"""The page of a document: who saw it, which answers rest on which version."""

import uuid

import pytest
from django.test import Client

from chat.audit.documents import LISTED
from sources.models import Document
from tests.answering import Answered, answered_turn
from tests.audit_pages import listed, page, signed_in
from tests.audited import last
from tests.conftest import House
from tests.documents import add_version, put

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


def test_all_answers_to_review_are_in_the_list(house: House, auditor: Client, handbook: Document) -> None:
    asked = [f"How long is leave {number}?" for number in range(LISTED + 2)]
    for question in asked:
        answered_turn(house.stranger, handbook, question, "Leave is 30 days.^")
    assert listed(auditor, f"review={handbook.pk}") == []
    add_version(handbook, "Leave is 28 days a year.")
    handbook.refresh_from_db()
    answered_turn(house.stranger, handbook, "How long is it now?", "Leave is 28 days.^")
    shown = page(auditor.get(f"/audit/documents/{handbook.pk}/"))
    assert len(shown.with_class("audit-list__summary")) == LISTED
    assert f"These are the newest {LISTED} of {LISTED + 2}." in shown.texts
    [link] = [href for href in shown.values_of("href") if "review=" in href]
    first = listed(auditor, link.partition("?")[2])
    assert first == asked[:1:-1]
    assert listed(auditor, f"review={uuid.uuid4()}") == []


def test_another_tenants_document_has_nothing_to_review(
    house: House, neighbour: House, auditor: Client
) -> None:
    manual = put(neighbour.open_shelf, "Manual", "The pump runs at night.")
    answered_turn(neighbour.stranger, manual, "When does the pump run?", "At night.^")
    add_version(manual, "The pump runs at noon.")
    assert listed(auditor, f"review={manual.pk}") == []
