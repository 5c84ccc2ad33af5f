"""Who calls: the holder of a key, asked for at each request."""

from dataclasses import dataclass

from django.http import HttpRequest
from ninja.security.base import AuthBase

from chat.api.errors import ApiError, bad_key, forbidden
from citeweb.accounts.api_keys import Allowance, BadKey, KeyHolder, TooMany, use
from citeweb.accounts.models import Tenant, User
from citeweb.accounts.tenancy import Place


@dataclass(frozen=True, slots=True)
class Caller:
    """A program that acts as one user in one tenant; `request_id` names this one request everywhere."""

    holder: KeyHolder
    request_id: str

    @property
    def place(self) -> Place:
        """The user's place in the tenant, with their roles."""
        return self.holder.place

    @property
    def user(self) -> User:
        """The user that the program acts as."""
        return self.holder.place.user

    @property
    def tenant(self) -> Tenant:
        """The tenant that the key belongs to."""
        return self.holder.place.tenant


def caller_of(request: HttpRequest) -> Caller:
    """Return who calls; the door has let them in."""
    caller: Caller = request.caller  # type: ignore[attr-defined]  # set by chat.api.door
    return caller


class ApiKeyAuth(AuthBase):
    """Lets a key through that has the scope; the key itself was checked at the door."""

    openapi_type = "http"
    openapi_scheme = "bearer"

    def __init__(self, scope: str = "") -> None:
        super().__init__()
        self.scope = scope

    async def __call__(self, request: HttpRequest) -> Caller:
        """Return the caller. Raises ApiError."""
        caller = caller_of(request)
        if self.scope and self.scope not in caller.holder.scopes:
            raise forbidden(f"This key has no '{self.scope}' scope.")
        return caller


def admit(authorization: str, request_id: str) -> Caller:
    """Return the caller whose key stands in the header, and count the request. Raises ApiError."""
    scheme, _, text = authorization.partition(" ")
    key = text.strip()
    if scheme.lower() != "bearer" or not key:
        raise bad_key(given=False)
    try:
        return Caller(use(key), request_id)
    except BadKey as exc:
        raise bad_key(given=True) from exc
    except TooMany as exc:
        raise _too_many(exc.allowance) from exc


def _too_many(allowance: Allowance) -> ApiError:
    message = f"Rate limit reached: {allowance.limit} requests a minute. Try again in {allowance.wait:.3f} s."
    wait = max(1, round(allowance.wait + 0.5))
    headers = {**limit_headers(allowance), "Retry-After": str(wait)}
    return ApiError(429, message, kind="rate_limit_error", code="rate_limit_exceeded", headers=headers)


def limit_headers(allowance: Allowance) -> dict[str, str]:
    """Return the usual headers of a rate limit."""
    return {
        "x-ratelimit-limit-requests": str(allowance.limit),
        "x-ratelimit-remaining-requests": str(allowance.remaining),
        "x-ratelimit-reset-requests": f"{allowance.reset:.3f}s",
    }
