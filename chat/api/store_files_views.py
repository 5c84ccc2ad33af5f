"""/v1/vector_stores/{id}/files and file_batches: which documents stand in a collection."""

import uuid
from typing import Annotated, Literal

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from ninja import Query, Router
from pydantic import BaseModel, ConfigDict, Field

from chat.api.caller import ApiKeyAuth, Caller, caller_of
from chat.api.citation_objects import Json
from chat.api.errors import forbidden, invalid, not_found
from chat.api.file_objects import batch_object, store_file, store_status
from chat.api.ids import BATCH, FILE, STORE, own_id, public_id
from chat.api.listing import Page, cut, listed
from chat.api.putting import checked_attributes, put_files
from chat.api.schemas import Deleted, FileBatch, FileContentPage, VectorStoreFile, VectorStoreFileList
from chat.api.stores_views import store_for
from citeweb.accounts.models import Scope
from sources import handed_in
from sources.curation import cancel
from sources.editing import edit
from sources.handed_in import FileView, document_of, take_out, views_of
from sources.models import Batch, BatchItem, Collection, Document, VersionState
from sources.permissions import Hidden, version_for, visible_collections, visible_documents

router = Router(tags=["Vector stores"], auth=ApiKeyAuth(Scope.FILES))
CURATORS_ONLY = "Only its curators may change what is in a vector store."
# How soon a client that waits for a file should ask again, in milliseconds.
_POLL_HEADER = "openai-poll-after-ms"
_POLL_AFTER = "500"

Attributes = Annotated[dict[str, str | int | float | bool], Field(max_length=16)]


class NewFile(BaseModel):
    """A file to be put into a vector store. Attributes say what the document says about itself."""

    model_config = ConfigDict(extra="forbid")
    file_id: str
    attributes: Attributes | None = None
    chunking_strategy: dict[str, object] | None = Field(None, description="Taken and not used.")


class NewBatch(BaseModel):
    """Files to be put into a vector store together: their ids, or files with attributes."""

    model_config = ConfigDict(extra="forbid")
    file_ids: Annotated[list[str], Field(max_length=500)] | None = None
    files: Annotated[list[NewFile], Field(max_length=500)] | None = None
    attributes: Attributes | None = None
    chunking_strategy: dict[str, object] | None = Field(None, description="Taken and not used.")


class FileChange(BaseModel):
    """New attributes of a file."""

    model_config = ConfigDict(extra="forbid")
    attributes: Attributes | None = None


class StorePage(Page):
    """Which part of the list, and files in which state only."""

    filter: Literal["in_progress", "completed", "failed", "cancelled"] | None = None


@router.post(
    "/{store_id}/files",
    summary="Put a file into a vector store",
    operation_id="createVectorStoreFile",
    response=VectorStoreFile,
)
def add(request: HttpRequest, store_id: str, body: NewFile) -> HttpResponse:
    """Make a file a document of the collection; it is read and indexed in the background. For curators."""
    caller = caller_of(request)
    store = store_for(store_id, caller)
    _put(store, [(body.file_id, body.attributes)], caller)
    return _answer(_view(store, body.file_id, caller))


@router.get(
    "/{store_id}/files",
    summary="List the files of a vector store",
    operation_id="listVectorStoreFiles",
    response=VectorStoreFileList,
)
def list_files(request: HttpRequest, store_id: str, page: Query[StorePage]) -> HttpResponse:
    """List the documents of a collection."""
    caller = caller_of(request)
    store = store_for(store_id, caller)
    return _listed(
        visible_documents(user=caller.user, tenant=caller.tenant, collections=[store.pk]), page, caller
    )


@router.get(
    "/{store_id}/files/{file_id}",
    summary="Describe a file of a vector store",
    operation_id="getVectorStoreFile",
    response=VectorStoreFile,
)
def retrieve(request: HttpRequest, store_id: str, file_id: str) -> HttpResponse:
    """Return how far the reading of a document has come."""
    caller = caller_of(request)
    return _answer(_view(store_for(store_id, caller), file_id, caller))


