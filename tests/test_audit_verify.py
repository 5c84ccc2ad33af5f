"""What a superuser may do to the audit chain, and how `verify_audit` names it."""

import io
import json
import sys
import uuid
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from pytest_django import Settings

from chat import audit
from chat.change_records import record as record_change
from chat.models import AuditRecord, AuditText
from citeweb.accounts.changes import Change, Kind
from tests.answering import answered_turn
from tests.audited import chain, record, superuser
from tests.conftest import House
from tests.documents import put

pytestmark = pytest.mark.django_db(transaction=True)


def verify(*arguments: str) -> tuple[int, str]:
    """Return the exit code and what the command said."""
    output = io.StringIO()
    try:
        call_command("verify_audit", *arguments, stdout=output)
    except SystemExit as exc:
        return int(str(exc.code)), output.getvalue()
    return 0, output.getvalue()


def broken(house: House, sequence: int, problem: str) -> tuple[int, str]:
    return 1, f"BROKEN tenant {house.tenant.pk}, record {sequence}: {problem}\n"


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


# --- A chain that was made anew holds; what was kept elsewhere tells -----------------------------------


def rewrite(house: House, *, from_sequence: int) -> None:
    """Alter a record and make everything after it fit, as somebody with the whole database could."""
    known = list(AuditRecord.objects.filter(tenant_id=house.tenant.pk).order_by("sequence"))
    previous = known[from_sequence - 2].digest
    with superuser() as cursor:
        for one in known[from_sequence - 1 :]:
            body = one.body.replace("آزمون", "")
            digest = audit.chain_digest(previous, body)
            cursor.execute(
                "UPDATE chat_auditrecord SET body = %s, previous = %s, digest = %s WHERE id = %s",
                [body, previous, digest, one.pk],
            )
            previous = digest
        cursor.execute("UPDATE chat_audithead SET digest = %s", [previous])


def kept_heads(path: Path) -> str:
    output = io.StringIO()
    call_command("audit_heads", stdout=output)
    path.write_text(output.getvalue())
    return str(path)


def test_heads_kept_elsewhere_tell_of_a_rewritten_chain(house: House, tmp_path: Path) -> None:
    chain(house)
    heads = kept_heads(tmp_path / "heads.jsonl")
    taken = json.loads(Path(heads).read_text())
    assert (taken["tenant"], taken["sequence"], taken["signature"]) == ("aurora", 3, "")
    record(house, fact="later")
    assert verify("--heads", heads)[0] == 0
    rewrite(house, from_sequence=2)
    assert verify() == (0, "The audit chain holds.\n")
    problem = f"is not the one that was the newest at {taken['taken_at']}"
    assert verify("--heads", heads) == broken(house, 3, problem)


def test_heads_kept_elsewhere_tell_of_a_lost_chain(house: House, tmp_path: Path) -> None:
    chain(house)
    heads = kept_heads(tmp_path / "heads.jsonl")
    with superuser() as cursor:
        cursor.execute("TRUNCATE chat_auditrecord; TRUNCATE chat_audithead")
    assert verify() == (0, "The audit chain holds.\n")
    assert verify("--heads", heads)[0] == 1


HEAD = {"tenant_id": "x", "tenant": "", "sequence": 1, "digest": "", "taken_at": "", "signature": ""}


@pytest.mark.parametrize("text", ["{}", "[1]", "x", json.dumps(HEAD), json.dumps({**HEAD, "sequence": "1"})])
def test_a_file_that_holds_no_heads_is_said(house: House, tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(CommandError, match="Can't read heads"):
        verify("--heads", str(tmp_path / "x"))


def test_a_key_tells_of_a_rewritten_chain(house: House, settings: Settings) -> None:
    settings.AUDIT_KEYS = ["a secret key"]
    chain(house)
    assert verify()[0] == 0
    rewrite(house, from_sequence=2)
    assert verify() == broken(house, 2, "has a signature that none of our keys made")


def test_a_record_that_lost_its_signature_is_named(house: House, settings: Settings) -> None:
    record(house, fact="before there was a key")
    settings.AUDIT_KEYS = ["a secret key"]
    chain(house)
    with superuser() as cursor:
        cursor.execute("UPDATE chat_auditrecord SET signature = '' WHERE sequence = 3")
    assert verify() == broken(house, 3, "is not signed, though one before it is")


def test_a_rewritten_chain_without_any_signature_is_named(house: House, settings: Settings) -> None:
    settings.AUDIT_KEYS = ["a secret key"]
    chain(house)
    rewrite(house, from_sequence=2)
    with superuser() as cursor:
        cursor.execute("UPDATE chat_auditrecord SET signature = ''")
    assert verify() == broken(house, 3, "is the newest and not signed, though there is a key")


def test_it_is_said_from_which_record_on_a_chain_is_signed(house: House, settings: Settings) -> None:
    chain(house)
    settings.AUDIT_KEYS = ["a secret key"]
    record(house, fact="signed")
    code, said = verify()
    assert code == 0
    assert f"Tenant {house.tenant.pk}: signed from record 4 on" in said


def test_a_kept_head_that_was_altered_is_named(house: House, settings: Settings, tmp_path: Path) -> None:
    settings.AUDIT_KEYS = ["a secret key"]
    chain(house)
    path = Path(kept_heads(tmp_path / "heads.jsonl"))
    assert verify("--heads", str(path))[0] == 0
    head = json.loads(path.read_text())
    path.write_text(json.dumps({**head, "sequence": 2}))
    problem = "the kept head was altered: its signature is not ours"
    assert verify("--heads", str(path)) == broken(house, 2, problem)


def test_an_earlier_key_still_verifies(house: House, settings: Settings) -> None:
    settings.AUDIT_KEYS = ["old"]
    first = record(house, fact="x")
    settings.AUDIT_KEYS = ["new", "old"]
    second = record(house, fact="y")
    assert first.signature.split(":")[0] != second.signature.split(":")[0]
    assert verify()[0] == 0
    settings.AUDIT_KEYS = ["new"]
    assert verify() == broken(house, 1, "has a signature that none of our keys made")
