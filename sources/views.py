"""The sources pages: collections and the list of documents, with what changes in it while files are read."""

import uuid
from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from citeweb.accounts.tenancy import Place, in_tenant
from sources.batches import open_batches
from sources.collection_cards import cards_of
from sources.core.names import plain_name
from sources.document_list import (
    ORDERS,
    ROWS,
    STATES,
    Asked,
    Listing,
    Standing,
    asked_of,
    first_page,
    listing_of,
    standing_of,
)
from sources.forms import UploadForm
from sources.models import Collection
from sources.permissions import (
    collection_for,
    curated_collections,
    managed_collections,
    may_create_collections,
    removed_documents,
    visible_documents,
)
from sources.shelf_view import Row, rows_of

# What htmx may ask for alone, by the id of its place.
_PARTS = {"shelf": "sources/shelf.html", "documents": "sources/documents.html"}


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


@require_safe
@never_cache
@in_tenant
def progress(request: HttpRequest, place: Place) -> HttpResponse:
    """Return what has changed of the rows and batches on a page, for htmx to put in their places (`?d=` ids).

    Without htmx it leads to the list, which shows the same.
    """
    address = back_address(request, request.GET.get("next", ""))
    if not request.headers.get("HX-Request"):
        return redirect(address)
    user, tenant = place.user, place.tenant
    shown = _shown(place, request.GET.get("c", ""))
    documents = visible_documents(user=user, tenant=tenant).filter(pk__in=_ids(request.GET.getlist("d")))
    rows = rows_of(documents.select_related("collection"), user=user, tenant=tenant)
    context = _living(place, shown, rows) | {"collection": shown, "rows": rows, "address": address}
    return render(request, "sources/progress.html", context)


def _shown(place: Place, collection_id: str) -> Collection | None:
    if not collection_id:
        return None
    return collection_for(user=place.user, tenant=place.tenant, collection_id=collection_id)


def back_to_shelf(request: HttpRequest) -> HttpResponse:
    """Send the reader back to the list that a form was sent from."""
    return redirect(back_address(request, request.POST.get("next", "")))


def back_address(request: HttpRequest, wished: str) -> str:
    """Return an address of our own pages, the sources page for anything else."""
    own = wished.startswith("/") and url_has_allowed_host_and_scheme(wished, allowed_hosts=None)
    return wished if own else "/sources/"


def may_upload(place: Place) -> bool:
    """Tell whether the reader may add documents to any collection."""
    return curated_collections(user=place.user, tenant=place.tenant).exists()


def _shelf(request: HttpRequest, place: Place, shown: Collection | None) -> HttpResponse:
    asked = asked_of(request.GET)
    context = shelf_context(place, shown, asked) | {"address": request.get_full_path()}
    # An upload or a filter swaps in the very include that the page shows.
    part = _PARTS.get(request.headers.get("HX-Target", ""))
    if part is not None:
        return render(request, part, context)
    return render(request, "sources/collections.html", context | _around(place, shown))


def shelf_context(place: Place, shown: Collection | None, asked: Asked) -> dict[str, object]:
    """Return what the list shows."""
    listing = _listing(place, shown, asked)
    return _living(place, shown, listing.rows) | {
        "section": "sources",
        "collection": shown,
        "name": plain_name(shown.name) if shown else "",
        "listing": listing,
        "asked": asked,
        "states": STATES.items(),
        "orders": ORDERS.items(),
    }


def _living(place: Place, shown: Collection | None, rows: Sequence[Row]) -> dict[str, object]:
    """Return what changes by itself while files are read; `follow` are the rows to ask about again."""
    user, tenant = place.user, place.tenant
    curates = may_upload(place)
    standing = standing_of(user=user, tenant=tenant, collection=shown) if curates else Standing()
    batches = open_batches(user=user, tenant=tenant) if curates else []
    follow = [row for row in rows if row.working]
    return {
        "may_upload": curates,
        "standing": standing,
        "batches": batches,
        "follow": follow,
        "working": bool(follow or standing.working or any(batch.working_count for batch in batches)),
    }


def _listing(place: Place, shown: Collection | None, asked: Asked) -> Listing:
    user, tenant = place.user, place.tenant
    listing = listing_of(user=user, tenant=tenant, collection=shown, asked=asked)
    if listing.rows or not (asked.after or asked.before):
        return listing
    # The page that the address names is empty by now.
    return listing_of(user=user, tenant=tenant, collection=shown, asked=first_page(asked))


def _around(place: Place, shown: Collection | None) -> dict[str, object]:
    """Return what stands around the list on a whole page."""
    user, tenant = place.user, place.tenant
    curated = curated_collections(user=user, tenant=tenant)
    adds = curated.filter(pk=shown.pk).exists() if shown else curated.exists()
    managed = managed_collections(user=user, tenant=tenant)
    return {
        "form": UploadForm(place, shelf=shown) if adds else None,
        "cards": cards_of(user=user, tenant=tenant) if shown is None else (),
        "may_create": may_create_collections(user=user, tenant=tenant),
        "may_manage": shown is not None and managed.filter(pk=shown.pk).exists(),
        "deleted": removed_documents(user=user, tenant=tenant).count() if adds else 0,
    }


def _ids(given: list[str]) -> list[uuid.UUID]:
    found = []
    for text in given[:ROWS]:
        try:
            found.append(uuid.UUID(text))
        except ValueError:
            continue
    return found
