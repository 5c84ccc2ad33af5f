"""What a superuser may do to the audit chain, and how `verify_audit` names it."""

import io
import json
import uuid
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from pytest_django import Settings

from chat import audit
from chat.models import AuditRecord
from tests.audited import chain, record, superuser
from tests.conftest import House

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


def test_altered_words_are_named(house: House) -> None:
    chain(house, 1)
    words = [audit.Words("title", uuid.uuid4(), "Salary Bands")]
    with transaction.atomic():
        body = {"title_sha256": audit.sha256_of("Salary Bands")}
        audit.append(tenant_id=house.tenant.pk, kind="test", body=body, words=words)
    with superuser() as cursor:
        cursor.execute("UPDATE chat_audittext SET text = 'Wages'")
    assert verify() == broken(house, 2, "its words were altered (title)")


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


def test_a_file_that_holds_no_heads_is_said(house: House, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("{}")
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


def test_an_earlier_key_still_verifies(house: House, settings: Settings) -> None:
    settings.AUDIT_KEYS = ["old"]
    first = record(house, fact="x")
    settings.AUDIT_KEYS = ["new", "old"]
    second = record(house, fact="y")
    assert first.signature.split(":")[0] != second.signature.split(":")[0]
    assert verify()[0] == 0
    settings.AUDIT_KEYS = ["new"]
    assert verify() == broken(house, 1, "has a signature that none of our keys made")
