"""What every page needs to know about the reader's place."""

from django.http import HttpRequest

from citeweb.accounts.models import User
from citeweb.accounts.tenancy import place_of, tenants_of


def tenant(request: HttpRequest) -> dict[str, object]:
    """Give templates `place`, `tenant` and `memberships` (the user's tenants)."""
    # An error page may be made before the authentication middleware ran; `user` is lazy, isinstance sees through it.
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return {}
    place = place_of(request)
    return {"place": place, "tenant": place.tenant if place else None, "memberships": tenants_of(user)}
