"""What the answers are worth, read off the records of some days. Figures only; whose documents, the caller says."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.db import connection
from django.db.models import Count, Q, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone

from chat.audit.columns import TURN
from chat.core.grouping import QuestionGroup, group_questions
from chat.models import AuditRecord

MOST_UNANSWERED = 2_000
_ENDED_WELL = ("complete", "cut")
_FAULTY = Q(state__in=_ENDED_WELL) & (Q(unsupported__gt=0) | Q(uncited__gt=0))
_UNANSWERED = Q(state__in=_ENDED_WELL, citations=0)


@dataclass(frozen=True, slots=True)
class Span:
    """Whose turns of which days: `tenant_id` None for all."""

    tenant_id: uuid.UUID | None
    days: int

    @property
    def since(self) -> datetime:
        """The beginning of the first day."""
        first = timezone.localdate() - timedelta(days=self.days - 1)
        return timezone.make_aware(datetime.combine(first, time.min))

    def turns(self) -> QuerySet[AuditRecord]:
        """Return the records."""
        rows = AuditRecord.objects.filter(kind=TURN, created_at__gte=self.since)
        return rows.filter(tenant_id=self.tenant_id) if self.tenant_id is not None else rows


@dataclass(frozen=True, slots=True)
class Day:
    """One day's turns, and milliseconds until half and until 95 of 100 were done (None: no answer).

    `asked` counts all, `failed` those that were stopped, interrupted or failed; the others are answers. Of these,
    `faulty` have claims that are not borne out or not cited, `unanswered` cite nothing, `both` are both.
    """

    day: date
    asked: int = 0
    failed: int = 0
    faulty: int = 0
    unanswered: int = 0
    both: int = 0
    first_text_half: float | None = None
    total_half: float | None = None
    total_most: float | None = None
    retrieval_half: float | None = None

    @property
    def answers(self) -> int:
        """Turns that ended with an answer."""
        return self.asked - self.failed

    @property
    def without(self) -> int:
        """Answers that cite nothing and claim nothing: mostly that nothing was found."""
        return self.unanswered - self.both

    @property
    def sound(self) -> int:
        """Answers that cite something, and in which every claim is cited and borne out at least in part."""
        return self.answers - self.faulty - self.without


@dataclass(frozen=True, slots=True)
class Rejected:
    """How often a reason stopped markers of a model."""

    model: str
    reason: str
    count: int


def days(span: Span) -> list[Day]:
    """Return each day of the span, also those without answers."""
    counted = span.turns().annotate(day=TruncDate("created_at")).values("day")
    rows = counted.annotate(
        asked=Count("pk"),
        faulty=Count("pk", filter=_FAULTY),
        unanswered=Count("pk", filter=_UNANSWERED),
        both=Count("pk", filter=_FAULTY & _UNANSWERED),
        failed=Count("pk", filter=~Q(state__in=_ENDED_WELL)),
    )
    times = {row[0]: row[1:] for row in _times(span)}
    known = {row["day"]: Day(**row, **_named(times.get(row["day"]))) for row in rows}
    first = span.since.date()
    every = (first + timedelta(days=number) for number in range(span.days))
    return [known.get(day, Day(day)) for day in every]


def rejected(span: Span) -> list[Rejected]:
    """Return how many markers were rejected, by model and reason, the most first."""
    sql = """
        SELECT model, reason.key, sum(reason.value::int) FROM chat_auditrecord,
            LATERAL jsonb_each_text(rejected) reason
        WHERE kind = 'turn' AND created_at >= %s AND (%s::uuid IS NULL OR tenant_id = %s)
        GROUP BY model, reason.key ORDER BY 3 DESC, 1, 2 LIMIT 50
    """
    return [Rejected(str(model), str(reason), int(count)) for model, reason, count in _fetch(sql, span)]


def cited(span: Span, *, most: int) -> list[tuple[uuid.UUID, int]]:
    """Return the documents that most answers cite, with the number of these."""
    sql = f"""
        SELECT document, count(*) FROM chat_auditrecord, LATERAL unnest(cited_documents) document
        WHERE kind = 'turn' AND created_at >= %s AND (%s::uuid IS NULL OR tenant_id = %s)
        GROUP BY document ORDER BY 2 DESC, 1 LIMIT {int(most)}
    """
    return [(document, int(count)) for document, count in _fetch(sql, span)]


def unanswered(span: Span) -> list[QuestionGroup]:
    """Return the questions whose answers cite nothing, put together by what they ask for."""
    rows = span.turns().filter(_UNANSWERED).order_by("-pk")
    return group_questions(rows.values_list("summary", flat=True)[:MOST_UNANSWERED])


def _times(span: Span) -> Sequence[tuple[date, float, float, float, float]]:
    sql = """
        SELECT (created_at AT TIME ZONE {zone})::date,
            percentile_cont(0.5) WITHIN GROUP (ORDER BY first_text_ms),
            percentile_cont(0.5) WITHIN GROUP (ORDER BY total_ms),
            percentile_cont(0.95) WITHIN GROUP (ORDER BY total_ms),
            percentile_cont(0.5) WITHIN GROUP (ORDER BY retrieval_ms)
        FROM chat_auditrecord
        WHERE kind = 'turn' AND created_at >= %s AND (%s::uuid IS NULL OR tenant_id = %s)
        GROUP BY 1
    """
    zone = connection.ops.quote_name(timezone.get_current_timezone_name()).replace('"', "'")
    return _fetch(sql.format(zone=zone), span)


def _named(values: Sequence[float] | None) -> dict[str, float]:
    names = ("first_text_half", "total_half", "total_most", "retrieval_half")
    return dict(zip(names, values, strict=True)) if values else {}


def _fetch(sql: str, span: Span) -> list[tuple]:  # type: ignore[type-arg]  # each statement has its own columns
    with connection.cursor() as cursor:
        cursor.execute(sql, [span.since, span.tenant_id, span.tenant_id])
        return list(cursor.fetchall())
