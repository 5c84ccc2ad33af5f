"""The SQL of the door's querysets, made once a process: Django takes milliseconds to write each of them out.

Only the text is kept. Who asks, in which tenant and in which collections are parameters, filled in at each use, so the
database still looks up every membership, role and grant itself (`sources.permissions`).
"""

import uuid
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from citeweb.accounts.models import Tenant, User
from sources.permissions import Within

# A function of this kind stands at the top of a module: it is the key under which its SQL is kept.
Rows = Callable[[User, Tenant, Within], QuerySet[Any, Any]]
Statement = tuple[str, list[Any]]

# Stand for the asker while the text is made; no row has them.
_USER = -(2**62) - 1
_TENANT = uuid.UUID(int=2**127 - 1)
_FIRST_COLLECTION = 2**126


class Given:
    """Stands in a queryset for a value that is only known when the statement is sent."""


def any_of(values: Given, kind: str) -> RawSQL:
    """Return the values as a sub-select, for `filter(pk__in=…)`; they are a list of PostgreSQL's type `kind`."""
    return RawSQL(f"SELECT unnest(%s::{kind}[])", [values])


def compiled(
    rows: Rows,
    *,
    user: User,
    tenant: Tenant,
    collections: Within = None,
    given: Mapping[object, Any] | None = None,
) -> Statement:
    """Return the SQL of `rows` for this user with its parameters; `given` has the values of its places.

    Raises EmptyResultSet for what can't have rows, as Django does.
    """
    sql, parameters = _written(rows, None if collections is None else len(collections))
    values: dict[object, Any] = {_USER: user.pk, _TENANT: tenant.pk}
    for index, collection in enumerate(collections or ()):
        values[uuid.UUID(int=_FIRST_COLLECTION + index)] = collection
    values.update(given or {})
    return sql, [values.get(parameter, parameter) for parameter in parameters]


@lru_cache(maxsize=64)
def _written(rows: Rows, collections: int | None) -> tuple[str, tuple[Any, ...]]:
    shelves = None
    if collections is not None:
        shelves = [uuid.UUID(int=_FIRST_COLLECTION + index) for index in range(collections)]
    sql, parameters = rows(User(pk=_USER), Tenant(pk=_TENANT), shelves).query.sql_with_params()
    return sql, parameters
