"""Files that programs hand in first and put into a collection afterwards; see `sources.models.HandedInFile`.

A file's id is its document's: it stays the same from handing in to quoting.
"""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.core.files.base import File
from django.db import transaction
from django.db.models import QuerySet

from citeweb.accounts.models import Tenant, User
from sources import removal
from sources.models import Collection, Document, HandedInFile, Version
from sources.permissions import (
    Hidden,
    document_for,
    may_create_collections,
    visible_versions,
)
from sources.uploads import Wishes, accept_upload, clean_name


class Elsewhere(Exception):
    """The file stands in another collection already, and a document stands in one only."""

    def __init__(self, collection_id: uuid.UUID) -> None:
        super().__init__()
        self.collection_id = collection_id


@dataclass(frozen=True, slots=True)
class FileView:
    """A file as a program sees it. Without a version it waits to be put into a collection."""

    id: uuid.UUID
    file_name: str
    size: int
    created_at: datetime
    purpose: str = "assistants"
    document: Document | None = None
    version: Version | None = None


def hand_in(*, user: User, tenant: Tenant, file: "File[bytes]", file_name: str, purpose: str) -> FileView:
    """Keep a file until it is put into a collection. Raises Hidden for who may make no collections."""
    if not may_create_collections(user=user, tenant=tenant):
        raise Hidden
    kept = HandedInFile(
        tenant=tenant, user=user, file_name=clean_name(file_name), size=file.size, purpose=purpose
    )
    kept.file.save(kept.file_name, file, save=False)
    try:
        kept.save(force_insert=True)
    except BaseException:
        kept.file.storage.delete(kept.file.name or "")
        raise
    return _waiting(kept)


def shelve(*, user: User, tenant: Tenant, file_id: uuid.UUID, collection: Collection) -> Document:
    """Put a file into a collection that the user curates and return the document that it is, or is a part of, now.

    Raises Hidden for an unknown file or collection, Elsewhere if it stands in another one.
    """
    with transaction.atomic():
        kept = _mine(user, tenant).select_for_update(of=("self",)).filter(pk=file_id).first()
        if kept is None:
            return _already_in(document_for(user=user, tenant=tenant, document_id=file_id), collection)
        if kept.document is None:
            return _entered(kept, user, tenant, collection)
        document = kept.document
        if document.deleted_at is None:
            return _already_in(document_for(user=user, tenant=tenant, document_id=document.pk), collection)
        removal.put_back(document, user=user, to=collection)
        if document.pk == kept.pk:
            kept.delete()
    return document_for(user=user, tenant=tenant, document_id=document.pk)


def _already_in(document: Document, collection: Collection) -> Document:
    if document.collection_id != collection.pk:
        raise Elsewhere(document.collection_id)
    return document


def _entered(kept: HandedInFile, user: User, tenant: Tenant, collection: Collection) -> Document:
    with kept.file.open("rb") as file:
        upload = accept_upload(
            user=user,
            tenant=tenant,
            collection=collection,
            file=file,
            file_name=kept.file_name,
            wishes=Wishes(document_id=kept.pk),
        )
    stored, name = kept.file.storage, kept.file.name or ""
    transaction.on_commit(lambda: stored.delete(name))
    if upload.document.pk == kept.pk:
        kept.delete()
    else:
        kept.document, kept.file = upload.document, ""
        kept.save(update_fields=["document", "file"])
    return upload.document


def take_out(document: Document, *, user: User) -> None:
    """Take a document out of its collection; its id stays good for putting it into another. Raises Hidden."""
    with transaction.atomic():
        version = _newest([document.pk], visible_versions(user=user, tenant=document.tenant)).get(document.pk)
        removal.delete(document, user=user)
        if version is not None and not HandedInFile.objects.filter(pk=document.pk).exists():
            HandedInFile.objects.create(
                pk=document.pk,
                tenant=document.tenant,
                user=user,
                document=document,
                file_name=version.file_name,
                size=version.size,
            )


def forget(*, user: User, tenant: Tenant, file_id: uuid.UUID) -> None:
    """Delete a file, whether it waits or is a document. Raises Hidden for one that the user may not delete."""
    kept = _mine(user, tenant).filter(pk=file_id).first()
    if kept is None:
        removal.delete(document_for(user=user, tenant=tenant, document_id=file_id), user=user)
        return
    if kept.document is not None and kept.document.deleted_at is None:
        removal.delete(document_for(user=user, tenant=tenant, document_id=kept.document.pk), user=user)
    if kept.file:
        kept.file.storage.delete(kept.file.name or "")
    kept.delete()


def file_view(*, user: User, tenant: Tenant, file_id: uuid.UUID) -> FileView:
    """Return a file. Raises Hidden."""
    kept = _mine(user, tenant).filter(pk=file_id).first()
    if kept is None:
        document = document_for(user=user, tenant=tenant, document_id=file_id)
        return views_of([document], user=user, tenant=tenant)[0]
    if kept.document is None or kept.document.deleted_at is not None:
        return _waiting(kept)
    document = document_for(user=user, tenant=tenant, document_id=kept.document.pk)
    view = views_of([document], user=user, tenant=tenant)[0]
    return FileView(
        kept.pk, view.file_name, view.size, kept.created_at, kept.purpose, view.document, view.version
    )


def original(view: FileView, *, user: User, tenant: Tenant) -> "File[bytes]":
    """Open what was uploaded. Raises FileNotFoundError, and Hidden for a file whose bytes are nobody's to see."""
    if view.version is not None:
        if not view.version.file:
            raise FileNotFoundError
        opened: File[bytes] = view.version.file.open("rb")
        return opened
    kept = _mine(user, tenant).filter(pk=view.id).first()
    if kept is None or not kept.file:
        raise FileNotFoundError
    waiting: File[bytes] = kept.file.open("rb")
    return waiting


def views_of(documents: Iterable[Document], *, user: User, tenant: Tenant) -> list[FileView]:
    """Return documents as files, each with its newest version."""
    documents = list(documents)
    newest = _newest([one.pk for one in documents], visible_versions(user=user, tenant=tenant))
    return [_of_document(one, newest.get(one.pk)) for one in documents]


def waiting_files(*, user: User, tenant: Tenant) -> QuerySet[HandedInFile]:
    """Return the user's files that stand in no collection."""
    return _mine(user, tenant).filter(document=None)


def view_of_waiting(kept: HandedInFile) -> FileView:
    """Return a file that stands in no collection."""
    return _waiting(kept)


def document_of(*, user: User, tenant: Tenant, file_id: uuid.UUID) -> Document:
    """Return the document that a file is, or is a part of. Raises Hidden, also for a file in no collection."""
    kept = _mine(user, tenant).filter(pk=file_id).first()
    return document_for(
        user=user, tenant=tenant, document_id=kept.document_id if kept and kept.document_id else file_id
    )


def _mine(user: User, tenant: Tenant) -> QuerySet[HandedInFile]:
    return HandedInFile.objects.filter(user=user, tenant=tenant).select_related("document")


def _waiting(kept: HandedInFile) -> FileView:
    return FileView(kept.pk, kept.file_name, kept.size, kept.created_at, kept.purpose)


def _of_document(document: Document, version: Version | None) -> FileView:
    name, size = (version.file_name, version.size) if version else (document.title, 0)
    return FileView(document.pk, name, size, document.created_at, document=document, version=version)


def _newest(ids: list[uuid.UUID], versions: QuerySet[Version]) -> dict[uuid.UUID, Version]:
    found = versions.filter(document__in=ids).order_by("document_id", "-number").distinct("document_id")
    return {version.document_id: version for version in found.defer("text", "headings", "warnings")}
