"""From a question to the passages that one person may read: words and vectors, each filtered before it ranks."""

import logging
import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from django.db import connection
from django.db.models import F, QuerySet

from citeweb.accounts.models import Tenant, User
from sources.compiled import Given, Statement, any_of, compiled
from sources.core.fusion import reciprocal_ranks, spread
from sources.core.lexemes import search_terms
from sources.core.passages import LineRange, Passage
from sources.core.relevance import Background, relevance
from sources.embedding import configured_embedder, query_vector
from sources.embedding_errors import EmbeddingError
from sources.index import first_page_label, sha256_of, space_named
from sources.models import Chunk
from sources.permissions import Within, visible_chunks
from sources.retrieval_lexical import LexicalHit, lexical_hits
from sources.retrieval_vector import nearest

logger = logging.getLogger(__name__)

# How deep each ranking goes into the fusion.
_DEPTH = 100
# What one deviation that a cosine stands out is worth, against 1 for holding all words of the question.
_WEIGHT_OF_STANDING = 0.1
# A question offers at most this share of its passages from one document, while others have something to say.
_SHARE_OF_ONE_DOCUMENT = 0.5
_NOT_LETTERS = re.compile(r"[\W_]+")
# Passages below this relevance are as good as random ones and are not returned at all.
RELEVANCE_FLOOR = 0.1


@dataclass(frozen=True, slots=True)
class _Meaning:
    """The cosines of chunks with the question, nearest first, and how the cosines of all chunks lie."""

    similarities: dict[int, float]
    background: Background

    def standing(self, chunk_id: int) -> float | None:
        """How far the chunk's cosine stands out; None without a vector or where that can't be told."""
        similarity = self.similarities.get(chunk_id)
        return None if similarity is None else self.background.standing(similarity)


_NO_MEANING = _Meaning({}, Background(0.0, 0.0, 0, 0))


@dataclass(frozen=True, slots=True)
class _Found:
    """What words and vectors found for one person, in some collections or (None) in all."""

    user: User
    tenant: Tenant
    collections: Within
    words: dict[int, LexicalHit]
    meaning: _Meaning

    def coverage(self, chunk_id: int) -> float:
        """The share of the question's words that the chunk holds."""
        hit = self.words.get(chunk_id)
        return hit.coverage if hit else 0.0

    def relevance(self, chunk_id: int) -> float:
        """How likely the chunk speaks of what was asked."""
        standing = self.meaning.standing(chunk_id)
        if standing is None and chunk_id in self.meaning.similarities:
            # Too few vectors to tell a high cosine from a usual one: nothing near is ruled out.
            return max(relevance(self.coverage(chunk_id)), 0.5)
        return relevance(self.coverage(chunk_id), standing)


def retrieve(
    *, user: User, tenant: Tenant, query: str, limit: int, collections: Within = None
) -> list[Passage]:
    """Return up to `limit` passages for the question, best first, out of what the user may read now.

    `collections` limits the search to some of them; none of them (an empty list) finds nothing.

    Empty when nothing readable seems to speak of it. Without vectors (none configured, or the model that makes
    them fails) words alone decide.
    """
    if collections is not None and not collections:
        return []
    terms = search_terms(query)
    hits = lexical_hits(user=user, tenant=tenant, terms=terms, limit=_DEPTH, collections=collections)
    words = {hit.chunk_id: hit for hit in hits}
    meaning = _meaning(user, tenant, query, words, collections)
    found = _Found(user, tenant, collections, words, meaning)
    passages = _chosen(_passages(found, limit), limit)
    return [replace(passage, rank=rank) for rank, passage in enumerate(passages, start=1)]


def recall(
    *, user: User, tenant: Tenant, block_ids: Sequence[str], collections: Within = None
) -> list[Passage]:
    """Return those of the named blocks that the user may read now in a current version, in the order given."""
    if not block_ids or (collections is not None and not collections):
        return []
    statement = compiled(
        _named, user=user, tenant=tenant, collections=collections, given={_WANTED: list(block_ids)}
    )
    rows = {row.block_id: row for row in _loaded(statement)}
    return [_read(rows[block_id]) for block_id in block_ids if block_id in rows]


