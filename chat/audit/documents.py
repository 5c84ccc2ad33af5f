"""Who saw a document, and which answers rest on which of its versions."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from chat.audit.access import Seat, audit_page
from chat.audit.parts import Part
from chat.audit.search import Wanted, any_of, find, find_ids
from chat.audit.tries import DOCUMENT, ORIGINAL, PASSAGE, REFUSED
from chat.audit.views import row_of, seat_context
from chat.models import AuditRecord
from sources.models import Document, Version
from sources.permissions import audited_documents, audited_versions

# As many of the newest records are looked through; the page says so where there are more.
MOST_RECORDS = 5_000
MOST_ANSWERS = 1_000
LISTED = 50
_OPENED = frozenset({PASSAGE, DOCUMENT, ORIGINAL, "passages_found"})


@dataclass(slots=True)
class Reader:
    """What one person saw of a document: in answers that cite it, that were offered it, and by opening it."""

    email: str
    cited: int = 0
    offered: int = 0
    opened: int = 0
    refused: int = 0
    first: datetime | None = None
    last: datetime | None = None


@dataclass(slots=True)
class Use:
    """How often a version is cited; `more` says that there are more answers than were counted."""

    version: Version
    answers: int
    more: bool
    is_current: bool


@dataclass(slots=True)
class DocumentAudit:
    """What the page shows."""

    readers: list[Reader] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    to_review: Part[dict[str, object]] = field(default_factory=lambda: Part((), 0))
    cut: bool = False


@require_safe
@audit_page
def document(request: HttpRequest, seat: Seat, document_id: uuid.UUID) -> HttpResponse:
    """Show who saw a document and what rests on it; also one that is deleted, while its records speak of it."""
    found = audited_documents(user=seat.user, tenant=seat.tenant).filter(pk=document_id).first()
    touched = find(_about(document_id), tenant_id=seat.tenant_id, most=MOST_RECORDS + 1)
    if found is None and not touched:
        raise Http404
    tenants = {found.tenant_id} if found else {record.tenant_id for record in touched}
    seat.note("audit_document_read", tenant_ids=tenants, about_document_id=str(document_id))
    context = {
        "document": found,
        "document_id": document_id,
        "audit": audit_of(seat, document_id, found, touched),
        **seat_context(seat, "records"),
    }
    return render(request, "audit/document.html", context)


def audit_of(
    seat: Seat, document_id: uuid.UUID, found: Document | None, touched: list[AuditRecord]
) -> DocumentAudit:
    """Gather it from the records that touched the document."""
    uses = _uses(seat, found) if found else []
    return DocumentAudit(
        readers=readers_of(document_id, touched[:MOST_RECORDS]),
        uses=uses,
        to_review=_to_review(seat, uses),
        cut=len(touched) > MOST_RECORDS,
    )


def _to_review(seat: Seat, uses: list[Use]) -> Part[dict[str, object]]:
    """Return the newest answers that cite an earlier version; the list by `review` has all of them."""
    earlier = [use.version.pk for use in uses if use.answers and not use.is_current]
    if not earlier:
        return Part((), 0)
    wanted = Wanted(marks=(any_of("cv", earlier),))
    # An answer that cites two of them is one answer.
    total = len(find_ids(wanted, tenant_id=seat.tenant_id, most=MOST_ANSWERS + 1))
    shown = [row_of(record) for record in find(wanted, tenant_id=seat.tenant_id, most=LISTED)]
    return Part(shown, min(total, MOST_ANSWERS), open_end=total > MOST_ANSWERS)


def readers_of(document_id: uuid.UUID, touched: Iterable[AuditRecord]) -> list[Reader]:
    """Return who saw the document, the last first."""
    readers: dict[str, Reader] = {}
    for record in touched:
        what = _what(document_id, record)
        if what:
            reader = readers.setdefault(record.actor_email, Reader(record.actor_email))
            setattr(reader, what, getattr(reader, what) + 1)
            reader.last = reader.last or record.created_at
            reader.first = record.created_at
    return list(readers.values())


def _what(document_id: uuid.UUID, record: AuditRecord) -> str:
    if record.kind == "turn":
        return "cited" if document_id in record.cited_documents else "offered"
    if record.kind in _OPENED:
        return "opened"
    return "refused" if record.kind == REFUSED else ""


def _about(document_id: uuid.UUID) -> Wanted:
    return Wanted(marks=(any_of("d", [document_id]),))


def _uses(seat: Seat, found: Document) -> list[Use]:
    versions = audited_versions(user=seat.user, tenant=seat.tenant).filter(document=found)
    return [
        _use(seat, version, is_current=version.pk == found.current_version_id)
        for version in versions.only("pk", "number", "created_at", "document_id").order_by("-number")
    ]


def _use(seat: Seat, version: Version, *, is_current: bool) -> Use:
    wanted = Wanted(marks=(any_of("cv", [version.pk]),))
    answers = len(find_ids(wanted, tenant_id=seat.tenant_id, most=MOST_ANSWERS + 1))
    return Use(version, min(answers, MOST_ANSWERS), answers > MOST_ANSWERS, is_current)
