"""A document's details for its curators, and what they do to one or many: correct, move, delete, restore, purge."""

import uuid
from collections.abc import Iterable, Sequence

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from citeweb.accounts.tenancy import Place, in_tenant
from sources import curation, editing, removal
from sources.access import access_of
from sources.core.names import plain_name
from sources.forms import MetadataForm, MoveForm
from sources.index import embedded_share
from sources.metadata import EDITED
from sources.models import Document, Version, VersionState
from sources.permissions import (
    Hidden,
    curated_documents,
    managed_collections,
    may_curate,
    removed_documents,
    visible_versions,
)
from sources.reading import open_version, versions_of
from sources.shelf_view import upload_rows
from sources.views import back_address, back_to_shelf, may_upload

# So many documents are changed with one click.
MOST_AT_ONCE = 500
TRASH_ROWS = 200


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def details(request: HttpRequest, place: Place, document_id: uuid.UUID) -> HttpResponse:
    """Show what is known of a document, its versions and readers; a curator corrects what is said of it."""
    version = open_version(user=place.user, document_id=document_id, wanted="")
    document = version.document
    mine = may_curate(user=place.user, tenant=document.tenant, collection=document.collection)
    if request.method == "POST" and not mine:
        raise Hidden
    form = (
        MetadataForm(request.POST if request.method == "POST" else None, instance=document) if mine else None
    )
    if request.method == "POST" and form is not None and form.is_valid():
        values = {name: str(form.cleaned_data[name]) for name in EDITED}
        try:
            editing.edit(document, user=place.user, values=values)
        except editing.Taken:
            form.add_error("provider_file_id", _("This file id can't be used."))
        else:
            messages.success(request, _("The details were saved."))
            return redirect("sources:details", document_id)
    return render(request, "sources/details.html", _details(place, version, form, mine=mine))


@require_POST
@never_cache
@in_tenant
def bulk(request: HttpRequest, place: Place) -> HttpResponse:
    """Do the same with all chosen documents; what can't be taken back with one click is asked about first."""
    if not may_upload(place):
        raise Hidden
    documents = _chosen(request, place)
    action = request.POST.get("action", "")
    if not documents:
        messages.info(request, _("Choose documents first."))
        return back_to_shelf(request)
    if action in ("delete", "move") and "confirmed" not in request.POST:
        return _ask(request, place, documents, action, MoveForm(place))
    if action == "move":
        form = MoveForm(place, request.POST)
        if not form.is_valid():
            return _ask(request, place, documents, action, form)
        _move(request, place, documents, form)
    elif action == "delete":
        _delete(request, place, documents)
    else:
        _act(request, place, documents, action)
    return back_to_shelf(request)


@require_safe
@never_cache
@in_tenant
def deleted(request: HttpRequest, place: Place) -> HttpResponse:
    """Show what was deleted from the curator's collections and can still be restored or purged."""
    if not place.may_curate:
        raise Hidden
    gone = removed_documents(user=place.user, tenant=place.tenant).select_related("collection", "deleted_by")
    context = {
        "section": "sources",
        "documents": [_gone(one) for one in gone.order_by("-deleted_at")[:TRASH_ROWS]],
        "total": gone.count(),
        "most": TRASH_ROWS,
        "form": MoveForm(place),
    }
    return render(request, "sources/deleted.html", context)


@require_POST
@in_tenant
def restore(request: HttpRequest, place: Place, removed_id: uuid.UUID) -> HttpResponse:
    """Put a deleted document back."""
    document = removal.removed_document_for(user=place.user, tenant=place.tenant, document_id=removed_id)
    try:
        _restored(request, place, document)
    except ValidationError as exc:
        messages.error(request, " ".join(exc.messages))
        return redirect("sources:deleted")
    messages.success(request, _("“%(title)s” is back.") % {"title": plain_name(document.title)})
    return redirect("sources:deleted")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def purge(request: HttpRequest, place: Place, removed_id: uuid.UUID) -> HttpResponse:
    """Ask whether a deleted document is to go for good, and have it removed."""
    document = removal.removed_document_for(user=place.user, tenant=place.tenant, document_id=removed_id)
    if request.method == "POST":
        removal.order_purge(document, user=place.user)
        messages.success(request, _("The document is being removed for good."))
        return redirect("sources:deleted")
    context = {"section": "sources", "document": document, "title": plain_name(document.title)}
    return render(request, "sources/purge.html", context)


