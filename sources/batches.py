"""Files that one person uploaded together: what became of each, until the person closes the list.

A batch belongs to its uploader. What they may no longer read is left out, as everywhere.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from citeweb.accounts.models import Tenant, User
from sources import curation
from sources.core.extract.types import FailureReason
from sources.models import Batch, BatchItem, Collection, Version, VersionState
from sources.permissions import Hidden, collection_for, visible_versions
from sources.shelf_view import Row, upload_rows
from sources.uploads import SameName, Upload, Wishes, accept_upload
from sources.versions import WORKING

# Of a batch, so many files of each kind are listed one by one; the others are counted.
LISTED = 20
# So many lists are shown; one that nobody closes goes by itself.
_MOST, _OLDEST = 3, timedelta(days=7)
_COPY = Wishes(SameName.KEEP_BOTH, keep_copy=True)


@dataclass(frozen=True, slots=True)
class Known:
    """A file whose bytes were in the collection already, with the document that has them."""

    item_id: int
    file_name: str
    row: Row


@dataclass(frozen=True, slots=True)
class BatchView:
    """How a batch stands. Pages are those of the files that are known to have any."""

    batch_id: uuid.UUID
    total: int
    ready: int
    working: Sequence[Row]
    working_count: int
    failed: Sequence[Row]
    failed_count: int
    held: Sequence[Row]
    held_count: int
    known: Sequence[Known]
    known_count: int
    pages: int
    pages_done: int

    @property
    def done(self) -> int:
        """How many files have come to an end."""
        return self.total - self.working_count


@dataclass(frozen=True, slots=True)
class _Item:
    pk: int
    version_id: uuid.UUID
    already_there: bool
    file_name: str
    state: str
    failure: str
    pages: int
    pages_done: int

    @property
    def cancelled(self) -> bool:
        return self.failure == FailureReason.CANCELLED

    def stands(self, *states: str) -> bool:
        """Whether this very upload, not an earlier one of the same bytes, is in one of the states."""
        return not self.already_there and self.state in states


def add(batch_id: uuid.UUID, uploads: Iterable[tuple[str, Upload]], *, user: User, tenant: Tenant) -> Batch:
    """Note uploads with their file names in a batch of the user's, a new one if there is none of this id.

    Raises Hidden for somebody else's.
    """
    with transaction.atomic():
        batch = _own(batch_id, user, tenant)
        BatchItem.objects.bulk_create(
            BatchItem(
                batch=batch,
                version=upload.version,
                file_name=upload.version.file_name if not upload.already_there else name[-500:],
                already_there=upload.already_there,
            )
            for name, upload in uploads
        )
        Batch.objects.filter(pk=batch.pk).update(closed_at=None)
    return batch


def close(batch_id: uuid.UUID, *, user: User, tenant: Tenant) -> None:
    """Take a list from the page; the uploads go on. Raises Hidden for somebody else's."""
    if not _mine(user, tenant).filter(pk=batch_id).update(closed_at=timezone.now()):
        raise Hidden


def open_batches(*, user: User, tenant: Tenant) -> list[BatchView]:
    """Return the lists that the user has not closed, the newest first."""
    young = _mine(user, tenant).filter(closed_at=None, created_at__gt=timezone.now() - _OLDEST)
    views = (_view(batch, user, tenant) for batch in young.order_by("-created_at")[:_MOST])
    return [view for view in views if view.total]


def decide(batch_id: uuid.UUID, action: str, *, user: User, tenant: Tenant) -> int:
    """Do the same with all files of a batch that it can be done with; return with how many. Raises Hidden.

    `action` is one of `ACTIONS`; of any other nothing comes.
    """
    batch = _mine(user, tenant).filter(pk=batch_id).first()
    if batch is None:
        raise Hidden
    if action not in ACTIONS:
        return 0
    act, states = ACTIONS[action]
    items = [item for item in _items(batch, user, tenant) if item.stands(*states) and not item.cancelled]
    ids = [item.version_id for item in items]
    found = visible_versions(user=user, tenant=tenant).filter(pk__in=ids).defer("text")
    return sum(act(version, user=user) for version in found.select_related("document__tenant"))


