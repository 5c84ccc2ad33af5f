"""The side bar's conversations on pages that don't list them themselves."""

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from chat.side_bar import side_bar
from citeweb.accounts.models import User
from citeweb.accounts.row_security import acting_for
from citeweb.accounts.tenancy import place_of


def conversations(request: HttpRequest) -> dict[str, object]:
    """Give templates `conversations`, looked up only where a page shows the side bar."""
    if not isinstance(getattr(request, "user", None), User):
        return {}
    return {"conversations": SimpleLazyObject(lambda: _listed(request))}


def _listed(request: HttpRequest) -> list[dict[str, object]]:
    place = place_of(request)
    if place is None:
        return []
    # The page's own subject may lie in another tenant, and an error page has no tenant at all.
    with acting_for(tenant=place.tenant, user=place.user):
        return side_bar(user=place.user, tenant=place.tenant, current=None)
