"""The newest record of each chain, to be kept elsewhere: what a chain must still hold later, whoever rewrote it."""

import json
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from django.conf import settings
from django.utils import timezone

from chat.audit.signing import is_signed, sign
from chat.audit.verify import Break
from chat.models import AuditHead, AuditRecord
from citeweb.accounts.models import Tenant


class UnreadableHeads(Exception):
    """A file that should hold heads holds something else."""


@dataclass(frozen=True, slots=True)
class Head:
    """The newest record of a chain at one time; `signature` is as a record's, "" without a key."""

    tenant_id: str
    tenant: str
    sequence: int
    digest: str
    taken_at: str
    signature: str

    def as_json(self) -> str:
        """Return one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)


def heads(tenant_ids: Iterable[uuid.UUID]) -> Iterator[Head]:
    """Yield the heads of these chains as they are now."""
    slugs = dict(Tenant.objects.values_list("pk", "slug"))
    now = timezone.now().isoformat(timespec="seconds")
    for head in AuditHead.objects.filter(tenant_id__in=list(tenant_ids)).order_by("tenant_id"):
        signature = sign(head.tenant_id, head.sequence, head.digest)
        slug = slugs.get(head.tenant_id, "")
        yield Head(str(head.tenant_id), slug, head.sequence, head.digest, now, signature)


def read_heads(lines: Iterable[str]) -> list[Head]:
    """Return the heads that `audit_heads` printed. Raises UnreadableHeads."""
    try:
        return [_read(json.loads(line)) for line in lines if line.strip()]
    except (ValueError, TypeError) as exc:
        raise UnreadableHeads(str(exc)) from exc


def _read(values: dict[str, object]) -> Head:
    head = Head(**values)  # type: ignore[arg-type]  # looked at in the next line
    if not isinstance(head.sequence, int) or not all(
        isinstance(v, str) for v in (head.digest, head.signature)
    ):
        raise ValueError("a head has a number, a digest and a signature")
    uuid.UUID(head.tenant_id)
    return head


def departed(kept: Iterable[Head]) -> Iterator[Break]:
    """Yield the heads kept elsewhere that their chains don't hold any more."""
    for head in kept:
        tenant_id = uuid.UUID(head.tenant_id)
        record = AuditRecord.objects.filter(tenant_id=tenant_id, sequence=head.sequence).first()
        if settings.AUDIT_KEYS and head.signature and not _is_ours(head, tenant_id):
            yield Break(tenant_id, head.sequence, "the kept head was altered: its signature is not ours")
        elif head.sequence and (record is None or record.digest != head.digest):
            yield Break(tenant_id, head.sequence, f"is not the one that was the newest at {head.taken_at}")


def _is_ours(head: Head, tenant_id: uuid.UUID) -> bool:
    return is_signed(head.signature, tenant_id, head.sequence, head.digest)
