"""Writing to the chain. The database checks each link itself and lets none be changed (migration chat/0007)."""

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import connection, transaction
from django.utils import timezone

from chat.audit.columns import columns_of
from chat.audit.signing import sign
from chat.models import AuditRecord, AuditText
from sources.permissions import purged_documents_as_system

GENESIS = "0" * 64


def canonical_json(body: Mapping[str, object]) -> str:
    """Return the one JSON text of a body: sorted keys, no white space, UTF-8 characters as they are."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def chain_digest(previous: str, body: str) -> str:
    """Return the hexadecimal SHA-256 that binds a body to all records before it."""
    return hashlib.sha256(f"{previous}\n{body}".encode()).hexdigest()


def sha256_of(text: str) -> str:
    """Return the hexadecimal SHA-256 under which a record knows words."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a document that a record refers to; the record itself keeps only their hash."""

    name: str
    document_id: uuid.UUID
    text: str


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
    # Before the lock: the words of a long answer take milliseconds, and others wait behind it.
    columns = columns_of(tenant_id, {**body, "kind": kind})
    before, previous = _lock_head(tenant_id)
    now, sequence = timezone.now(), before + 1
    # Whose it is stands in what is hashed: a chain can't be passed off as another tenant's.
    itself = {"tenant_id": str(tenant_id), "sequence": sequence, "recorded_at": now.isoformat()}
    whole = {**body, "kind": kind, **itself}
    text = canonical_json(whole)
    digest = chain_digest(previous, text)
    record = AuditRecord.objects.create(
        tenant_id=tenant_id,
        sequence=sequence,
        kind=kind,
        turn_id=turn_id,
        body=text,
        previous=previous,
        digest=digest,
        signature=sign(tenant_id, sequence, digest),
        created_at=now,
        **columns,
    )
    AuditText.objects.bulk_create(
        AuditText(
            tenant_id=tenant_id,
            sequence=sequence,
            name=word.name,
            document_id=word.document_id,
            text=word.text,
        )
        for word in _kept(list(words))
    )
    return record


def _kept(words: list[Words]) -> list[Words]:
    """Leave out the words of documents purged meanwhile; a purge that is under way queues behind this record."""
    purged = purged_documents_as_system({word.document_id for word in words}) if words else set()
    return [word for word in words if word.document_id not in purged]


def forget(*, tenant_id: uuid.UUID, document_id: uuid.UUID) -> None:
    """Take away the words of a document that is purged; the records keep their hashes."""
    AuditText.objects.filter(tenant_id=tenant_id, document_id=document_id).delete()


def _lock_head(tenant_id: uuid.UUID) -> tuple[int, str]:
    """Return the newest record's number and digest; writers of one tenant queue here until they commit."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT sequence, digest FROM chat_audit_lock_head(%s)", [tenant_id])
        sequence, digest = cursor.fetchone()
        return int(sequence), str(digest)
