"""A collection's own pages: making one, its name, and who may read it."""

import uuid

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from citeweb.accounts.forms import carried_out
from citeweb.accounts.tenancy import Place, in_tenant
from sources import removal, shelves
from sources.access import access_of, keyed_reader, named_reader, suggestions
from sources.core.names import plain_name
from sources.forms import CollectionForm, ReaderForm
from sources.models import Collection
from sources.permissions import (
    Hidden,
    managed_collection_for,
    may_create_collections,
    may_curate,
    visible_collections,
    visible_documents,
)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def new_collection(request: HttpRequest, place: Place) -> HttpResponse:
    """Show the form for a new collection, and make it."""
    if not may_create_collections(user=place.user, tenant=place.tenant):
        raise Hidden
    form = CollectionForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        made = _created(form, place)
        if made is not None:
            return redirect("sources:access" if made.restricted else "sources:collection", made.pk)
    return render(request, "sources/new_collection.html", {"section": "sources", "form": form})


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def access(request: HttpRequest, place: Place, collection_id: uuid.UUID) -> HttpResponse:
    """Show who may read a collection, and change that, its name, or whether it is there (`action`)."""
    shelf = managed_collection_for(user=place.user, tenant=place.tenant, collection_id=collection_id)
    reader_form, name_form = ReaderForm(), CollectionForm(initial={"name": plain_name(shelf.name)})
    if request.method == "POST":
        action = request.POST.get("action", "")
        if action == "share":
            reader_form = ReaderForm(request.POST)
            if carried_out(reader_form, "name", lambda: _share(place, shelf, reader_form)):
                return redirect("sources:access", shelf.pk)
        elif action == "rename":
            name_form = CollectionForm(request.POST)
            if carried_out(name_form, "name", lambda: _rename(request, place, shelf, name_form)):
                return redirect("sources:access", shelf.pk)
        else:
            return _changed(request, place, shelf, action)
    return render(request, "sources/access.html", _context(place, shelf, reader_form, name_form))


def _changed(request: HttpRequest, place: Place, shelf: Collection, action: str) -> HttpResponse:
    """Do what needs no words, and lead to where it shows; opening to everybody and deleting are asked about."""
    confirmed = "confirmed" in request.POST
    if action == "open" and shelf.restricted and not confirmed:
        return _ask(request, place, shelf, "sources/open_collection.html")
    if action == "delete" and not confirmed:
        return _ask(request, place, shelf, "sources/delete_collection.html")
    if action in ("restrict", "open"):
        shelves.set_restricted(shelf, user=place.user, restricted=action == "restrict")
    elif action == "unshare":
        reader = keyed_reader(place.tenant, request.POST.get("reader", ""))
        if reader is not None:
            shelves.unshare(shelf, user=place.user, reader=reader)
    elif action == "delete":
        return _deleted(request, place, shelf)
    still_mine = managed_collection_or_none(place, shelf)
    return redirect("sources:access", shelf.pk) if still_mine else redirect("sources:collections")


def managed_collection_or_none(place: Place, shelf: Collection) -> Collection | None:
    """Return the collection as long as the person manages it: they may have just taken their own grant."""
    try:
        return managed_collection_for(user=place.user, tenant=place.tenant, collection_id=shelf.pk)
    except Hidden:
        return None


def _ask(request: HttpRequest, place: Place, shelf: Collection, template: str) -> HttpResponse:
    context = {
        "section": "sources",
        "collection": shelf,
        "name": plain_name(shelf.name),
        "count": visible_documents(user=place.user, tenant=place.tenant, collections=[shelf.pk]).count(),
    }
    return render(request, template, context)


def _deleted(request: HttpRequest, place: Place, shelf: Collection) -> HttpResponse:
    """Delete a collection: with its documents for who reads them, for others only while nothing is in it."""
    try:
        if may_curate(user=place.user, tenant=place.tenant, collection=shelf):
            removal.put_away(shelf, user=place.user)
        else:
            shelves.delete_collection(shelf, user=place.user)
    except ValidationError as exc:
        messages.error(request, " ".join(exc.messages))
        return redirect("sources:access", shelf.pk)
    messages.success(request, _("The collection was deleted."))
    return redirect("sources:collections")


def _context(
    place: Place, shelf: Collection, reader_form: ReaderForm, name_form: CollectionForm
) -> dict[str, object]:
    readable = visible_collections(user=place.user, tenant=place.tenant).filter(pk=shelf.pk).exists()
    return {
        "section": "sources",
        "collection": shelf,
        "name": plain_name(shelf.name),
        "access": access_of(shelf),
        "readable": readable,
        "suggestions": suggestions(place.tenant),
        "reader_form": reader_form,
        "name_form": name_form,
    }


def _share(place: Place, shelf: Collection, form: ReaderForm) -> None:
    reader = named_reader(place.tenant, form.cleaned_data["name"])
    shelves.share(shelf, user=place.user, reader=reader)


def _rename(request: HttpRequest, place: Place, shelf: Collection, form: CollectionForm) -> None:
    shelves.rename_collection(shelf, user=place.user, name=form.cleaned_data["name"])
    messages.success(request, _("The collection was renamed."))


def _created(form: CollectionForm, place: Place) -> Collection | None:
    """Make the collection, or put the reason why not into the form."""
    made: list[Collection] = []
    name, restricted = form.cleaned_data["name"], form.cleaned_data["restricted"]
    carried_out(
        form,
        "name",
        lambda: made.append(
            shelves.create_collection(user=place.user, tenant=place.tenant, name=name, restricted=restricted)
        ),
    )
    return made[0] if made else None
