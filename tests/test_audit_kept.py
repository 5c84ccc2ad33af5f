"""A chain that was made anew holds; what was kept elsewhere, heads or a key, tells."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from chat import audit
from chat.models import AuditRecord
from tests.audited import broken, chain, record, superuser, verify
from tests.conftest import House

pytestmark = pytest.mark.django_db(transaction=True)


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