@router.post(
    "/{store_id}/files/{file_id}",
    summary="Change a file's attributes",
    operation_id="updateVectorStoreFile",
    response=VectorStoreFile,
)
def update(request: HttpRequest, store_id: str, file_id: str, body: FileChange) -> HttpResponse:
    """Say what the document says about itself: title, author, year, reference, url, language. For curators."""
    caller = caller_of(request)
    store = store_for(store_id, caller)
    document = _document(store, file_id, caller)
    try:
        edit(document, user=caller.user, values=checked_attributes(body.attributes))
    except Hidden as exc:
        raise forbidden(CURATORS_ONLY) from exc
    return _answer(_view(store, file_id, caller))


@router.delete(
    "/{store_id}/files/{file_id}",
    summary="Take a file out of a vector store",
    operation_id="deleteVectorStoreFile",
    response=Deleted,
)
def remove(request: HttpRequest, store_id: str, file_id: str) -> HttpResponse:
    """Take a document out of search; the file stays and can be put into a vector store again. For curators."""
    caller = caller_of(request)
    document = _document(store_for(store_id, caller), file_id, caller)
    try:
        take_out(document, user=caller.user)
    except Hidden as exc:
        raise forbidden(CURATORS_ONLY) from exc
    return JsonResponse({"id": file_id, "object": "vector_store.file.deleted", "deleted": True})


@router.get(
    "/{store_id}/files/{file_id}/content",
    summary="The text of a file",
    operation_id="getVectorStoreFileContent",
    response=FileContentPage,
)
def content(request: HttpRequest, store_id: str, file_id: str) -> HttpResponse:
    """Return the text that was read from a document: what is searched, quoted and shown."""
    caller = caller_of(request)
    document = _document(store_for(store_id, caller), file_id, caller)
    data: list[Json] = []
    if document.current_version_id is not None:
        version = version_for(user=caller.user, tenant=caller.tenant, version_id=document.current_version_id)
        data = [{"type": "text", "text": version.text}]
    return JsonResponse(
        {
            "object": "vector_store.file_content.page",
            "data": data,
            "has_more": False,
            "next_page": None,
        }
    )


@router.post(
    "/{store_id}/file_batches",
    summary="Put several files into a vector store",
    operation_id="createFileBatch",
    response=FileBatch,
)
def add_batch(request: HttpRequest, store_id: str, body: NewBatch) -> HttpResponse:
    """Make files documents of the collection, all or none. For curators."""
    caller = caller_of(request)
    store = store_for(store_id, caller)
    files = [(name, body.attributes) for name in body.file_ids or []]
    files += [(file.file_id, file.attributes) for file in body.files or []]
    if not files:
        raise invalid("There must be one file or more.", "file_ids", "missing_required_parameter")
    with transaction.atomic():
        documents = _put(store, files, caller)
        # Closed, so that the upload page doesn't list it.
        batch = Batch.objects.create(tenant=caller.tenant, user=caller.user, closed_at=timezone.now())
        views = views_of(dict.fromkeys(documents), user=caller.user, tenant=caller.tenant)
        BatchItem.objects.bulk_create(
            BatchItem(batch=batch, version=view.version, file_name=view.file_name)
            for view in views
            if view.version is not None
        )
    return _batch_answer(batch, store, caller)


@router.get(
    "/{store_id}/file_batches/{file_batch_id}",
    summary="Describe a file batch",
    operation_id="getFileBatch",
    response=FileBatch,
)
def retrieve_batch(request: HttpRequest, store_id: str, file_batch_id: str) -> HttpResponse:
    """Return how far the reading of the files has come."""
    caller = caller_of(request)
    store, batch = _store_and_batch(store_id, file_batch_id, caller)
    return _batch_answer(batch, store, caller)


@router.get(
    "/{store_id}/file_batches/{file_batch_id}/files",
    summary="List the files of a batch",
    operation_id="listFilesInBatch",
    response=VectorStoreFileList,
)
def list_batch(
    request: HttpRequest, store_id: str, file_batch_id: str, page: Query[StorePage]
) -> HttpResponse:
    """List the documents that were put into the collection together."""
    caller = caller_of(request)
    store, batch = _store_and_batch(store_id, file_batch_id, caller)
    return _listed(_documents_of(batch, store, caller), page, caller)


