"""Measure the audit on a million records: pages of lists under every kind of filter, and exports.

`python -m bench.audit fill [RECORDS]` makes valid chains for three new tenants by COPY, through the chain's own
trigger (1,000,000 records: about 6 GB). `python -m bench.audit pages` asks for pages as an auditor of the largest
tenant and as staff, and prints milliseconds. `python -m bench.audit export` exports all and prints the peak of memory.
Both use the database that manage.py would use; set CITEWEB_DATA_DIR to keep away from real data.
"""

import json
import os
import random
import resource
import statistics
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

import django

from manage import provide_database

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "citeweb.settings")
provide_database()
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connections, transaction  # noqa: E402
from django.test import Client  # noqa: E402

from chat.audit.access import Seat  # noqa: E402
from chat.audit.chain import GENESIS, canonical_json, chain_digest, sha256_of  # noqa: E402
from chat.audit.columns import columns_of, plain_columns, words_of  # noqa: E402
from chat.audit.export import Export  # noqa: E402
from chat.audit.search import Wanted, any_of  # noqa: E402
from chat.models import AuditRecord  # noqa: E402
from citeweb.accounts.models import Membership, Role, Tenant, User  # noqa: E402
from citeweb.accounts.row_security import acting_as_system  # noqa: E402
from citeweb.database.base import DatabaseWrapper  # noqa: E402

RECORDS = 1_000_000
SHARES = (0.8, 0.15, 0.05)
PEOPLE, DOCUMENTS, SHELVES, TEXTS = 400, 3_000, 30, 3_000
MODELS, REASONS = ("quote", "large", "small", "old"), ("unknown_id", "malformed", "forged_in_document")
VOCABULARY = 12_000
_COLUMNS = (
    *(
        "id",
        "tenant_id",
        "sequence",
        "kind",
        "turn_id",
        "body",
        "previous",
        "digest",
        "signature",
        "created_at",
    ),
    *(
        "actor_id",
        "actor_email",
        "summary",
        "model",
        "state",
        "verdict",
        "offered",
        "citations",
        "unsupported",
    ),
    *("weak", "uncited", "rejected", "cited_documents", "retrieval_ms", "first_text_ms", "total_ms", "words"),
)
_TEXT_COLUMNS = ("tenant_id", "sequence", "name", "document_id", "text")
_chance = random.Random(7)
Row = dict[str, object]


def fill(records: int) -> None:
    """Make tenants, people and chains."""
    call_command("migrate", verbosity=0)
    begin = time.monotonic()
    connection = connections["default"]
    assert isinstance(connection, DatabaseWrapper)
    with acting_as_system("bench"):
        tenants = [_tenant(number) for number in range(len(SHARES))]
        with connection.as_owner():
            connection.ensure_connection()
            with connection.cursor() as cursor:
                cursor.execute("DROP INDEX IF EXISTS audit_words")
            first = _next_id(connection)
            # Other ids than those of a fill before.
            _chance.seed(first)
            rows = _rows(tenants, records, first)
            _copy(connection, rows)
            print(f"{records:,} records in {time.monotonic() - begin:.0f} s", flush=True)
            with connection.cursor() as cursor:
                cursor.execute("SET maintenance_work_mem = '512MB'")
                cursor.execute(
                    "CREATE INDEX audit_words ON chat_auditrecord USING gin (words) WITH (fastupdate = off)"
                )
                cursor.execute(
                    "SELECT setval(pg_get_serial_sequence('chat_auditrecord', 'id'), %s)", [first + records]
                )
                cursor.execute("VACUUM ANALYZE chat_auditrecord")
                cursor.execute("VACUUM ANALYZE chat_audittext")
    print(f"with index: {time.monotonic() - begin:.0f} s")


def _tenant(number: int) -> Tenant:
    mark = uuid.uuid4().hex[:6]
    tenant = Tenant.objects.create(slug=f"bench-{number}-{mark}", name=f"Bench {number}")
    auditor = User.objects.create_user(f"auditor@{tenant.slug}.example", "bench")
    Membership.objects.create(tenant=tenant, user=auditor, role=Role.AUDITOR)
    return tenant


def _next_id(connection: DatabaseWrapper) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(id), 0) + 1 FROM chat_auditrecord")
        return int(cursor.fetchone()[0])


def _copy(connection: DatabaseWrapper, rows: Iterator[tuple[Row, Row]]) -> None:
    """Write the rows, some thousand in a transaction; the words beside them with them."""
    pieces = iter(lambda: [pair for _number, pair in zip(range(20_000), rows)], [])  # noqa: B905
    for piece in pieces:
        with transaction.atomic(), connection.cursor() as cursor:
            for table, columns, place in (("auditrecord", _COLUMNS, 0), ("audittext", _TEXT_COLUMNS, 1)):
                with cursor.copy(f"COPY chat_{table} ({', '.join(columns)}) FROM STDIN") as copy:
                    for pair in piece:
                        copy.write_row([pair[place][name] for name in columns])


