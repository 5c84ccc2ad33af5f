"""`/audit/`: the list of records, one record, and why somebody looks."""

import uuid
from collections.abc import Sequence

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_safe

from chat.audit.access import Seat, asks_reason, audit_page, give_reason, seat_of
from chat.audit.evidence import Evidence
from chat.audit.forms import FilterForm, ReasonForm
from chat.audit.record_view import RecordView
from chat.audit.search import PAGE, find
from chat.audit.wording import STATES, VERDICTS, kind_words
from chat.models import AuditRecord
from citeweb.accounts.models import Tenant


@require_safe
@audit_page
def records(request: HttpRequest, seat: Seat) -> HttpResponse:
    """List the records that the filters let through, the newest first."""
    form = FilterForm(seat, request.GET)
    before = request.GET.get("before", "")
    place = int(before) if before.isascii() and before.isdigit() and len(before) < 19 else None
    found = find(form.wanted(), tenant_id=seat.tenant_id, before=place, most=PAGE + 1)
    shown, more = found[:PAGE], len(found) > PAGE
    seat.note(
        "audit_listed",
        tenant_ids={record.tenant_id for record in shown},
        filters=form.as_record(),
        before=place,
        shown=len(shown),
    )
    context = {
        "form": form,
        "rows": [row_of(record) for record in shown],
        "names": _names(seat, shown),
        "older": _address(request.GET, before=str(shown[-1].pk)) if more else "",
        "newest": _address(request.GET, before="") if place is not None else "",
        "filters": _address(request.GET, before=""),
        **seat_context(seat, "records"),
    }
    return render(request, "audit/list.html", context)


@require_safe
@audit_page
def record(request: HttpRequest, seat: Seat, tenant_id: uuid.UUID, sequence: int) -> HttpResponse:
    """Show all of one record."""
    found = record_for(seat, tenant_id, sequence)
    seat.note("audit_read", tenant_ids=[tenant_id], **about(found))
    chain = AuditRecord.objects.filter(tenant_id=tenant_id)
    context = {
        "view": view_of(found),
        "previous": chain.filter(sequence=sequence - 1).exists(),
        "next": chain.filter(sequence=sequence + 1).exists(),
        **seat_context(seat, "records"),
    }
    return render(request, "audit/record.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def reason(request: HttpRequest) -> HttpResponse:
    """Ask an auditor or staff why they look, where the tenant wants to know."""
    seat = seat_of(request)
    if seat is None:
        raise Http404
    with seat.acting():
        if not asks_reason(seat):
            return redirect("audit:records" if seat.audits else "audit:quality")
        form = ReasonForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            give_reason(request, form.cleaned_data["reason"])
            seat.note("audit_reason", reason=form.cleaned_data["reason"])
            return redirect(_own(request.POST.get("next", "")))
        context = {"form": form, "next": request.GET.get("next", request.POST.get("next", ""))}
        return render(request, "audit/reason.html", {**context, **seat_context(seat, "")})


def record_for(seat: Seat, tenant_id: uuid.UUID, sequence: int) -> AuditRecord:
    """Return a record that may be seen from this seat. Raises Http404."""
    if seat.tenant_id not in (None, tenant_id):
        raise Http404
    found = AuditRecord.objects.filter(tenant_id=tenant_id, sequence=sequence).first()
    if found is None:
        raise Http404
    return found


def view_of(found: AuditRecord) -> RecordView:
    """Return what a page shows of a record."""
    return RecordView(Evidence.of(found), Tenant.objects.filter(pk=found.tenant_id).first())


def about(found: AuditRecord) -> dict[str, object]:
    """Return what the record of a look says about the record that was looked at."""
    return {
        "record_sequence": found.sequence,
        "record_kind": found.kind,
        "about_turn_id": str(found.turn_id) if found.turn_id else None,
    }


def row_of(found: AuditRecord) -> dict[str, object]:
    """Return what a line of a list shows."""
    return {
        "record": found,
        "kind": kind_words(found.kind),
        "state": STATES.get(found.state, found.state),
        "verdict": VERDICTS.get(found.verdict, ""),
        "rejected": sum(found.rejected.values()),
    }


def seat_context(seat: Seat, part: str) -> dict[str, object]:
    """Return what every page of the audit needs: where one is, and which tenants there are for staff."""
    return {
        "section": "audit",
        "part": part,
        "seat": seat,
        "seat_tenants": list(Tenant.objects.order_by("name")) if seat.is_staff else [],
    }


def _names(seat: Seat, shown: Sequence[AuditRecord]) -> dict[uuid.UUID, str]:
    """Return the names of the tenants in a list over all of them."""
    if seat.tenant is not None:
        return {}
    return dict(Tenant.objects.filter(pk__in={one.tenant_id for one in shown}).values_list("pk", "name"))


def _address(query: QueryDict, **changes: str) -> str:
    changed = query.copy()
    for name, value in changes.items():
        changed.pop(name, None)
        if value:
            changed[name] = value
    return changed.urlencode()


def _own(address: str) -> str:
    return address if url_has_allowed_host_and_scheme(address, allowed_hosts=None) else "/audit/"