def _meaning(user: User, tenant: Tenant, query: str, words: Iterable[int], collections: Within) -> _Meaning:
    embedder = configured_embedder()
    if embedder is None or not query.strip():
        return _NO_MEANING
    try:
        vector = query_vector(embedder, query)
    except EmbeddingError as exc:
        logger.warning("Searching by words only (%s)", type(exc).__name__)
        return _NO_MEANING
    space = space_named(embedder.space, embedder.dimension)
    near = nearest(
        user=user,
        tenant=tenant,
        space=space,
        vector=vector,
        limit=_DEPTH,
        collections=collections,
        and_of=words,
    )
    return _Meaning(near.similarities, near.background.toward(embedder.unrelated))


def _scores(found: _Found) -> dict[int, float]:
    """Return the fused score of each chunk, best first.

    Coverage and standing are figures that mean the same for every question and model, so they are added; that
    found more than reciprocal ranks did (docs/decisions.md). Ranks are fused where only they are known.
    """
    if found.meaning.background.known_enough:
        return dict(sorted(((pk, _score(found, pk)) for pk in _pool(found)), key=lambda pair: -pair[1]))
    return reciprocal_ranks([list(found.words), list(found.meaning.similarities)])


def _pool(found: _Found) -> Iterable[int]:
    return dict.fromkeys([*found.words, *found.meaning.similarities])


def _score(found: _Found, chunk_id: int) -> float:
    # A chunk that has no vector yet counts as standing out as far as chance would have it.
    standing = found.meaning.standing(chunk_id) or 0.0
    return found.coverage(chunk_id) + _WEIGHT_OF_STANDING * standing


def _passages(found: _Found, limit: int) -> list[Passage]:
    """Load the best of the fused ranking, once more through the door, leaving out what is not relevant."""
    scores = _scores(found)
    relevant = [pk for pk in scores if found.relevance(pk) >= RELEVANCE_FLOOR][: 3 * limit + 5]
    if not relevant:
        return []
    statement = compiled(
        _numbered,
        user=found.user,
        tenant=found.tenant,
        collections=found.collections,
        given={_WANTED: relevant},
    )
    rows = {row.pk: row for row in _loaded(statement)}
    return [_passage(rows[pk], scores[pk], found) for pk in relevant if pk in rows]


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


# The chunks that are wanted, in the two statements below.
_WANTED = Given()


def _numbered(user: User, tenant: Tenant, collections: Within) -> QuerySet[Chunk, tuple[object, ...]]:
    chunks = visible_chunks(user=user, tenant=tenant, collections=collections)
    return _columns(chunks.filter(pk__in=any_of(_WANTED, "bigint")))


def _named(user: User, tenant: Tenant, collections: Within) -> QuerySet[Chunk, tuple[object, ...]]:
    chunks = visible_chunks(user=user, tenant=tenant, collections=collections)
    return _columns(chunks.filter(block_id__in=any_of(_WANTED, "text")))


def _columns(chunks: QuerySet[Chunk]) -> QuerySet[Chunk, tuple[object, ...]]:
    annotated = chunks.annotate(title=F("document__title"), page_label=first_page_label())
    return annotated.values_list(*(field.name for field in fields(_Row)))


def _loaded(statement: Statement) -> Iterator[_Row]:
    with connection.cursor() as cursor:
        cursor.execute(*statement)
        for values in cursor.fetchall():
            yield _Row(*values)


def _passage(row: _Row, score: float, found: _Found) -> Passage:
    return replace(
        _read(row),
        score=score,
        relevance=found.relevance(row.pk),
        coverage=found.coverage(row.pk),
        similarity=found.meaning.similarities.get(row.pk),
    )


def _read(row: _Row) -> Passage:
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
    )


def _chosen(found: list[Passage], limit: int) -> list[Passage]:
    """Leave out what says the same word for word, and let no document crowd out the others."""
    distinct: dict[str, Passage] = {}
    for passage in found:
        distinct.setdefault(_NOT_LETTERS.sub("", passage.text).casefold(), passage)
    most = max(2, round(limit * _SHARE_OF_ONE_DOCUMENT))
    by_id = {passage.block_id: passage for passage in distinct.values()}
    chosen = spread(((p.block_id, p.document_id) for p in distinct.values()), most)[:limit]
    return sorted((by_id[block_id] for block_id in chosen), key=lambda p: -p.score)
