"""The audit chain and what breaks it."""

import json
import uuid

import pytest
from django.db import connection, transaction

from chat import audit
from chat.models import AuditHead, AuditRecord, AuditText
from tests.conftest import House

pytestmark = pytest.mark.django_db


def record(house: House, **body: object) -> AuditRecord:
    with transaction.atomic():
        return audit.append(tenant_id=house.tenant.pk, kind="test", body=body)


def chain(house: House, length: int = 3) -> list[AuditRecord]:
    return [record(house, fact=f"n° {number} ‌آزمون") for number in range(1, length + 1)]


def test_it_works(house: House) -> None:
    first, second, third = chain(house)
    assert (first.previous, second.previous, third.previous) == (audit.GENESIS, first.digest, second.digest)
    assert audit.verify(house.tenant.pk) is None


def test_an_empty_chain_holds(house: House) -> None:
    assert audit.verify(house.tenant.pk) is None


def test_tenants_have_chains_of_their_own(house: House, neighbour: House) -> None:
    chain(house)
    assert record(neighbour, fact="x").sequence == 1


def test_an_altered_body_is_named(house: House) -> None:
    chain(house)
    AuditRecord.objects.filter(sequence=2).update(body=json.dumps({"sequence": 2, "kind": "test"}))
    assert audit.verify(house.tenant.pk) == audit.Break(house.tenant.pk, 2, "was altered")


def test_a_column_that_differs_from_the_body_is_named(house: House) -> None:
    chain(house)
    AuditRecord.objects.filter(sequence=3).update(kind="other")
    assert audit.verify(house.tenant.pk) == audit.Break(
        house.tenant.pk, 3, "has columns that differ from its body"
    )


def test_a_missing_record_is_named(house: House) -> None:
    chain(house)
    AuditRecord.objects.filter(sequence=2).delete()
    assert audit.verify(house.tenant.pk) == audit.Break(house.tenant.pk, 2, "record 2 is missing")


def test_a_cut_end_is_noticed(house: House) -> None:
    chain(house)
    AuditRecord.objects.filter(sequence=3).delete()
    assert audit.verify(house.tenant.pk) == audit.Break(house.tenant.pk, 3, "the newest records are missing")


def test_a_whole_lost_chain_is_noticed(house: House) -> None:
    chain(house)
    AuditRecord.objects.all().delete()
    assert audit.verify(house.tenant.pk) is not None
    AuditHead.objects.all().delete()
    assert (
        audit.verify(house.tenant.pk) is None
    )  # nothing is left that could tell: outside copies of heads do


def test_swapped_records_are_noticed(house: House) -> None:
    chain(house)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE chat_auditrecord SET sequence = CASE sequence WHEN 1 THEN 20 ELSE 10 END WHERE sequence < 3"
        )
        cursor.execute("UPDATE chat_auditrecord SET sequence = sequence / 10 WHERE sequence > 3")
    assert audit.verify(house.tenant.pk) == audit.Break(
        house.tenant.pk, 1, "does not follow the record before it"
    )


def _with_words(house: House, document_id: uuid.UUID) -> AuditRecord:
    words = [audit.Words("title", document_id, "Salary Bands")]
    with transaction.atomic():
        return audit.append(
            tenant_id=house.tenant.pk,
            kind="test",
            body={"title_sha256": audit.sha256_of("Salary Bands")},
            words=words,
        )


def test_words_stand_beside_the_chain_until_their_document_is_purged(house: House) -> None:
    document_id = uuid.uuid4()
    record = _with_words(house, document_id)
    _with_words(house, uuid.uuid4())
    assert "Salary" not in record.body
    audit.forget(tenant_id=house.tenant.pk, document_id=document_id)
    assert [text.sequence for text in AuditText.objects.all()] == [2]
    assert audit.verify(house.tenant.pk) is None


def test_altered_words_are_named(house: House) -> None:
    chain(house, 1)
    _with_words(house, uuid.uuid4())
    AuditText.objects.update(text="Wages")
    assert audit.verify(house.tenant.pk) == audit.Break(house.tenant.pk, 2, "its words were altered (title)")


@pytest.mark.django_db(transaction=True)
def test_a_record_needs_its_changes_transaction(house: House) -> None:
    with pytest.raises(transaction.TransactionManagementError):
        audit.append(tenant_id=house.tenant.pk, kind="test", body={})
