"""Exports: a list as a stream, a dossier, and the page with their checksums."""

import hashlib
import uuid
from pathlib import Path

from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from chat.audit.access import Seat, audit_page
from chat.audit.evidence import Evidence
from chat.audit.export import FORMATS, Export
from chat.audit.forms import FilterForm
from chat.audit.parts import Part
from chat.audit.search import Wanted, any_of, find
from chat.audit.views import about, record_for, seat_context, view_of
from chat.turn_view import safe_html

LISTED = 100


@require_POST
@audit_page
def export(request: HttpRequest, seat: Seat) -> StreamingHttpResponse:
    """Send all records that the filters let through, as JSON lines or CSV."""
    form, wanted = FilterForm(seat, request.POST), request.POST.get("format", "")
    if wanted not in FORMATS or not form.is_valid():
        raise Http404
    made = Export(seat, form.wanted(), wanted, form.as_record(tenants=len(seat.tenants())))
    made.begin()
    response = StreamingHttpResponse(made.pieces(), content_type=f"{FORMATS[wanted]}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{made.file_name}"'
    response["X-Accel-Buffering"] = "no"
    return response


@require_safe
@audit_page
def dossier(request: HttpRequest, seat: Seat, tenant_id: uuid.UUID, sequence: int) -> HttpResponse:
    """Send all of one record as a page of its own, to be kept, printed or handed on."""
    found = record_for(seat, tenant_id, sequence)
    context = {
        "view": view_of(found, whole=True),
        "style": safe_html(f"<style>{_style()}</style>"),
        "by": seat.user.email,
        "now": timezone.now(),
    }
    page = render_to_string("audit/dossier.html", context).encode()
    name = f"audit-record-{sequence}.html"
    checksum = {"bytes": len(page), "rows": 1, "sha256": hashlib.sha256(page).hexdigest()}
    seat.note(
        "audit_exported",
        tenant_ids=[tenant_id],
        export_id=uuid.uuid4().hex,
        format="dossier",
        file_name=name,
        **about(found),
        **checksum,
    )
    response = HttpResponse(page, content_type="text/html; charset=utf-8")
    # Never shown inside our own origin: it holds what people and documents wrote.
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
@audit_page
def exports(request: HttpRequest, seat: Seat) -> HttpResponse:
    """List the exports that came to their end, with their checksums."""
    wanted = Wanted(marks=(any_of("k", ["audit_exported"]),))
    found = find(wanted, tenant_id=seat.tenant_id, most=LISTED + 1)
    rows = [{"record": record, "body": Evidence.of(record).body} for record in found[:LISTED]]
    context = {"rows": Part(rows, len(rows), open_end=len(found) > LISTED), **seat_context(seat, "exports")}
    return render(request, "audit/exports.html", context)


@require_safe
@audit_page
def checksum(request: HttpRequest, seat: Seat, tenant_id: uuid.UUID, sequence: int) -> HttpResponse:
    """Send an export's checksum as `sha256sum -c` takes it."""
    found = record_for(seat, tenant_id, sequence)
    if found.kind != "audit_exported":
        raise Http404
    body = Evidence.of(found).body
    response = HttpResponse(
        f"{body['sha256']}  {body['file_name']}\n", content_type="text/plain; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{body["file_name"]}.sha256"'
    return response


def _style() -> str:
    path = finders.find("css/dossier.css")
    assert isinstance(path, str)
    return Path(path).read_text()
