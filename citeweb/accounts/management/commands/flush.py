"""Django's `flush`, as the tables' owner: the application's role may not empty a table past its policies."""

from django.core.management.commands import flush
from django.db import connections

from citeweb.database.base import DatabaseWrapper


class Command(flush.Command):
    """Empties all tables; the tests do after each test that commits."""

    def handle(self, **options: object) -> None:
        """Flush."""
        connection = connections[str(options["database"])]
        assert isinstance(connection, DatabaseWrapper)
        with connection.as_owner():
            super().handle(**options)
