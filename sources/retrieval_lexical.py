"""Search by words: a BM25-like ranking in one SQL statement over the chunks that one person may read.

The GIN index gives the chunks of each term; how rare a term is, is counted over what this person may read and
nothing else. Lexemes themselves are only read for the 200 best, to count how often a term stands in them:
PostgreSQL's ts_rank of a single term with weight 1 is (1 + 1/4 + 1/9 + … over its occurrences) * 6/pi², which
follows BM25's tf / (tf + 0.65) closely.
"""

import math
from dataclasses import dataclass

from django.db import connection

from citeweb.accounts.models import Tenant, User
from sources.core.lexemes import Term, quote
from sources.permissions import visible_documents

# A term that only the stem of a word shares says a little less.
_STEM_ONLY = 0.8

_SQL = """
WITH readable(version_id) AS MATERIALIZED ({readable}),
term(number, query) AS (SELECT * FROM unnest(%s::int[], %s::tsquery[])),
-- OFFSET 0 keeps the planner at one index scan a term; else it may compare every term with every chunk.
posting AS MATERIALIZED (
    SELECT number, found.id FROM term CROSS JOIN LATERAL (
        SELECT id, version_id FROM sources_chunk WHERE lexemes @@ query AND tenant_id = %s OFFSET 0
    ) found
    WHERE version_id IN (SELECT version_id FROM readable)
),
total(chunks) AS (
    -- 50 imagined chunks: in a handful of real ones every word would be common.
    SELECT coalesce(sum(chunk_count), 0)::float8 + 50 FROM sources_version
    WHERE id IN (SELECT version_id FROM readable)
),
weighed AS (
    SELECT number, ln(1 + greatest(chunks - count(*) + 0.5, 0.5) / (count(*) + 0.5)) AS weight
    FROM posting, total GROUP BY number, chunks
),
best AS (
    SELECT id FROM posting JOIN weighed USING (number) GROUP BY id ORDER BY sum(weight) DESC, id LIMIT 200
)
SELECT best.id, array_agg(number),
    sum(weight * ts_rank('{{1, 1, 0.5, 1}}', lexemes, query))
        / (0.75 + 0.25 * max("end" - start) / 900.0) AS score,
    (SELECT chunks FROM total),
    (SELECT array_agg(number ORDER BY number) FROM weighed),
    (SELECT array_agg(weight ORDER BY number) FROM weighed)
FROM best JOIN posting USING (id) JOIN weighed USING (number) JOIN term USING (number)
    JOIN sources_chunk USING (id)
GROUP BY best.id ORDER BY score DESC, best.id LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A chunk that holds words of the question; `coverage` is their share, weighed by rarity, from 0 to 1."""

    chunk_id: int
    score: float
    coverage: float


def lexical_hits(*, user: User, tenant: Tenant, terms: tuple[Term, ...], limit: int) -> list[LexicalHit]:
    """Return up to `limit` chunks that the user may read, the best first."""
    if not terms:
        return []
    documents = visible_documents(user=user, tenant=tenant).filter(current_version__isnull=False)
    readable, parameters = documents.values("current_version_id").query.sql_with_params()
    lexemes = [lexeme for term in terms for lexeme in (term.word, term.stem)]
    queries = [quote(lexeme) for lexeme in lexemes]
    with connection.cursor() as cursor:
        cursor.execute(
            _SQL.format(readable=readable),
            [*parameters, list(range(len(queries))), queries, tenant.pk, limit],
        )
        rows = cursor.fetchall()
    return [
        LexicalHit(
            chunk_id, score, _coverage(len(terms), set(held), dict(zip(known, weights, strict=True)), chunks)
        )
        for chunk_id, held, score, chunks, known, weights in rows
    ]


def _coverage(terms: int, held: set[int], weights: dict[int, float], chunks: float) -> float:
    """Share of the question's words that stand in a chunk; a word that no chunk holds weighs the most.

    Lexeme 2n is the word of term n and 2n + 1 its stem.
    """
    unknown = math.log(1 + (chunks + 0.5) / 0.5)
    total = covered = 0.0
    for word in range(0, 2 * terms, 2):
        weight = weights.get(word, weights.get(word + 1, unknown))
        total += weight
        if word in held:
            covered += weight
        elif word + 1 in held:
            covered += weight * _STEM_ONLY
    return covered / total if total else 0.0
