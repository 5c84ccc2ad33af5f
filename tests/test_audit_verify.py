"""What a superuser may do to the audit chain, and how `verify_audit` names it."""

import sys
import uuid

import pytest
from django.core.management import CommandError
from django.db import transaction
from pytest_django import Settings

from chat import audit
from chat.change_records import record as record_change
from chat.models import AuditRecord, AuditText
from citeweb.accounts.changes import Change, Kind
from tests.answering import answered_turn
from tests.audited import broken, chain, record, superuser, verify
from tests.conftest import House
from tests.documents import put

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_whole_chain_holds(house: House, neighbour: House) -> None:
    chain(house)
    chain(neighbour)
    assert verify() == (0, "The audit chain holds.\n")


@pytest.mark.parametrize(
    ("statement", "sequence", "problem"),
    [
        ("UPDATE chat_auditrecord SET body = replace(body, 'n° 2', 'n° 9')", 2, "was altered"),
        ("UPDATE chat_auditrecord SET body = '{}' WHERE sequence = 1", 1, "was altered"),
        (
            "UPDATE chat_auditrecord SET kind = 'other' WHERE sequence = 3",
            3,
            "has columns that differ from its body",
        ),
        (
            "UPDATE chat_auditrecord SET created_at = created_at - interval '1 day' WHERE sequence = 2",
            2,
            "has columns that differ from its body",
        ),
        (
            "UPDATE chat_auditrecord SET actor_email = 'x@y.example' WHERE sequence = 2",
            2,
            "has columns that differ from its body",
        ),
        ("DELETE FROM chat_auditrecord WHERE sequence = 1", 1, "record 1 is missing"),
        ("DELETE FROM chat_auditrecord WHERE sequence = 2", 2, "record 2 is missing"),
        ("DELETE FROM chat_auditrecord WHERE sequence = 3", 3, "the newest records are missing"),
        ("TRUNCATE chat_auditrecord", 1, "the newest records are missing"),
        ("DELETE FROM chat_audithead", 4, "the newest records are missing"),
        (
            "UPDATE chat_auditrecord SET sequence = CASE sequence WHEN 1 THEN 20 ELSE 10 END WHERE sequence < 3;"
            "UPDATE chat_auditrecord SET sequence = sequence / 10 WHERE sequence > 3",
            1,
            "does not follow the record before it",
        ),
        (
            "UPDATE chat_auditrecord SET sequence = sequence + 10 WHERE sequence > 1;"
            "UPDATE chat_auditrecord SET sequence = sequence - 9 WHERE sequence > 10;"
            'INSERT INTO chat_auditrecord SELECT (jsonb_populate_record(r, \'{"sequence": 2, "id": -1}\')).*'
            " FROM chat_auditrecord r WHERE sequence = 1",
            2,
            "does not follow the record before it",
        ),
    ],
)
def test_tampering_is_named(house: House, statement: str, sequence: int, problem: str) -> None:
    chain(house)
    with superuser() as cursor:
        cursor.execute(statement)
    assert verify("--tenant", "aurora") == broken(house, sequence, problem)


OTHER = "has columns that differ from its body"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("id = id + 1000000", OTHER),
        ("id = -5", OTHER),
        ("tenant_id = gen_random_uuid()", "record 2 is missing"),
        ("sequence = 7", "record 2 is missing"),
        ("kind = 'uploaded'", OTHER),
        ("turn_id = gen_random_uuid()", OTHER),
        ("turn_id = NULL", OTHER),
        ("body = body || ' '", "was altered"),
        ("previous = repeat('0', 64)", "does not follow the record before it"),
        ("digest = repeat('0', 64)", "was altered"),
        ("created_at = created_at + interval '1 second'", OTHER),
        ("actor_id = 999999", OTHER),
        ("actor_email = ''", OTHER),
        ("summary = 'Another question'", OTHER),
        ("model = 'another-model'", OTHER),
        ("state = 'failed'", OTHER),
        ("verdict = ''", OTHER),
        ("offered = 9", OTHER),
        ("citations = 0", OTHER),
        ("unsupported = 5", OTHER),
        ("weak = 5", OTHER),
        ("uncited = 5", OTHER),
        ("rejected = '{\"malformed\": 1}'", OTHER),
        ("cited_documents = '{}'", OTHER),
        ("retrieval_ms = 1", OTHER),
        ("first_text_ms = NULL", OTHER),
        ("total_ms = 1", OTHER),
        ("words = NULL", OTHER),
        ("words = ts_delete(words, 'k=turn')", OTHER),
        ("words = words || 'u=1'::tsvector", OTHER),
        ("signature = 'abc'", "has a signature that none of our keys made"),
        ("signature = ''", "is not signed, though one before it is"),
    ],
)
def test_each_column_of_a_turns_record_is_guarded(
    house: House, settings: Settings, change: str, problem: str
) -> None:
    settings.AUDIT_KEYS = ["a secret key"]
    record(house, fact="earlier")
    handbook = put(house.open_shelf, "Handbook", "Leave is 30 days a year.")
    asked = answered_turn(house.stranger, handbook, "How many days?", "Leave is 30 days.^")
    record(house, fact="later")
    assert (asked.record.sequence, verify()[0]) == (2, 0)
    with superuser() as cursor:
        cursor.execute(f"UPDATE chat_auditrecord SET {change} WHERE sequence = 2")
    assert verify("--tenant", "aurora") == broken(house, 2, problem)


def test_no_column_is_left_out_of_that() -> None:
    columns = {field.column for field in AuditRecord._meta.get_fields() if hasattr(field, "column")}
    marks = test_each_column_of_a_turns_record_is_guarded.pytestmark  # type: ignore[attr-defined]  # pytest's
    [cases] = [mark.args[1] for mark in marks if mark.name == "parametrize"]
    assert columns == {change.split()[0] for change, _problem in cases}


