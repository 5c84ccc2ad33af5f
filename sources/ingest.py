"""From an uploaded file to a searchable document: accept it, then process it outside the request."""

import hashlib
import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from citeweb.accounts.models import Tenant, User
from sources.core.chunking import chunk_spans
from sources.core.extract.sandbox import MEGABYTE, Limits, extract_in_child
from sources.core.extract.titles import file_title
from sources.core.extract.types import Extracted, ExtractionError, FailureReason
from sources.core.names import plain_name
from sources.index import write_version
from sources.models import Collection, Document, Version, VersionState
from sources.originals import on_disk
from sources.permissions import Hidden, curated_collections
from sources.queue import defer_ingest
from sources.shelves import shelf_of
from sources.versions import (
    MOST_ATTEMPTS,
    claim,
    document_of_file,
    enter,
    fail,
    give_back,
    newest_with_bytes,
    next_number,
    report_pages,
)

logger = logging.getLogger(__name__)

# Progress is saved at most this often, in seconds.
_PROGRESS_EVERY = 0.5
_LONGEST_NAME = 500


@dataclass(frozen=True, slots=True)
class Upload:
    """What became of an uploaded file; `already_there` when the collection had these very bytes."""

    document: Document
    version: Version
    already_there: bool = False


class Interrupted(Exception):
    """Processing was stopped from outside: the worker ends, or the document was deleted."""


def accept_upload(
    *, user: User, tenant: Tenant, collection: Collection, file: "File[bytes]", file_name: str
) -> Upload:
    """Store a file for a curator and queue its processing.

    The same bytes in the same collection are kept once; other bytes under the same file name are the document's
    next version. An empty or too large file ends as failed at once. Raises Hidden without the right to add here.
    """
    shelf = curated_collections(user=user, tenant=tenant).filter(pk=collection.pk)
    if not shelf.exists():
        raise Hidden
    return _accept(shelf, collection, file, file_name, user)


def accept_as_system(
    *, collection: Collection, file: "File[bytes]", file_name: str, uploaded_by: User | None = None
) -> Upload:
    """Store a file for an operator at the machine, who is asked for no right; otherwise as `accept_upload`."""
    return _accept(shelf_of(collection), collection, file, file_name, uploaded_by)


def process_version(version_id: uuid.UUID | str, *, should_stop: Callable[[], bool] = lambda: False) -> None:
    """Extract, chunk and index a waiting upload; it ends as ready, or as failed with a reason.

    Raises Interrupted when `should_stop` answers yes between pages, and whatever unexpected error arose as long
    as attempts are left.
    """
    version = claim(version_id)
    if version is None:
        return
    try:
        _process(version, should_stop)
    except ExtractionError as exc:
        fail(version, exc.reason, exc.detail)
    except Interrupted:
        give_back(version)
        raise
    except Exception as exc:
        logger.exception("Processing version %s failed", version.pk)
        if version.attempts < MOST_ATTEMPTS:
            raise
        fail(version, FailureReason.CRASHED, f"{type(exc).__name__}: {exc}")


def _process(version: Version, should_stop: Callable[[], bool]) -> None:
    extracted = _extract(version, should_stop)
    enter(version, VersionState.CHUNKING)
    spans = chunk_spans(extracted)
    if not spans:
        raise ExtractionError(FailureReason.NO_TEXT)
    enter(version, VersionState.INDEXING)
    write_version(version, extracted, spans)


def _extract(version: Version, should_stop: Callable[[], bool]) -> Extracted:
    limits = Limits(
        max_bytes=settings.MAX_FILE_BYTES,
        wall_seconds=settings.EXTRACT_SECONDS,
        cpu_seconds=settings.EXTRACT_SECONDS,
        memory_bytes=settings.EXTRACT_MEMORY_MB * MEGABYTE,
    )
    with on_disk(version) as path:
        return extract_in_child(
            path, file_name=version.file_name, limits=limits, on_progress=_progress(version, should_stop)
        )


def _progress(version: Version, should_stop: Callable[[], bool]) -> Callable[[int, int], None]:
    last = time.monotonic()

    def on_progress(done: int, pages: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _PROGRESS_EVERY:
            return
        last = now
        if should_stop() or not report_pages(version, done, pages):
            raise Interrupted

    return on_progress


def _accept(
    shelf: QuerySet[Collection],
    collection: Collection,
    file: "File[bytes]",
    file_name: str,
    user: User | None,
) -> Upload:
    sha256, size = _digest(file)
    if twin := newest_with_bytes(collection, sha256):
        return Upload(twin.document, twin, already_there=True)
    version = _stored(collection, file, _clean_name(file_name), sha256, size)
    try:
        upload = _entered(shelf, version, user)
    except BaseException:
        _forget(version)
        raise
    if upload.already_there:
        _forget(version)
    return upload


def _digest(file: "File[bytes]") -> tuple[str, int]:
    """Return the hexadecimal SHA-256 and the size in bytes, read piece by piece."""
    digest, size = hashlib.sha256(), 0
    for piece in file.chunks():
        digest.update(piece)
        size += len(piece)
    return digest.hexdigest(), size


def _clean_name(file_name: str) -> str:
    """Return the last part of a path of any system, made safe to show."""
    last = PurePosixPath(PureWindowsPath(file_name).name).name
    return plain_name(last)[-_LONGEST_NAME:] or "untitled"


def _stored(collection: Collection, file: "File[bytes]", file_name: str, sha256: str, size: int) -> Version:
    """Put the file into storage, before any row and lock: storage may be slow."""
    version = Version(tenant_id=collection.tenant_id, file_name=file_name, sha256=sha256, size=size)
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


def _entered(shelf: QuerySet[Collection], version: Version, user: User | None) -> Upload:
    """Write the rows and the job in one transaction, one upload of a collection at a time. Raises Hidden."""
    with transaction.atomic():
        # The row lock makes one copy of a file that arrives twice within the same second.
        collection = shelf.select_for_update(of=("self",), no_key=True).first()
        if collection is None:
            raise Hidden
        if twin := newest_with_bytes(collection, version.sha256):
            return Upload(twin.document, twin, already_there=True)
        document = document_of_file(collection, version.file_name) or _new_document(collection, version, user)
        version.document, version.number = document, next_number(document)
        version.state_since = timezone.now()
        version.save(force_insert=True)
        if version.state == VersionState.QUEUED:
            defer_ingest(version.pk)
    return Upload(document, version)


def _new_document(collection: Collection, version: Version, user: User | None) -> Document:
    document = Document(
        tenant_id=collection.tenant_id,
        collection=collection,
        title=file_title(version.file_name)[:_LONGEST_NAME],
        uploaded_by=user,
    )
    document.save(force_insert=True)
    return document


def _forget(version: Version) -> None:
    if version.file:
        version.file.delete(save=False)
