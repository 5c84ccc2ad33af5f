"""The page that shows the API, searches it and tries it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from chat.api.reference import reference
from citeweb.accounts.api_keys import PREFIX
from citeweb.accounts.tenancy import Place, in_tenant

_LONGEST_QUERY = 200


@require_safe
@in_tenant
def api_reference(request: HttpRequest, place: Place) -> HttpResponse:
    """Show the routes and shapes that hold the words of `?q=`."""
    query = request.GET.get("q", "").strip()[:_LONGEST_QUERY]
    context = {
        "section": "api",
        "query": query,
        "reference": reference(query),
        "key_looks_like": f"{PREFIX}…",
    }
    partial = request.headers.get("HX-Target") == "api-found"
    return render(request, "api/found.html" if partial else "api/reference.html", context)
