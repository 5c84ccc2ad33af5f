"""Documents as OpenAI's files, collections as its vector stores."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime

from chat.api.citation_objects import Json
from chat.api.ids import BATCH, FILE, STORE, public_id
from citeweb.accounts.models import Tenant, User
from sources.core.extract import explain
from sources.core.extract.types import FailureReason
from sources.handed_in import FileView
from sources.metadata import FIELDS
from sources.models import Batch, Collection, Document, Version, VersionState
from sources.permissions import visible_versions

_ERROR_CODES = {
    FailureReason.CRASHED: "server_error",
    FailureReason.TIMED_OUT: "server_error",
    FailureReason.OUT_OF_MEMORY: "server_error",
    FailureReason.UNSUPPORTED_TYPE: "unsupported_file",
}
COUNTED = ("in_progress", "completed", "failed", "cancelled")


def file_object(view: FileView) -> Json:
    """Return a file."""
    status, details = _file_status(view.version)
    return {
        "id": public_id(FILE, view.id),
        "object": "file",
        "bytes": view.size,
        "created_at": _seconds(view.created_at),
        "expires_at": None,
        "filename": view.file_name,
        "purpose": view.purpose,
        "status": status,
        "status_details": details,
        "vector_store_id": public_id(STORE, view.document.collection_id) if view.document else None,
        "title": view.document.title if view.document else None,
    }


def _file_status(version: Version | None) -> tuple[str, str | None]:
    if version is None:
        return "uploaded", None
    match version.state:
        case VersionState.READY:
            return "processed", None
        case VersionState.FAILED:
            return "error", failure_text(version)
    return "uploaded", None


def failure_text(version: Version) -> str:
    """Say why a file could not be read, and what to do."""
    explained = explain(FailureReason(version.failure))
    return f"{explained.problem} {explained.remedy}"


def store_file(view: FileView) -> Json:
    """Return a document as a file of its vector store."""
    assert view.document is not None
    status = store_status(view.version)
    return {
        "id": public_id(FILE, view.id),
        "object": "vector_store.file",
        "created_at": _seconds(view.created_at),
        "vector_store_id": public_id(STORE, view.document.collection_id),
        "status": status,
        "last_error": _last_error(view.version) if status == "failed" else None,
        "usage_bytes": view.size,
        "attributes": attributes_of(view.document),
        "chunking_strategy": {"type": "other"},
    }


def store_status(version: Version | None) -> str:
    """Return the status of a file in a vector store."""
    return _status(version.state, version.failure) if version else "in_progress"


def _status(state: str, failure: str) -> str:
    match state:
        case VersionState.READY:
            return "completed"
        case VersionState.FAILED:
            return "cancelled" if failure == FailureReason.CANCELLED else "failed"
    return "in_progress"


def _last_error(version: Version | None) -> Json | None:
    if version is None:
        return None
    code = _ERROR_CODES.get(FailureReason(version.failure), "invalid_file")
    return {"code": code, "message": failure_text(version)}


def attributes_of(document: Document) -> Json:
    """Return what the document says about itself; blank fields are left out."""
    return {name: str(getattr(document, name))[:512] for name in FIELDS if getattr(document, name)}


def store_object(collection: Collection, counts: Mapping[str, int], size: int) -> Json:
    """Return a collection as a vector store."""
    return {
        "id": public_id(STORE, collection.pk),
        "object": "vector_store",
        "created_at": _seconds(collection.created_at),
        "last_active_at": _seconds(collection.created_at),
        "name": collection.name,
        "metadata": collection.metadata,
        "status": "in_progress" if counts.get("in_progress") else "completed",
        "usage_bytes": size,
        "file_counts": file_counts(counts),
        "expires_after": None,
        "expires_at": None,
        "restricted": collection.restricted,
    }


def file_counts(counts: Mapping[str, int]) -> Json:
    """Return how many files there are in each status."""
    return {**{name: counts.get(name, 0) for name in COUNTED}, "total": sum(counts.values())}


def stores(collections: Iterable[Collection], *, user: User, tenant: Tenant) -> list[Json]:
    """Return collections as vector stores with their counts; one query for all."""
    collections = list(collections)
    found: dict[uuid.UUID, Counter[str]] = {one.pk: Counter() for one in collections}
    sizes: Counter[uuid.UUID] = Counter()
    versions = visible_versions(user=user, tenant=tenant).filter(document__collection__in=collections)
    newest = versions.order_by("document_id", "-number").distinct("document_id")
    rows = newest.values_list("document__collection_id", "state", "failure", "size")
    for collection_id, state, failure, size in rows.iterator():
        found[collection_id][_status(state, failure)] += 1
        sizes[collection_id] += size
    return [store_object(one, found[one.pk], sizes[one.pk]) for one in collections]


def batch_object(batch: Batch, collection_id: uuid.UUID, statuses: Iterable[str]) -> Json:
    """Return files that were put into a vector store together."""
    counts = Counter(statuses)
    return {
        "id": public_id(BATCH, batch.pk),
        "object": "vector_store.files_batch",
        "created_at": _seconds(batch.created_at),
        "vector_store_id": public_id(STORE, collection_id),
        "status": _batch_status(counts),
        "file_counts": file_counts(counts),
    }


def _batch_status(counts: Mapping[str, int]) -> str:
    if counts.get("in_progress"):
        return "in_progress"
    if counts.get("cancelled"):
        return "cancelled"
    return "failed" if counts.get("failed") and not counts.get("completed") else "completed"


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())
