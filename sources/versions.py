"""How an upload moves from queued to ready or failed. For the system's own tasks: nobody is asked who they are.

Each step is one UPDATE that says which state it expects, so that two workers never both move a version.
"""

import uuid

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from citeweb.accounts.row_security import acting_as_system
from sources.core.extract.types import FailureReason
from sources.models import Collection, Document, Version, VersionState

FINAL = (VersionState.READY, VersionState.FAILED)
# A file that stops its worker this many times is not tried again.
MOST_ATTEMPTS = 3


def waiting(version_id: uuid.UUID | str) -> QuerySet[Version]:
    """Return the version if it is neither ready nor failed and its document is not deleted.

    No join: an UPDATE over a join keeps its state condition in a subquery, which PostgreSQL does not look at again
    after it has waited for another worker's lock. A finished version would then be unfinished by a slower worker.
    """
    alive = Document.objects.filter(pk=OuterRef("document_id"), deleted_at=None)
    return Version.objects.filter(Exists(alive), pk=version_id).exclude(state__in=FINAL)


def all_waiting() -> QuerySet[Version]:
    """Return every version of every tenant that is neither ready nor failed, the oldest first."""
    return Version.objects.filter(document__deleted_at=None).exclude(state__in=FINAL).order_by("created_at")


def tenant_of(version_id: uuid.UUID | str) -> uuid.UUID | None:
    """Return the tenant that a job works in, from all that it was told; None for a version that is gone."""
    with acting_as_system("a job knows only its version"):
        return Version.objects.filter(pk=version_id).values_list("tenant_id", flat=True).first()


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


def give_back(version: Version) -> None:
    """Put the version back into the queue and forget this attempt, which was no fault of the file."""
    waiting(version.pk).update(
        state=VersionState.QUEUED, state_since=timezone.now(), attempts=F("attempts") - 1
    )


def fail(version: Version, reason: FailureReason, detail: str) -> None:
    """End the version as failed, for a reason that a curator can act on."""
    waiting(version.pk).update(
        state=VersionState.FAILED, state_since=timezone.now(), failure=reason, detail=detail.replace("\0", "")
    )


def newest_with_bytes(collection: Collection, sha256: str) -> Version | None:
    """Return the version of those bytes that is the newest of its document in the collection, unless it failed."""
    same = _on_shelf(collection).filter(sha256=sha256).exclude(state=VersionState.FAILED)
    for version in same.select_related("document").order_by("-created_at"):
        if not _good(version.document).filter(number__gt=version.number).exists():
            return version
    return None


def document_of_file(collection: Collection, file_name: str) -> Document | None:
    """Return the collection's document whose newest upload had this file name."""
    named = _on_shelf(collection).filter(file_name=file_name).select_related("document")
    version = named.order_by("-created_at").first()
    return version.document if version else None


def next_number(document: Document) -> int:
    """Return the number of the document's next version; ask with the collection locked."""
    last = Version.objects.filter(document=document).order_by("-number").first()
    return last.number + 1 if last else 1


def _on_shelf(collection: Collection) -> QuerySet[Version]:
    return Version.objects.filter(document__collection=collection, document__deleted_at=None)


def _good(document: Document) -> QuerySet[Version]:
    return Version.objects.filter(document=document).exclude(state=VersionState.FAILED)
