"""A document as a row of a list: what it is, how its newest upload stands, and what this reader may do about it."""

import uuid
from collections.abc import Container, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from citeweb.accounts.models import Tenant, User
from sources.core.extract import FailureReason, explain
from sources.core.names import plain_name
from sources.curation import may_cancel, may_retry
from sources.models import Document, Version, VersionState
from sources.permissions import curated_collections, visible_versions
from sources.versions import WORKING

_BADGES = {
    VersionState.HELD: "warn",
    VersionState.QUEUED: "queued",
    VersionState.READY: "ready",
    VersionState.FAILED: "failed",
}
# All but the canonical text, which may be megabytes.
LIGHT = (
    "document",
    "number",
    "file",
    "file_name",
    "size",
    "state",
    "state_since",
    "failure",
    "detail",
    "pages",
    "pages_done",
    "chunk_count",
    "created_at",
    "tenant",
    "warnings",
    "uploaded_by",
    "sha256",
)


@dataclass(frozen=True, slots=True)
class Row:
    """A document with one of its uploads. `badge` is the state's class, `size` is bytes, `since` when it got there.

    `kept` says that an earlier version is in use meanwhile.
    """

    document_id: uuid.UUID
    title: str
    author: str
    year: str
    collection: str
    collection_id: uuid.UUID
    version_id: uuid.UUID
    number: int
    is_current: bool
    kept: bool
    file_name: str
    size: int
    state: str
    state_text: str
    badge: str
    working: bool
    held: bool
    since: datetime
    pages: int | None
    pages_done: int
    passages: int
    uploaded_at: datetime
    uploaded_by: str
    problem: str
    remedy: str
    may_curate: bool
    can_retry: bool
    can_cancel: bool


def rows_of(documents: Iterable[Document], *, user: User, tenant: Tenant) -> list[Row]:
    """Put each document together with its newest upload that the user may see; three queries, without any text."""
    listed = list(documents)
    versions = visible_versions(user=user, tenant=tenant).filter(document__in=listed)
    newest = versions.order_by("document", "-number").distinct("document").select_related("uploaded_by")
    by_document = {version.document_id: version for version in newest.only(*LIGHT, *_UPLOADER)}
    curated = curated_ids(user=user, tenant=tenant)
    return [row_of(one, by_document[one.pk], curated) for one in listed if one.pk in by_document]


def upload_rows(versions: QuerySet[Version], *, user: User, tenant: Tenant) -> list[Row]:
    """Return uploads as rows of their own, in the order given."""
    curated = curated_ids(user=user, tenant=tenant)
    found = versions.select_related("document__collection", "uploaded_by")
    document = ("document__title", "document__author", "document__year", "document__current_version")
    shelf = ("document__collection__name",)
    return [row_of(v.document, v, curated) for v in found.only(*LIGHT, *_UPLOADER, *document, *shelf)]


def curated_ids(*, user: User, tenant: Tenant) -> set[uuid.UUID]:
    """Return the ids of the collections that the user curates."""
    return set(curated_collections(user=user, tenant=tenant).values_list("pk", flat=True))


def row_of(document: Document, version: Version, curated: Container[uuid.UUID] = ()) -> Row:
    """Return a document's row with the given upload; something can be done about it in a curated collection."""
    state = VersionState(version.state)
    failed = FailureReason(version.failure) if state == VersionState.FAILED else None
    problem = explain(failed) if failed else None
    cancelled = failed == FailureReason.CANCELLED
    mine = document.collection_id in curated
    return Row(
        document_id=document.pk,
        title=plain_name(document.title),
        author=plain_name(document.author),
        year=plain_name(document.year),
        collection=plain_name(document.collection.name),
        collection_id=document.collection_id,
        version_id=version.pk,
        number=version.number,
        is_current=version.pk == document.current_version_id,
        kept=document.current_version_id not in (None, version.pk),
        file_name=plain_name(version.file_name),
        size=version.size,
        state=version.state,
        state_text=_("cancelled") if cancelled else str(state.label),
        badge="queued" if cancelled else _BADGES.get(state, "running"),
        working=state in WORKING,
        held=state == VersionState.HELD,
        since=version.state_since,
        pages=version.pages,
        pages_done=version.pages_done,
        passages=version.chunk_count,
        uploaded_at=version.created_at,
        uploaded_by=plain_name(version.uploaded_by.display_name) if version.uploaded_by else "",
        problem=_(problem.problem) if problem and not cancelled else "",
        remedy=_(problem.remedy) if problem and not cancelled else "",
        may_curate=mine,
        can_retry=mine and may_retry(version),
        can_cancel=mine and may_cancel(version),
    )


_UPLOADER = ("uploaded_by__email", "uploaded_by__first_name", "uploaded_by__last_name")
