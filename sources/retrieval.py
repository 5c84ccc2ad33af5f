"""From a question to the passages that one person may read: words and vectors, each filtered before it ranks."""

import logging
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from django.db.models import F, FloatField, OuterRef, Subquery, Value
from django.db.models.functions import Substr
from pgvector import HalfVector
from pgvector.django import MaxInnerProduct

from citeweb.accounts.models import Tenant, User
from sources.core.fusion import reciprocal_ranks, spread
from sources.core.lexemes import search_terms
from sources.core.normalise import tokens
from sources.core.passages import LineRange, Passage
from sources.core.relevance import relevance
from sources.embedding import configured_embedder, query_vector
from sources.embedding_errors import EmbeddingError
from sources.index import first_page_label, sha256_of, space_named
from sources.models import EmbeddingSpace
from sources.permissions import visible_chunks, visible_vectors
from sources.retrieval_lexical import LexicalHit, lexical_hits

logger = logging.getLogger(__name__)

# How deep each ranking goes into the fusion.
_DEPTH = 100
# A question offers at most this share of its passages from one document, while others have something to say.
_SHARE_OF_ONE_DOCUMENT = 0.5
# Passages below this relevance are as good as random ones and are not returned at all.
RELEVANCE_FLOOR = 0.1


@dataclass(frozen=True, slots=True)
class Ask:
    """A question ready for ranking: who asks, and the question's vector with its space if there is one."""

    user: User
    tenant: Tenant
    query: str
    space: EmbeddingSpace | None = None
    vector: tuple[float, ...] = ()


def retrieve(*, user: User, tenant: Tenant, query: str, limit: int) -> list[Passage]:
    """Return up to `limit` passages for the question, best first, out of what the user may read now.

    Empty when nothing readable seems to speak of it. Without vectors (none configured, or the model that makes
    them fails) words alone decide.
    """
    ask = _ask(user, tenant, query)
    words = lexical_hits(user=user, tenant=tenant, terms=search_terms(query), limit=_DEPTH)
    vectors = vector_hits(ask, _DEPTH)
    fused = reciprocal_ranks([[hit.chunk_id for hit in words], vectors])
    found = _passages(ask, fused, words, limit)
    return [replace(passage, rank=rank) for rank, passage in enumerate(_chosen(found, limit), start=1)]


def vector_hits(ask: Ask, limit: int) -> list[int]:
    """Return the ids of the readable chunks nearest to the question, nearest first; exact, not approximate."""
    if ask.space is None:
        return []
    near = visible_vectors(user=ask.user, tenant=ask.tenant, space=ask.space)
    distance = MaxInnerProduct("vector", HalfVector(list(ask.vector)))
    return list(near.order_by(distance).values_list("chunk_id", flat=True)[:limit])


def _ask(user: User, tenant: Tenant, query: str) -> Ask:
    embedder = configured_embedder()
    if embedder is None or not query.strip():
        return Ask(user, tenant, query)
    try:
        vector = query_vector(embedder, query)
    except EmbeddingError as exc:
        logger.warning("Searching by words only: %s", exc)
        return Ask(user, tenant, query)
    return Ask(user, tenant, query, space_named(embedder.space, embedder.dimension), vector)


def _passages(ask: Ask, scores: dict[int, float], words: Sequence[LexicalHit], limit: int) -> list[Passage]:
    """Load the best of the fused ranking, once more through the door, leaving out what is not relevant."""
    coverage = {hit.chunk_id: hit.coverage for hit in words}
    wanted = list(scores)[: 3 * limit + 5]
    rows = {row.pk: row for row in _loaded(ask, wanted)}
    found = [_passage(rows[pk], scores[pk], coverage.get(pk, 0.0)) for pk in wanted if pk in rows]
    return [passage for passage in found if passage.relevance >= RELEVANCE_FLOOR]


@dataclass(frozen=True, slots=True)
class _Row:
    """A chunk as it is loaded; the names are those of `visible_chunks` and of the annotations below."""

    pk: int
    block_id: str
    document_id: uuid.UUID
    version_id: uuid.UUID
    start: int
    end: int
    first_line: int
    last_line: int
    first_page: int | None
    heading_path: list[str]
    sha256: str
    title: str
    text: str
    page_label: str | None
    similarity: float | None


def _loaded(ask: Ask, ids: list[int]) -> Iterator[_Row]:
    rows = visible_chunks(user=ask.user, tenant=ask.tenant).filter(pk__in=ids)
    annotated = rows.annotate(
        title=F("document__title"),
        text=Substr("version__text", F("start") + 1, F("end") - F("start")),
        page_label=first_page_label(),
        similarity=_similarity(ask),
    )
    for values in annotated.values(*(field.name for field in fields(_Row))):
        yield _Row(**values)


def _similarity(ask: Ask) -> Subquery | Value:
    if ask.space is None:
        return Value(None, output_field=FloatField())
    mine = visible_vectors(user=ask.user, tenant=ask.tenant, space=ask.space).filter(chunk=OuterRef("pk"))
    cosine = -MaxInnerProduct("vector", HalfVector(list(ask.vector)))
    return Subquery(mine.annotate(cosine=cosine).values("cosine")[:1])


def _passage(row: _Row, score: float, coverage: float) -> Passage:
    if sha256_of(row.text) != row.sha256:
        raise AssertionError(f"{row.block_id} is not the slice of its version's text")
    return Passage(
        block_id=row.block_id,
        document_id=str(row.document_id),
        version_id=str(row.version_id),
        title=row.title,
        text=row.text,
        start=row.start,
        end=row.end,
        lines=LineRange(row.first_line, row.last_line),
        sha256=row.sha256,
        page=row.first_page,
        page_label=row.page_label or "",
        heading_path=tuple(row.heading_path),
        score=score,
        relevance=relevance(coverage, row.similarity),
        coverage=coverage,
        similarity=row.similarity,
    )


def _chosen(found: list[Passage], limit: int) -> list[Passage]:
    """Leave out what says the same word for word, and let no document crowd out the others."""
    distinct: dict[tuple[str, ...], Passage] = {}
    for passage in found:
        distinct.setdefault(tuple(token.text for token in tokens(passage.text)), passage)
    most = max(2, round(limit * _SHARE_OF_ONE_DOCUMENT))
    by_id = {passage.block_id: passage for passage in distinct.values()}
    chosen = spread(((p.block_id, p.document_id) for p in distinct.values()), most)[:limit]
    return sorted((by_id[block_id] for block_id in chosen), key=lambda p: -p.score)
