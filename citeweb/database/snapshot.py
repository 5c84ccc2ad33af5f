"""Reading many rows as they stood at one moment, while others write."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from psycopg import IsolationLevel


@contextmanager
def one_moment() -> Iterator[None]:
    """Show all statements inside the database of one moment; inside a transaction that is already open, not."""
    if connection.in_atomic_block:
        yield
        return
    connection.ensure_connection()
    # psycopg writes it into the BEGIN: as a statement it would come too late, behind the note on whom we work for.
    lent = connection.connection
    lent.isolation_level = IsolationLevel.REPEATABLE_READ
    try:
        with transaction.atomic():
            yield
    finally:
        lent.isolation_level = None