# What can be done with the uploads of a batch, and in which states.
ACTIONS = {
    "retry": (curation.retry, (VersionState.FAILED,)),
    "cancel": (curation.cancel, WORKING),
    "replace": (curation.take_as_newer, (VersionState.HELD,)),
    "keep_both": (curation.take_as_document, (VersionState.HELD,)),
    "discard": (curation.discard, (VersionState.HELD,)),
}


def keep_copy(batch_id: uuid.UUID, item_id: int, *, user: User, tenant: Tenant) -> None:
    """Make a document of its own of a file whose bytes were there already. Raises Hidden."""
    batch = _mine(user, tenant).filter(pk=batch_id).first()
    item = next((one for one in _items(batch, user, tenant) if one.pk == item_id), None) if batch else None
    if item is None or not item.already_there:
        raise Hidden
    twin = visible_versions(user=user, tenant=tenant).defer("text").select_related("document")
    version = twin.get(pk=item.version_id)
    shelf: Collection = collection_for(user=user, tenant=tenant, collection_id=version.document.collection_id)
    with version.file.open("rb") as file:
        made = accept_upload(
            user=user, tenant=tenant, collection=shelf, file=file, file_name=item.file_name, wishes=_COPY
        )
    BatchItem.objects.filter(pk=item_id).update(version=made.version, already_there=False)


def _own(batch_id: uuid.UUID, user: User, tenant: Tenant) -> Batch:
    try:
        with transaction.atomic():
            batch, _new = Batch.objects.get_or_create(pk=batch_id, defaults={"tenant": tenant, "user": user})
    except IntegrityError as exc:
        # Another tenant's, which can't be seen from here.
        raise Hidden from exc
    if (batch.user_id, batch.tenant_id) != (user.pk, tenant.pk):
        raise Hidden
    return batch


def _mine(user: User, tenant: Tenant) -> QuerySet[Batch]:
    return Batch.objects.filter(user=user, tenant=tenant)


def _items(batch: Batch, user: User, tenant: Tenant) -> list[_Item]:
    visible = visible_versions(user=user, tenant=tenant).values("pk")
    found = BatchItem.objects.filter(batch=batch, version__in=visible).order_by("pk")
    named = found.annotate(
        state=F("version__state"),
        failure=F("version__failure"),
        pages=F("version__pages"),
        pages_done=F("version__pages_done"),
    )
    rows = named.values_list(
        "pk", "version_id", "already_there", "file_name", "state", "failure", "pages", "pages_done"
    )
    return [_Item(*row[:6], row[6] or 0, row[7]) for row in rows]


def _view(batch: Batch, user: User, tenant: Tenant) -> BatchView:
    items = _items(batch, user, tenant)
    known = [item for item in items if item.already_there]
    working = [item for item in items if item.stands(*WORKING)]
    failed = [item for item in items if item.stands(VersionState.FAILED) and not item.cancelled]
    held = [item for item in items if item.stands(VersionState.HELD)]
    listed = _listed([*working[:LISTED], *failed[:LISTED], *held[:LISTED], *known[:LISTED]], user, tenant)
    own = [item for item in items if not item.already_there]
    return BatchView(
        batch_id=batch.pk,
        total=len(items),
        ready=sum(item.stands(VersionState.READY) for item in items),
        working=[listed[item.version_id] for item in working[:LISTED]],
        working_count=len(working),
        failed=[listed[item.version_id] for item in failed[:LISTED]],
        failed_count=len(failed),
        held=[listed[item.version_id] for item in held[:LISTED]],
        held_count=len(held),
        known=[Known(item.pk, item.file_name, listed[item.version_id]) for item in known[:LISTED]],
        known_count=len(known),
        pages=sum(item.pages for item in own),
        pages_done=sum(item.pages_done for item in own),
    )


def _listed(items: Iterable[_Item], user: User, tenant: Tenant) -> dict[uuid.UUID, Row]:
    wanted: QuerySet[Version] = visible_versions(user=user, tenant=tenant).filter(
        pk__in=[item.version_id for item in items]
    )
    return {row.version_id: row for row in upload_rows(wanted, user=user, tenant=tenant)}
