"""Search by meaning: the exact cosine to everything that one person may read, in one SQL statement."""

from dataclasses import dataclass

from django.db import connection
from django.db.models import FloatField
from pgvector import HalfVector
from pgvector.django import MaxInnerProduct

from citeweb.accounts.models import Tenant, User
from sources.core.relevance import Background
from sources.models import EmbeddingSpace
from sources.permissions import visible_vectors

_SQL = """
WITH near AS MATERIALIZED ({near})
SELECT chunk_id, -distance, -avg, deviation, count FROM near,
    (SELECT avg(distance), coalesce(stddev_pop(distance), 0) AS deviation, count(*) FROM near) every_one
ORDER BY distance, chunk_id LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest chunks with their cosines, nearest first, and how the cosines of all readable chunks lie."""

    similarities: dict[int, float]
    background: Background


def nearest(
    *, user: User, tenant: Tenant, space: EmbeddingSpace, vector: tuple[float, ...], limit: int
) -> Nearest | None:
    """Return the `limit` chunks nearest to a vector of length 1, or None when the space is empty for the user.

    Exact and linear in what the user may read: about a millisecond for 1,000 vectors of 384 numbers.
    """
    distance = distance_to(vector)
    readable = visible_vectors(user=user, tenant=tenant, space=space).annotate(distance=distance)
    near, parameters = readable.values("chunk_id", "distance").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(_SQL.format(near=near), [*parameters, limit])
        rows = cursor.fetchall()
    if not rows:
        return None
    mean, deviation, count = rows[0][2:]
    return Nearest({row[0]: row[1] for row in rows}, Background(mean, deviation, count, count))


def distance_to(vector: tuple[float, ...]) -> MaxInnerProduct:
    """Return the negative cosine to a vector of length 1, as an expression over vectors."""
    return MaxInnerProduct("vector", HalfVector(list(vector)), output_field=FloatField())