@pytest.mark.parametrize(
    "body", ["{", "[]", "{}", '{"sequence":3,"kind":"turn","recorded_at":"x","offered":5}']
)
def test_a_body_that_cannot_be_read_is_named_and_stops_nothing(house: House, body: str) -> None:
    newest = chain(house)[-1]
    digest = audit.chain_digest(newest.previous, body)
    with superuser() as cursor:
        cursor.execute(
            "UPDATE chat_auditrecord SET body = %s, digest = %s WHERE sequence = 3", [body, digest]
        )
        cursor.execute("UPDATE chat_audithead SET digest = %s", [digest])
    code, said = verify()
    assert (code, said.partition(":")[0]) == (1, broken(house, 3, "")[1].partition(":")[0])


def test_a_chain_copied_from_another_tenant_is_named(house: House, neighbour: House) -> None:
    chain(neighbour)
    with superuser() as cursor:
        for table in ("chat_auditrecord", "chat_audithead"):
            cursor.execute(f"UPDATE {table} SET tenant_id = %s", [house.tenant.pk])
    assert verify("--tenant", "aurora") == broken(house, 1, "belongs to another tenant's chain")


@pytest.mark.parametrize(
    ("rows", "problem"), [(500, "record 4 is missing"), (3, "there are 4 records, not 3")]
)
def test_a_record_beside_the_chain_is_named(
    house: House, monkeypatch: pytest.MonkeyPatch, rows: int, problem: str
) -> None:
    # The package shows its function under the name of the module.
    monkeypatch.setattr(sys.modules["chat.audit.verify"], "ROWS_AT_ONCE", rows)
    chain(house)
    once = "audit_sequence_once_a_tenant"
    with superuser() as cursor:
        cursor.execute(f"ALTER TABLE chat_auditrecord DROP CONSTRAINT {once}")
        cursor.execute(
            "INSERT INTO chat_auditrecord SELECT (jsonb_populate_record(r, '{\"id\": -9}')).*"
            " FROM chat_auditrecord r WHERE sequence = 3"
        )
    said = verify()
    with superuser() as cursor:
        cursor.execute("DELETE FROM chat_auditrecord WHERE id = -9")
        cursor.execute(f"ALTER TABLE chat_auditrecord ADD CONSTRAINT {once} UNIQUE (tenant_id, sequence)")
    assert said == broken(house, 3, problem)


# --- Words beside the chain ----------------------------------------------------------------------------


def with_words(house: House, **texts: str) -> uuid.UUID:
    """Append a record of a document's words and return the document's id."""
    document_id = uuid.uuid4()
    hashes = {f"{name}_sha256": audit.sha256_of(text) for name, text in texts.items()}
    with transaction.atomic():
        audit.append(
            tenant_id=house.tenant.pk,
            kind="test",
            body={"document_id": str(document_id), **hashes},
            words=[audit.Words(name, document_id, text) for name, text in texts.items()],
        )
    return document_id


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE chat_audittext SET text = 'Wages' WHERE name = 'title'", "its words were altered (title)"),
        (
            "UPDATE chat_audittext SET text = CASE name WHEN 'title' THEN 'x.pdf' ELSE 'Salary Bands' END",
            "its words were altered (file_name)",
        ),
        ("UPDATE chat_audittext SET name = 'author' WHERE name = 'title'", "its words were altered (author)"),
        (
            "UPDATE chat_audittext SET document_id = gen_random_uuid() WHERE name = 'title'",
            "its words were given to another document (title)",
        ),
        (
            "DELETE FROM chat_audittext WHERE name = 'title'",
            "its words are missing (title), though their document was not purged",
        ),
    ],
)
def test_altered_words_are_named(house: House, statement: str, problem: str) -> None:
    chain(house, 1)
    with_words(house, file_name="x.pdf", title="Salary Bands")
    with superuser() as cursor:
        cursor.execute(statement)
    assert verify() == broken(house, 2, problem)


def test_words_of_a_purged_document_are_rightly_gone(house: House) -> None:
    document_id = with_words(house, title="Salary Bands")
    with transaction.atomic():
        change = Change(Kind.DOCUMENT_PURGED, house.tenant.pk, None, {}, document_id)
        record_change(change)
    assert AuditText.objects.count() == 0
    assert verify()[0] == 0


def test_words_without_a_record_are_named(house: House) -> None:
    chain(house, 1)
    with_words(house, title="Salary Bands")
    with superuser() as cursor:
        cursor.execute("UPDATE chat_audittext SET sequence = 9")
        cursor.execute("UPDATE chat_auditrecord SET body = replace(body, '_sha256', '') WHERE sequence = 9")
    assert verify()[0] == 1
    assert "its words are missing (title)" in verify()[1]


def test_the_first_break_of_each_tenant_is_named(house: House, neighbour: House) -> None:
    chain(house)
    chain(neighbour)
    with superuser() as cursor:
        cursor.execute("UPDATE chat_auditrecord SET body = '{}' WHERE sequence > 1")
    code, said = verify()
    assert code == 1
    assert sorted(said.splitlines()) == sorted(
        broken(one, 2, "was altered")[1].strip() for one in (house, neighbour)
    )
    assert verify("--tenant", "borealis") == broken(neighbour, 2, "was altered")


def test_a_chain_outlives_its_tenant(house: House) -> None:
    chain(house)
    tenant_id = str(house.tenant.pk)
    house.tenant.delete()
    assert AuditRecord.objects.count() == 3
    assert verify()[0] == 0
    assert verify("--tenant", tenant_id)[0] == 0
    with pytest.raises(CommandError, match="There is no tenant aurora"):
        verify("--tenant", "aurora")
