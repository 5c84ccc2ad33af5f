"""/v1/files: documents as files, and files that are to become documents."""

import uuid
from datetime import datetime
from typing import Annotated, Literal, TypeVar

from django.conf import settings
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from ninja import File, Form, Query, Router, UploadedFile
from pydantic import BaseModel, Field

from chat.api.caller import ApiKeyAuth, Caller, caller_of
from chat.api.errors import ApiError, forbidden, invalid, not_found
from chat.api.file_objects import file_object
from chat.api.ids import FILE, own_id, public_id
from chat.api.listing import listed
from chat.api.schemas import Deleted, FileList, FileObject
from citeweb.accounts.models import Scope
from sources import handed_in
from sources.core.names import plain_name
from sources.document_views import pieces_of
from sources.handed_in import FileView
from sources.permissions import Hidden, visible_documents

router = Router(tags=["Files"], auth=ApiKeyAuth(Scope.FILES))
M = TypeVar("M", bound=Model)
PURPOSES = ("assistants", "user_data")


class FilePage(BaseModel):
    """Which part of the list of files."""

    limit: Annotated[int, Field(ge=1, le=10_000)] = 1_000
    after: str | None = None
    order: Literal["asc", "desc"] = "desc"
    purpose: str | None = None


@router.post("", summary="Upload a file", operation_id="createFile", response=FileObject)
def create(request: HttpRequest, file: File[UploadedFile], purpose: Form[str]) -> HttpResponse:
    """Keep a file until it is put into a vector store, which makes it a document. For curators."""
    caller = caller_of(request)
    if purpose not in PURPOSES:
        raise invalid(
            f"Invalid value: '{purpose}'. Supported values are: 'assistants' and 'user_data'.", "purpose"
        )
    if not file.size:
        raise invalid("The file is empty.", "file", "empty_file")
    if file.size > settings.MAX_FILE_BYTES:
        message = f"The file has {file.size} bytes; {settings.MAX_FILE_BYTES} are the most."
        raise ApiError(413, message, param="file", code="file_too_large")
    try:
        view = handed_in.hand_in(
            user=caller.user, tenant=caller.tenant, file=file, file_name=file.name or "", purpose=purpose
        )
    except Hidden as exc:
        raise forbidden("Only curators may upload files.") from exc
    return JsonResponse(file_object(view))


@router.get("", summary="List files", operation_id="listFiles", response=FileList)
def list_files(request: HttpRequest, page: Query[FilePage]) -> HttpResponse:
    """List the documents that the caller may read, and the caller's files that stand in no vector store."""
    views, has_more = _page(caller_of(request), page)
    return JsonResponse(listed(list(map(file_object, views)), has_more=has_more))


def _page(caller: Caller, page: FilePage) -> tuple[list[FileView], bool]:
    if page.purpose not in (None, *PURPOSES):
        return [], False
    after = _view(page.after, caller) if page.after else None
    begin = (after.created_at, after.id) if after else None
    documents = visible_documents(user=caller.user, tenant=caller.tenant)
    waiting = handed_in.waiting_files(user=caller.user, tenant=caller.tenant)
    if page.purpose:
        waiting = waiting.filter(purpose=page.purpose)
        documents = documents if page.purpose == "assistants" else documents.none()
    rows = handed_in.views_of(_next(documents, page, begin), user=caller.user, tenant=caller.tenant)
    rows += [handed_in.view_of_waiting(one) for one in _next(waiting, page, begin)]
    rows.sort(key=lambda view: (view.created_at, view.id), reverse=page.order == "desc")
    return rows[: page.limit], len(rows) > page.limit


def _next(rows: QuerySet[M], page: FilePage, begin: tuple[datetime, uuid.UUID] | None) -> QuerySet[M]:
    sign, side = ("-", "lt") if page.order == "desc" else ("", "gt")
    if begin:
        same = Q(created_at=begin[0], **{f"pk__{side}": begin[1]})
        rows = rows.filter(Q(**{f"created_at__{side}": begin[0]}) | same)
    return rows.order_by(f"{sign}created_at", f"{sign}pk")[: page.limit + 1]


@router.get("/{file_id}", summary="Describe a file", operation_id="getFile", response=FileObject)
def retrieve(request: HttpRequest, file_id: str) -> HttpResponse:
    """Return a document, or a file that stands in no vector store."""
    return JsonResponse(file_object(_view(file_id, caller_of(request))))


@router.get("/{file_id}/content", summary="Download a file", operation_id="getFileContent")
def content(request: HttpRequest, file_id: str) -> HttpResponseBase:
    """Return the bytes that were uploaded."""
    caller = caller_of(request)
    view = _view(file_id, caller)
    try:
        file = handed_in.original(view, user=caller.user, tenant=caller.tenant)
    except (FileNotFoundError, Hidden) as exc:
        raise not_found("file", file_id, "file_id") from exc
    response = StreamingHttpResponse(pieces_of(file), content_type="application/octet-stream")
    response["Content-Length"] = str(view.size)
    response["Content-Disposition"] = content_disposition_header(True, plain_name(view.file_name)) or ""
    return response


@router.delete("/{file_id}", summary="Delete a file", operation_id="deleteFile", response=Deleted)
def delete(request: HttpRequest, file_id: str) -> HttpResponse:
    """Delete a file, and the document that it is. For curators of its collection."""
    caller = caller_of(request)
    view = _view(file_id, caller)
    try:
        handed_in.forget(user=caller.user, tenant=caller.tenant, file_id=view.id)
    except Hidden as exc:
        raise forbidden("Only curators may delete documents.") from exc
    return JsonResponse({"id": public_id(FILE, view.id), "object": "file", "deleted": True})


def _view(file_id: str, caller: Caller) -> FileView:
    ours = own_id(FILE, file_id)
    try:
        if ours is not None:
            return handed_in.file_view(user=caller.user, tenant=caller.tenant, file_id=ours)
    except Hidden:
        pass
    raise not_found("file", file_id, "file_id")
