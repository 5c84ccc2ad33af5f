"""The roles in PostgreSQL: who owns the tables, who the application is, and who reads the search index.

The owner makes and alters tables (`manage.py migrate`). The application connects as a role that owns nothing and
that every row policy binds. With DATABASE_URL alone, that URL is the owner's, and the application's role is made
from it; with DATABASE_OWNER_URL beside it, DATABASE_URL is the application's own.
"""

from collections.abc import Mapping
from typing import Any

from django.db import ProgrammingError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.crypto import salted_hmac
from psycopg import errors, sql

from citeweb.accounts.row_security import signing_key

# Django's settings of one database; its values are of many types.
Settings = Mapping[str, Any]
_LOGIN = ("USER", "PASSWORD", "HOST", "PORT")
_LONGEST_NAME = 63
_GRANTS = """
GRANT USAGE ON SCHEMA public TO {app};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {app};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {app};
REVOKE ALL ON citeweb_scope_key FROM {app};
"""
# The audit chain only grows, and its heads only through the chain's own trigger (migration chat/0007).
_RIGHTS_OF = {"chat_auditrecord": "SELECT, INSERT", "chat_audithead": "SELECT"}
_UNBOUND = """
SELECT rolsuper OR rolbypassrls OR EXISTS (
    SELECT 1 FROM pg_class WHERE relrowsecurity AND pg_has_role(pg_roles.oid, relowner, 'MEMBER')
) FROM pg_roles WHERE rolname = current_user
"""


class RoleProblem(Exception):
    """A role is missing or may too much; the message says what to do."""


def login(settings: Settings, *, owner: bool) -> dict[str, Any]:
    """Return what differs from the settings when connecting as the owner or as the application."""
    owners: Settings | None = settings["OWNER"]
    if owners is None:
        return {} if owner else {"USER": app_role(settings), "PASSWORD": _password(settings)}
    return {name: owners[name] for name in _LOGIN} if owner else {}


def app_role(settings: Settings) -> str:
    """Return the name of the application's role: given with DATABASE_URL, or one for this database."""
    return str(settings["USER"]) if settings["OWNER"] else _name(settings, "app")


def index_role(settings: Settings) -> str:
    """Return the name of the role that owns the one function which reads the search index."""
    return _name(settings, "index")


def prepare(connection: BaseDatabaseWrapper) -> None:
    """Make the application's role if it is missing, give it its rights, and store the signing key; as the owner.

    Raises RoleProblem.
    """
    app = app_role(connection.settings_dict)
    make_role(connection, app, "LOGIN")
    if connection.settings_dict["OWNER"] is None:
        _set_password(connection, app, _password(connection.settings_dict))
    execute(connection, _GRANTS, app=app)
    for table, rights in _RIGHTS_OF.items():
        execute(
            connection,
            f"REVOKE ALL ON {{table}} FROM {{app}}; GRANT {rights} ON {{table}} TO {{app}}",
            table=table,
            app=app,
        )
    store_signing_key(connection)


def are_in_use(connection: BaseDatabaseWrapper) -> bool:
    """Tell whether row-level security has been migrated to."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('citeweb_scope_key') IS NOT NULL")
        return bool(cursor.fetchone() == (True,))


def make_role(connection: BaseDatabaseWrapper, name: str, attribute: str) -> None:
    """Create a role that may nothing unless it exists. Raises RoleProblem."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
        if cursor.fetchone():
            return
    try:
        with transaction.atomic(using=connection.alias):
            execute(connection, f"CREATE ROLE {{name}} {attribute}", name=name)
    except ProgrammingError as exc:
        if not isinstance(exc.__cause__, errors.InsufficientPrivilege):
            raise
        raise RoleProblem(
            f"The database's owner may not create roles. Let somebody who may run: "
            f'CREATE ROLE "{name}" {attribute}; GRANT "{name}" TO the owner. docs/permissions.md has more.'
        ) from exc


def join_role(connection: BaseDatabaseWrapper, name: str) -> None:
    """Let the owner act as a role, so that it may give it a function, unless somebody granted that by hand."""
    # Before PostgreSQL 16 each member of a role could act as it, and only the others needed a grant.
    right = "SET" if connection.connection.info.server_version >= 160000 else "MEMBER"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_has_role(%s, %s)", [name, right])
        if cursor.fetchone() == (True,):
            return
    execute(connection, "GRANT {name} TO CURRENT_USER", name=name)


def execute(connection: BaseDatabaseWrapper, statements: str, **names: str) -> None:
    """Execute statements with names in braces, quoted as identifiers."""
    identifiers = {key: sql.Identifier(name) for key, name in names.items()}
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(statements).format(**identifiers).as_string(connection.connection))


def store_signing_key(connection: BaseDatabaseWrapper) -> None:
    """Let the database know the key that scopes are signed with; scopes of an earlier one end."""
    with connection.cursor() as cursor, transaction.atomic(using=connection.alias):
        cursor.execute("DELETE FROM citeweb_scope_key")
        cursor.execute("INSERT INTO citeweb_scope_key VALUES (%s)", [signing_key()])


def check_bound(connection: BaseDatabaseWrapper) -> None:
    """Raise RoleProblem if row policies don't bind the role that the application connects as."""
    with connection.cursor() as cursor:
        cursor.execute(_UNBOUND)
        if cursor.fetchone() != (False,):
            raise RoleProblem(
                "DATABASE_URL connects as a superuser, the tables' owner or a role with BYPASSRLS: row-level "
                "security would not hold. Give another role, or leave DATABASE_OWNER_URL out to have one made."
            )


def _name(settings: Settings, kind: str) -> str:
    # Roles are shared by all databases of a server; each of ours has its own.
    return f"{settings['NAME']}"[: _LONGEST_NAME - len(kind) - 1] + f"_{kind}"


def _password(settings: Settings) -> str:
    return salted_hmac("citeweb.database-role", app_role(settings), algorithm="sha256").hexdigest()


def _set_password(connection: BaseDatabaseWrapper, name: str, password: str) -> None:
    # Hashed here, so that the server's log never sees it.
    pgconn = connection.connection.pgconn
    verifier = pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
    with connection.cursor() as cursor:
        statement = sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(name), verifier)
        cursor.execute(statement.as_string(connection.connection))
