"""Django's PostgreSQL backend, with two things more: the application's own role, and a scope on each statement."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus

from citeweb.accounts.row_security import NOBODY, current_scope, system_scope
from citeweb.database import roles


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection whose every statement tells the row policies for whom it is made.

    The note is set for the transaction only and sent in the same message as the statement: no round trip more,
    and nothing that stays on a connection which a pool or a pooler lends to somebody else next.
    """

    def __init__(self, settings_dict: dict[str, Any], alias: str = "default") -> None:
        super().__init__(settings_dict, alias)
        # Without a database's name there is nothing to do but to make or drop one.
        self.is_owner = alias == NO_DB_ALIAS
        self.execute_wrappers.append(self._in_scope)

    @contextmanager
    def as_owner(self) -> Iterator[None]:
        """Connect as the tables' owner meanwhile, with all rows in sight; for migrations and upkeep."""
        if self.is_owner:
            yield
            return
        self.close()
        self.is_owner = True
        try:
            yield
        finally:
            self.close()
            self.is_owner = False

    @property
    def pool(self) -> Any:  # as Django's own
        """The process's pool; it holds connections of the application's role only."""
        return None if self.is_owner else super().pool

    def get_connection_params(self) -> dict[str, Any]:
        """Return psycopg's parameters for the role that is wanted now."""
        given = self.settings_dict
        self.settings_dict = {**given, **roles.login(given, owner=self.is_owner)}
        try:
            return super().get_connection_params()
        finally:
            self.settings_dict = given

    def init_connection_state(self) -> None:
        """Let migrations see all rows, whose owner the policies bind too; this connection is lent to nobody."""
        super().init_connection_state()
        if self.is_owner:
            self.connection.execute(f"SELECT set_config('citeweb.scope', '{system_scope()}', false)")

    def _in_scope(
        self, execute: Callable[..., Any], query: str, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        """Send the note in front of a statement, as Django's execute wrappers do (see `connection.execute_wrapper`)."""
        scope, cursor = current_scope(), context["cursor"]
        if self.is_owner or self._waits_for_rollback() or (scope == NOBODY and self.autocommit):
            return execute(query, params, many, context)
        if many:
            # These are sent one by one: the note comes before all of them.
            with transaction.atomic(using=self.alias):
                cursor.execute("SELECT 1")
                return execute(query, params, many, context)
        result = execute(
            f"SELECT set_config('citeweb.scope', '{scope}', true); {query}", params, many, context
        )
        # From the answer to the note to that of the statement.
        cursor.nextset()
        return result

    def _waits_for_rollback(self) -> bool:
        status: TransactionStatus = self.connection.info.transaction_status
        return status == TransactionStatus.INERROR
