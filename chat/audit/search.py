"""Finding records: filters in any combination over a million records, a page at a time from the newest.

All filters of a list become one full-text query over marks and stems (chat.audit.columns), which PostgreSQL answers
window by window (chat_audit_find and chat_audit_find_newer, migrations chat/0007, 0009 and 0010).
"""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.db.models import QuerySet

from chat.audit.columns import mark
from chat.models import AuditRecord
from sources.core.lexemes import quote, search_terms

PAGE = 50
_EVER = (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC))
# Records get their number before their time is final; an hour is longer than any transaction of ours.
_SLACK = timedelta(hours=1)
# What a list shows, and nothing heavy.
_LISTED = (
    *("id", "tenant_id", "sequence", "kind", "turn_id", "created_at", "actor_id", "actor_email", "summary"),
    *("model", "state", "verdict", "citations", "unsupported", "weak", "uncited", "offered", "rejected"),
    *("total_ms", "cited_documents"),
)
_FIND = "SELECT chat_audit_find(%s, %s::tsquery, %s, %s, %s, %s, %s)"
_FIND_NEWER = "SELECT chat_audit_find_newer(%s, %s::tsquery, %s, %s, %s, %s, %s)"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list shows. `marks` are groups of lexemes: one of each group must be there. `words` are a search."""

    marks: tuple[tuple[str, ...], ...] = ()
    words: str = ""
    since: datetime | None = None
    until: datetime | None = None

    @property
    def query(self) -> str:
        """The tsquery of marks and words, "" for none."""
        groups = [*self.marks, *((term.stem,) for term in search_terms(self.words))]
        parts = (" | ".join(map(quote, group)) for group in groups if group)
        return " & ".join(f"({part})" for part in parts)


def find(
    wanted: Wanted, *, tenant_id: uuid.UUID | None, before: int | None = None, most: int = PAGE
) -> list[AuditRecord]:
    """Return up to `most` records older than `before`, the newest first, without their bodies."""
    rows = _rows(tenant_id).filter(pk__in=find_ids(wanted, tenant_id=tenant_id, before=before, most=most))
    return list(rows.only(*_LISTED).order_by("-pk"))


def find_ids(
    wanted: Wanted, *, tenant_id: uuid.UUID | None, before: int | None = None, most: int
) -> list[int]:
    """Return the numbers of up to `most` records older than `before`, the newest first."""
    first, last = _bounds(wanted, tenant_id, before)
    if first is None or last is None:
        return []
    since, until = wanted.since or _EVER[0], wanted.until or _EVER[1]
    if not wanted.query:
        rows = _rows(tenant_id).filter(
            pk__lte=last, pk__gte=first, created_at__gte=since, created_at__lt=until
        )
        return list(rows.order_by("-pk").values_list("pk", flat=True)[:most])
    with connection.cursor() as cursor:
        query = _query(wanted, tenant_id)
        cursor.execute(_FIND, [tenant_id, query, last + 1, first - 1, since, until, most])
        return [int(pk) for (pk,) in cursor.fetchall()]


def find_newer(
    wanted: Wanted, *, tenant_id: uuid.UUID | None, after: int, most: int = PAGE
) -> list[AuditRecord]:
    """Return the `most` records that follow `after`, the newest first, without their bodies."""
    first, last = _bounds(wanted, tenant_id, None)
    if first is None or last is None:
        return []
    since, until = wanted.since or _EVER[0], wanted.until or _EVER[1]
    rows = _rows(tenant_id)
    if wanted.query:
        with connection.cursor() as cursor:
            query = _query(wanted, tenant_id)
            cursor.execute(_FIND_NEWER, [tenant_id, query, max(after, first - 1), last, since, until, most])
            ids = [int(pk) for (pk,) in cursor.fetchall()]
    else:
        meant = rows.filter(pk__gt=after, pk__lte=last, created_at__gte=since, created_at__lt=until)
        ids = list(meant.order_by("pk").values_list("pk", flat=True)[:most])
    return list(rows.filter(pk__in=ids).only(*_LISTED).order_by("-pk"))


def _query(wanted: Wanted, tenant_id: uuid.UUID | None) -> str:
    return wanted.query if tenant_id is None else f"{wanted.query} & {quote(mark('t', tenant_id))}"


def any_of(letter: str, values: Iterable[object]) -> tuple[str, ...]:
    """Return the group of marks of which a record must have one."""
    return tuple(mark(letter, value) for value in values)


def _rows(tenant_id: uuid.UUID | None) -> QuerySet[AuditRecord]:
    rows = AuditRecord.objects.all()
    return rows.filter(tenant_id=tenant_id) if tenant_id is not None else rows


def _bounds(wanted: Wanted, tenant_id: uuid.UUID | None, before: int | None) -> tuple[int | None, int | None]:
    """Return the first and the last number that can be meant; None where there are no records."""
    rows = _rows(tenant_id)
    if wanted.since:
        first = _number(rows.filter(created_at__gte=wanted.since - _SLACK).order_by("created_at"))
    else:
        first = _number(rows.order_by("pk"))
    if wanted.until:
        last = _number(rows.filter(created_at__lt=wanted.until + _SLACK).order_by("-created_at"))
    else:
        last = _number(rows.order_by("-pk"))
    if last is not None and before is not None:
        last = min(last, before - 1)
    return first, last


def _number(rows: QuerySet[AuditRecord]) -> int | None:
    return next(iter(rows.values_list("pk", flat=True)[:1]), None)
