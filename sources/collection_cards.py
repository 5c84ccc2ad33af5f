"""Collections as the sources page lists them: those one reads, and for an administrator also those one only manages."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from citeweb.accounts.models import Tenant, User
from sources.core.names import plain_name
from sources.permissions import managed_collections, visible_collections, visible_documents


@dataclass(frozen=True, slots=True)
class Card:
    """A collection; `count` is of its documents, 0 for one that can only be managed."""

    collection_id: uuid.UUID
    name: str
    restricted: bool
    count: int
    readable: bool


def cards_of(*, user: User, tenant: Tenant) -> Sequence[Card]:
    """Return the collections by name, first those that the user reads."""
    counts = dict(
        visible_documents(user=user, tenant=tenant)
        .values_list("collection")
        .annotate(count=Count("pk"))
        .values_list("collection", "count")
    )
    read = visible_collections(user=user, tenant=tenant).order_by("name")
    cards = [Card(one.pk, plain_name(one.name), one.restricted, counts.get(one.pk, 0), True) for one in read]
    others = managed_collections(user=user, tenant=tenant).exclude(
        pk__in=[card.collection_id for card in cards]
    )
    return cards + [
        Card(one.pk, plain_name(one.name), one.restricted, 0, False) for one in others.order_by("name")
    ]
