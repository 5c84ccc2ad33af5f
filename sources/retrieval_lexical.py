"""Search by words: a BM25-like ranking in one SQL statement over the chunks that one person may read.

The GIN index gives the chunks of each term; how rare a term is, is counted over what this person may read and
nothing else. Lexemes themselves are only read for the 200 best, to count how often a term stands in them:
PostgreSQL's ts_rank of a single term with weight 1 is (1 + 1/4 + 1/9 + … over its occurrences) * 6/pi², which
follows BM25's tf / (tf + 0.65) closely.
"""

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL

from citeweb.accounts.models import Tenant, User
from sources.compiled import compiled
from sources.core.lexemes import Term, quote, search_terms
from sources.models import Document
from sources.permissions import Within, visible_documents

_SQL = """
WITH readable(version_id) AS MATERIALIZED ({readable}),
term AS (
    SELECT word, stem, number - 1 AS number
    FROM unnest(%s::tsquery[], %s::tsquery[]) WITH ORDINALITY AS given(word, stem, number)
),
-- The word of term n is lexeme 2n, its stem lexeme 2n + 1.
lexeme(number, query) AS (
    SELECT 2 * number, word FROM term UNION ALL SELECT 2 * number + 1, stem FROM term
),
-- A word's chunks are among those of its stem, so that one index scan serves both.
found AS MATERIALIZED (
    SELECT number, held.id, held.exact FROM term CROSS JOIN LATERAL sources_chunks_holding(%s, word, stem) held
    WHERE version_id IN (SELECT version_id FROM readable)
),
posting(number, id) AS MATERIALIZED (
    SELECT 2 * number + 1, id FROM found UNION ALL SELECT 2 * number, id FROM found WHERE exact
),
total(chunks) AS (
    -- 50 imagined chunks: in a handful of real ones every word would be common.
    SELECT coalesce(sum(chunk_count), 0)::float8 + 50 FROM sources_version
    WHERE id IN (SELECT version_id FROM readable)
),
weighed AS MATERIALIZED (
    SELECT number, query, ln(1 + greatest(chunks - held + 0.5, 0.5) / (held + 0.5)) AS weight
    FROM (SELECT number, count(*) AS held FROM posting GROUP BY number) counted
        JOIN lexeme USING (number), total
),
-- What each word of the question weighs; one that no chunk holds weighs the most.
asked AS MATERIALIZED (
    SELECT term.number, coalesce(words.weight, stems.weight, ln(1 + (chunks + 0.5) / 0.5)) AS weight
    FROM term LEFT JOIN weighed words ON words.number = 2 * term.number
        LEFT JOIN weighed stems ON stems.number = 2 * term.number + 1, total
),
best AS (
    SELECT id FROM posting JOIN weighed USING (number) GROUP BY id ORDER BY sum(weight) DESC, id LIMIT 200
),
-- Materialized, so that only the lexemes of the best are read.
held AS MATERIALIZED (
    SELECT id, array_agg(number) AS numbers FROM best JOIN posting USING (id) GROUP BY id
)
SELECT held.id, frequency / (0.75 + 0.25 * ("end" - start) / 900.0) AS score, coverage
FROM held JOIN sources_chunk USING (id) CROSS JOIN LATERAL (
    SELECT sum(weight * ts_rank('{{1, 1, 0.5, 1}}', lexemes, query)) AS frequency
    FROM weighed WHERE number = ANY(numbers)
) counted CROSS JOIN LATERAL (
    -- A term that only the stem of a word shares says a little less.
    SELECT sum(weight * CASE
        WHEN 2 * number = ANY(numbers) THEN 1.0 WHEN 2 * number + 1 = ANY(numbers) THEN 0.8 ELSE 0.0 END
    ) / sum(weight) AS coverage FROM asked
) covered
ORDER BY score DESC, held.id LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A chunk that holds words of the question; `coverage` is their share, weighed by rarity, from 0 to 1."""

    chunk_id: int
    score: float
    coverage: float


def lexical_hits(
    *, user: User, tenant: Tenant, terms: tuple[Term, ...], limit: int, collections: Within = None
) -> list[LexicalHit]:
    """Return up to `limit` chunks that the user may read, the best first."""
    if not terms:
        return []
    try:
        readable, parameters = compiled(_readable, user=user, tenant=tenant, collections=collections)
    except EmptyResultSet:
        # Limited to no collection at all.
        return []
    words, stems = [quote(term.word) for term in terms], [quote(term.stem) for term in terms]
    with connection.cursor() as cursor:
        cursor.execute(_SQL.format(readable=readable), [*parameters, words, stems, tenant.pk, limit])
        return [LexicalHit(*row) for row in cursor.fetchall()]


def _readable(user: User, tenant: Tenant, collections: Within) -> QuerySet[Document, Any]:
    documents = visible_documents(user=user, tenant=tenant, collections=collections)
    return documents.filter(current_version__isnull=False).values("current_version_id")


def documents_holding(words: str, *, tenant: Tenant) -> Q:
    """Return, as a condition on documents, that one passage of the current version holds all of the words.

    The last word may be the beginning of one: lists are searched while somebody types.
    """
    terms = search_terms(words)
    if not terms:
        return Q(pk__in=())
    stems = [quote(term.stem) for term in terms]
    stems[-1] = f"({stems[-1]} | {quote(terms[-1].word)}:*)"
    query = " & ".join(stems)
    versions = RawSQL(
        "SELECT version_id FROM sources_chunks_holding(%s, %s::tsquery, %s::tsquery)",
        [tenant.pk, query, query],
    )
    return Q(current_version__in=versions)
