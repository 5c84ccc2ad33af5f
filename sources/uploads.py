"""Accepting a file: stored once, as a document, as a further version of one, or held until somebody decides which.

The file goes into storage before any row is locked. The rows, the job and the record of the change are one
transaction.
"""

import hashlib
import uuid
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath, PureWindowsPath

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from citeweb.accounts.changes import Change, Kind, record
from citeweb.accounts.models import Tenant, User
from sources.core.extract.titles import file_title
from sources.core.extract.types import FailureReason
from sources.core.names import plain_name
from sources.models import Collection, Document, Version, VersionState
from sources.originals import remove_file
from sources.permissions import Hidden
from sources.queue import defer_ingest
from sources.shelves import curated_shelf, shelf_of
from sources.versions import document_of_file, newest_with_bytes, next_number

_LONGEST_NAME = 500


class SameName(StrEnum):
    """What becomes of a file when the collection has a document whose newest file had this name."""

    REPLACE = "replace"
    KEEP_BOTH = "keep_both"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a file is to be taken. `keep_copy` makes a second document of bytes that are there already.

    If it becomes a new document, that gets the id `document_id`.
    """

    same_name: SameName = SameName.REPLACE
    keep_copy: bool = False
    document_id: uuid.UUID | None = None


TAKE_AS_NEWER = Wishes()


@dataclass(frozen=True, slots=True)
class Upload:
    """What became of an uploaded file; `already_there` when the collection had these very bytes."""

    document: Document
    version: Version
    already_there: bool = False

    @property
    def held(self) -> bool:
        """Whether somebody has to decide if it replaces the document of its name."""
        return self.version.state == VersionState.HELD


def accept_upload(
    *,
    user: User,
    tenant: Tenant,
    collection: Collection,
    file: "File[bytes]",
    file_name: str,
    wishes: Wishes = TAKE_AS_NEWER,
) -> Upload:
    """Store a file for a curator and queue its processing.

    The same bytes in the same collection are kept once, unless a copy is wished. An empty or too large file ends
    as failed at once. Raises Hidden without the right to add here.
    """
    if collection.tenant_id != tenant.pk:
        raise Hidden
    shelf = curated_shelf(collection, user=user)
    if not shelf.exists():
        raise Hidden
    return _accept(_Arrival(shelf, collection, user, wishes), file, file_name)


def accept_version(*, user: User, document: Document, file: "File[bytes]", file_name: str) -> Upload:
    """Store a file as the next version of a document, whatever its name; otherwise as `accept_upload`."""
    shelf = curated_shelf(document.collection, user=user)
    if not shelf.exists():
        raise Hidden
    return _accept(_Arrival(shelf, document.collection, user, TAKE_AS_NEWER, document), file, file_name)


def accept_as_system(
    *, collection: Collection, file: "File[bytes]", file_name: str, uploaded_by: User | None = None
) -> Upload:
    """Store a file for an operator at the machine, who is asked for no right; otherwise as `accept_upload`."""
    return _accept(_Arrival(shelf_of(collection), collection, uploaded_by), file, file_name)


def defer(version: Version) -> None:
    """Queue a version that is to be read."""
    if version.state == VersionState.QUEUED:
        defer_ingest(version.pk)


@dataclass(frozen=True, slots=True)
class _Arrival:
    """Where a file is to go: `shelf` is the collection again, as long as this person may add to it."""

    shelf: QuerySet[Collection]
    collection: Collection
    user: User | None
    wishes: Wishes = TAKE_AS_NEWER
    document: Document | None = None

    def twin(self, sha256: str) -> Version | None:
        """Return what has these bytes already."""
        if self.wishes.keep_copy:
            return None
        return newest_with_bytes(self.collection, sha256, document=self.document)


def _accept(arrival: _Arrival, file: "File[bytes]", file_name: str) -> Upload:
    sha256, size = _digest(file)
    if twin := arrival.twin(sha256):
        return Upload(twin.document, twin, already_there=True)
    version = _stored(arrival, file, clean_name(file_name), sha256, size)
    try:
        upload = _entered(arrival, version)
    except BaseException:
        remove_file(version)
        raise
    if upload.already_there:
        remove_file(version)
    return upload


def _digest(file: "File[bytes]") -> tuple[str, int]:
    """Return the hexadecimal SHA-256 and the size in bytes, read piece by piece."""
    digest, size = hashlib.sha256(), 0
    for piece in file.chunks():
        digest.update(piece)
        size += len(piece)
    return digest.hexdigest(), size


def clean_name(file_name: str) -> str:
    """Return the last part of a path of any system, made safe to show."""
    last = PurePosixPath(PureWindowsPath(file_name).name).name
    return plain_name(last)[-_LONGEST_NAME:] or "untitled"


def _stored(arrival: _Arrival, file: "File[bytes]", file_name: str, sha256: str, size: int) -> Version:
    """Put the file into storage, before any row and lock: storage may be slow."""
    version = Version(
        tenant_id=arrival.collection.tenant_id,
        file_name=file_name,
        sha256=sha256,
        size=size,
        uploaded_by=arrival.user,
    )
    reason = _refusal(size)
    if reason is None:
        version.file.save(file_name, file, save=False)
    else:
        version.state, version.failure = VersionState.FAILED, reason
    return version


def _refusal(size: int) -> FailureReason | None:
    if size == 0:
        return FailureReason.EMPTY
    return FailureReason.TOO_LARGE if size > settings.MAX_FILE_BYTES else None


def _entered(arrival: _Arrival, version: Version) -> Upload:
    """Write rows, job and record in one transaction, one upload of a collection at a time. Raises Hidden."""
    with transaction.atomic():
        # The row lock makes one copy of a file that arrives twice within the same second.
        if arrival.shelf.select_for_update(of=("self",), no_key=True).first() is None:
            raise Hidden
        if twin := arrival.twin(version.sha256):
            return Upload(twin.document, twin, already_there=True)
        version.document = _document(arrival, version)
        version.number = next_number(version.document)
        version.state_since = timezone.now()
        version.save(force_insert=True)
        record(about_upload(Kind.UPLOADED, version, arrival.user))
        defer(version)
    return Upload(version.document, version)


def _document(arrival: _Arrival, version: Version) -> Document:
    """Return the document that the version belongs to, a new one where there is none; a version may become held."""
    if arrival.document is not None:
        return _still_there(arrival.document)
    same = document_of_file(arrival.collection, version.file_name)
    if same is None or arrival.wishes.same_name == SameName.KEEP_BOTH:
        return new_document(arrival.collection, version, arrival.user, arrival.wishes.document_id)
    if arrival.wishes.same_name == SameName.ASK and version.state == VersionState.QUEUED:
        version.state = VersionState.HELD
    return same


def _still_there(document: Document) -> Document:
    """Return the document as it is now. Raises Hidden when it was deleted or moved meanwhile."""
    same_place = Document.objects.filter(collection_id=document.collection_id, deleted_at=None)
    found = same_place.filter(pk=document.pk).first()
    if found is None:
        raise Hidden
    return found


def new_document(
    collection: Collection, version: Version, user: User | None, document_id: uuid.UUID | None = None
) -> Document:
    """Make the document of a file, called as the file until extraction finds a better title."""
    document = Document(
        pk=document_id or uuid.uuid4(),
        tenant_id=collection.tenant_id,
        collection=collection,
        title=file_title(version.file_name)[:_LONGEST_NAME],
        uploaded_by=user,
    )
    document.save(force_insert=True)
    return document


def about_upload(kind: Kind, version: Version, user: User | None, **more: object) -> Change:
    """Return what is recorded of a change to an upload: its place and hash, its file name beside the chain."""
    body = {
        "collection_id": str(version.document.collection_id),
        "version_id": str(version.pk),
        "number": version.number,
        "sha256": version.sha256,
        "size": version.size,
        "state": version.state,
        **more,
    }
    texts = {"file_name": version.file_name}
    return Change(kind, version.tenant_id, user, body, version.document_id, texts)
