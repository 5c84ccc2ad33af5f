"""Reading the audit chain in tests, and tampering with it as nobody but a superuser can."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management import call_command
from django.db import connections, transaction
from django.db.backends.utils import CursorWrapper

from chat import audit
from chat.models import AuditRecord
from citeweb.accounts.models import Tenant
from citeweb.database.base import DatabaseWrapper
from tests.conftest import House

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


def record(house: House, **body: object) -> AuditRecord:
    """Append a record of no particular kind."""
    with transaction.atomic():
        return audit.append(tenant_id=house.tenant.pk, kind="test", body=body)


def chain(house: House, length: int = 3) -> list[AuditRecord]:
    """Append some records."""
    return [record(house, fact=f"n° {number} ‌آزمون") for number in range(1, length + 1)]


@contextmanager
def superuser() -> Iterator[CursorWrapper]:
    """Give a cursor that no trigger and no policy binds."""
    connection = connections["default"]
    assert isinstance(connection, DatabaseWrapper)
    with connection.as_owner(), connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        yield cursor


def verify(*arguments: str) -> tuple[int, str]:
    """Run `verify_audit`; return the exit code and what it said."""
    output = io.StringIO()
    try:
        call_command("verify_audit", *arguments, stdout=output)
    except SystemExit as exc:
        return int(str(exc.code)), output.getvalue()
    return 0, output.getvalue()


def broken(house: House, sequence: int, problem: str) -> tuple[int, str]:
    """What `verify` returns for a chain that breaks at this record."""
    return 1, f"BROKEN tenant {house.tenant.pk}, record {sequence}: {problem}\n"
