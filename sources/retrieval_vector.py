"""Search by meaning: the exact cosine to everything that one person may read, in one SQL statement."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import FloatField, QuerySet
from django.db.models.expressions import RawSQL
from pgvector import HalfVector
from pgvector.django import MaxInnerProduct

from citeweb.accounts.models import Tenant, User
from sources.compiled import Given, compiled
from sources.core.relevance import Background
from sources.models import ChunkEmbedding, EmbeddingSpace
from sources.permissions import Within, visible_vectors

_SQL = """
WITH near AS MATERIALIZED ({near}),
every_one AS (
    SELECT avg(distance) AS mean, coalesce(stddev_pop(distance), 0) AS deviation, count(*) AS count FROM near
),
wanted AS (
    (SELECT chunk_id, distance FROM near ORDER BY distance, chunk_id LIMIT %s)
    UNION SELECT chunk_id, distance FROM near WHERE chunk_id = ANY(%s)
)
SELECT chunk_id, -distance, -mean, deviation, count FROM wanted, every_one ORDER BY distance, chunk_id
"""


@dataclass(frozen=True, slots=True)
class Nearest:
    """Chunks with their cosines, nearest first, and how the cosines of all readable chunks lie."""

    similarities: dict[int, float]
    background: Background


def nearest(
    *,
    user: User,
    tenant: Tenant,
    space: EmbeddingSpace,
    vector: tuple[float, ...],
    limit: int,
    collections: Within = None,
    and_of: Iterable[int] = (),
) -> Nearest:
    """Return the `limit` chunks nearest to a vector of length 1, and those of `and_of` that are readable.

    Exact and linear in what the user may read: about a millisecond for 1,000 vectors of 384 numbers.
    """
    given = {_VECTOR: HalfVector(list(vector)).to_text(), _SPACE.pk: space.pk}
    try:
        near, parameters = compiled(
            _distances, user=user, tenant=tenant, collections=collections, given=given
        )
    except EmptyResultSet:
        # Limited to no collection at all.
        return Nearest({}, Background(0.0, 0.0, 0, 0))
    with connection.cursor() as cursor:
        cursor.execute(_SQL.format(near=near), [*parameters, limit, list(and_of)])
        rows = cursor.fetchall()
    mean, deviation, count = rows[0][2:] if rows else (0.0, 0.0, 0)
    return Nearest({row[0]: row[1] for row in rows}, Background(mean, deviation, count, count))


# Stand for what is compared and where, while the statement's text is made.
_VECTOR, _SPACE = Given(), EmbeddingSpace(pk=-(2**62) - 2)


def _distances(user: User, tenant: Tenant, collections: Within) -> QuerySet[ChunkEmbedding, Any]:
    """Return the chunks with the negative cosine to a vector of length 1."""
    distance = MaxInnerProduct("vector", RawSQL("%s", [_VECTOR]), output_field=FloatField())
    vectors = visible_vectors(user=user, tenant=tenant, space=_SPACE, collections=collections)
    return vectors.annotate(distance=distance).values("chunk_id", "distance")
