"""`manage.py verify_audit [--tenant SLUG] [--heads FILE]`."""

import sys
import uuid
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

from chat import audit
from chat.audit.heads import UnreadableHeads, departed, read_heads
from chat.audit.verify import first_signed
from chat.models import AuditHead, AuditRecord, AuditText
from citeweb.accounts.models import Tenant
from citeweb.accounts.operator import OperatorCommand


class Command(OperatorCommand):
    """Walks the audit chains."""

    help = "Check the audit chain; exit 1 and the first broken record of each tenant if it doesn't hold."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take one tenant, or none for all, and heads that were kept elsewhere."""
        parser.add_argument("--tenant", metavar="SLUG", help="a tenant's slug, or the id of one that is gone")
        parser.add_argument("--heads", metavar="FILE", type=Path, help="what audit_heads printed earlier")

    def handle(self, *, tenant: str | None, heads: Path | None, **_: object) -> None:
        """Verify and report."""
        ids = list(chains(tenant))
        broken = [found for tenant_id in ids if (found := audit.verify(tenant_id))]
        broken += [found for found in _departed(heads) if found.tenant_id in ids or tenant is None]
        for found in broken:
            self.stdout.write(f"BROKEN tenant {found.tenant_id}, record {found.sequence}: {found.problem}")
        if broken:
            sys.exit(1)
        self.stdout.write("The audit chain holds.")
        if settings.AUDIT_KEYS:
            self.stdout.writelines(filter(None, map(unsigned, ids)))


def chains(tenant: str | None) -> Iterable[uuid.UUID]:
    """Return whose chains are meant. Raises CommandError for an unknown tenant."""
    if tenant is None:
        # From the chains themselves: they outlive their tenants.
        heads = AuditHead.objects.values_list("tenant_id", flat=True)
        records = AuditRecord.objects.values_list("tenant_id", flat=True)
        texts = AuditText.objects.values_list("tenant_id", flat=True)
        return list(heads.union(records, texts))
    known = Tenant.objects.filter(slug=tenant).first()
    if known is not None:
        return [known.pk]
    try:
        return [uuid.UUID(tenant)]
    except ValueError as exc:
        raise CommandError(f"There is no tenant {tenant}.") from exc


def unsigned(tenant_id: uuid.UUID) -> str:
    """Say how much of a chain bears no signature: only what was written before there was a key may do so."""
    first = first_signed(tenant_id)
    if first in (None, 1):
        return ""
    return f"Tenant {tenant_id}: signed from record {first} on; whoever has the database can rewrite those before it."


def _departed(path: Path | None) -> Iterable[audit.Break]:
    if path is None:
        return []
    try:
        return list(departed(read_heads(path.read_text().splitlines())))
    except (OSError, UnreadableHeads) as exc:
        raise CommandError(f"Can't read heads from {path}: {exc}") from exc
