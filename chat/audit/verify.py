"""Walking a chain and naming the first record that breaks it."""

import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db.models import F, Func, TextField

from chat.audit.beside import beside
from chat.audit.chain import GENESIS, chain_digest, sha256_of
from chat.audit.columns import STEM, Body, marks_of, plain_columns
from chat.audit.signing import is_signed
from chat.models import AuditHead, AuditRecord, AuditText
from citeweb.accounts.changes import Kind
from citeweb.database.snapshot import one_moment

ROWS_AT_ONCE = 500
_OTHER_COLUMNS = "has columns that differ from its body"
_UNREADABLE = "has a body that can't be read"


@dataclass(frozen=True, slots=True)
class Break:
    """The first place where a tenant's chain doesn't hold."""

    tenant_id: uuid.UUID
    sequence: int
    problem: str


@dataclass(slots=True)
class _Walk:
    """What the next record must follow. `signed` and `names_tenant` say that an earlier record did so."""

    tenant_id: uuid.UUID
    purged: frozenset[str]
    digest: str = GENESIS
    expected: int = 1
    newest_pk: int = 0
    signed: bool = False
    names_tenant: bool = False

    def step(self, record: AuditRecord, texts: list[AuditText]) -> str:
        """Return what is wrong with the next record, or go on behind it."""
        if record.sequence != self.expected:
            return f"record {self.expected} is missing"
        body = body_of(record)
        problem = (
            link_problem(record, self.digest)
            or self._wrong_signature(record)
            or (_UNREADABLE if body is None else "")
            or self._wrong_tenant(body or {})
            or _wrong_columns(record, body or {}, self.newest_pk)
            or _wrong_words(body or {}, texts, self.purged)
        )
        self.digest, self.expected, self.newest_pk = record.digest, self.expected + 1, record.pk
        self.signed = self.signed or bool(record.signature)
        return problem

    def _wrong_signature(self, record: AuditRecord) -> str:
        if not record.signature:
            return "is not signed, though one before it is" if self.signed else ""
        if not settings.AUDIT_KEYS or is_signed(
            record.signature, record.tenant_id, record.sequence, record.digest
        ):
            return ""
        return "has a signature that none of our keys made"

    def _wrong_tenant(self, body: Body) -> str:
        """Records from before 2026-12 don't name their tenant; none of them stands behind one that does."""
        if "tenant_id" in body:
            self.names_tenant = True
            return "" if body["tenant_id"] == str(self.tenant_id) else "belongs to another tenant's chain"
        return "does not say whose chain it belongs to" if self.names_tenant else ""


def verify(tenant_id: uuid.UUID) -> Break | None:
    """Walk a tenant's chain from its first record and return the first break, or None if it holds.

    All is read as of one moment: what is written meanwhile is no break.
    """
    with one_moment():
        return _break_in(tenant_id)


def _break_in(tenant_id: uuid.UUID) -> Break | None:
    records = AuditRecord.objects.filter(tenant_id=tenant_id)
    walk = _Walk(tenant_id, _purged(tenant_id))
    for piece, texts in _pieces(tenant_id):
        for record in piece:
            if problem := walk.step(record, texts.get(record.sequence, [])):
                return Break(tenant_id, min(record.sequence, walk.expected), problem)
    head = AuditHead.objects.filter(tenant_id=tenant_id).first()
    if (head.sequence, head.digest) != (walk.expected - 1, walk.digest) if head else walk.expected > 1:
        return Break(tenant_id, walk.expected, "the newest records are missing")
    if settings.AUDIT_KEYS and walk.expected > 1 and not walk.signed:
        return Break(tenant_id, walk.expected - 1, "is the newest and not signed, though there is a key")
    return _strays(tenant_id, walk.expected - 1, records.count())


def first_signed(tenant_id: uuid.UUID) -> int | None:
    """Return the number of the first record that bears a signature; a forger can't sign, but can leave them out."""
    signed = AuditRecord.objects.filter(tenant_id=tenant_id).exclude(signature="").order_by("sequence")
    return signed.values_list("sequence", flat=True).first()


