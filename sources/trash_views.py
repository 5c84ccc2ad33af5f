"""What a curator does with many deleted documents at once."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from citeweb.accounts.tenancy import Place, in_tenant
from sources import removal
from sources.core.names import plain_name
from sources.curation_views import MOST_AT_ONCE
from sources.models import Document
from sources.permissions import Hidden, removed_documents


@require_POST
@never_cache
@in_tenant
def purge_chosen(request: HttpRequest, place: Place) -> HttpResponse:
    """Ask whether the chosen deleted documents are to go for good, and have them removed."""
    if not place.may_curate:
        raise Hidden
    documents = _chosen(request, place)
    if not documents:
        messages.info(request, _("Choose documents first."))
        return redirect("sources:deleted")
    if "confirmed" not in request.POST:
        named = [(one.pk, plain_name(one.title), plain_name(one.collection.name)) for one in documents]
        return render(request, "sources/purge_chosen.html", {"section": "sources", "documents": named})
    count = sum(removal.order_purge(document, user=place.user) for document in documents)
    told = ngettext(
        "%(count)s document is being removed for good.",
        "%(count)s documents are being removed for good.",
        count,
    )
    messages.success(request, told % {"count": count})
    return redirect("sources:deleted")


def _chosen(request: HttpRequest, place: Place) -> list[Document]:
    """Return the chosen documents that this curator may remove; others are passed over without a word."""
    wanted = []
    for text in request.POST.getlist("document")[:MOST_AT_ONCE]:
        try:
            wanted.append(uuid.UUID(text))
        except ValueError:
            continue
    found = removed_documents(user=place.user, tenant=place.tenant).filter(
        pk__in=wanted, purge_ordered_at=None
    )
    return list(found.select_related("tenant", "collection").order_by("-deleted_at"))
