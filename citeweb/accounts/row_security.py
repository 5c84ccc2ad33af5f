"""For whom the database works: a signed note that travels with each statement and that row policies read.

`acting_for` and `acting_as_system` say it for all that runs inside them, also in tasks and threads started there
(`citeweb.threads`). Outside of both the database shows no tenant's rows to anybody. docs/permissions.md explains.
"""

import hashlib
import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from django.utils.crypto import salted_hmac

if TYPE_CHECKING:
    from citeweb.accounts.models import Tenant, User

logger = logging.getLogger(__name__)

NOBODY = ""
_scope: ContextVar[str] = ContextVar("citeweb.scope", default=NOBODY)


def current_scope() -> str:
    """Return the signed note for the statements that are sent now: letters, digits, `-` and `|` only."""
    return _scope.get()


@contextmanager
def acting_for(
    *, tenant: "Tenant | uuid.UUID | None" = None, user: "User | int | None" = None
) -> Iterator[None]:
    """Work for a user in a tenant. Without a tenant, their memberships are all that is seen.

    Not around a `yield` of an asynchronous generator: whoever reads it would go on in this scope.
    """
    with _scoped(_scope_of(tenant, user)):
        yield


@contextmanager
def acting_as_system(reason: str) -> Iterator[None]:
    """Work on the rows of all tenants, for a reason that has no tenant: a look-up before one is known, upkeep."""
    logger.debug("acting as system: %s", reason)
    with _scoped(system_scope()):
        yield


def go_on_for(*, tenant: "Tenant", user: "User") -> None:
    """Work for the user in another of their tenants until the `acting_for` around this call ends."""
    _scope.set(_scope_of(tenant, user))


def system_scope() -> str:
    """Return the note of a system task."""
    return _signed("||system")


def signing_key() -> bytes:
    """Return what signs the notes; the database holds the same bytes where the application can't read them."""
    return salted_hmac("citeweb.row-security", "scope", algorithm="sha256").digest()


@contextmanager
def _scoped(scope: str) -> Iterator[None]:
    token = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(token)


def _scope_of(tenant: "Tenant | uuid.UUID | None", user: "User | int | None") -> str:
    tenant_id, user_id = getattr(tenant, "pk", tenant), getattr(user, "pk", user)
    # Only what is a UUID and a number can get into the statement.
    place = str(uuid.UUID(str(tenant_id))) if tenant_id is not None else ""
    person = str(int(str(user_id))) if user_id is not None else ""
    return _signed(f"{place}|{person}|") if place or person else NOBODY


def _signed(claim: str) -> str:
    """Return `claim|signature`, a keyed hash in two rounds as in HMAC, which PostgreSQL can compute by itself."""
    key = signing_key()
    inner = hashlib.sha256(key + claim.encode()).digest()
    return f"{claim}|{hashlib.sha256(key + inner).hexdigest()}"
