"""A document: its viewer, the pictures of its pages, its original, and what a curator may do to it."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace

from django.core.files.base import File
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header, quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from citeweb.accounts.tenancy import Place, in_tenant
from citeweb.threads import give_back_connection
from citeweb.wording import reworded
from sources import curation, removal
from sources.core.extract import ExtractionError
from sources.core.names import plain_name
from sources.models import Version, VersionState
from sources.page_images import SIZES, Busy, PictureSize, page_image
from sources.permissions import may_curate
from sources.reader import Opened, Reading
from sources.reader_state import state_of
from sources.reader_views import part_of_reader
from sources.reading import newer_ready_version, open_version, versions_of
from sources.shelf_view import row_of
from sources.views import back_to_shelf

_PIECE = 1 << 16


@require_safe
@never_cache
@in_tenant
def document(request: HttpRequest, place: Place, document_id: uuid.UUID) -> HttpResponse:
    """Show a document in the reader; `?v=` is the version, the rest is in sources/reader_state.py."""
    version = open_version(
        user=place.user, document_id=document_id, wanted=request.GET.get("v", ""), with_text=True
    )
    reading = _reading(request, version) if version.state == VersionState.READY else None
    if reading and (part := part_of_reader(request, reading)):
        return part
    shown = version.document
    context = {
        "section": "sources",
        "version": version,
        "title": plain_name(shown.title),
        "row": row_of(shown, version),
        "reader": reading.reader() if reading else None,
        "newer": newer_ready_version(version, user=place.user),
        "versions": list(versions_of(shown, user=place.user).defer("text", "headings", "warnings")),
        "warnings": [reworded(warning) for warning in version.warnings],
        "may_curate": may_curate(user=place.user, tenant=shown.tenant, collection=shown.collection),
        "elsewhere": shown.tenant_id != place.tenant.pk,
    }
    return render(request, "sources/document.html", context)


@require_safe
@in_tenant
def image(request: HttpRequest, place: Place, document_id: uuid.UUID, number: int) -> HttpResponseBase:
    """Return the picture of a page (`?v=` version, `?scale=` pixels a point, or `thumb`)."""
    version = open_version(user=place.user, document_id=document_id, wanted=request.GET.get("v", ""))
    size = SIZES.get(request.GET.get("scale", "1"))
    if size is None or not version.page_layouts.filter(number=number).exists():
        raise Http404
    etag = quote_etag(f"{version.pk}-{number}-{size.name}")
    give_back_connection()
    response = get_conditional_response(request, etag=etag) or _drawn(version, number, size)
    if response.status_code in (200, 304):
        response["ETag"] = etag
        # Kept by the browser, but asked for each time: a right may have been taken away since.
        response["Cache-Control"] = "private, no-cache"
    return response


@require_safe
@in_tenant
def original(request: HttpRequest, place: Place, document_id: uuid.UUID) -> HttpResponseBase:
    """Return the uploaded file as a download, never as something a browser would show or run."""
    version = open_version(user=place.user, document_id=document_id, wanted=request.GET.get("v", ""))
    if not version.file:
        raise Http404
    try:
        file = version.file.open("rb")
    except FileNotFoundError as exc:
        raise Http404 from exc
    response = StreamingHttpResponse(pieces_of(file), content_type="application/octet-stream")
    response["Content-Length"] = str(version.file.size)
    response["Content-Disposition"] = content_disposition_header(True, plain_name(version.file_name)) or ""
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


@require_POST
@in_tenant
def retry(request: HttpRequest, place: Place, document_id: uuid.UUID) -> HttpResponse:
    """Read a failed upload again, for a curator."""
    version = open_version(user=place.user, document_id=document_id, wanted=request.POST.get("v", ""))
    curation.retry(version, user=place.user)
    return back_to_shelf(request)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def delete(request: HttpRequest, place: Place, document_id: uuid.UUID) -> HttpResponse:
    """Ask a curator whether they mean it, and take the document out of reading and retrieval."""
    version = open_version(user=place.user, document_id=document_id, wanted="")
    shown = version.document
    if not may_curate(user=place.user, tenant=shown.tenant, collection=shown.collection):
        raise Http404
    if request.method != "POST":
        context = {"section": "sources", "version": version, "title": plain_name(shown.title)}
        return render(request, "sources/delete.html", context)
    removal.delete(shown, user=place.user)
    return redirect("sources:collection", shown.collection_id)


def _reading(request: HttpRequest, version: Version) -> Reading:
    state = state_of(request.path, request.GET)
    # All that follows stays in this version, whichever becomes the current one meanwhile.
    return Reading(Opened(version, replace(state, version=str(version.pk))))


def _drawn(version: Version, number: int, size: PictureSize) -> HttpResponseBase:
    try:
        return HttpResponse(page_image(version, number, size), content_type="image/webp")
    except FileNotFoundError as exc:
        raise Http404 from exc
    except ExtractionError:
        return _told(_("This page can't be drawn."), 422)
    except Busy:
        response = _told(_("Too many pages are being drawn at the moment."), 503)
        response["Retry-After"] = "3"
        return response


def _told(text: str, status: int) -> HttpResponse:
    headers = {"Cache-Control": "private, no-store"}
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8", headers=headers)


async def pieces_of(file: "File[bytes]") -> AsyncIterator[bytes]:
    """Read in a thread, piece by piece: under ASGI a synchronous iterator would be gathered in memory first."""
    try:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece
    finally:
        file.close()
