"""Row policies as one line of a migration: `tenant_border("sources_thing")`. docs/permissions.md explains."""

from django.db.migrations.operations import RunSQL

_OWN = "tenant_id = (SELECT citeweb_acting_tenant()) OR (SELECT citeweb_acting_as_system())"
_PARENTS = "EXISTS (SELECT 1 FROM {parent} WHERE {parent}.id = {table}.{column})"


def tenant_border(table: str, *, column: str = "", parent: str = "") -> RunSQL:
    """Let a table's rows be seen and written only for their own tenant.

    A table without a `tenant_id` belongs where the row of `parent` belongs that its `column` names; the parent's
    own policy decides. Sub-selects make PostgreSQL ask for the tenant once a statement, not once a row.
    """
    rule = _PARENTS.format(table=table, column=column, parent=parent) if parent else _OWN
    return RunSQL(
        f"""
        ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
        ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
        CREATE POLICY tenant_border ON {table} USING ({rule});
        """,
        f"""
        DROP POLICY tenant_border ON {table};
        ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY;
        ALTER TABLE {table} DISABLE ROW LEVEL SECURITY;
        """,
    )
