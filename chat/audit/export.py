"""Records to take away: JSON lines and CSV of any list, streamed in constant memory; the dossier of one record.

Each export leaves two records: that it began, and, when its last byte was made, how many rows and bytes it had and
their SHA-256. The latter stands on the exports' page, to be kept beside the file.
"""

import csv
import hashlib
import io
import json
import unicodedata
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from chat.audit.access import Seat
from chat.audit.search import Wanted, find_ids
from chat.audit.verify import body_of
from chat.models import AuditRecord, AuditText
from citeweb.threads import give_back_connection

FORMATS = {"jsonl": "application/x-ndjson", "csv": "text/csv"}
# With bodies of some ten kilobytes, a few megabytes at a time.
ROWS_AT_ONCE = 250
COLUMNS = (
    *(
        "sequence",
        "recorded_at",
        "tenant_id",
        "kind",
        "person",
        "via",
        "model",
        "state",
        "question",
        "answer",
    ),
    *("citations", "unsupported", "weak", "uncited", "rejected", "offered", "documents", "seconds"),
    *("input_tokens", "output_tokens", "request_id", "turn_id", "about", "digest"),
)
# What a spreadsheet takes for the beginning of a formula; other widths of these are folded to them.
_FORMULA = tuple("=+-@|%\u2212")
# What it may overlook before them: spaces, signs without a picture, quotes, and what ends a cell or a line.
_OVERLOOKED = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Pi", "Pf"})
_QUOTES = frozenset("\"'`´,;")


class SeatLost(Exception):
    """Whoever exports may no longer look into this audit; the file breaks off."""


Json = dict[str, Any]


@dataclass(slots=True)
class Export:
    """One export of a list. `pieces` makes its bytes; it can be read once."""

    seat: Seat
    wanted: Wanted
    form: str
    filters: Json
    export_id: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def file_name(self) -> str:
        """A name that says whose records it holds."""
        whose = self.seat.tenant.slug if self.seat.tenant else "all"
        return f"audit-{whose}-{self.export_id[:12]}.{self.form}"

    def begin(self) -> None:
        """Record that the export begins, before its first byte."""
        self.seat.note("audit_export_begun", **self._about())

    def pieces(self) -> Iterator[bytes]:
        """Yield the file, and record its end with its checksum."""
        digest, rows, size = hashlib.sha256(), 0, 0
        write = _WRITERS[self.form]
        for head, page in self._pages():
            piece = write(page, head=head)
            digest.update(piece)
            rows, size = rows + len(page), size + len(piece)
            yield piece
        with self.seat.acting():
            sha256 = digest.hexdigest()
            self.seat.note("audit_exported", **self._about(), rows=rows, bytes=size, sha256=sha256)
        give_back_connection()

    def _pages(self) -> Iterator[tuple[bool, list["Row"]]]:
        """Yield the records, the newest first, some at a time; the first page also when it is empty."""
        before, head = None, True
        while True:
            # Each piece is made in a thread of its own, which knows nothing of the one before.
            with self.seat.acting():
                self._check_seat()
                page = rows_of(
                    find_ids(self.wanted, tenant_id=self.seat.tenant_id, before=before, most=ROWS_AT_ONCE)
                )
            give_back_connection()
            if page or head:
                yield head, page
            if len(page) < ROWS_AT_ONCE:
                return
            before, head = page[-1].record.pk, False

    def _check_seat(self) -> None:
        if not self.seat.holds():
            self.seat.note("audit_export_stopped", **self._about())
            raise SeatLost

    def _about(self) -> Json:
        return {
            "export_id": self.export_id,
            "format": self.form,
            "file_name": self.file_name,
            "filters": self.filters,
        }


@dataclass(frozen=True, slots=True)
class Row:
    """A record with the words that stand beside it."""

    record: AuditRecord
    words: dict[str, str]


def rows_of(ids: list[int]) -> list[Row]:
    """Return records with their words, in the order of their numbers, the newest first."""
    records = list(AuditRecord.objects.filter(pk__in=ids).defer("words").order_by("-pk"))
    beside: dict[tuple[uuid.UUID, int], dict[str, str]] = {}
    by_tenant = sorted(records, key=lambda record: str(record.tenant_id))
    for tenant_id, group in groupby(by_tenant, key=lambda record: record.tenant_id):
        kept = AuditText.objects.filter(tenant_id=tenant_id, sequence__in=[one.sequence for one in group])
        for word in kept:
            beside.setdefault((tenant_id, word.sequence), {})[word.name] = word.text
    return [Row(record, beside.get((record.tenant_id, record.sequence), {})) for record in records]


def json_lines(rows: list[Row], *, head: bool) -> bytes:
    """Return one line of JSON for each record; `body` is the very text that was hashed, as a string."""
    return "".join(f"{_json_line(row)}\n" for row in rows).encode()


def _json_line(row: Row) -> str:
    record = row.record
    line = {
        "tenant_id": str(record.tenant_id),
        "sequence": record.sequence,
        "kind": record.kind,
        "previous": record.previous,
        "digest": record.digest,
        "signature": record.signature,
        "body": record.body,
        "words": row.words,
    }
    return json.dumps(line, ensure_ascii=False)


def csv_lines(rows: list[Row], *, head: bool) -> bytes:
    """Return one line of CSV for each record; no cell can be taken for a formula."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    if head:
        # Spreadsheets know UTF-8 by this sign.
        text.write("\ufeff")
        writer.writerow(COLUMNS)
    writer.writerows(map(_cells, rows))
    return text.getvalue().encode()


def safe_cell(value: object) -> str:
    """Return a cell's text; one that a spreadsheet would compute begins with an apostrophe."""
    text = "" if value is None else str(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return text
    return f"'{text}" if _may_be_formula(text) else text


def _may_be_formula(text: str) -> bool:
    if text[:1] in ("\t", "\r", "\n"):
        return True
    seen = next((sign for sign in text if not _is_overlooked(sign)), "")
    return unicodedata.normalize("NFKC", seen).startswith(_FORMULA)


def _is_overlooked(sign: str) -> bool:
    return sign in _QUOTES or unicodedata.category(sign) in _OVERLOOKED


def _cells(row: Row) -> list[str]:
    record = row.record
    body: Json = dict(body_of(record) or {})
    usage = body.get("usage") or {}
    values: Json = {
        "sequence": record.sequence,
        "recorded_at": record.created_at.isoformat(),
        "tenant_id": record.tenant_id,
        "kind": record.kind,
        "person": record.actor_email,
        "via": body.get("via"),
        "model": record.model,
        "state": record.state,
        "question": body.get("question"),
        "answer": body.get("text"),
        "citations": record.citations,
        "unsupported": record.unsupported,
        "weak": record.weak,
        "uncited": record.uncited,
        "rejected": sum(record.rejected.values()),
        "offered": record.offered,
        "documents": " ".join(map(str, record.cited_documents)),
        "seconds": record.total_ms / 1000 if record.total_ms is not None else None,
        "input_tokens": usage.get("input_tokens"),
        "output_tokens": usage.get("output_tokens"),
        "request_id": body.get("request_id"),
        "turn_id": record.turn_id,
        "about": record.summary if record.kind != "turn" else None,
        "digest": record.digest,
    }
    return [safe_cell(values[name]) for name in COLUMNS]


_WRITERS: dict[str, Callable[..., bytes]] = {"jsonl": json_lines, "csv": csv_lines}