def body_of(record: AuditRecord) -> Body | None:
    """Return what a record says, None if it says nothing that can be read."""
    try:
        body = json.loads(record.body)
    except (ValueError, RecursionError):
        return None
    needed = ("kind", "sequence", "recorded_at")
    return body if isinstance(body, dict) and all(name in body for name in needed) else None


def link_problem(record: AuditRecord, previous: str | None) -> str:
    """Return what is wrong between a record and the one before it, whose digest is `previous` (None: there is none)."""
    if record.previous != (previous if record.sequence > 1 else GENESIS):
        return "does not follow the record before it"
    return "" if record.digest == chain_digest(record.previous, record.body) else "was altered"


def _pieces(tenant_id: uuid.UUID) -> Iterator[tuple[Sequence[AuditRecord], dict[int, list[AuditText]]]]:
    """Yield records in order with their words, some hundred at a time: a chain may be larger than the memory."""
    lexemes = Func(F("words"), function="tsvector_to_array", output_field=ArrayField(TextField()))
    rows = AuditRecord.objects.filter(tenant_id=tenant_id).defer("words").annotate(lexemes=lexemes)
    last = -1
    while piece := list(rows.filter(sequence__gt=last).order_by("sequence")[:ROWS_AT_ONCE]):
        first, last = piece[0].sequence, piece[-1].sequence
        texts: dict[int, list[AuditText]] = {}
        for text in AuditText.objects.filter(tenant_id=tenant_id, sequence__range=(first, last)):
            texts.setdefault(text.sequence, []).append(text)
        yield piece, texts


def _purged(tenant_id: uuid.UUID) -> frozenset[str]:
    """Return the documents that the chain says were purged: their words are rightly gone."""
    purges = AuditRecord.objects.filter(tenant_id=tenant_id, kind=Kind.DOCUMENT_PURGED)
    bodies = map(body_of, purges.only("body"))
    return frozenset(str(body.get("document_id")) for body in bodies if body)


def _wrong_columns(record: AuditRecord, body: Body, newest_pk: int) -> str:
    named = (body["sequence"], body["kind"], body.get("turn_id"), body["recorded_at"])
    turn_id = str(record.turn_id) if record.turn_id else None
    if named != (record.sequence, record.kind, turn_id, record.created_at.isoformat()):
        return _OTHER_COLUMNS
    try:
        plain, marks = plain_columns(body), set(marks_of(record.tenant_id, body))
        plain["cited_documents"] = [uuid.UUID(str(one)) for one in _list(plain.get("cited_documents"))]
    except (ValueError, TypeError, AttributeError):
        return _UNREADABLE
    different = any(getattr(record, name) != value for name, value in plain.items())
    # Lists go by the number and find records by their marks: a record must not be hidden from them.
    lexemes: list[str] = record.lexemes or []  # type: ignore[attr-defined]  # annotated in _pieces
    found = {lexeme for lexeme in lexemes if not lexeme.startswith(STEM)}
    return _OTHER_COLUMNS if different or record.pk <= newest_pk or found != marks | {_window(record)} else ""


def _window(record: AuditRecord) -> str:
    # As the trigger of migration chat/0007 marks it.
    return f"w={record.pk >> 14}"


def _wrong_words(body: Body, texts: Iterable[AuditText], purged: frozenset[str]) -> str:
    expected = beside(body)
    for text in texts:
        known = expected.pop(text.name, None)
        if known is None or known.sha256 != sha256_of(text.text):
            return f"its words were altered ({text.name})"
        if known.document_id not in ("", str(text.document_id)):
            return f"its words were given to another document ({text.name})"
    missing = (name for name, one in expected.items() if one.document_id and one.document_id not in purged)
    name = next(missing, "")
    return f"its words are missing ({name}), though their document was not purged" if name else ""


def _strays(tenant_id: uuid.UUID, length: int, records: int) -> Break | None:
    """Find what stands outside of the numbers 1 to `length`, or twice at one of them."""
    if records != length:
        return Break(tenant_id, length, f"there are {records} records, not {length}")
    beyond = AuditText.objects.filter(tenant_id=tenant_id).exclude(sequence__range=(1, length)).first()
    return Break(tenant_id, beyond.sequence, "has words and no record") if beyond else None


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
