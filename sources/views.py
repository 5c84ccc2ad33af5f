"""The sources pages: collections, their documents, and uploading."""

import uuid
from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from citeweb.accounts.tenancy import Place, in_tenant
from sources.forms import CollectionForm, UploadForm
from sources.models import Collection
from sources.permissions import Hidden, collection_for, curated_collections, may_create_collections
from sources.shelf_view import batch_of, shelf_of, tabs_of
from sources.shelves import create_collection
from sources.uploads import Upload, accept_upload

# The session's note of the files that were uploaded last: pairs of version id and "was there already".
BATCH = "uploaded"


@require_safe
@never_cache
@in_tenant
def collections(request: HttpRequest, place: Place) -> HttpResponse:
    """Show all documents that the reader may read, whatever the collection."""
    return _shelf(request, place, None)


@require_safe
@never_cache
@in_tenant
def collection(request: HttpRequest, place: Place, collection_id: uuid.UUID) -> HttpResponse:
    """Show the documents of one collection."""
    shown = collection_for(user=place.user, tenant=place.tenant, collection_id=collection_id)
    return _shelf(request, place, shown)


@require_POST
@in_tenant
def upload(request: HttpRequest, place: Place) -> HttpResponse:
    """Accept files for a collection; what becomes of them is shown on the collection's page."""
    if not _may_upload(place):
        raise Hidden
    form = UploadForm(place, request.POST, request.FILES)
    if not form.is_valid():
        return _refused(request, place, form)
    shelf: Collection = form.cleaned_data["collection"]
    uploads = [
        accept_upload(user=place.user, tenant=place.tenant, collection=shelf, file=file, file_name=file.name)
        for file in form.cleaned_data["documents"]
    ]
    request.session[BATCH] = _note(uploads)
    return back_to_shelf(request)


@require_POST
@in_tenant
def dismiss(request: HttpRequest, place: Place) -> HttpResponse:
    """Forget the list of the last upload."""
    request.session.pop(BATCH, None)
    return back_to_shelf(request)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def new_collection(request: HttpRequest, place: Place) -> HttpResponse:
    """Show the form for a new collection, and make it."""
    if not may_create_collections(user=place.user, tenant=place.tenant):
        raise Hidden
    form = CollectionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = _created(form, place)
        if made is not None:
            return redirect("sources:collection", made.pk)
    return render(request, "sources/new_collection.html", {"section": "sources", "form": form})


def back_to_shelf(request: HttpRequest) -> HttpResponse:
    """Send the reader back to the list that a form was sent from: a collection's, or all."""
    try:
        return redirect("sources:collection", uuid.UUID(request.POST.get("shelf", "")))
    except ValueError:
        return redirect("sources:collections")


def _shelf(request: HttpRequest, place: Place, shown: Collection | None) -> HttpResponse:
    user, tenant = place.user, place.tenant
    words = request.GET.get("q", "").strip()[:200]
    shelf = shelf_of(
        user=user, tenant=tenant, collection=shown, page=_number(request.GET.get("page", "")), words=words
    )
    batch = batch_of(user=user, tenant=tenant, items=request.session.get(BATCH, ()))
    context: dict[str, object] = {
        "section": "sources",
        "collection": shown,
        "shelf": shelf,
        "batch": batch,
        "words": words,
        "address": request.get_full_path(),
        "working": bool(shelf.working or (batch and batch.working)),
        "may_upload": _may_upload(place),
        "tabs": tabs_of(user=user, tenant=tenant, current=shown),
    }
    # A poll or a filter swaps in the very include that the page shows.
    if request.headers.get("HX-Target") == "shelf":
        return render(request, "sources/shelf.html", context)
    context |= {
        "form": UploadForm(place, initial={"collection": shown}) if context["may_upload"] else None,
        "may_create": may_create_collections(user=user, tenant=tenant),
    }
    return render(request, "sources/collections.html", context)


def _may_upload(place: Place) -> bool:
    return curated_collections(user=place.user, tenant=place.tenant).exists()


def _refused(request: HttpRequest, place: Place, form: UploadForm) -> HttpResponse:
    """Show the form again with its errors; under htmx in its own place instead of the list's."""
    context = {"section": "sources", "form": form}
    if not request.headers.get("HX-Request"):
        return render(request, "sources/upload.html", context, status=422)
    response = render(request, "sources/upload_form.html", context)
    response["HX-Retarget"], response["HX-Reswap"] = "#upload", "outerHTML"
    return response


def _note(uploads: Sequence[Upload]) -> list[tuple[str, bool]]:
    return [(str(upload.version.pk), upload.already_there) for upload in uploads]


def _created(form: CollectionForm, place: Place) -> Collection | None:
    """Make the collection, or put the reason why not into the form."""
    try:
        return create_collection(
            user=place.user,
            tenant=place.tenant,
            name=form.cleaned_data["name"],
            restricted=form.cleaned_data["restricted"],
        )
    except ValidationError as exc:
        form.add_error("name", exc.messages)
        return None


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 1
