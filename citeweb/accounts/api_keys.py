"""API keys: made, shown once, found again by their hash, counted, revoked."""

import hashlib
import math
import secrets
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import TypeVar

from django.db import connection, models, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from citeweb.accounts.changes import Change, Kind, record
from citeweb.accounts.models import ApiKey, Membership, Tenant, User, all_scopes
from citeweb.accounts.row_security import acting_as_system
from citeweb.accounts.tenancy import Place

PREFIX = "cw-"
_SHOWN_CHARACTERS = 10
_MINUTE = timedelta(minutes=1)
M = TypeVar("M", bound=models.Model)


class BadKey(Exception):
    """No key, a made-up one, one that is revoked or expired, or one whose user left: nobody is told which."""


class TooMany(Exception):
    """The key's rate limit is used up."""

    def __init__(self, allowance: "Allowance") -> None:
        super().__init__()
        self.allowance = allowance


@dataclass(frozen=True, slots=True)
class Allowance:
    """A key's rate limit after a request: requests a minute, those left now, and seconds.

    `reset` is the time until the whole limit is there again, `wait` until the next request is let through.
    """

    limit: int
    remaining: int
    reset: float
    wait: float = 0.0


@dataclass(frozen=True, slots=True)
class KeyHolder:
    """A program that showed a good key."""

    key_id: int
    place: Place
    scopes: frozenset[str]
    allowance: Allowance


def issue(
    *,
    tenant: Tenant,
    user: User,
    name: str = "",
    scopes: Sequence[str] | None = None,
    expires_at: datetime | None = None,
    requests_per_minute: int = 600,
    by: User | None = None,
) -> tuple[ApiKey, str]:
    """Make a key and return it with its text, which can't be read again later."""
    # 32 random bytes need no slow hash: nobody can try them all.
    text = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        key = ApiKey.objects.create(
            tenant=tenant,
            user=user,
            name=name,
            prefix=text[:_SHOWN_CHARACTERS],
            digest=digest_of(text),
            scopes=all_scopes() if scopes is None else sorted(scopes),
            expires_at=expires_at,
            requests_per_minute=requests_per_minute,
        )
        record(Change(Kind.KEY_ISSUED, tenant.pk, by, _body(key)))
    return key, text


def revoke(key: ApiKey, *, by: User | None) -> bool:
    """Make a key worthless from the next request on; False when it was already."""
    with transaction.atomic():
        alive = ApiKey.objects.filter(pk=key.pk, revoked_at=None)
        if not alive.update(revoked_at=timezone.now()):
            return False
        record(Change(Kind.KEY_REVOKED, key.tenant_id, by, _body(key)))
    return True


def alive(key_ids: Collection[int]) -> set[int]:
    """Return those keys that are still good, whose users are still members; of one tenant, without counting a use."""
    unexpired = Q(expires_at=None) | Q(expires_at__gt=Now())
    member = Exists(Membership.objects.filter(user=OuterRef("user"), tenant=OuterRef("tenant")))
    known = ApiKey.objects.filter(unexpired, member, pk__in=key_ids, revoked_at=None, user__is_active=True)
    return set(known.values_list("pk", flat=True))


def keys_seen_by(place: Place) -> QuerySet[ApiKey]:
    """Return the keys that a person may see and revoke: their own, for an administrator all of the tenant."""
    keys = ApiKey.objects.filter(tenant=place.tenant).select_related("user").order_by("-created_at")
    return keys if place.may_administer else keys.filter(user=place.user)


def digest_of(text: str) -> str:
    """Return the hexadecimal SHA-256 under which a key is stored."""
    return hashlib.sha256(text.encode()).hexdigest()


def _columns(model: type[models.Model], table: str) -> str:
    return ", ".join(f'{table}."{field.column}"' for field in model._meta.concrete_fields)


# One statement finds the key with its people, counts the request and notes the use: right also when many processes ask
# at once. The generic cell rate algorithm: `busy_until` may stand at most a minute ahead. Nobody waits for the disk: a
# count that is lost when the database's machine dies does no harm.
_USE = f"""
WITH hurried AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS set),
used AS (
    UPDATE accounts_apikey SET
        busy_until = greatest(busy_until, now()) + interval '1 minute' / requests_per_minute,
        last_used_at = now()
    WHERE digest = %s AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
        AND greatest(busy_until, now())
            <= now() + interval '1 minute' - interval '1 minute' / requests_per_minute
    RETURNING *
)
SELECT {_columns(ApiKey, "used")}, {_columns(User, "person")}, {_columns(Tenant, "place")}, ARRAY(
    SELECT role FROM accounts_membership held
    WHERE held.user_id = person.id AND held.tenant_id = place.id AND person.is_active
)
FROM used JOIN accounts_user person ON person.id = used.user_id
    JOIN accounts_tenant place ON place.id = used.tenant_id, hurried
"""


def use(text: str) -> KeyHolder:
    """Count one request of the key. Raises BadKey and TooMany."""
    with acting_as_system("find the holder of a key"):
        return _use(digest_of(text))


def _use(digest: str) -> KeyHolder:
    with connection.cursor() as cursor:
        cursor.execute(_USE, [digest])
        row = cursor.fetchone()
    if row is None:
        raise _refusal(digest)
    values = iter(row)
    key, user, tenant = _taken(ApiKey, values), _taken(User, values), _taken(Tenant, values)
    roles = frozenset(next(values))
    if not roles:
        raise BadKey
    allowance = _allowance(key, key.last_used_at or timezone.now())
    return KeyHolder(key.pk, Place(user, tenant, roles), frozenset(key.scopes), allowance)


def _taken(model: type[M], values: Iterator[object]) -> M:
    """Return the object whose columns come next."""
    names = [field.attname for field in model._meta.concrete_fields]
    return model.from_db("default", names, list(islice(values, len(names))))


def _refusal(digest: str) -> BadKey | TooMany:
    now = timezone.now()
    key = ApiKey.objects.filter(digest=digest, revoked_at=None).first()
    if key is None or (key.expires_at is not None and key.expires_at <= now):
        return BadKey()
    return TooMany(_allowance(key, now))


def _allowance(key: ApiKey, now: datetime) -> Allowance:
    step = _MINUTE / key.requests_per_minute
    ahead = max((key.busy_until or now) - now, timedelta())
    left = math.floor((_MINUTE - ahead) / step + 1e-6)
    wait = ahead + step - _MINUTE
    return Allowance(
        limit=key.requests_per_minute,
        remaining=min(max(left, 0), key.requests_per_minute),
        reset=ahead.total_seconds(),
        wait=max(wait.total_seconds(), 0.0),
    )


def _body(key: ApiKey) -> dict[str, object]:
    return {
        "key_id": key.pk,
        "key": key.prefix,
        "name": key.name,
        "user_id": key.user_id,
        "scopes": list(key.scopes),
        "expires_at": key.expires_at.isoformat() if key.expires_at else None,
        "requests_per_minute": key.requests_per_minute,
    }
