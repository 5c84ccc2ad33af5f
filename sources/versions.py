"""How an upload moves from queued to ready or failed. For the system's own tasks: nobody is asked who they are.

Each step is one UPDATE that says which state it expects, so that two workers never both move a version.
"""

import uuid
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, QuerySet
from django.utils import timezone

from citeweb.accounts.models import Tenant
from citeweb.accounts.row_security import acting_as_system
from sources.core.extract.types import FailureReason
from sources.models import Collection, Document, Version, VersionState

WORKING = (VersionState.QUEUED, VersionState.EXTRACTING, VersionState.CHUNKING, VersionState.INDEXING)
# A file that stops its worker this many times is not tried again.
MOST_ATTEMPTS = 3


def waiting(version_id: uuid.UUID | str) -> QuerySet[Version]:
    """Return the version if it is still to be read or being read and its document is not deleted.

    No join: an UPDATE over a join keeps its state condition in a subquery, which PostgreSQL does not look at again
    after it has waited for another worker's lock. A finished version would then be unfinished by a slower worker.
    """
    alive = Document.objects.filter(pk=OuterRef("document_id"), deleted_at=None)
    return Version.objects.filter(Exists(alive), pk=version_id, state__in=WORKING)


def all_waiting() -> QuerySet[Version]:
    """Return every version of every tenant that is still to be read or being read, the oldest first."""
    return Version.objects.filter(document__deleted_at=None, state__in=WORKING).order_by("created_at")


def tenant_of(version_id: uuid.UUID | str) -> uuid.UUID | None:
    """Return the tenant that a job works in, from all that it was told; None for a version that is gone."""
    with acting_as_system("a job knows only its version"):
        return Version.objects.filter(pk=version_id).values_list("tenant_id", flat=True).first()


def tenant_of_document(document_id: uuid.UUID | str) -> uuid.UUID | None:
    """Return the tenant that a job about a document works in; None for one that is gone."""
    with acting_as_system("a job knows only its document"):
        return Document.objects.filter(pk=document_id).values_list("tenant_id", flat=True).first()


def still_there(version_ids: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    """Return which of the versions, whoever's they are, have not been purged."""
    with acting_as_system("a machine's pictures are of all tenants"):
        return set(Version.objects.filter(pk__in=list(version_ids)).values_list("pk", flat=True))


def claim(version_id: uuid.UUID | str) -> Version | None:
    """Begin to work on a version and return it, or None when there is nothing (more) to do.

    The attempt is counted before any work, so that a file which kills its worker is not tried for ever.
    """
    with transaction.atomic():
        version = waiting(version_id).select_for_update(of=("self",)).select_related("document").first()
        if version is None:
            return None
        if version.attempts >= MOST_ATTEMPTS:
            fail(version, FailureReason.CRASHED, f"stopped its worker {version.attempts} times")
            return None
        version.attempts += 1
        version.state, version.state_since = VersionState.EXTRACTING, timezone.now()
        version.pages_done = 0
        version.save(update_fields=["attempts", "state", "state_since", "pages_done"])
    return version


def enter(version: Version, state: VersionState) -> bool:
    """Say that the next step has begun; False when the version was deleted or finished meanwhile."""
    return bool(waiting(version.pk).update(state=state, state_since=timezone.now()))


def report_pages(version: Version, done: int, pages: int) -> bool:
    """Save how many pages are read; False when the version was deleted or finished meanwhile."""
    return bool(waiting(version.pk).update(pages_done=done, pages=pages))


def is_waiting(version: Version) -> bool:
    """Tell whether the version is still wanted: not cancelled, deleted or finished meanwhile."""
    return waiting(version.pk).exists()


def give_back(version: Version) -> bool:
    """Put the version back into the queue and forget this attempt, which was no fault of the file.

    False when it was cancelled, deleted or finished meanwhile.
    """
    return bool(
        waiting(version.pk).update(
            state=VersionState.QUEUED, state_since=timezone.now(), attempts=F("attempts") - 1
        )
    )


def fail(version: Version, reason: FailureReason, detail: str) -> None:
    """End the version as failed, for a reason that a curator can act on."""
    waiting(version.pk).update(
        state=VersionState.FAILED, state_since=timezone.now(), failure=reason, detail=detail.replace("\0", "")
    )


def newest_in(states: Iterable[str]) -> QuerySet[Version]:
    """Return the versions in these states that are the newest of their document, as a part of a larger question."""
    newer = Version.objects.filter(document=OuterRef("document"), number__gt=OuterRef("number"))
    return Version.objects.filter(~Exists(newer), state__in=list(states))


def named_like(words: str, *, tenant: Tenant) -> QuerySet[Version]:
    """Return the tenant's versions whose file name holds the words, as a part of a larger question."""
    return Version.objects.filter(tenant=tenant, file_name__icontains=words)


def newest_with_bytes(
    collection: Collection, sha256: str, *, document: Document | None = None
) -> Version | None:
    """Return the version of those bytes that is the newest good one of its document in the collection.

    Failed ones don't count: the file may be tried again. With `document` only that document is looked at.
    """
    same = _on_shelf(collection).filter(sha256=sha256).exclude(state=VersionState.FAILED)
    if document is not None:
        same = same.filter(document=document)
    for version in same.select_related("document").order_by("-created_at"):
        if not _taken(version.document).filter(number__gt=version.number).exists():
            return version
    return None


def document_of_file(collection: Collection, file_name: str) -> Document | None:
    """Return the collection's document whose newest upload had this file name."""
    named = _on_shelf(collection).filter(file_name=file_name).select_related("document")
    version = named.order_by("-created_at").first()
    return version.document if version else None


def next_number(document: Document, *, besides: Version | None = None) -> int:
    """Return the number after all of the document's versions, or after the others; ask with the collection locked."""
    numbered = Version.objects.filter(document=document)
    if besides is not None:
        numbered = numbered.exclude(pk=besides.pk)
    return (numbered.aggregate(last=Max("number"))["last"] or 0) + 1


def _on_shelf(collection: Collection) -> QuerySet[Version]:
    return Version.objects.filter(document__collection=collection, document__deleted_at=None)


def _taken(document: Document) -> QuerySet[Version]:
    """Return the versions that count as the document's: not those that failed or that nobody has decided on."""
    return Version.objects.filter(document=document).exclude(
        state__in=(VersionState.FAILED, VersionState.HELD)
    )
