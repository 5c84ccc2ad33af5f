"""Taking documents away: deleted and restorable first, purged for good afterwards.

A deleted document is out of every list, search and viewer at once; its rows and files stay. A purge removes file,
text, page images, chunks and vectors, and leaves a row without a word that says that there was something.
"""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from citeweb.accounts.changes import Change, Kind, record
from citeweb.accounts.models import Tenant, User
from sources.curation import check_curator
from sources.metadata import FIELDS
from sources.models import (
    Chunk,
    ChunkEmbedding,
    Collection,
    Document,
    HandedInFile,
    Page,
    Version,
    VersionState,
)
from sources.originals import remove_file
from sources.page_cache import forget_page_images
from sources.permissions import Hidden, Id, may_curate, removed_documents, visible_documents
from sources.queue import defer_ingest, defer_purge
from sources.shelves import curated_shelf
from sources.versions import WORKING

# Documents of a collection that are deleted in one transaction.
_AT_ONCE = 25


def delete(document: Document, *, user: User) -> bool:
    """Take a document out of reading and retrieval at once; False when it was. Raises Hidden without the right to."""
    check_curator(document, user)
    with transaction.atomic():
        found = visible_documents(user=user, tenant=document.tenant).filter(pk=document.pk)
        if not found.update(deleted_at=timezone.now(), deleted_by=user):
            return False
        record(_about(Kind.DOCUMENT_DELETED, document, user))
    return True


def restore(document: Document, *, user: User) -> bool:
    """Put a deleted document back; False when it was.

    Raises Hidden without the right to, ValidationError when its id at a provider was given to another one or its
    collection is gone.
    """
    with transaction.atomic():
        gone = _locked(document, user)
        if gone.purge_ordered_at is not None:
            return False
        if gone.provider_file_id and _in_use(gone):
            raise ValidationError(_("Another document has its provider's file id now."))
        if gone.collection.deleted_at is not None:
            raise ValidationError(_("Its collection was deleted."))
        gone.deleted_at, gone.deleted_by = None, None
        gone.save(update_fields=["deleted_at", "deleted_by"])
        _go_on_reading(gone)
        record(_about(Kind.DOCUMENT_RESTORED, gone, user))
    return True


def put_back(document: Document, *, user: User, to: Collection) -> None:
    """Put a deleted document into a collection that the user curates. Raises Hidden without the right to either.

    Raises ValidationError as `restore` does.
    """
    with transaction.atomic():
        gone = _locked(document, user)
        if gone.purge_ordered_at is not None or not may_curate(user=user, tenant=gone.tenant, collection=to):
            raise Hidden
        if gone.provider_file_id and _in_use(gone):
            raise ValidationError(_("Another document has its provider's file id now."))
        before = str(gone.collection_id)
        gone.deleted_at, gone.deleted_by, gone.collection = None, None, to
        gone.save(update_fields=["deleted_at", "deleted_by", "collection"])
        _go_on_reading(gone)
        record(_about(Kind.DOCUMENT_RESTORED, gone, user, before=before))


def put_away(collection: Collection, *, user: User) -> None:
    """Delete a collection with all its documents, which can still be purged. Raises Hidden.

    Only for who may read all that goes.
    """
    while _delete_some(collection, user):
        # Each handful by itself: the audit chain is locked meanwhile, which answers must get into too.
        pass
    with transaction.atomic():
        shelf = curated_shelf(collection, user=user).select_for_update(of=("self",), no_key=True).first()
        if shelf is None:
            raise Hidden
        # What came in since; the locked collection takes no more.
        for document in _standing_in(shelf):
            delete(document, user=user)
        shelf.deleted_at = timezone.now()
        shelf.save(update_fields=["deleted_at"])
        body = {"collection_id": str(shelf.pk), "collection": shelf.name}
        record(Change(Kind.COLLECTION_DELETED, shelf.tenant_id, user, body))


def _delete_some(collection: Collection, user: User) -> bool:
    with transaction.atomic():
        deleted = [delete(document, user=user) for document in _standing_in(collection)[:_AT_ONCE]]
    return any(deleted)


def _standing_in(collection: Collection) -> QuerySet[Document]:
    standing = Document.objects.filter(collection=collection, deleted_at=None)
    return standing.select_related("tenant").order_by("created_at")