@router.post(
    "/{store_id}/file_batches/{file_batch_id}/cancel",
    summary="Cancel a file batch",
    operation_id="cancelFileBatch",
    response=FileBatch,
)
def cancel_batch(request: HttpRequest, store_id: str, file_batch_id: str) -> HttpResponse:
    """Stop reading those files of a batch that are not read yet. For curators."""
    caller = caller_of(request)
    store, batch = _store_and_batch(store_id, file_batch_id, caller)
    try:
        for item in batch.items.select_related("version__document__tenant"):
            if item.version.state not in (VersionState.READY, VersionState.FAILED):
                cancel(item.version, user=caller.user)
    except Hidden as exc:
        raise forbidden(CURATORS_ONLY) from exc
    return _batch_answer(batch, store, caller)


def _put(
    store: Collection, files: list[tuple[str, dict[str, str | int | float | bool] | None]], caller: Caller
) -> list[Document]:
    try:
        with transaction.atomic():
            return put_files(store, files, caller)
    except Hidden as exc:
        raise forbidden(CURATORS_ONLY) from exc


def _document(store: Collection, given: str, caller: Caller) -> Document:
    ours = own_id(FILE, given)
    try:
        if ours is not None:
            document = document_of(user=caller.user, tenant=caller.tenant, file_id=ours)
            if document.collection_id == store.pk:
                return document
    except Hidden:
        pass
    raise not_found("file", given, "file_id")


def _view(store: Collection, given: str, caller: Caller) -> FileView:
    _document(store, given, caller)
    ours = own_id(FILE, given)
    assert ours is not None
    return handed_in.file_view(user=caller.user, tenant=caller.tenant, file_id=ours)


def _answer(view: FileView) -> HttpResponse:
    shown = store_file(view)
    headers = {_POLL_HEADER: _POLL_AFTER} if shown["status"] == "in_progress" else {}
    return JsonResponse(shown, headers=headers)


def _listed(documents: QuerySet[Document], page: StorePage, caller: Caller) -> HttpResponse:
    sign = "-" if page.order == "desc" else ""
    ordered = documents.order_by(f"{sign}created_at", f"{sign}pk")
    if page.filter is not None:
        ordered = ordered.filter(pk__in=_in_state(ordered, page.filter, caller))
    shown = cut(list(ordered), page, lambda document: public_id(FILE, document.pk))
    views = views_of(shown.items, user=caller.user, tenant=caller.tenant)
    return JsonResponse(listed(list(map(store_file, views)), has_more=shown.has_more))


def _in_state(documents: QuerySet[Document], state: str, caller: Caller) -> list[uuid.UUID]:
    views = views_of(documents, user=caller.user, tenant=caller.tenant)
    return [view.id for view in views if store_status(view.version) == state]


def _store_and_batch(store_id: str, given: str, caller: Caller) -> tuple[Collection, Batch]:
    """Return both. Raises the same ApiError whichever is not to be seen."""
    batch_id, own_store = own_id(BATCH, given), own_id(STORE, store_id)
    if batch_id and own_store:
        store = visible_collections(user=caller.user, tenant=caller.tenant).filter(pk=own_store).first()
        mine = Batch.objects.filter(user=caller.user, tenant=caller.tenant, pk=batch_id)
        batch = mine.filter(items__version__document__collection=own_store).distinct().first()
        if store and batch:
            return store, batch
    raise not_found("file batch", given, "batch_id")


def _documents_of(batch: Batch, store: Collection, caller: Caller) -> QuerySet[Document]:
    documents = visible_documents(user=caller.user, tenant=caller.tenant, collections=[store.pk])
    return documents.filter(pk__in=batch.items.values("version__document"))


def _batch_answer(batch: Batch, store: Collection, caller: Caller) -> HttpResponse:
    views = views_of(_documents_of(batch, store, caller), user=caller.user, tenant=caller.tenant)
    shown = batch_object(batch, store.pk, [store_status(view.version) for view in views])
    headers = {_POLL_HEADER: _POLL_AFTER} if shown["status"] == "in_progress" else {}
    return JsonResponse(shown, headers=headers)
