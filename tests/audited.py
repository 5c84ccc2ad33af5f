"""Reading the audit chain in tests: what was recorded of a tenant's changes."""

import json

from chat import audit
from chat.models import AuditRecord
from citeweb.accounts.models import Tenant

Body = dict[str, object]


def records(tenant: Tenant) -> list[Body]:
    """The bodies of a tenant's records in order; the chain must hold."""
    assert audit.verify(tenant.pk) is None
    chain = AuditRecord.objects.filter(tenant_id=tenant.pk).order_by("sequence")
    return [json.loads(record.body) for record in chain]


def kinds(tenant: Tenant) -> list[str]:
    """The kinds of a tenant's records in order."""
    return [str(body["kind"]) for body in records(tenant)]


def last(tenant: Tenant) -> Body:
    """The newest record."""
    return records(tenant)[-1]
