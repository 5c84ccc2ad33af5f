"""Which tenant a request works in, checked against the memberships each time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar

from django.contrib.auth.decorators import login_required
from django.contrib.sessions.backends.base import SessionBase
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from citeweb.accounts.models import Membership, Role, Tenant, User
from citeweb.accounts.row_security import acting_for, go_on_for

SESSION_KEY = "tenant"
PlacedView = Callable[..., HttpResponseBase]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """A user inside one of their tenants, with all their roles there."""

    user: User
    tenant: Tenant
    roles: frozenset[str]

    @property
    def may_curate(self) -> bool:
        """Whether they may upload documents and manage collections."""
        return bool(self.roles & {Role.CURATOR, Role.ADMIN})

    @property
    def may_audit(self) -> bool:
        """Whether they may read other people's turns."""
        return Role.AUDITOR in self.roles

    @property
    def may_administer(self) -> bool:
        """Whether they may change the organisation's settings, members and groups."""
        return Role.ADMIN in self.roles


def tenants_of(user: User) -> list[Tenant]:
    """Return the tenants the user belongs to, by name."""
    return list(Tenant.objects.filter(memberships__user=user).distinct().order_by("name"))


def place_in(user: User, tenant: Tenant) -> Place | None:
    """Return the user's place in the tenant, or None if they have none (any more)."""
    if not user.is_active:
        return None
    roles = Membership.objects.filter(user=user, tenant=tenant).values_list("role", flat=True)
    return _place(user, tenant, roles)


def current_place(user: User, session: SessionBase) -> Place | None:
    """Return the place the session names, or the first one, or None for a user without a tenant.

    The session only remembers a wish; membership is read from the database each time.
    """
    tenants = tenants_of(user)
    wished = session.get(SESSION_KEY)
    tenant = next((t for t in tenants if str(t.pk) == wished), tenants[0] if tenants else None)
    return place_in(user, tenant) if tenant else None


def place_of(request: HttpRequest) -> Place | None:
    """Return the signed-in user's place for this request; looked up once, None for a stranger."""
    if not hasattr(request, "_citeweb_place"):
        user = request.user
        place = current_place(user, request.session) if isinstance(user, User) else None
        request._citeweb_place = place  # type: ignore[attr-defined]  # a cache for the request's life
    found: Place | None = request._citeweb_place  # type: ignore[attr-defined]
    return found


def move_to(request: HttpRequest, tenant: Tenant) -> Place:
    """Work in another of the user's tenants from this request on, with the roles held there.

    Raises PermissionDenied without a membership.
    """
    request.session[SESSION_KEY] = str(tenant.pk)
    request._citeweb_place = None  # type: ignore[attr-defined]  # see place_of
    user = request.user
    place = place_in(user, tenant) if isinstance(user, User) else None
    if place is None:
        raise PermissionDenied
    request._citeweb_place = place  # type: ignore[attr-defined]  # see place_of
    go_on_for(tenant=place.tenant, user=place.user)
    return place


def in_whichever_tenant(user: User, find: Callable[[Tenant], T | None]) -> T | None:
    """Return what `find` finds in one of the user's tenants, and go on there until the scope around this call ends.

    For addresses of single things, which must open wherever the reader works at the moment.
    """
    for tenant in tenants_of(user):
        with acting_for(tenant=tenant, user=user):
            found = find(tenant)
        if found is not None:
            go_on_for(tenant=tenant, user=user)
            return found
    return None


def in_tenant(view: PlacedView) -> Callable[..., HttpResponseBase]:
    """Wrap a view so that it gets the reader's place as second argument; strangers are sent to sign in."""

    @wraps(view)
    def placed(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        place = place_of(request)
        if place is None:
            raise PermissionDenied
        with acting_for(tenant=place.tenant, user=place.user):
            return view(request, place, *args, **kwargs)

    sign_in_first = login_required(placed)

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if request.headers.get("HX-Request") and not request.user.is_authenticated:
            # A redirect would put the sign-in page into the middle of this one; loading the page again leads there.
            return HttpResponse(status=401, headers={"HX-Refresh": "true"})
        return sign_in_first(request, *args, **kwargs)

    return guarded


def _place(user: User, tenant: Tenant, roles: Iterable[str]) -> Place | None:
    held = frozenset(roles)
    return Place(user, tenant, held) if held else None