def _details(place: Place, version: Version, form: MetadataForm | None, *, mine: bool) -> dict[str, object]:
    document = version.document
    stored = Document(**{name: getattr(document, name) for name in EDITED})
    versions = versions_of(document, user=place.user)
    if not mine:
        versions = versions.filter(state=VersionState.READY)
    rows = upload_rows(versions, user=place.user, tenant=document.tenant)
    managed = managed_collections(user=place.user, tenant=document.tenant)
    return {
        "section": "sources",
        "document": document,
        "title": plain_name(form.initial["title"] if form else stored.title),
        "row": next((row for row in rows if row.version_id == version.pk), None),
        "rows": rows,
        "form": form,
        "corrected": set(document.corrected),
        "facts": [(field.label, getattr(document, name)) for name, field in MetadataForm().fields.items()],
        "access": access_of(document.collection) if mine else None,
        "may_manage": managed.filter(pk=document.collection_id).exists(),
        "embedded": embedded_share(version) if mine else None,
        "elsewhere": document.tenant_id != place.tenant.pk,
    }


def _chosen(request: HttpRequest, place: Place) -> list[Document]:
    """Return the chosen documents that this curator may change; others are passed over without a word."""
    wanted = []
    for text in request.POST.getlist("document")[:MOST_AT_ONCE]:
        try:
            wanted.append(uuid.UUID(text))
        except ValueError:
            continue
    found = curated_documents(user=place.user, tenant=place.tenant).filter(pk__in=wanted)
    return list(found.select_related("tenant", "collection").order_by("-created_at"))


def _ask(
    request: HttpRequest, place: Place, documents: Sequence[Document], action: str, form: MoveForm
) -> HttpResponse:
    context = {
        "section": "sources",
        "documents": [(one.pk, plain_name(one.title), plain_name(one.collection.name)) for one in documents],
        "action": action,
        "form": form,
        "address": back_address(request, request.POST.get("next", "")),
    }
    return render(request, "sources/bulk.html", context)


def _move(request: HttpRequest, place: Place, documents: Iterable[Document], form: MoveForm) -> None:
    to = form.cleaned_data["to"]
    count = sum(editing.move(document, user=place.user, to=to) for document in documents)
    told = ngettext("%(count)s document was moved.", "%(count)s documents were moved.", count)
    messages.success(request, told % {"count": count})


def _delete(request: HttpRequest, place: Place, documents: Iterable[Document]) -> None:
    count = sum(removal.delete(document, user=place.user) for document in documents)
    told = ngettext("%(count)s document was deleted.", "%(count)s documents were deleted.", count)
    messages.success(request, told % {"count": count})


def _act(request: HttpRequest, place: Place, documents: Sequence[Document], action: str) -> None:
    """Retry or cancel the newest uploads of the documents."""
    acts = {"retry": curation.retry, "cancel": curation.cancel}
    if action not in acts:
        return
    newest = visible_versions(user=place.user, tenant=place.tenant).filter(document__in=documents)
    newest = newest.order_by("document", "-number").distinct("document").defer("text")
    versions = newest.select_related("document__tenant")
    count = sum(acts[action](version, user=place.user) for version in versions)
    told = (
        ngettext("%(count)s file is read again.", "%(count)s files are read again.", count)
        if action == "retry"
        else ngettext("%(count)s file was cancelled.", "%(count)s files were cancelled.", count)
    )
    messages.success(request, told % {"count": count})


def _restored(request: HttpRequest, place: Place, document: Document) -> None:
    """Put a document back where it was or, if its collection was deleted, where the form says."""
    if document.collection.deleted_at is None:
        removal.restore(document, user=place.user)
        return
    form = MoveForm(place, request.POST)
    if not form.is_valid():
        raise ValidationError(_("Choose a collection."))
    removal.put_back(document, user=place.user, to=form.cleaned_data["to"])


def _gone(document: Document) -> dict[str, object]:
    by = document.deleted_by
    return {
        "id": document.pk,
        "title": plain_name(document.title),
        "collection": plain_name(document.collection.name),
        "lost": document.collection.deleted_at is not None,
        "at": document.deleted_at,
        "by": plain_name(by.display_name) if by else "",
        "going": document.purge_ordered_at is not None,
    }
