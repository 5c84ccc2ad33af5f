"""Who sees the audit's pages, that each look leaves a record, and where a reason is asked first."""

import uuid

import pytest
from django.test import Client
from django.urls import reverse

from citeweb.accounts.models import Role, User
from sources.models import Document
from tests.answering import Answered, answered_turn
from tests.audit_pages import listed, page, record_address, signed_in
from tests.audited import kinds, last
from tests.conftest import House, join
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
