"""Which tables hold a tenant's rows, read off the database itself, and a house with a row in each of them."""

import uuid

from django.db import connection

from chat import audit
from chat.models import Share
from citeweb.accounts.api_keys import issue
from citeweb.accounts.models import Group
from sources.index import chunks_without_vector, space_named, write_vectors
from sources.models import Batch, BatchItem, Document, HandedInFile, Page
from tests.citing import answered, cite
from tests.conftest import House
from tests.documents import put

# Tables with a tenant_id, and those whose foreign keys lead to one of them.
_TENANT_TABLES = """
WITH RECURSIVE held(id) AS (
    SELECT 'accounts_tenant'::regclass::oid
    UNION SELECT attrelid FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE attname = 'tenant_id' AND relkind IN ('r', 'p') AND NOT attisdropped
    UNION SELECT conrelid FROM pg_constraint JOIN held ON confrelid = held.id WHERE contype = 'f'
)
SELECT relname, relrowsecurity AND relforcerowsecurity, array(
    SELECT polname::text FROM pg_policy WHERE polrelid = pg_class.oid
) FROM held JOIN pg_class ON pg_class.oid = held.id ORDER BY relname
"""


def tenant_tables() -> list[tuple[str, bool, list[str]]]:
    """Return each table that holds tenants' rows: its name, whether row security is forced, its policies."""
    with connection.cursor() as cursor:
        cursor.execute(_TENANT_TABLES)
        return list(cursor.fetchall())


def counts() -> dict[str, int]:
    """Return how many rows of each of those tables are in sight, asked without any filter."""
    found = {}
    with connection.cursor() as cursor:
        for table, _forced, _policies in tenant_tables():
            cursor.execute(f"SELECT count(*) FROM {table}")
            found[table] = int(cursor.fetchone()[0])
    return found


def furnish(house: House) -> Document:
    """Put at least one row into each of those tables for the house, and return its document."""
    secret = f"The password of {house.tenant.slug} is {uuid.uuid4()}."
    document = put(house.open_shelf, "Secrets", secret)
    version = document.current_version
    assert version is not None
    Page.objects.create(version=version, number=1, start=0, end=1, width=1, height=1, boxes=b"")
    batch = Batch.objects.create(tenant=house.tenant, user=house.owner.user)
    BatchItem.objects.create(batch=batch, version=version, file_name="secrets.txt")
    HandedInFile.objects.create(tenant=house.tenant, user=house.owner.user, file_name="new.txt", size=1)
    space = space_named("furnished", 2)
    chunks = chunks_without_vector(version.pk, space, 10)
    write_vectors(chunks, [[1.0, 0.0]] * len(chunks), space)
    cited = answered(house.owner)
    cite(cited, document, secret)
    Share.objects.create(tenant=house.tenant, conversation=cited.conversation)
    audit.append(
        tenant_id=house.tenant.pk,
        kind="turn",
        body={"turn_id": str(cited.pk), "quote_sha256": audit.sha256_of(secret)},
        turn_id=cited.pk,
        words=[audit.Words("quote", document.pk, secret)],
    )
    Group.objects.create(tenant=house.tenant, name="All").users.add(house.owner.user)
    issue(tenant=house.tenant, user=house.owner.user)
    return document
