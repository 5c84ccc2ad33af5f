"""From a question to the passages that one person may read: words and vectors, each filtered before it ranks."""

import logging
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

from django.db.models import F, FloatField, OuterRef, Subquery, Value
from django.db.models.functions import Substr

from citeweb.accounts.models import Tenant, User
from sources.core.fusion import reciprocal_ranks, spread
from sources.core.lexemes import search_terms
from sources.core.normalise import tokens
from sources.core.passages import LineRange, Passage
from sources.core.relevance import Background, relevance
from sources.embedding import configured_embedder, query_vector
from sources.embedding_errors import EmbeddingError
from sources.index import first_page_label, sha256_of, space_named
from sources.models import EmbeddingSpace
from sources.permissions import visible_chunks, visible_vectors
from sources.retrieval_lexical import LexicalHit, lexical_hits
from sources.retrieval_vector import distance_to, nearest

logger = logging.getLogger(__name__)

# How deep each ranking goes into the fusion.
_DEPTH = 100
# A ranking by words that covers this share of the question counts as much as the ranking by meaning.
_WEIGHT_OF_MEANING = 0.6
# A question offers at most this share of its passages from one document, while others have something to say.
_SHARE_OF_ONE_DOCUMENT = 0.5
# Passages below this relevance are as good as random ones and are not returned at all.
RELEVANCE_FLOOR = 0.1


@dataclass(frozen=True, slots=True)
class _Meaning:
    """A question's vector, its space, and what is nearest to it; `background` tells how cosines usually lie."""

    space: EmbeddingSpace
    vector: tuple[float, ...]
    nearest: dict[int, float]
    background: Background


@dataclass(frozen=True, slots=True)
class _Asked:
    """Who asks, and what words and vectors found."""

    user: User
    tenant: Tenant
    words: dict[int, LexicalHit]
    meaning: _Meaning | None


def retrieve(*, user: User, tenant: Tenant, query: str, limit: int) -> list[Passage]:
    """Return up to `limit` passages for the question, best first, out of what the user may read now.

    Empty when nothing readable seems to speak of it. Without vectors (none configured, or the model that makes
    them fails) words alone decide.
    """
    hits = lexical_hits(user=user, tenant=tenant, terms=search_terms(query), limit=_DEPTH)
    meaning = _meaning(user, tenant, query)
    asked = _Asked(user, tenant, {hit.chunk_id: hit for hit in hits}, meaning)
    found = _passages(asked, _fused(asked), limit)
    return [replace(passage, rank=rank) for rank, passage in enumerate(_chosen(found, limit), start=1)]


def _meaning(user: User, tenant: Tenant, query: str) -> _Meaning | None:
    embedder = configured_embedder()
    if embedder is None or not query.strip():
        return None
    try:
        vector = query_vector(embedder, query)
    except EmbeddingError as exc:
        logger.warning("Searching by words only: %s", exc)
        return None
    space = space_named(embedder.space, embedder.dimension)
    found = nearest(user=user, tenant=tenant, space=space, vector=vector, limit=_DEPTH)
    if found is None:
        return None
    return _Meaning(space, vector, found.similarities, found.background.toward(embedder.unrelated))


def _fused(asked: _Asked) -> dict[int, float]:
    """Return the fused score of each chunk, best first.

    Words count by how much of the question the best hit covers: all of it, or nearly nothing in another language.
    """
    words = list(asked.words)
    if asked.meaning is None:
        return reciprocal_ranks([words])
    trust = max((hit.coverage for hit in asked.words.values()), default=0.0)
    return reciprocal_ranks([words, list(asked.meaning.nearest)], [trust, _WEIGHT_OF_MEANING])


def _passages(asked: _Asked, scores: dict[int, float], limit: int) -> list[Passage]:
    """Load the best of the fused ranking, once more through the door, leaving out what is not relevant."""
    wanted = list(scores)[: 3 * limit + 5]
    rows = {row.pk: row for row in _loaded(asked, wanted)}
    found = [_passage(rows[pk], scores[pk], asked) for pk in wanted if pk in rows]
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


def _loaded(asked: _Asked, ids: list[int]) -> Iterator[_Row]:
    rows = visible_chunks(user=asked.user, tenant=asked.tenant).filter(pk__in=ids)
    annotated = rows.annotate(
        title=F("document__title"),
        text=Substr("version__text", F("start") + 1, F("end") - F("start")),
        page_label=first_page_label(),
        similarity=_similarity(asked),
    )
    for values in annotated.values(*(field.name for field in fields(_Row))):
        yield _Row(**values)


def _similarity(asked: _Asked) -> Subquery | Value:
    if asked.meaning is None:
        return Value(None, output_field=FloatField())
    space, vector = asked.meaning.space, asked.meaning.vector
    mine = visible_vectors(user=asked.user, tenant=asked.tenant, space=space).filter(chunk=OuterRef("pk"))
    return Subquery(mine.annotate(cosine=-distance_to(vector)).values("cosine")[:1])


def _passage(row: _Row, score: float, asked: _Asked) -> Passage:
    if sha256_of(row.text) != row.sha256:
        raise AssertionError(f"{row.block_id} is not the slice of its version's text")
    hit = asked.words.get(row.pk)
    coverage = hit.coverage if hit else 0.0
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
        relevance=_relevance(asked, coverage, row.similarity),
        coverage=coverage,
        similarity=row.similarity,
    )


def _relevance(asked: _Asked, coverage: float, similarity: float | None) -> float:
    if asked.meaning is None or similarity is None:
        return relevance(coverage)
    standing = asked.meaning.background.standing(similarity)
    # With too few vectors to tell a high cosine from a usual one, nothing near is ruled out.
    return max(relevance(coverage), 0.5) if standing is None else relevance(coverage, standing)


def _chosen(found: list[Passage], limit: int) -> list[Passage]:
    """Leave out what says the same word for word, and let no document crowd out the others."""
    distinct: dict[tuple[str, ...], Passage] = {}
    for passage in found:
        distinct.setdefault(tuple(token.text for token in tokens(passage.text)), passage)
    most = max(2, round(limit * _SHARE_OF_ONE_DOCUMENT))
    by_id = {passage.block_id: passage for passage in distinct.values()}
    chosen = spread(((p.block_id, p.document_id) for p in distinct.values()), most)[:limit]
    return sorted((by_id[block_id] for block_id in chosen), key=lambda p: -p.score)