def _rows(tenants: list[Tenant], records: int, first: int) -> Iterator[tuple[Row, Row]]:
    """Yield records with one row of words each, in order of time, as the tenants' people would leave them."""
    heads = {tenant.pk: (0, GENESIS) for tenant in tenants}
    texts = [_text() for _ in range(TEXTS)]
    documents = [str(uuid.UUID(int=_chance.getrandbits(128))) for _ in range(DOCUMENTS)]
    shelves = [str(uuid.UUID(int=_chance.getrandbits(128))) for _ in range(SHELVES)]
    start = datetime.now(UTC) - timedelta(days=365)
    for number in range(records):
        [tenant] = _chance.choices(tenants, SHARES)
        sequence, previous = heads[tenant.pk]
        when = start + timedelta(days=365) * (number / records)
        body = _body(number, records, sequence + 1, when, texts, documents, shelves)
        stems = body.pop("stems")
        text = canonical_json(body)
        digest = chain_digest(previous, text)
        heads[tenant.pk] = (sequence + 1, digest)
        yield (
            _record(first + number, tenant, body, text, previous, digest, when, str(stems)),
            _words(tenant, body),
        )


def _record(
    number: int, tenant: Tenant, body: Row, text: str, previous: str, digest: str, when: datetime, stems: str
) -> Row:
    marks = words_of(tenant.pk, {**body, "question": "", "text": ""})
    plain = plain_columns(body)
    return {
        **plain,
        "rejected": json.dumps(plain["rejected"]),
        "words": f"{marks} {stems}",
        "id": number,
        "tenant_id": tenant.pk,
        "sequence": body["sequence"],
        "kind": "turn",
        "turn_id": body["turn_id"],
        "body": text,
        "previous": previous,
        "digest": digest,
        "signature": "",
        "created_at": when,
    }


def _words(tenant: Tenant, body: Row) -> Row:
    offered = body["offered"]
    assert isinstance(offered, list)
    return {
        "tenant_id": tenant.pk,
        "sequence": body["sequence"],
        "name": f"block {offered[0]['block_id']}",
        "document_id": offered[0]["document_id"],
        "text": _BESIDE,
    }


_WORDS = "The passage that was offered, as long as a passage is. " * 15
_BESIDE = canonical_json({"title": "A document", "heading_path": [], "page_label": "", "text": _WORDS})


def _text() -> tuple[str, str, str]:
    """Return a question, an answer and the stems of both as a tsvector has them."""
    words = [f"word{min(int(_chance.paretovariate(0.7)), VOCABULARY)}" for _ in range(120)]
    question, answer = " ".join(words[:12]) + "?", " ".join(words[12:]) + "."
    columns = columns_of(uuid.UUID(int=0), {"kind": "turn", "question": question, "text": answer})
    stems = " ".join(word for word in str(columns["words"]).split() if word.startswith("'~"))
    return question, answer, stems


def _body(
    number: int,
    records: int,
    sequence: int,
    when: datetime,
    texts: list[tuple[str, str, str]],
    documents: list[str],
    shelves: list[str],
) -> Row:
    question, answer, stems = _chance.choice(texts)
    person = min(int(_chance.paretovariate(0.6)), PEOPLE)
    # One model was given up after a third of the time: frequent once, never lately.
    model = "old" if number < records // 3 else _chance.choice(MODELS[:3])
    blocks = [_block(rank, documents, shelves) for rank in range(1, 9)]
    # As verify_audit wants it: the words of one block stand beside the record.
    blocks[0]["words_sha256"] = sha256_of(_BESIDE)
    cited = [{**one, "words_sha256": None} for one in _chance.sample(blocks, _chance.choice((0, 1, 2, 3)))]
    return {
        "format": 2,
        "kind": "turn",
        "sequence": sequence,
        "recorded_at": when.isoformat(),
        "turn_id": str(uuid.UUID(int=_chance.getrandbits(128))),
        "user_id": person,
        "user_email": f"person{person}@bench.example",
        "via": "page",
        "request_id": f"req-{number}",
        "question": question,
        "model": model,
        "state": _chance.choices(("complete", "failed", "stopped", "cut"), (94, 3, 2, 1))[0],
        "settings": {"api": "chat", "marker_style": "private_use", "temperature": None},
        "prompt": [{"role": "developer", "content": _WORDS}],
        "offered": blocks,
        "reading": {"numbered": True, "steps": [], "withdrawn": []},
        "raw": answer,
        "text": answer,
        "citations": [_citation(block) for block in cited],
        "rejections": [{"raw": "[[x]]", "reason": _chance.choice(REASONS), "position": 3, "source_id": "x"}]
        if _chance.random() < 0.03
        else [],
        "uncited": [[0, 20]] if _chance.random() < 0.1 else [],
        "usage": {"input_tokens": 900, "output_tokens": 130},
        "timings": {"retrieval": 0.02, "first_text": 0.4, "total": _chance.expovariate(0.5)},
        "stems": stems,
    }


