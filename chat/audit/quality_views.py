"""`/audit/quality/`: what the answers are worth, for curators and auditors."""

import uuid
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from chat.audit import charts, quality
from chat.audit.access import Seat, quality_page
from chat.audit.parts import Part
from chat.audit.quality import Day, Rejected, Span
from chat.audit.views import seat_context
from chat.audit.wording import REASONS
from chat.models import Citation
from sources.models import Document
from sources.permissions import audited_documents, visible_documents

SPANS = (7, 30, 90)
LISTED = 20
# With `?all=1`. Beyond it, the page would be no help.
MOST_LISTED = 1_000


@dataclass(frozen=True, slots=True)
class Cited:
    """A document that answers rest on; only its name is known of one that is not this person's to see."""

    document: Document
    answers: int


@require_safe
@quality_page
def dashboard(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Show the figures of the last days, with their pictures."""
    wanted = request.GET.get("days", "")
    chosen = next((days for days in SPANS if wanted == str(days)), 30)
    span = Span(seat.tenant_id, chosen)
    seat.note("quality_read", days=chosen)
    days = quality.days(span)
    most = MOST_LISTED if request.GET.get("all") == "1" else LISTED
    cited = quality.cited(span, most=MOST_LISTED + 1)
    known, groups = named(seat, cited), quality.unanswered(span)
    never = never_cited(seat, {document for document, _answers in cited})
    context = {
        "spans": SPANS,
        "chosen": chosen,
        "all": _all(request) if most == LISTED else "",
        "totals": totals(days),
        "days": days,
        "reversed_days": days[::-1],
        "rejected": quality.rejected(span),
        "reasons": REASONS,
        "unanswered": Part(groups[:most], len(groups)),
        "cited": Part(known[:most], len(known), open_end=len(cited) > MOST_LISTED),
        "never": Part(list(never[:most]), never.count()),
        **pictures(days, quality.rejected(span)),
        **seat_context(seat, "quality"),
    }
    return render(request, "audit/quality.html", context)


def totals(days: list[Day]) -> dict[str, object]:
    """Return the figures of the whole span."""
    answers, faulty = sum(day.answers for day in days), sum(day.faulty for day in days)
    unanswered, failed = sum(day.unanswered for day in days), sum(day.failed for day in days)
    return {
        "answers": answers,
        "faulty": faulty,
        "faulty_share": round(100 * faulty / answers) if answers else None,
        "unanswered": unanswered,
        "unanswered_share": round(100 * unanswered / answers) if answers else None,
        "failed": failed,
    }


def pictures(days: list[Day], rejected: list[Rejected]) -> dict[str, object]:
    """Return the pictures of the figures."""
    labels = [date_format(day.day, "j M") for day in days]
    by_reason: dict[str, int] = {}
    for one in rejected:
        name = str(REASONS.get(one.reason, one.reason))
        by_reason[name] = by_reason.get(name, 0) + one.count
    return {
        "answers_chart": charts.stacked_bars(
            labels,
            {
                _("sound"): [day.sound for day in days],
                _("with faults"): [day.faulty for day in days],
                _("no answer"): [day.failed for day in days],
                _("nothing cited"): [day.without for day in days],
            },
        ),
        "latency_chart": charts.lines(
            labels,
            {
                _("first words (median)"): [_seconds(day.first_text_half) for day in days],
                _("done (median)"): [_seconds(day.total_half) for day in days],
                _("done in 95 of 100 cases"): [_seconds(day.total_most) for day in days],
            },
        ),
        "rejected_chart": charts.bars(list(by_reason), {_("rejected"): list(by_reason.values())}),
    }


def named(seat: Seat, cited: list[tuple[uuid.UUID, int]]) -> list[Cited]:
    """Return the documents that this person may be told of, in the given order."""
    known = documents_of(seat).in_bulk([document for document, _answers in cited])
    return [Cited(known[document], answers) for document, answers in cited if document in known]


def never_cited(seat: Seat, cited: set[uuid.UUID]) -> QuerySet[Document]:
    """Return the documents that this person may be told of and that no answer rests on, the oldest first."""
    resting = Citation.objects.filter(document_id=OuterRef("pk"))
    ready = documents_of(seat).filter(deleted_at=None, current_version__isnull=False)
    return ready.exclude(pk__in=cited).exclude(Exists(resting)).order_by("created_at")


def documents_of(seat: Seat) -> QuerySet[Document]:
    """Return what may be named: for auditors and staff all, for a curator what they may read."""
    if seat.audits or seat.tenant is None:
        return audited_documents(user=seat.user, tenant=seat.tenant)
    return visible_documents(user=seat.user, tenant=seat.tenant)


def _all(request: HttpRequest) -> str:
    query = request.GET.copy()
    query["all"] = "1"
    return f"?{query.urlencode()}"


def _seconds(milliseconds: float | None) -> float | None:
    return round(milliseconds / 1000, 2) if milliseconds is not None else None
