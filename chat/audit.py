"""The audit chain: one append-only, hash-chained sequence of records for each tenant."""

import hashlib
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.db import transaction
from django.db.models import Model, OuterRef, QuerySet, Subquery
from django.utils import timezone

from chat.models import AuditHead, AuditRecord, AuditText

GENESIS = "0" * 64
_ROWS_AT_ONCE = 500
M = TypeVar("M", bound=Model)


def canonical_json(body: Mapping[str, object]) -> str:
    """Return the one JSON text of a body: sorted keys, no white space, UTF-8 characters as they are."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def chain_digest(previous: str, body: str) -> str:
    """Return the hexadecimal SHA-256 that binds a body to all records before it."""
    return hashlib.sha256(f"{previous}\n{body}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a document that a record refers to; the record itself keeps only their hash."""

    name: str
    document_id: uuid.UUID
    text: str


def sha256_of(text: str) -> str:
    """Return the hexadecimal SHA-256 under which a record knows words."""
    return hashlib.sha256(text.encode()).hexdigest()


def append(
    *,
    tenant_id: uuid.UUID,
    kind: str,
    body: Mapping[str, object],
    turn_id: uuid.UUID | None = None,
    words: Iterable[Words] = (),
) -> AuditRecord:
    """Append a record inside the caller's transaction, so that a change and its proof stand or fall together.

    `words` are kept beside the chain until their document is purged.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("an audit record belongs into its change's transaction")
    AuditHead.objects.get_or_create(tenant_id=tenant_id)
    # The lock makes writers of one tenant queue here, so that no two records follow the same one.
    head = AuditHead.objects.select_for_update().get(tenant_id=tenant_id)
    now = timezone.now()
    sequence = head.sequence + 1
    text = canonical_json({**body, "kind": kind, "sequence": sequence, "recorded_at": now.isoformat()})
    record = AuditRecord.objects.create(
        tenant_id=tenant_id,
        sequence=sequence,
        kind=kind,
        turn_id=turn_id,
        body=text,
        previous=head.digest,
        digest=chain_digest(head.digest, text),
        created_at=now,
    )
    head.sequence, head.digest = record.sequence, record.digest
    head.save(update_fields=["sequence", "digest"])
    AuditText.objects.bulk_create(
        AuditText(
            tenant_id=tenant_id,
            sequence=sequence,
            name=word.name,
            document_id=word.document_id,
            text=word.text,
        )
        for word in words
    )
    return record


def forget(*, tenant_id: uuid.UUID, document_id: uuid.UUID) -> None:
    """Take away the words of a document that is purged; the records keep their hashes."""
    AuditText.objects.filter(tenant_id=tenant_id, document_id=document_id).delete()


@dataclass(frozen=True, slots=True)
class Break:
    """The first place where a tenant's chain doesn't hold."""

    tenant_id: uuid.UUID
    sequence: int
    problem: str


def verify(tenant_id: uuid.UUID) -> Break | None:
    """Walk a tenant's chain from its first record and return the first break, or None if it holds."""
    previous, expected = GENESIS, 1
    for record in _piecewise(AuditRecord.objects.filter(tenant_id=tenant_id), by="sequence"):
        if problem := _problem(record, expected, previous):
            return Break(tenant_id, min(record.sequence, expected), problem)
        previous, expected = record.digest, expected + 1
    head = AuditHead.objects.filter(tenant_id=tenant_id).first()
    if (head.sequence, head.digest) != (expected - 1, previous) if head else expected > 1:
        return Break(tenant_id, expected, "the newest records are missing")
    return _altered_words(tenant_id)


def _altered_words(tenant_id: uuid.UUID) -> Break | None:
    """Find words beside the chain that are not those of their record's hash."""
    record = AuditRecord.objects.filter(tenant_id=tenant_id, sequence=OuterRef("sequence"))
    kept = AuditText.objects.filter(tenant_id=tenant_id).annotate(body=Subquery(record.values("body")[:1]))
    for word in _piecewise(kept, by="pk"):
        if sha256_of(word.text) not in (word.body or ""):  # type: ignore[attr-defined]  # the annotation above
            return Break(tenant_id, word.sequence, f"its words were altered ({word.name})")
    return None


def _piecewise(rows: QuerySet[M], *, by: str) -> Iterator[M]:
    """Yield rows in order, some hundred at a time: a chain may be larger than the memory."""
    last = -1
    while piece := list(rows.filter(**{f"{by}__gt": last}).order_by(by)[:_ROWS_AT_ONCE]):
        yield from piece
        last = getattr(piece[-1], by)


def _problem(record: AuditRecord, expected: int, previous: str) -> str:
    if record.sequence != expected:
        return f"record {expected} is missing"
    if record.previous != previous:
        return "does not follow the record before it"
    if record.digest != chain_digest(previous, record.body):
        return "was altered"
    body = json.loads(record.body)
    named = (body["sequence"], body["kind"], body.get("turn_id"))
    if named != (record.sequence, record.kind, str(record.turn_id) if record.turn_id else None):
        return "has columns that differ from its body"
    return ""
