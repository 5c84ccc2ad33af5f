"""Who may look into the audit, where, and why: auditors into their tenant, staff everywhere. Each look is recorded."""

import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache

from chat.audit.chain import append
from citeweb.accounts.models import Tenant, User
from citeweb.accounts.row_security import acting_as_system, acting_for
from citeweb.accounts.tenancy import place_in, place_of

REASON_KEY = "audit_reason"
REASON_SECONDS = 8 * 3600


@dataclass(frozen=True, slots=True)
class Seat:
    """Somebody who looks into the audit of one tenant, or, as staff, of all (`tenant` None).

    `audits` is False for a curator, who sees the dashboard and no records. `reason` is what they gave, "" if
    nothing was asked.
    """

    user: User
    tenant: Tenant | None
    is_staff: bool
    audits: bool
    reason: str = ""

    @property
    def tenant_id(self) -> uuid.UUID | None:
        """The tenant's id, None for all."""
        return self.tenant.pk if self.tenant else None

    @contextmanager
    def acting(self) -> Iterator[None]:
        """Work on the rows that this seat may see; what streams sets this for each piece of its work."""
        if self.is_staff:
            with acting_as_system("staff in the audit"):
                yield
        else:
            with acting_for(tenant=self.tenant, user=self.user):
                yield

    def holds(self) -> bool:
        """Tell whether this person may still look here: what takes long asks again."""
        user = User.objects.filter(pk=self.user.pk, is_active=True).first()
        if user is None or self.is_staff:
            return user is not None and user.is_staff
        place = place_in(user, self.tenant) if self.tenant else None
        return place is not None and (place.may_audit or not self.audits)

    def tenants(self) -> list[Tenant]:
        """Return the tenants whose records may be seen here."""
        return [self.tenant] if self.tenant else list(Tenant.objects.order_by("name"))

    def note(self, kind: str, *, tenant_ids: Iterable[uuid.UUID] | None = None, **body: object) -> None:
        """Record what was looked at, in the chain of each tenant that it belongs to."""
        actor: dict[str, object] = {
            "actor_id": self.user.pk,
            "actor_email": self.user.email,
            "actor_is_staff": self.is_staff,
            "why": self.reason,
        }
        with transaction.atomic():
            # In order, so that two readers never wait for each other.
            for tenant_id in sorted(set(self._concerned(tenant_ids)), key=str):
                append(tenant_id=tenant_id, kind=kind, body={**body, **actor})

    def _concerned(self, tenant_ids: Iterable[uuid.UUID] | None) -> Iterable[uuid.UUID]:
        if self.tenant is not None:
            return [self.tenant.pk]
        return tenant_ids if tenant_ids is not None else [tenant.pk for tenant in self.tenants()]


View = Callable[..., HttpResponseBase]


def audit_page(view: View) -> View:
    """Wrap a page of the audit: it gets a Seat; to others than auditors and staff it does not exist."""
    return _page(view, curators=False)


def quality_page(view: View) -> View:
    """Wrap the dashboard, which curators may see too."""
    return _page(view, curators=True)


def _page(view: View, *, curators: bool) -> View:
    @wraps(view)
    def seated(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        seat = seat_of(request)
        if seat is None or not (seat.audits or curators):
            raise Http404
        with seat.acting():
            if asks_reason(seat) and not seat.reason:
                return redirect(f"{reverse('audit:reason')}?{urlencode(_way_back(request, seat))}")
            return view(request, seat, *args, **kwargs)

    return never_cache(login_required(seated))


def _way_back(request: HttpRequest, seat: Seat) -> dict[str, str]:
    chosen = {"tenant": str(seat.tenant_id)} if seat.is_staff and seat.tenant else {}
    # What was sent can't be sent again from there.
    return {
        "next": request.get_full_path() if request.method != "POST" else reverse("audit:records"),
        **chosen,
    }


def seat_of(request: HttpRequest) -> Seat | None:
    """Return where the signed-in person may look; `?tenant=` lets staff choose one tenant."""
    user = request.user
    if not isinstance(user, User):
        return None
    if user.is_staff and user.is_active:
        tenant = _wished(request)
        return Seat(user, tenant, is_staff=True, audits=True, reason=_reason(request, tenant))
    place = place_of(request)
    if place is None or not (place.may_audit or place.may_curate):
        return None
    reason = _reason(request, place.tenant)
    return Seat(user, place.tenant, is_staff=False, audits=place.may_audit, reason=reason)


def asks_reason(seat: Seat) -> bool:
    """Tell whether one of the tenants that are looked at wants to know why."""
    if seat.tenant is not None:
        return seat.tenant.asks_audit_reason
    return Tenant.objects.filter(asks_audit_reason=True).exists()


def give_reason(request: HttpRequest, seat: Seat, reason: str) -> None:
    """Keep why this person looks into this audit, for some hours of this session."""
    given = request.session.get(REASON_KEY) or {}
    request.session[REASON_KEY] = {
        **given,
        str(seat.tenant_id): {"text": reason, "at": timezone.now().timestamp()},
    }


def _reason(request: HttpRequest, tenant: Tenant | None) -> str:
    """Return the reason that was given for this tenant: another's is none of its business."""
    given = (request.session.get(REASON_KEY) or {}).get(str(tenant.pk if tenant else None)) or {}
    fresh = timezone.now().timestamp() - float(given.get("at", 0)) < REASON_SECONDS
    return str(given.get("text", "")) if fresh else ""


def _wished(request: HttpRequest) -> Tenant | None:
    """Return the tenant that staff chose. Raises Http404 for one that isn't there."""
    wished = request.GET.get("tenant") or request.POST.get("tenant")
    if not wished:
        return None
    try:
        wanted = uuid.UUID(wished)
    except ValueError as exc:
        raise Http404 from exc
    with acting_as_system("staff choose a tenant"):
        found = Tenant.objects.filter(pk=wanted).first()
    if found is None:
        raise Http404
    return found
