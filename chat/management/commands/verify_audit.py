"""`manage.py verify_audit [--tenant SLUG]`."""

import sys
import uuid
from argparse import ArgumentParser
from collections.abc import Iterable

from django.core.management.base import CommandError

from chat import audit
from chat.models import AuditHead, AuditRecord
from citeweb.accounts.models import Tenant
from citeweb.accounts.operator import OperatorCommand


class Command(OperatorCommand):
    """Walks the audit chains."""

    help = "Check the audit chain; exit 1 and the first broken record if it doesn't hold."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take one tenant, or none for all."""
        parser.add_argument("--tenant", metavar="SLUG")

    def handle(self, *, tenant: str | None, **_: object) -> None:
        """Verify and report."""
        broken = [found for tenant_id in _tenant_ids(tenant) if (found := audit.verify(tenant_id))]
        for found in broken:
            self.stdout.write(f"BROKEN tenant {found.tenant_id}, record {found.sequence}: {found.problem}")
        if broken:
            sys.exit(1)
        self.stdout.write("The audit chain holds.")


def _tenant_ids(slug: str | None) -> Iterable[uuid.UUID]:
    if slug is None:
        # From the chains themselves: they outlive their tenants.
        heads = AuditHead.objects.values_list("tenant_id", flat=True)
        records = AuditRecord.objects.values_list("tenant_id", flat=True)
        return heads.union(records)
    tenant = Tenant.objects.filter(slug=slug).first()
    if tenant is None:
        raise CommandError(f"There is no tenant {slug}.")
    return [tenant.pk]
