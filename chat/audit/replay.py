"""The proof that a record is right in itself: its raw output, read again, gives the answer and citations it holds."""

import uuid
from collections.abc import Iterator
from typing import Any

from chat.audit.chain import sha256_of
from chat.audit.evidence import Evidence
from chat.citation_rows import citation_row
from chat.models import AuditRecord
from chat.reading import Cited
from chat.rereading import Reread, reread

_SAME = (
    *("citation_id", "number", "position", "position_utf16", "claim_start", "claim_end", "kind", "block_id"),
    *("document_id", "version_id", "url", "start", "end", "quote_sha256", "lines", "page", "repaired_from"),
)

Json = dict[str, Any]


class Purged(Exception):
    """Words that the proof needs were purged with their document."""


def replayed(record: AuditRecord) -> list[str]:
    """Return how a turn's record differs from what its raw output gives; nothing if it is right. Raises Purged."""
    evidence = Evidence.of(record)
    if not evidence.is_whole:
        raise Purged
    body = evidence.body
    again = reread(
        turn_id=uuid.UUID(body["turn_id"]),
        question=body["question"],
        offered=evidence.passages,
        inputs={**body["reading"], "steps": evidence.steps},
        raw=body["raw"],
    )
    return list(_differences(body, again))


def _differences(body: Json, again: Reread) -> Iterator[str]:
    if again.text != body["text"]:
        yield "another text"
    rejections = [rejection.as_json() for rejection in again.rejections]
    if rejections != body["rejections"]:
        yield f"other rejections: {rejections}"
    stored, read = body["citations"], again.cited
    if len(stored) != len(read):
        yield f"{len(read)} citations, not {len(stored)}"
        return
    for ordinal, (known, cited) in enumerate(zip(stored, read, strict=True), start=1):
        now = _as_stored(cited, uuid.UUID(body["turn_id"]), ordinal)
        yield from (f"citation {ordinal}: another {key}" for key in _SAME if known.get(key) != now[key])


def _as_stored(cited: Cited, turn_id: uuid.UUID, ordinal: int) -> Json:
    row = citation_row(cited, tenant_id=uuid.UUID(int=0), turn_id=turn_id, ordinal=ordinal)
    special = {
        "citation_id": str(row.pk),
        "quote_sha256": sha256_of(row.quote),
        "lines": f"L{row.first_line}-L{row.last_line}",
        "document_id": str(row.document_id) if row.document_id else None,
        "version_id": str(row.version_id) if row.version_id else None,
        "kind": str(row.kind),
    }
    return {key: special[key] if key in special else getattr(row, key) for key in _SAME}
