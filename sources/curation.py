"""What a curator may do to a document that is there: have it read again, or take it away."""

from django.db import transaction
from django.utils import timezone

from citeweb.accounts.models import User
from sources.models import Document, Version, VersionState
from sources.permissions import Hidden, curated_collections, visible_documents, visible_versions
from sources.queue import defer_ingest


def may_retry(version: Version) -> bool:
    """Tell whether reading the file again makes sense; a refused upload was never stored."""
    return version.state == VersionState.FAILED and bool(version.file)


def retry(version: Version, *, user: User) -> bool:
    """Queue a failed version again; False when it has not failed or has no file. Raises Hidden without the right."""
    _check(version.document, user)
    if not may_retry(version):
        return False
    # Only who finds it failed queues it: of two clicks, one makes a job.
    failed = visible_versions(user=user, tenant=version.document.tenant).filter(
        pk=version.pk, state=VersionState.FAILED
    )
    with transaction.atomic():
        if not failed.update(
            state=VersionState.QUEUED,
            state_since=timezone.now(),
            failure="",
            detail="",
            attempts=0,
            pages_done=0,
        ):
            return False
        defer_ingest(version.pk)
    return True


def delete(document: Document, *, user: User) -> None:
    """Take a document out of reading and retrieval at once. Raises Hidden without the right to."""
    _check(document, user)
    found = visible_documents(user=user, tenant=document.tenant).filter(pk=document.pk)
    found.update(deleted_at=timezone.now())


def _check(document: Document, user: User) -> None:
    shelves = curated_collections(user=user, tenant=document.tenant)
    if not shelves.filter(pk=document.collection_id).exists():
        raise Hidden
