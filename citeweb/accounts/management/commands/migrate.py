"""Django's `migrate`, as the tables' owner; afterwards the application's role has its rights."""

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections

from citeweb.database import roles
from citeweb.database.base import DatabaseWrapper


class Command(migrate.Command):
    """Migrates, prepares the roles (docs/permissions.md), and makes sure that row policies bind the application."""

    def handle(self, *args: object, **options: object) -> None:
        """Migrate; say precisely what is missing if a role can't be made."""
        connection = connections[str(options["database"])]
        assert isinstance(connection, DatabaseWrapper)
        try:
            with connection.as_owner():
                super().handle(*args, **options)
                if not roles.are_in_use(connection):
                    return
                roles.prepare(connection)
            roles.check_bound(connection)
        except roles.RoleProblem as exc:
            raise CommandError(str(exc)) from exc