def order_purge(document: Document, *, user: User) -> bool:
    """Have a deleted document removed for good; False when that is ordered already. Raises Hidden."""
    with transaction.atomic():
        gone = _locked(document, user)
        if gone.purge_ordered_at is not None:
            return False
        gone.purge_ordered_at = timezone.now()
        gone.save(update_fields=["purge_ordered_at"])
        record(_about(Kind.PURGE_ORDERED, gone, user))
        defer_purge(gone.pk)
    return True


def purge(document_id: Id) -> None:
    """Remove a document whose purge was ordered, as a task of the system; may be run again after any crash."""
    document = Document.objects.filter(pk=document_id, purged_at=None).first()
    if document is None or document.purge_ordered_at is None:
        return
    versions = list(_versions(document))
    # Files first: as long as a row is left, the next attempt finds them again.
    for version in versions:
        _remove_files(version)
    _remove_handed_in(document)
    with transaction.atomic():
        locked = Document.objects.select_for_update(of=("self",)).filter(purged_at=None).get(pk=document.pk)
        proof = [{"id": str(v.pk), "number": v.number, "sha256": v.sha256, "size": v.size} for v in versions]
        _remove_rows(locked)
        _leave_a_stone(locked)
        body = {"collection_id": str(locked.collection_id), "versions": proof}
        record(Change(Kind.DOCUMENT_PURGED, locked.tenant_id, None, body, locked.pk))


def purges_to_do() -> list[str]:
    """Return the ids of documents whose purge was ordered and is not done, of all tenants."""
    waiting = Document.objects.filter(purge_ordered_at__isnull=False, purged_at=None)
    return [str(pk) for pk in waiting.values_list("pk", flat=True)]


def removed_document_for(*, user: User, tenant: Tenant, document_id: Id) -> Document:
    """Return a deleted document for who curates its collection. Raises Hidden."""
    found = removed_documents(user=user, tenant=tenant).filter(pk=document_id)
    document = found.select_related("tenant", "collection").first()
    if document is None:
        raise Hidden
    return document


def _locked(document: Document, user: User) -> Document:
    mine = removed_documents(user=user, tenant=document.tenant).filter(pk=document.pk)
    gone = mine.select_for_update(of=("self",)).first()
    if gone is None:
        raise Hidden
    return gone


def _go_on_reading(document: Document) -> None:
    """Queue what was waiting or being read when the document was deleted: its job has found nothing to do since."""
    unfinished = Version.objects.filter(document=document, state__in=WORKING)
    unfinished.update(state=VersionState.QUEUED, state_since=timezone.now())
    for version_id in unfinished.values_list("pk", flat=True):
        defer_ingest(version_id)


def _in_use(document: Document) -> bool:
    same = Document.objects.filter(tenant_id=document.tenant_id, provider_file_id=document.provider_file_id)
    return same.filter(deleted_at=None).exists()


def _versions(document: Document) -> QuerySet[Version]:
    return Version.objects.filter(document=document).defer("text").order_by("number")


def _remove_files(version: Version) -> None:
    remove_file(version)
    forget_page_images(version.pk)


def _remove_handed_in(document: Document) -> None:
    """Remove what a program handed in and what names the document since, with its file name."""
    for kept in HandedInFile.objects.filter(document=document):
        if kept.file:
            kept.file.storage.delete(kept.file.name or "")
        kept.delete()


def _remove_rows(document: Document) -> None:
    """Delete table by table: a cascade would first read a long document's rows into memory."""
    Document.objects.filter(pk=document.pk).update(current_version=None)
    ChunkEmbedding.objects.filter(version__document=document).delete()
    Chunk.objects.filter(document=document).delete()
    Page.objects.filter(version__document=document).delete()
    Version.objects.filter(document=document).delete()


def _leave_a_stone(document: Document) -> None:
    document.current_version = None
    document.corrected, document.provider_file_id = [], ""
    for name in FIELDS:
        setattr(document, name, "")
    document.purged_at = timezone.now()
    document.save()


def _about(kind: Kind, document: Document, user: User, **more: object) -> Change:
    """Return what is recorded of a document: hashes in the record, its title beside the chain."""
    hashes = _versions(document).values_list("sha256", flat=True)
    body = {"collection_id": str(document.collection_id), "sha256": list(hashes), **more}
    return Change(kind, document.tenant_id, user, body, document.pk, {"title": document.title})
