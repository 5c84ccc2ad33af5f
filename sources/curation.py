"""What a curator may do to an upload: have it read again, stop it, or say what a held one is.

All raise Hidden without the right to. Each change is one transaction with its record; of two clicks, one counts.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from citeweb.accounts.changes import Kind, record
from citeweb.accounts.models import Tenant, User
from sources.core.extract.types import FailureReason
from sources.models import Collection, Document, Version, VersionState
from sources.originals import remove_file
from sources.permissions import Hidden, curated_collections, curated_documents, visible_versions
from sources.uploads import about_upload, defer, new_document
from sources.versions import WORKING, next_number

# So many failed files are queued again with one click; the rest with the next.
MOST_AT_ONCE = 1000


def may_retry(version: Version) -> bool:
    """Tell whether reading the file again makes sense; a refused upload was never stored."""
    return version.state == VersionState.FAILED and bool(version.file)


def may_cancel(version: Version) -> bool:
    """Tell whether the upload is still to be read or being read."""
    return version.state in WORKING


def retry(version: Version, *, user: User) -> bool:
    """Queue a failed version again; False when it has not failed or has no file. Raises Hidden without the right."""
    check_curator(version.document, user)
    if not may_retry(version):
        return False
    with transaction.atomic():
        # Only who finds it failed queues it: of two clicks, one makes a job.
        failed = _mine(version, user).filter(state=VersionState.FAILED)
        if not failed.update(
            state=VersionState.QUEUED,
            state_since=timezone.now(),
            failure="",
            detail="",
            attempts=0,
            pages_done=0,
        ):
            return False
        _record(Kind.UPLOAD_RETRIED, version, user)
    return True


def retry_failed(*, user: User, tenant: Tenant, collection: Collection | None = None) -> int:
    """Queue again what failed as the newest file of its document; return how many. What was cancelled stays so."""
    found = failed_versions(user=user, tenant=tenant)
    if collection is not None:
        found = found.filter(document__collection=collection)
    return sum(retry(version, user=user) for version in found.order_by("created_at")[:MOST_AT_ONCE])


def failed_versions(*, user: User, tenant: Tenant) -> QuerySet[Version]:
    """Return what failed, has a file and is the newest of a document that the user curates."""
    newer = Version.objects.filter(document=OuterRef("document"), number__gt=OuterRef("number"))
    mine = Version.objects.filter(document__in=curated_documents(user=user, tenant=tenant))
    failed = mine.filter(~Exists(newer), state=VersionState.FAILED).exclude(file="")
    return failed.exclude(failure=FailureReason.CANCELLED).defer("text").select_related("document__tenant")


def cancel(version: Version, *, user: User) -> bool:
    """Stop reading a file, or take it out of the queue; False when it is at an end already."""
    check_curator(version.document, user)
    with transaction.atomic():
        # Without a join, see versions.waiting; the worker that reads it finds it no longer waiting.
        if not Version.objects.filter(pk=version.pk, state__in=WORKING).update(
            state=VersionState.FAILED, failure=FailureReason.CANCELLED, state_since=timezone.now()
        ):
            return False
        _record(Kind.UPLOAD_CANCELLED, version, user)
    return True


def take_as_newer(version: Version, *, user: User) -> bool:
    """Let a held file be the next version of the document of its name; False when that was decided already."""
    with transaction.atomic():
        held = _held(version, user)
        if held is None:
            return False
        held.number = next_number(held.document, besides=held)
        _decide(held, user, "replaces")
    return True


def take_as_document(version: Version, *, user: User) -> bool:
    """Let a held file be a document of its own; False when that was decided already."""
    with transaction.atomic():
        held = _held(version, user)
        if held is None:
            return False
        held.document = new_document(held.document.collection, held, held.uploaded_by)
        held.number = 1
        _decide(held, user, "document of its own")
    return True


def discard(version: Version, *, user: User) -> bool:
    """Throw a held file away; False when it was decided already."""
    with transaction.atomic():
        held = _held(version, user)
        if held is None:
            return False
        record(about_upload(Kind.UPLOAD_DISCARDED, held, user))
        held.delete()
        transaction.on_commit(lambda: remove_file(held))
    return True


def check_curator(document: Document, user: User) -> None:
    """Raise Hidden unless the user curates the document's collection."""
    shelves = curated_collections(user=user, tenant=document.tenant)
    if not shelves.filter(pk=document.collection_id).exists():
        raise Hidden


def _mine(version: Version, user: User) -> QuerySet[Version]:
    return visible_versions(user=user, tenant=version.document.tenant).filter(pk=version.pk)


def _held(version: Version, user: User) -> Version | None:
    """Return the version, locked, if it still waits for a decision. Raises Hidden."""
    check_curator(version.document, user)
    # With the collection locked, so that numbers follow each other.
    Collection.objects.select_for_update(no_key=True).get(pk=version.document.collection_id)
    held = Version.objects.select_for_update(of=("self",)).filter(pk=version.pk, state=VersionState.HELD)
    return held.select_related("document__collection", "uploaded_by").first()


def _decide(version: Version, user: User, decision: str) -> None:
    version.state, version.state_since = VersionState.QUEUED, timezone.now()
    version.save(update_fields=["document", "number", "state", "state_since"])
    record(about_upload(Kind.UPLOAD_DECIDED, version, user, decision=decision))
    defer(version)


def _record(kind: Kind, version: Version, user: User) -> None:
    changed = Version.objects.defer("text").select_related("document").get(pk=version.pk)
    record(about_upload(kind, changed, user))
    defer(changed)
