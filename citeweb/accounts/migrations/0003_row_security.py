from django.db import migrations

from citeweb.database import roles
from citeweb.database.policies import tenant_border

FUNCTIONS = """
-- The key that scopes are signed with, see citeweb.accounts.row_security. The application's role may not read it.
CREATE TABLE citeweb_scope_key (key bytea NOT NULL);

-- The note of this transaction (tenant|user|system), or nothing if it isn't signed with the key.
CREATE FUNCTION citeweb_scope() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
BEGIN ATOMIC
    SELECT note FROM (SELECT current_setting('citeweb.scope', true)) given(scope),
        left(scope, -65) note, citeweb_scope_key
    WHERE right(scope, 64) = encode(sha256(key || sha256(key || convert_to(note, 'UTF8'))), 'hex');
END;

CREATE FUNCTION citeweb_acting_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(split_part(citeweb_scope(), '|', 1), '')::uuid;

CREATE FUNCTION citeweb_acting_user() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(split_part(citeweb_scope(), '|', 2), '')::bigint;

CREATE FUNCTION citeweb_acting_as_system() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(split_part(citeweb_scope(), '|', 3) = 'system', false);
"""
NO_FUNCTIONS = """
DROP FUNCTION citeweb_acting_as_system(), citeweb_acting_user(), citeweb_acting_tenant(), citeweb_scope();
DROP TABLE citeweb_scope_key;
"""
# A tenant is its own border. Everybody sees their own memberships, and the tenants that these are in.
TENANTS = """
ALTER TABLE accounts_tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE accounts_tenant FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_border ON accounts_tenant
    USING (id = (SELECT citeweb_acting_tenant()) OR (SELECT citeweb_acting_as_system()));
CREATE POLICY own_membership ON accounts_membership FOR SELECT
    USING (user_id = (SELECT citeweb_acting_user()));
CREATE POLICY own_membership ON accounts_tenant FOR SELECT USING (EXISTS (
    SELECT 1 FROM accounts_membership m
    WHERE m.tenant_id = accounts_tenant.id AND m.user_id = (SELECT citeweb_acting_user())
));
"""
NO_TENANTS = """
DROP POLICY own_membership ON accounts_tenant;
DROP POLICY own_membership ON accounts_membership;
DROP POLICY tenant_border ON accounts_tenant;
ALTER TABLE accounts_tenant NO FORCE ROW LEVEL SECURITY;
ALTER TABLE accounts_tenant DISABLE ROW LEVEL SECURITY;
"""


def store_key(apps, schema_editor):
    roles.store_signing_key(schema_editor.connection)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_answers_as_wanted")]

    operations = [
        migrations.RunSQL(FUNCTIONS, NO_FUNCTIONS),
        # Later migrations of this run see rows already, because the owner's connection has a signed scope too.
        migrations.RunPython(store_key, migrations.RunPython.noop),
        tenant_border("accounts_membership"),
        tenant_border("accounts_group"),
        tenant_border("accounts_group_users", column="group_id", parent="accounts_group"),
        tenant_border("accounts_apikey"),
        migrations.RunSQL(TENANTS, NO_TENANTS),
    ]
