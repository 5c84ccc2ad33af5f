"""Receiving files, and what their uploader does with those that need a word."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from citeweb.accounts.tenancy import Place, in_tenant
from sources import batches, curation
from sources.core.names import plain_name
from sources.forms import NewVersionForm, UploadForm
from sources.models import Collection
from sources.permissions import Hidden, collection_for, curated_documents
from sources.reading import open_version
from sources.uploads import Upload, Wishes, accept_upload, accept_version
from sources.views import back_address, back_to_shelf, may_upload


@require_POST
@in_tenant
def upload(request: HttpRequest, place: Place) -> HttpResponse:
    """Accept files for a collection; what becomes of them is shown on the collection's page."""
    if not may_upload(place):
        raise Hidden
    form = UploadForm(place, request.POST, request.FILES)
    if not form.is_valid():
        return _refused(request, form)
    accepted = _accepted(place, form)
    batch_id = form.cleaned_data["batch"] or uuid.uuid4()
    batches.add(batch_id, accepted, user=place.user, tenant=place.tenant)
    return back_to_shelf(request)


@require_POST
@in_tenant
def batch(request: HttpRequest, place: Place, batch_id: uuid.UUID) -> HttpResponse:
    """Close the list of an upload, or do the same with all of its files that it can be done with."""
    action = request.POST.get("action", "")
    if action == "close":
        batches.close(batch_id, user=place.user, tenant=place.tenant)
    else:
        batches.decide(batch_id, action, user=place.user, tenant=place.tenant)
    return back_to_shelf(request)


@require_POST
@in_tenant
def keep_copy(request: HttpRequest, place: Place, batch_id: uuid.UUID, item_id: int) -> HttpResponse:
    """Make a document of its own of a file that was there already."""
    batches.keep_copy(batch_id, item_id, user=place.user, tenant=place.tenant)
    return back_to_shelf(request)


@require_POST
@in_tenant
def act(request: HttpRequest, place: Place, document_id: uuid.UUID) -> HttpResponse:
    """Retry, cancel or decide about one upload of a document (`v` its version, `action` as in batches.ACTIONS)."""
    version = open_version(user=place.user, document_id=document_id, wanted=request.POST.get("v", ""))
    action = request.POST.get("action", "")
    curation.check_curator(version.document, place.user)
    if action in batches.ACTIONS:
        batches.ACTIONS[action][0](version, user=place.user)
    return back_to_shelf(request)


@require_POST
@in_tenant
def retry_failed(request: HttpRequest, place: Place) -> HttpResponse:
    """Have all that failed read again, in one collection or everywhere."""
    if not may_upload(place):
        raise Hidden
    wanted = request.POST.get("collection", "")
    shelf = collection_for(user=place.user, tenant=place.tenant, collection_id=wanted) if wanted else None
    count = curation.retry_failed(user=place.user, tenant=place.tenant, collection=shelf)
    told = ngettext("%(count)s file is read again.", "%(count)s files are read again.", count)
    messages.success(request, told % {"count": count})
    return back_to_shelf(request)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def replace(request: HttpRequest, place: Place, document_id: uuid.UUID) -> HttpResponse:
    """Show the form for a new version of a document, and take the file."""
    version = open_version(user=place.user, document_id=document_id, wanted="")
    document = version.document
    if not curated_documents(user=place.user, tenant=document.tenant).filter(pk=document.pk).exists():
        raise Hidden
    form = NewVersionForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        taken = accept_version(user=place.user, document=document, file=file, file_name=file.name)
        _tell(request, taken)
        return redirect("sources:details", document_id)
    context = {"section": "sources", "title": plain_name(document.title), "version": version, "form": form}
    return render(request, "sources/replace.html", context)


def _accepted(place: Place, form: UploadForm) -> list[tuple[str, Upload]]:
    shelf: Collection = form.cleaned_data["collection"]
    wishes = Wishes(form.cleaned_data["same_name"])
    return [
        (
            file.name,
            accept_upload(
                user=place.user,
                tenant=place.tenant,
                collection=shelf,
                file=file,
                file_name=file.name,
                wishes=wishes,
            ),
        )
        for file in form.cleaned_data["documents"]
    ]


def _tell(request: HttpRequest, taken: Upload) -> None:
    if taken.already_there:
        messages.info(request, _("The document has exactly this content already; nothing was changed."))
    else:
        messages.success(
            request, _("The new version is being read. The one before it is used until it is ready.")
        )


def _refused(request: HttpRequest, form: UploadForm) -> HttpResponse:
    """Show the form again with its errors; under htmx in its own place instead of the list's."""
    address = back_address(request, request.POST.get("next", ""))
    context = {"section": "sources", "form": form, "address": address}
    if not request.headers.get("HX-Request"):
        return render(request, "sources/upload.html", context, status=422)
    response = render(request, "sources/upload_form.html", context)
    response["HX-Retarget"], response["HX-Reswap"] = "#upload", "outerHTML"
    return response