def _block(rank: int, documents: list[str], shelves: list[str]) -> Row:
    place = min(int(_chance.paretovariate(0.5)), DOCUMENTS) - 1
    return {
        "block_id": f"block_{_chance.getrandbits(60):012x}",
        "document_id": documents[place],
        "version_id": documents[place][::-1].replace("-", "")[:32],
        "collection_id": shelves[place % SHELVES],
        "sha256": sha256_of(documents[place]),
        "start": 0,
        "end": 800,
        "rank": rank,
        "score": 1.5,
    }


def _citation(block: Row) -> Row:
    verdict = _chance.choices(("supported", "weak", "unsupported"), (90, 8, 2))[0]
    return {**block, "number": 1, "position": 20, "kind": "passage", "verdict": verdict, "reasons": []}


def pages() -> None:
    """Print the time of a page for each filter: of the search itself, and of the whole page."""
    with acting_as_system("bench"):
        tenant = Tenant.objects.filter(slug__startswith="bench-0-").latest("created_at")
        auditor = User.objects.get(email=f"auditor@{tenant.slug}.example")
        newest = AuditRecord.objects.filter(tenant_id=tenant.pk).order_by("-pk")[0]
        some = AuditRecord.objects.filter(tenant_id=tenant.pk, citations__gt=0).order_by("-pk")[5]
        middle = newest.pk // 2
    rare = f"person{PEOPLE - 3}@bench.example"
    month = (datetime.now(UTC) - timedelta(days=200)).date()
    queries = {
        "no filter": "",
        "everything": "kind=any",
        "deep page": f"before={middle}",
        "deep page, back": f"after={middle}",
        "frequent person": "user=person1@bench.example",
        "rare person": f"user={rare}",
        "rare person, back": f"user={rare}&after=1",
        "nobody": "user=nobody@bench.example",
        "model": "model=large",
        "model of long ago": "model=old",
        "model of long ago, lately": f"model=old&since={month + timedelta(days=150)}",
        "state": "state=stopped",
        "verdict": "verdict=unsupported",
        "rejected": "rejected=forged_in_document",
        "uncited": "claims=uncited",
        "document": f"document={some.cited_documents[0]}",
        "frequent word": "q=word1",
        "rare word": f"q=word{VOCABULARY - 1}",
        "two words": "q=word5+word9",
        "a month": f"since={month}&until={month + timedelta(days=30)}",
        "many at once": f"user=person2@bench.example&model=small&verdict=weak&q=word3&since={month}",
        "all frequent, none together": "model=old&rejected=forged_in_document&verdict=unsupported&state=cut&q=word2",
        "the same, back": "model=old&rejected=forged_in_document&verdict=unsupported&state=cut&q=word2&after=1",
        "frequent, back": f"model=small&q=word3&after={middle}",
    }
    client = Client()
    client.force_login(auditor)
    worst = max(_time(name, partial(_get, client, query)) for name, query in queries.items())
    staff = User.objects.filter(email="staff@bench.example").first() or User.objects.create_user(
        "staff@bench.example", "bench", is_staff=True
    )
    client.force_login(staff)
    worst = max(
        worst,
        *(_time(f"staff: {name}", partial(_get, client, query)) for name, query in queries.items()),
    )
    print(f"slowest median: {worst:.0f} ms")


def _get(client: Client, query: str) -> None:
    response = client.get(f"/audit/?{query}", headers={"Host": "localhost"})
    assert response.status_code == 200, response.status_code


def _time(name: str, ask: Callable[[], None]) -> float:
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        ask()
        times.append(1000 * (time.perf_counter() - begin))
    median = statistics.median(times)
    print(f"{name:<40} {median:7.1f} ms  (longest {max(times):.1f})", flush=True)
    return median


def export() -> None:
    """Export everything in both forms and print rows, bytes, time and the peak of memory."""
    with acting_as_system("bench"):
        staff = User.objects.filter(is_staff=True).first() or User.objects.create_user(
            "staff@bench.example", "bench", is_staff=True
        )
    seat = Seat(staff, None, is_staff=True, audits=True)
    for form in ("jsonl", "csv"):
        before, begin, size = _peak(), time.monotonic(), 0
        made = Export(seat, Wanted(marks=(any_of("k", ["turn"]),)), form, {})
        for piece in made.pieces():
            size += len(piece)
        seconds = time.monotonic() - begin
        print(
            f"{form}: {size / 1e9:.2f} GB in {seconds:.0f} s, peak memory {before:.0f} -> {_peak():.0f} MB",
            flush=True,
        )


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["fill", *rest]:
            fill(int(rest[0]) if rest else RECORDS)
        case ["pages"]:
            pages()
        case ["export"]:
            export()
        case _:
            sys.exit(__doc__)
