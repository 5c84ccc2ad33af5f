"""The audit for programs of auditors: the records of their tenant, and all of one. Reading is itself recorded."""

import uuid
from typing import Literal

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Query, Router
from pydantic import BaseModel, Field

from chat.api.caller import ApiKeyAuth, Caller, caller_of
from chat.api.citation_objects import Json
from chat.api.errors import forbidden, invalid, not_found, unknown_parameter
from chat.api.listing import listed
from chat.api.schemas import AuditRecordList, WholeAuditRecord
from chat.audit.access import Seat, asks_reason
from chat.audit.export import rows_of
from chat.audit.forms import FilterForm, ReasonForm
from chat.audit.record_view import chain_state
from chat.audit.search import Wanted, find, find_newer
from chat.audit.views import about
from chat.models import AuditRecord
from citeweb.accounts.models import Scope

router = Router(tags=["Audit"], auth=ApiKeyAuth(Scope.AUDIT))
_REASON = "Why the records are read; asked for where the organisation wants to know, and kept in its audit."


class Filters(BaseModel):
    """Which records, as on the audit's page, and which part of their list."""

    limit: int = Field(20, ge=1, le=100)
    after: str | None = Field(None, description="Go on behind the record with this id.")
    order: Literal["asc", "desc"] = Field("desc", description="desc: the newest first.")
    reason: str | None = Field(None, description=_REASON)
    q: str | None = Field(None, description="Words of the question, the answer or the passages.")
    kind: str | None = Field(None, description="turn (left out: turn), any, or another kind of record.")
    since: str | None = Field(None, description="The first day, as 2026-01-31.")
    until: str | None = Field(None, description="The last day.")
    user: str | None = Field(None, description="A person's e-mail address.")
    model: str | None = None
    state: str | None = Field(None, description="complete, cut, stopped, interrupted or failed.")
    verdict: str | None = Field(None, description="supported, weak, unsupported, or none: no citation.")
    rejected: str | None = Field(None, description="any, or the reason why a marker was rejected.")
    claims: str | None = Field(None, description="uncited: something is stated and nothing cited.")
    collection: str | None = Field(None, description="A collection's id, as a UUID.")
    document: str | None = Field(None, description="A document's id, as a UUID, or a part of its title.")
    version: str | None = Field(None, description="The id of a version that is cited.")
    review: str | None = Field(None, description="A document's id: answers that cite an earlier version.")


_PAGING = {"limit", "after", "order", "reason"}


class Why(BaseModel):
    """Why one record is read."""

    reason: str | None = Field(None, description=_REASON)


@router.get(
    "/records", summary="List audit records", operation_id="listAuditRecords", response=AuditRecordList
)
def list_records(request: HttpRequest, query: Query[Filters]) -> HttpResponse:
    """List the records that the filters let through, without their bodies. For auditors."""
    caller = caller_of(request)
    if unknown := sorted(set(request.GET) - set(Filters.model_fields)):
        # A misspelt filter would let everything through.
        raise unknown_parameter(unknown[0])
    seat = _seat(caller, query.reason)
    with seat.acting():
        form = FilterForm(seat, query.model_dump(exclude=_PAGING, exclude_none=True))
        wanted = _wanted(form)
        start = _place(query.after, seat) if query.after else None
        found = _part(wanted, seat, start, query)
        shown = found[: query.limit]
        seat.note(
            "audit_listed",
            filters=form.as_record(),
            before=start if query.order == "desc" else None,
            after=start if query.order == "asc" else None,
            shown=len(shown),
            request_id=caller.request_id,
        )
    return JsonResponse(listed(list(map(_line, shown)), has_more=len(found) > query.limit))


@router.get(
    "/records/{record_id}",
    summary="Fetch one audit record",
    operation_id="getAuditRecord",
    response=WholeAuditRecord,
)
def get_record(request: HttpRequest, record_id: str, query: Query[Why]) -> HttpResponse:
    """Return all of a record: the text that was hashed, the words beside it, and its state in the chain."""
    caller = caller_of(request)
    seat = _seat(caller, query.reason)
    with seat.acting():
        record = _record(record_id, seat)
        if record is None:
            raise not_found("audit record", record_id, "record_id")
        (row,) = rows_of([record.pk])
        chain = chain_state(row.record)
        seat.note("audit_read", tenant_ids=[record.tenant_id], **about(record), request_id=caller.request_id)
    whole = {
        **_line(row.record),
        "previous": row.record.previous,
        "digest": row.record.digest,
        "signature": row.record.signature,
        "body": row.record.body,
        "words": row.words,
        "chain": {"holds": chain.holds, "text": chain.text},
    }
    return JsonResponse(whole)


def _seat(caller: Caller, reason: str | None) -> Seat:
    """Return the seat of a caller who may audit the key's tenant, and no other. Raises ApiError."""
    is_staff = caller.user.is_staff
    if not (caller.place.may_audit or is_staff):
        raise forbidden("Only auditors may read the audit.")
    seat = Seat(caller.user, caller.tenant, is_staff=is_staff, audits=True, reason=(reason or "").strip())
    if seat.reason or asks_reason(seat):
        form = ReasonForm({"reason": seat.reason})
        for messages in form.errors.values():
            raise invalid(f"Say why you read the audit: {messages[0]}", "reason", "reason_required")
    return seat


def _wanted(form: FilterForm) -> Wanted:
    for name, messages in form.errors.items():
        raise invalid(f"Invalid value for '{name}': {messages[0]}", name, "invalid_value")
    return form.wanted()


def _part(wanted: Wanted, seat: Seat, start: int | None, query: Filters) -> list[AuditRecord]:
    """Return one record more than a page has, in the order asked for."""
    most = query.limit + 1
    if query.order == "desc":
        return find(wanted, tenant_id=seat.tenant_id, before=start, most=most)
    return find_newer(wanted, tenant_id=seat.tenant_id, after=start or 0, most=most)[::-1]


def _place(after: str, seat: Seat) -> int:
    record = _record(after, seat)
    if record is None:
        raise not_found("audit record", after, "after")
    return record.pk


def _record(given: str, seat: Seat) -> AuditRecord | None:
    """Return the record with a public id, if it is of the seat's tenant."""
    assert seat.tenant is not None, "a key is of one tenant"
    prefix, _dash, number = given.rpartition("-")
    is_number = number.isascii() and number.isdigit() and len(number) < 19
    if not is_number or prefix != _prefix(seat.tenant.pk):
        return None
    return AuditRecord.objects.filter(tenant_id=seat.tenant.pk, sequence=int(number)).first()


def record_id(tenant_id: uuid.UUID, sequence: int) -> str:
    """Return the id of a record as programs see it."""
    return f"{_prefix(tenant_id)}-{sequence}"


def _prefix(tenant_id: uuid.UUID) -> str:
    return f"audit_{tenant_id.hex}"


def _line(record: AuditRecord) -> Json:
    return {
        "id": record_id(record.tenant_id, record.sequence),
        "object": "audit.record",
        "sequence": record.sequence,
        "created_at": int(record.created_at.timestamp()),
        "kind": record.kind,
        "actor_id": record.actor_id,
        "actor_email": record.actor_email,
        "summary": record.summary,
        "turn_id": str(record.turn_id) if record.turn_id else None,
        "model": record.model or None,
        "state": record.state or None,
        "verdict": record.verdict or None,
        "offered": record.offered,
        "citations": record.citations,
        "unsupported": record.unsupported,
        "weak": record.weak,
        "uncited": record.uncited,
        "rejected": record.rejected,
        "cited_documents": [str(one) for one in record.cited_documents],
        "total_ms": record.total_ms,
    }
