"""`/audit/`: the list of records, one record, and why somebody looks."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_safe

from chat.audit.access import Seat, asks_reason, audit_page, give_reason, seat_of
from chat.audit.evidence import Evidence
from chat.audit.forms import FilterForm, ReasonForm
from chat.audit.record_view import RecordView
from chat.audit.search import PAGE, find, find_newer
from chat.audit.wording import STATES, VERDICTS, kind_words
from chat.core.raw_view import spelled_out
from chat.model_choice import labels_for
from chat.models import AuditRecord
from citeweb.accounts.models import Tenant


@require_safe
@audit_page
def records(request: HttpRequest, seat: Seat) -> HttpResponse:
    """List the records that the filters let through, the newest first."""
    form = FilterForm(seat, request.GET)
    part = _part(form, seat, request.GET)
    shown = part.records
    # Where nothing fits, that was said of all.
    tenants = {record.tenant_id for record in shown} or {tenant.pk for tenant in seat.tenants()}
    seat.note(
        "audit_listed",
        tenant_ids=tenants,
        filters=form.as_record(tenants=len(tenants)),
        before=part.before,
        after=part.after,
        shown=len(shown),
    )
    context = {
        "form": form,
        "models": labels_for(seat.tenant) if seat.tenant else {},
        "rows": [row_of(record) for record in shown],
        "names": _names(seat, shown),
        "older": _address(request.GET, before=str(shown[-1].pk)) if part.has_older else "",
        "newer": _address(request.GET, after=str(shown[0].pk)) if part.has_newer and shown else "",
        "newest": _address(request.GET) if part.has_newer else None,
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
        "view": view_of(found, whole=request.GET.get("all") == "1"),
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
            give_reason(request, seat, form.cleaned_data["reason"])
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


def view_of(found: AuditRecord, *, whole: bool) -> RecordView:
    """Return what a page shows of a record; `whole` for all of it, however long."""
    return RecordView(Evidence.of(found), Tenant.objects.filter(pk=found.tenant_id).first(), whole)


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
        # An address breaks behind its sign before it breaks anywhere else.
        "person": (found.actor_email or "–").split("@"),
        "summary": spelled_out(found.summary),
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


@dataclass(frozen=True, slots=True)
class _Part:
    """A page of the list: records before the one numbered `before`, or after `after`, or the newest."""

    records: list[AuditRecord]
    before: int | None = None
    after: int | None = None
    has_older: bool = False
    has_newer: bool = False


def _part(form: FilterForm, seat: Seat, query: QueryDict) -> _Part:
    wanted, before, after = form.wanted(), _number(query, "before"), _number(query, "after")
    if after is not None:
        found = find_newer(wanted, tenant_id=seat.tenant_id, after=after, most=PAGE + 1)
        if len(found) > PAGE:
            return _Part(found[1:], after=after, has_older=True, has_newer=True)
        # Too few for a page of their own: it is the first one.
        before = None
    found = find(wanted, tenant_id=seat.tenant_id, before=before, most=PAGE + 1)
    return _Part(found[:PAGE], before=before, has_older=len(found) > PAGE, has_newer=before is not None)


def _number(query: QueryDict, name: str) -> int | None:
    given = query.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 19 else None


def _address(query: QueryDict, **place: str) -> str:
    """Return the filters as an address has them, with another place in the list."""
    changed = query.copy()
    for name in ("before", "after"):
        changed.pop(name, None)
    for name, value in place.items():
        changed[name] = value
    return changed.urlencode()


def _own(address: str) -> str:
    return address if url_has_allowed_host_and_scheme(address, allowed_hosts=None) else "/audit/"
