"""From one citation of an answer to the next: those that open for the reader, in the order of the answer."""

import uuid
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from chat.models import Citation, CitationKind
from citeweb.accounts.models import User
from sources.core.line_view import Span
from sources.permissions import visible_versions


@dataclass(frozen=True, slots=True)
class Steps:
    """Where a citation stands among `total`, from 1, and its neighbours; without any, `total` is 1."""

    position: int = 1
    total: int = 1
    previous: uuid.UUID | None = None
    next: uuid.UUID | None = None


def steps_of(citation: Citation, user: User) -> Steps:
    """Return the steps from a citation, for who may read the answer; nobody else may learn of the others."""
    ids = [one.pk for one in _opening(citation, user)]
    # Left alone if its right was taken away a moment ago.
    at = ids.index(citation.pk) if citation.pk in ids else 0
    return Steps(
        position=at + 1,
        total=max(len(ids), 1),
        previous=ids[at - 1] if at else None,
        next=ids[at + 1] if at + 1 < len(ids) else None,
    )


def spans_beside(citation: Citation) -> list[Span]:
    """Return all spans that the answer cites of the same version, for who may read the answer."""
    beside = Citation.objects.filter(turn=citation.turn, version_id=citation.version_id)
    return list(beside.filter(kind=CitationKind.PASSAGE).values_list("start", "end"))


def _opening(citation: Citation, user: User) -> QuerySet[Citation]:
    readable = visible_versions(user=user, tenant=citation.tenant).values("pk")
    opens = Q(kind=CitationKind.WEB) | Q(version_id__in=readable)
    return Citation.objects.filter(opens, turn=citation.turn).only("pk").order_by("ordinal")
