"""Walking a chain and naming the first record that breaks it."""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from django.conf import settings
from django.db.models import Model, OuterRef, QuerySet, Subquery

from chat.audit.chain import GENESIS, chain_digest, sha256_of
from chat.audit.columns import plain_columns
from chat.audit.signing import is_signed
from chat.models import AuditHead, AuditRecord, AuditText

_ROWS_AT_ONCE = 500
M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Break:
    """The first place where a tenant's chain doesn't hold."""

    tenant_id: uuid.UUID
    sequence: int
    problem: str


def verify(tenant_id: uuid.UUID) -> Break | None:
    """Walk a tenant's chain from its first record and return the first break, or None if it holds."""
    previous, expected, signed = GENESIS, 1, False
    for record in _piecewise(AuditRecord.objects.filter(tenant_id=tenant_id), by="sequence"):
        if problem := _problem(record, expected, previous, signed=signed):
            return Break(tenant_id, min(record.sequence, expected), problem)
        previous, expected, signed = record.digest, expected + 1, signed or bool(record.signature)
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


def _problem(record: AuditRecord, expected: int, previous: str, *, signed: bool) -> str:
    """Return what is wrong with a record; `signed` says that an earlier one of its chain was signed."""
    if record.sequence != expected:
        return f"record {expected} is missing"
    if problem := link_problem(record, previous):
        return problem
    return _wrong_signature(record, signed=signed) or _wrong_columns(record)


def link_problem(record: AuditRecord, previous: str | None) -> str:
    """Return what is wrong between a record and the one before it, whose digest is `previous` (None: there is none)."""
    if record.previous != (previous if record.sequence > 1 else GENESIS):
        return "does not follow the record before it"
    return "" if record.digest == chain_digest(record.previous, record.body) else "was altered"


def _wrong_signature(record: AuditRecord, *, signed: bool) -> str:
    if not record.signature:
        return "is not signed, though one before it is" if signed else ""
    if not settings.AUDIT_KEYS or is_signed(
        record.signature, record.tenant_id, record.sequence, record.digest
    ):
        return ""
    return "has a signature that none of our keys made"


def _wrong_columns(record: AuditRecord) -> str:
    body = json.loads(record.body)
    named = (body["sequence"], body["kind"], body.get("turn_id"), body["recorded_at"])
    turn_id = str(record.turn_id) if record.turn_id else None
    plain = plain_columns(body)
    plain["cited_documents"] = [uuid.UUID(str(one)) for one in _list(plain.get("cited_documents"))]
    different = [name for name, value in plain.items() if getattr(record, name) != value]
    if named != (record.sequence, record.kind, turn_id, record.created_at.isoformat()) or different:
        return "has columns that differ from its body"
    return ""


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
