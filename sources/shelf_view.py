"""What the sources pages list: collections, documents with the state of their newest upload, and a batch of uploads."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from citeweb.accounts.models import Tenant, User
from sources.core.extract import FailureReason, explain
from sources.core.names import plain_name
from sources.curation import may_retry
from sources.models import Collection, Document, Version, VersionState
from sources.permissions import curated_collections, visible_collections, visible_documents, visible_versions
from sources.versions import WORKING

ROWS = 50
# Of a batch, so many files are listed one by one; the others are counted.
LISTED = 20
_BADGES = {
    VersionState.QUEUED: "queued",
    VersionState.READY: "ready",
    VersionState.FAILED: "failed",
}
_LIGHT = (
    "document",
    "number",
    "file",
    "file_name",
    "size",
    "state",
    "failure",
    "detail",
    "pages",
    "pages_done",
    "created_at",
    "tenant",
    "warnings",
)


@dataclass(frozen=True, slots=True)
class Row:
    """A document and how its newest upload stands. `badge` is the state's class, `size` is bytes."""

    document_id: uuid.UUID
    title: str
    collection: str
    version_id: uuid.UUID
    number: int
    file_name: str
    size: int
    state: str
    state_text: str
    badge: str
    working: bool
    pages: int | None
    pages_done: int
    uploaded_at: datetime
    uploaded_by: str
    problem: str
    remedy: str
    can_retry: bool


@dataclass(frozen=True, slots=True)
class Tab:
    """A collection in the row of tabs; `href_id` is None for all of them together."""

    name: str
    restricted: bool
    count: int
    collection_id: uuid.UUID | None
    is_current: bool


@dataclass(frozen=True, slots=True)
class Shelf:
    """One page of documents, with how many uploads in this scope are still being worked on."""

    rows: Sequence[Row]
    page: int
    pages: int
    total: int
    working: int

    @property
    def newer(self) -> int | None:
        """The number of the page with newer documents."""
        return self.page - 1 if self.page > 1 else None

    @property
    def older(self) -> int | None:
        """The number of the page with older documents."""
        return self.page + 1 if self.page < self.pages else None


@dataclass(frozen=True, slots=True)
class Batch:
    """What became of files that were uploaded together; only some are listed by name."""

    total: int
    ready: int
    working: int
    failed: Sequence[Row]
    failed_count: int
    already_there: Sequence[Row]
    already_count: int
    in_work: Sequence[Row]

    @property
    def done(self) -> int:
        """How many files have come to an end."""
        return self.total - self.working


def tabs_of(*, user: User, tenant: Tenant, current: Collection | None) -> list[Tab]:
    """Return the reader's collections with their numbers of documents."""
    counts = dict(
        visible_documents(user=user, tenant=tenant)
        .values_list("collection")
        .annotate(count=Count("pk"))
        .values_list("collection", "count")
    )
    shelves = visible_collections(user=user, tenant=tenant).order_by("name")
    everything = Tab(_("All"), False, sum(counts.values()), None, current is None)
    return [everything] + [
        Tab(plain_name(one.name), one.restricted, counts.get(one.pk, 0), one.pk, one == current)
        for one in shelves
    ]


def shelf_of(
    *, user: User, tenant: Tenant, collection: Collection | None, page: int, words: str = ""
) -> Shelf:
    """Return a page of the reader's documents, the newest first; `words` must stand in the title."""
    documents = visible_documents(user=user, tenant=tenant)
    versions = visible_versions(user=user, tenant=tenant)
    if collection is not None:
        documents, versions = (
            documents.filter(collection=collection),
            versions.filter(document__collection=collection),
        )
    if words:
        documents = documents.filter(title__icontains=words)
    total = documents.count()
    pages = max(1, -(-total // ROWS))
    page = min(max(page, 1), pages)
    shown = documents.select_related("collection", "uploaded_by").order_by("-created_at", "pk")
    return Shelf(
        rows=_rows(shown[(page - 1) * ROWS : page * ROWS], versions, _curated(user, tenant)),
        page=page,
        pages=pages,
        total=total,
        working=versions.filter(state__in=WORKING).count(),
    )


def batch_of(*, user: User, tenant: Tenant, items: Iterable[tuple[str, bool]]) -> Batch | None:
    """Return how a batch stands, from its version ids and whether each was there already; None for no batch."""
    already = dict(items)
    versions = visible_versions(user=user, tenant=tenant).filter(pk__in=already)
    found = list(versions.only("pk", "state").values_list("pk", "state").order_by("created_at"))
    if not found:
        return None
    old = [pk for pk, _state in found if already[str(pk)]]
    new = [(pk, state) for pk, state in found if not already[str(pk)]]
    failed = [pk for pk, state in new if state == VersionState.FAILED]
    working = [pk for pk, state in new if state in WORKING]
    curated = _curated(user, tenant)

    def listed(ids: list[uuid.UUID]) -> list[Row]:
        rows = versions.filter(pk__in=ids[:LISTED]).only(*_LIGHT).order_by("created_at")
        return [row_of(v.document, v, curated) for v in rows.select_related("document__collection")]

    return Batch(
        total=len(found),
        ready=len(found) - len(failed) - len(working) - len(old),
        working=len(working),
        failed=listed(failed),
        failed_count=len(failed),
        already_there=listed(old),
        already_count=len(old),
        in_work=listed(working),
    )


def row_of(document: Document, version: Version, curated: Iterable[uuid.UUID] = ()) -> Row:
    """Return a document's row with the given upload; it can be retried in a curated collection."""
    state = VersionState(version.state)
    problem = explain(FailureReason(version.failure)) if state == VersionState.FAILED else None
    by = document.uploaded_by
    return Row(
        document_id=document.pk,
        title=plain_name(document.title),
        collection=plain_name(document.collection.name),
        version_id=version.pk,
        number=version.number,
        file_name=plain_name(version.file_name),
        size=version.size,
        state=version.state,
        state_text=str(state.label),
        badge=_BADGES.get(state, "running"),
        working=state in WORKING,
        pages=version.pages,
        pages_done=version.pages_done,
        uploaded_at=version.created_at,
        uploaded_by=plain_name(by.display_name) if by else "",
        problem=_(problem.problem) if problem else "",
        remedy=_(problem.remedy) if problem else "",
        can_retry=document.collection_id in set(curated) and may_retry(version),
    )


def _curated(user: User, tenant: Tenant) -> set[uuid.UUID]:
    return set(curated_collections(user=user, tenant=tenant).values_list("pk", flat=True))


def _rows(documents: QuerySet[Document], versions: QuerySet[Version], curated: set[uuid.UUID]) -> list[Row]:
    """Put each document together with its newest upload; two queries, without any text."""
    listed = list(documents)
    found = versions.filter(document__in=listed).order_by("document", "-number").distinct("document")
    by_document = {version.document_id: version for version in found.only(*_LIGHT)}
    return [row_of(one, by_document[one.pk], curated) for one in listed if one.pk in by_document]
