"""Django's `flush`, as the tables' owner: the application's role may not empty a table past its policies."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.commands import flush
from django.db import connections

from citeweb.database.base import DatabaseWrapper

# Tables that refuse to be emptied; the owner may say otherwise.
_GUARDED = """
SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'audit_refuse' AND NOT tgisinternal
"""


class Command(flush.Command):
    """Empties all tables; the tests do after each test that commits."""

    def handle(self, **options: object) -> None:
        """Flush."""
        connection = connections[str(options["database"])]
        assert isinstance(connection, DatabaseWrapper)
        with connection.as_owner(), _unguarded(connection):
            super().handle(**options)


@contextmanager
def _unguarded(connection: DatabaseWrapper) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(_GUARDED)
        tables = [table for (table,) in cursor.fetchall()]
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER audit_refuse")
        try:
            yield
        finally:
            for table in tables:
                cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER audit_refuse")
