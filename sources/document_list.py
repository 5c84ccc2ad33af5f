"""The list of documents: searched, filtered by state, sorted, and read page by page however long it is."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from citeweb.accounts.models import Tenant, User
from sources.core.extract.types import FailureReason
from sources.core.keyset import Cursor, decoded
from sources.models import Collection, Document, VersionState
from sources.permissions import visible_documents
from sources.retrieval_lexical import documents_holding
from sources.shelf_view import Row, rows_of
from sources.versions import WORKING, named_like, newest_in

ROWS = 50
_LONGEST_WORDS = 200

STATES = {
    "": _("All states"),
    "ready": _("Ready"),
    "working": _("In work"),
    "failed": _("Failed"),
    "held": _("To decide"),
    "cancelled": _("Cancelled"),
}
ORDERS = {"newest": _("Newest first"), "oldest": _("Oldest first"), "title": _("By title")}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a reader asks of the list, as it stands in the address."""

    words: str = ""
    state: str = ""
    order: str = "newest"
    after: Cursor | None = None
    before: Cursor | None = None

    @property
    def narrowed(self) -> bool:
        """Whether not all documents are asked for."""
        return bool(self.words or self.state)

    def address(self, **cursor: str) -> str:
        """Return the query string of this list, at another place in it."""
        parts = {"q": self.words, "state": self.state, "order": self.order, **cursor}
        return "?" + urlencode({name: value for name, value in parts.items() if value not in ("", "newest")})


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of documents out of `total`; `previous` and `following` are the query strings of its neighbours."""

    rows: Sequence[Row]
    total: int
    previous: str
    following: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How many documents have a newest upload that is not ready."""

    working: int = 0
    failed: int = 0
    held: int = 0


def asked_of(parameters: Mapping[str, str]) -> Asked:
    """Read an address; what it doesn't make sense of is left out."""
    state, order = parameters.get("state", ""), parameters.get("order", "")
    return Asked(
        words=" ".join(parameters.get("q", "").replace("\0", " ").split())[:_LONGEST_WORDS],
        state=state if state in STATES else "",
        order=order if order in ORDERS else "newest",
        after=decoded(parameters.get("after", "")),
        before=decoded(parameters.get("before", "")),
    )


def listing_of(*, user: User, tenant: Tenant, collection: Collection | None, asked: Asked) -> Listing:
    """Return a page of the reader's documents."""
    documents = matching(user=user, tenant=tenant, collection=collection, asked=asked)
    found, more = _page(documents.select_related("collection"), asked)
    forward = asked.before is None
    later, earlier = (more, asked.after is not None) if forward else (True, more)
    return Listing(
        rows=rows_of(found, user=user, tenant=tenant),
        total=documents.count(),
        previous=asked.address(before=_cursor(found[0], asked)) if found and earlier else "",
        following=asked.address(after=_cursor(found[-1], asked)) if found and later else "",
    )


def matching(
    *, user: User, tenant: Tenant, collection: Collection | None, asked: Asked
) -> QuerySet[Document]:
    """Return the reader's documents that the search and the filter let through."""
    documents = visible_documents(user=user, tenant=tenant)
    if collection is not None:
        documents = documents.filter(collection=collection)
    if asked.state:
        documents = documents.filter(_in_state(asked.state))
    return documents.filter(_holding(asked.words, tenant)) if asked.words else documents


def standing_of(*, user: User, tenant: Tenant, collection: Collection | None) -> Standing:
    """Count what is in work, has failed, and waits for a decision among the reader's documents."""
    documents = visible_documents(user=user, tenant=tenant)
    if collection is not None:
        documents = documents.filter(collection=collection)
    counted = documents.aggregate(
        **{state: Count("pk", filter=_in_state(state)) for state in ("working", "failed", "held")}
    )
    return Standing(**counted)


def first_page(asked: Asked) -> Asked:
    """Return the same list from its beginning."""
    return replace(asked, after=None, before=None)


def _in_state(state: str) -> Q:
    """Return which documents' newest upload is in a state; nearly all are ready, so the others are looked up."""
    if state == "ready":
        others = [value for value in VersionState.values if value != VersionState.READY]
        return ~Q(pk__in=newest_in(others).values("document"))
    if state == "working":
        return Q(pk__in=newest_in(WORKING).values("document"))
    if state == "held":
        return Q(pk__in=newest_in([VersionState.HELD]).values("document"))
    failed = newest_in([VersionState.FAILED])
    cancelled = Q(failure=FailureReason.CANCELLED)
    return Q(pk__in=failed.filter(cancelled if state == "cancelled" else ~cancelled).values("document"))


def _holding(words: str, tenant: Tenant) -> Q:
    """Return which documents hold the words: in what is said about them, in a file name, or in their text."""
    about = Q()
    for word in words.split()[:8]:
        about &= (
            Q(title__icontains=word)
            | Q(author__icontains=word)
            | Q(reference__icontains=word)
            | Q(year__icontains=word)
        )
    named = Q(pk__in=named_like(words, tenant=tenant).values("document"))
    return about | named | documents_holding(words, tenant=tenant)


# How each order sorts: its expression, whether it falls, and how a cursor's value is read.
_SORTED: dict[str, tuple[str, bool]] = {
    "newest": ("created_at", True),
    "oldest": ("created_at", False),
    "title": ("title_key", False),
}


def _page(documents: QuerySet[Document], asked: Asked) -> tuple[list[Document], bool]:
    """Return the documents of a page in order, and whether there are more in the direction that was gone."""
    name, falls = _SORTED[asked.order]
    if asked.order == "title":
        documents = documents.annotate(title_key=Lower("title"))
    backward = asked.before is not None
    down = falls != backward
    place = asked.before or asked.after
    if place is not None:
        documents = documents.filter(_beyond(name, place, down=down))
    sign = "-" if down else ""
    found = list(documents.order_by(f"{sign}{name}", f"{sign}pk")[: ROWS + 1])
    shown = found[:ROWS]
    return (shown[::-1] if backward else shown), len(found) > ROWS


def _beyond(name: str, place: Cursor, *, down: bool) -> Q:
    """Return the rows behind a place; a cursor that fits no row of this order leaves all."""
    value, row_id = _read(name, place.value), _id(place.row_id)
    if value is None or row_id is None:
        return Q()
    than = "lt" if down else "gt"
    return Q(**{f"{name}__{than}": value}) | Q(**{name: value, f"pk__{than}": row_id})


def _read(name: str, value: str) -> Any:  # a datetime or a string, as the column is
    if name == "title_key":
        return value
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _id(row_id: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(row_id)
    except ValueError:
        return None


def _cursor(document: Document, asked: Asked) -> str:
    name, _falls = _SORTED[asked.order]
    value = getattr(document, name)
    return Cursor(value.isoformat() if isinstance(value, datetime) else value, str(document.pk)).encoded()
