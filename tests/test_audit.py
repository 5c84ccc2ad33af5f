"""The audit chain: how it grows, and what the database refuses to whoever writes to it."""

import json
import threading
import uuid

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction

from chat import audit
from chat.models import AuditHead, AuditRecord, AuditText
from citeweb.accounts.row_security import acting_as_system
from tests.audited import chain, record
from tests.conftest import House

pytestmark = pytest.mark.django_db


def execute(statement: str, *parameters: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def test_it_works(house: House) -> None:
    first, second, third = chain(house)
    assert (first.previous, second.previous, third.previous) == (audit.GENESIS, first.digest, second.digest)
    head = AuditHead.objects.get(tenant_id=house.tenant.pk)
    assert (head.sequence, head.digest) == (3, third.digest)
    assert audit.verify(house.tenant.pk) is None


def test_the_body_is_canonical_json(house: House) -> None:
    body = record(house, b=1, a="n° ‌آزمون").body
    assert body == audit.canonical_json(json.loads(body))
    assert body.startswith('{"a":"n° ‌آزمون","b":1,"kind":"test","recorded_at":"')


def test_an_empty_chain_holds(house: House) -> None:
    assert audit.verify(house.tenant.pk) is None


def test_tenants_have_chains_of_their_own(house: House, neighbour: House) -> None:
    chain(house)
    assert record(neighbour, fact="x").sequence == 1


def test_words_stand_beside_the_chain_until_their_document_is_purged(house: House) -> None:
    document_id = uuid.uuid4()
    kept = with_words(house, document_id)
    with_words(house, uuid.uuid4())
    assert "Salary" not in kept.body
    audit.forget(tenant_id=house.tenant.pk, document_id=document_id)
    assert [text.sequence for text in AuditText.objects.all()] == [2]
    assert audit.verify(house.tenant.pk) is None


def with_words(house: House, document_id: uuid.UUID) -> AuditRecord:
    words = [audit.Words("title", document_id, "Salary Bands")]
    body = {"title_sha256": audit.sha256_of("Salary Bands")}
    with transaction.atomic():
        return audit.append(tenant_id=house.tenant.pk, kind="test", body=body, words=words)


@pytest.mark.django_db(transaction=True)
def test_a_record_needs_its_changes_transaction(house: House) -> None:
    with pytest.raises(transaction.TransactionManagementError):
        audit.append(tenant_id=house.tenant.pk, kind="test", body={})


@pytest.mark.django_db(transaction=True)
def test_writers_of_one_tenant_queue(house: House) -> None:
    def write() -> None:
        with acting_as_system("a writer"):
            for _ in range(10):
                record(house, fact="one of many")
        connection.close()

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert AuditHead.objects.get(tenant_id=house.tenant.pk).sequence == 40
    assert audit.verify(house.tenant.pk) is None


# --- As the application's role -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE chat_auditrecord SET body = '{}' WHERE sequence = 2",
        "UPDATE chat_auditrecord SET sequence = sequence + 10",
        "DELETE FROM chat_auditrecord WHERE sequence = 3",
        "TRUNCATE chat_auditrecord",
        "UPDATE chat_audithead SET sequence = 1",
        "DELETE FROM chat_audithead",
        "TRUNCATE chat_audithead CASCADE",
        "INSERT INTO chat_audithead VALUES (gen_random_uuid(), 5, 'x')",
        "UPDATE chat_audittext SET text = ''",
        "ALTER TABLE chat_auditrecord DISABLE TRIGGER ALL",
        "DROP TRIGGER audit_refuse ON chat_auditrecord",
        "SET session_replication_role = replica",
    ],
)
def test_the_application_may_change_nothing(house: House, statement: str) -> None:
    chain(house)
    with pytest.raises(ProgrammingError, match=r"permission denied|must be owner|append-only"):
        execute(statement)


@pytest.mark.parametrize("sequence", [0, 2, 3, 5])
def test_the_application_may_put_nothing_out_of_its_place(house: House, sequence: int) -> None:
    newest = chain(house)[-1]
    forged = {"sequence": sequence, "kind": "test"}
    with pytest.raises(IntegrityError, match=r"does not follow the newest one, 3|range"):
        execute(
            "INSERT INTO chat_auditrecord SELECT (jsonb_populate_record(r, %s)).* FROM chat_auditrecord r"
            " WHERE sequence = 3",
            forgery(newest, forged),
        )


def forgery(of: AuditRecord, body: dict[str, object], **columns: object) -> str:
    text = audit.canonical_json(body)
    digest = audit.chain_digest(of.digest, text)
    values = {"id": of.pk + 100, "body": text, "previous": of.digest, "digest": digest}
    return json.dumps({**values, "sequence": body["sequence"], **columns})


def test_a_record_with_a_wrong_digest_is_refused(house: House) -> None:
    newest = chain(house)[-1]
    with pytest.raises(IntegrityError, match="the digest of audit record 4 is not that of its body"):
        execute(
            "INSERT INTO chat_auditrecord SELECT (jsonb_populate_record(r, %s)).* FROM chat_auditrecord r"
            " WHERE sequence = 3",
            forgery(newest, {"sequence": 4, "kind": "test"}, digest="0" * 64),
        )


def test_a_turn_has_one_record(house: House) -> None:
    turn_id = uuid.uuid4()

    def append() -> None:
        with transaction.atomic():
            body = {"turn_id": str(turn_id)}
            audit.append(tenant_id=house.tenant.pk, kind="turn", body=body, turn_id=turn_id)

    append()
    with pytest.raises(IntegrityError, match="audit_one_record_a_turn"):
        append()
    assert audit.verify(house.tenant.pk) is None
