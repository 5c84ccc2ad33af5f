"""The audit over the API: what an auditor's program gets, that reading is recorded, and to whom it is refused."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from chat.api.audit_views import record_id
from chat.models import AuditRecord
from citeweb.accounts.models import Scope, Tenant
from sources.models import Document
from tests.api_client import ALERTS, QUESTION, Program, program_of, script
from tests.conftest import House
from tests.model_server import ModelServer
from tests.web_server import WebServer

pytestmark = pytest.mark.django_db(transaction=True)

ASK: dict[str, Any] = {"model": "chat-model", "messages": [{"role": "user", "content": QUESTION}]}
RECORDS = "/v1/audit/records"


@pytest.fixture
def auditor(server: WebServer, house: House) -> Program:
    return program_of(server, house.auditor)


@pytest.fixture
def audit(auditor: Program) -> Iterator[httpx2.Client]:
    with auditor.http() as client:
        yield client


def kinds(tenant: Tenant) -> list[str]:
    """Return what happened after the keys were issued."""
    records = AuditRecord.objects.filter(tenant_id=tenant.pk).exclude(kind="key_issued").order_by("sequence")
    return list(records.values_list("kind", flat=True))


def test_an_auditors_program_reads_what_was_answered_and_can_prove_it(
    program: Program, auditor: Program, pricing: Document, model: ModelServer, house: House
) -> None:
    script(model, pricing)
    program.client().chat.completions.create(**ASK)
    client = auditor.client()
    found: Any = client.get("/audit/records", cast_to=object)
    (line,) = found["data"]
    assert (found["object"], found["has_more"], found["first_id"]) == ("list", False, line["id"])
    assert (line["object"], line["kind"], line["state"], line["citations"]) == (
        *("audit.record", "turn", "complete"),
        1,
    )
    assert line["actor_email"] == house.stranger.user.email
    assert line["cited_documents"] == [str(pricing.pk)]
    assert "body" not in line
    whole: Any = client.get(f"/audit/records/{line['id']}", cast_to=object)
    assert {name: whole[name] for name in line} == line
    assert whole["chain"]["holds"] is True
    hashed = f"{whole['previous']}\n{whole['body']}"
    assert whole["digest"] == hashlib.sha256(hashed.encode()).hexdigest()
    assert json.loads(whole["body"])["question"] == QUESTION
    assert any(ALERTS in words for words in whole["words"].values())


def test_each_look_leaves_a_record_with_what_was_asked(audit: httpx2.Client, house: House) -> None:
    looked = audit.get(RECORDS, params={"kind": "any", "user": "nobody@aurora.example"})
    assert looked.json()["data"] == []
    record = AuditRecord.objects.get(tenant_id=house.tenant.pk, kind="audit_listed")
    body = json.loads(record.body)
    assert record.actor_email == house.auditor.user.email
    assert body["filters"] == {"kind": "any", "user": "nobody@aurora.example"}
    assert (body["shown"], body["request_id"]) == (0, looked.headers["x-request-id"])
    one = audit.get(f"{RECORDS}/{record_id(house.tenant.pk, record.sequence)}")
    assert one.json()["kind"] == "audit_listed"
    assert kinds(house.tenant)[-1] == "audit_read"


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_a_list_is_read_in_parts(audit: httpx2.Client, house: House, order: str) -> None:
    for _ in range(5):
        audit.get(RECORDS)
    looks = AuditRecord.objects.filter(tenant_id=house.tenant.pk, kind="audit_listed")
    known = list(looks.order_by("sequence")[:5])
    wanted = [record_id(record.tenant_id, record.sequence) for record in known]
    wish: dict[str, str] = {"kind": "any", "order": order, "limit": "2", "user": house.auditor.user.email}
    got: list[str] = []
    after: dict[str, str] = {} if order == "asc" else {"after": _newest(audit)}
    while len(got) < 5:
        part = audit.get(RECORDS, params={**wish, **after}).json()
        got += [record["id"] for record in part["data"]]
        assert part["last_id"] == got[-1]
        after = {"after": part["last_id"]}
        # The looks themselves are records: upwards the list never ends here.
        assert part["has_more"] or order == "desc"
    if order == "asc":
        assert got[:5] == wanted
    else:
        assert got == wanted[::-1]
        assert part["has_more"] is False


def _newest(audit: httpx2.Client) -> str:
    newest: str = audit.get(RECORDS, params={"kind": "any", "limit": 1}).json()["data"][0]["id"]
    tenant, number = newest.rsplit("-", 1)
    # The look itself is the record behind it.
    return f"{tenant}-{int(number) + 1}"


@pytest.mark.parametrize(
    ("asked", "param"),
    [
        ({"state": "odd"}, "state"),
        ({"since": "yesterday"}, "since"),
        ({"version": "7"}, "version"),
        ({"kind": "no such"}, "kind"),
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"order": "up"}, "order"),
        ({"words": "typo"}, "words"),
    ],
)
def test_a_filter_that_cannot_be_read_is_named(
    audit: httpx2.Client, asked: dict[str, object], param: str
) -> None:
    refused = audit.get(RECORDS, params=asked)  # type: ignore[arg-type]  # of httpx
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, param), refused.text


def test_a_tenant_that_wants_a_reason_gets_it_with_each_look(audit: httpx2.Client, house: House) -> None:
    house.tenant.asks_audit_reason = True
    house.tenant.save()
    address = f"{RECORDS}/{record_id(house.tenant.pk, 1)}"
    for path in (RECORDS, address):
        for given in ({}, {"reason": " "}, {"reason": "no"}):
            refused = audit.get(path, params=given)
            assert (refused.status_code, refused.json()["error"]["code"]) == (400, "reason_required")
    assert kinds(house.tenant) == []
    assert audit.get(RECORDS, params={"reason": "A complaint of 3 May"}).status_code == 200
    assert audit.get(address, params={"reason": "A complaint of 3 May"}).status_code == 200
    for record in AuditRecord.objects.filter(tenant_id=house.tenant.pk, kind__startswith="audit_"):
        assert json.loads(record.body)["why"] == "A complaint of 3 May"
    assert kinds(house.tenant) == ["audit_listed", "audit_read"]


def test_a_record_of_another_tenant_is_like_none(
    audit: httpx2.Client, server: WebServer, house: House, neighbour: House
) -> None:
    with program_of(server, neighbour.auditor).http() as other:
        other.get(RECORDS)
    assert kinds(neighbour.tenant) == ["audit_listed"]
    there = record_id(neighbour.tenant.pk, AuditRecord.objects.get(kind="audit_listed").sequence)
    absent = record_id(neighbour.tenant.pk, 999)
    answers = [audit.get(f"{RECORDS}/{one}") for one in (there, absent)]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].text.replace(there, "") == answers[1].text.replace(absent, "")
    assert audit.get(RECORDS, params={"after": there}).status_code == 404
    assert kinds(neighbour.tenant) == ["audit_listed"]


@pytest.mark.parametrize(
    "given",
    ["1", "audit_", "audit_-1", "audit_x-1", "audit_{tenant}-", "audit_{tenant}-²", "audit_{tenant}-0"],
)
def test_an_odd_id_is_not_found(audit: httpx2.Client, house: House, given: str) -> None:
    odd = given.replace("{tenant}", house.tenant.pk.hex)
    assert audit.get(f"{RECORDS}/{odd}").status_code == 404


def test_others_than_auditors_are_refused_and_that_is_recorded(
    server: WebServer, house: House, audit: httpx2.Client
) -> None:
    audit.get(RECORDS)
    for place in (house.stranger, house.owner):
        with program_of(server, place).http() as member:
            for path in (RECORDS, f"{RECORDS}/{record_id(house.tenant.pk, 1)}"):
                assert member.get(path).status_code == 403
    assert kinds(house.tenant) == ["audit_listed", *4 * ["access_refused"]]


def test_a_key_without_the_scope_is_refused(server: WebServer, house: House) -> None:
    with program_of(server, house.auditor, scopes=[Scope.CHAT, Scope.SEARCH, Scope.FILES]).http() as client:
        refused = client.get(RECORDS)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "insufficient_permissions"), (
        refused.text
    )


def test_staff_read_the_keys_tenant_only_and_leave_records(
    server: WebServer, house: House, neighbour: House
) -> None:
    with program_of(server, neighbour.auditor).http() as other:
        other.get(RECORDS)
    house.stranger.user.is_staff = True
    house.stranger.user.save()
    with program_of(server, house.stranger).http() as client:
        client.get(RECORDS)
        seen = client.get(RECORDS, params={"kind": "any"}).json()["data"]
    assert [record["kind"] for record in seen] == ["audit_listed", "key_issued"]
    body = json.loads(AuditRecord.objects.filter(tenant_id=house.tenant.pk).latest("sequence").body)
    assert body["actor_is_staff"] is True
