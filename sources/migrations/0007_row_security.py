from django.db import migrations

from citeweb.database import roles
from citeweb.database.policies import tenant_border

# PostgreSQL uses an index below a row policy only for operators that can't leak what they saw, and `@@` isn't marked
# as one: each search would read all lexemes of the tenant. This function scans the index as a role that the policy
# lets pass, which may read these four columns and nothing else, and holds the tenant's border itself.
CHUNKS_HOLDING = """
CREATE FUNCTION sources_chunks_holding(tenant uuid, word tsquery, stem tsquery)
RETURNS TABLE (id bigint, version_id uuid, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER ROWS 200
BEGIN ATOMIC
    SELECT chunk.id, chunk.version_id, chunk.lexemes @@ word FROM sources_chunk chunk
    WHERE chunk.lexemes @@ stem AND chunk.tenant_id = tenant
        AND (tenant = citeweb_acting_tenant() OR citeweb_acting_as_system());
END;
"""
HAND_OVER = """
GRANT USAGE, CREATE ON SCHEMA public TO {index};
ALTER FUNCTION sources_chunks_holding OWNER TO {index};
REVOKE CREATE ON SCHEMA public FROM {index};
GRANT SELECT (id, tenant_id, version_id, lexemes) ON sources_chunk TO {index};
CREATE POLICY index_scan ON sources_chunk FOR SELECT TO {index} USING (true);
"""


def hand_over(apps, schema_editor):
    connection = schema_editor.connection
    index = roles.index_role(connection.settings_dict)
    roles.make_role(connection, index, "NOLOGIN")
    roles.join_role(connection, index)
    roles.execute(connection, HAND_OVER, index=index)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_row_security"), ("sources", "0006_documents_have_metadata")]

    operations = [
        tenant_border("sources_collection"),
        tenant_border("sources_grant", column="collection_id", parent="sources_collection"),
        tenant_border("sources_document"),
        tenant_border("sources_version"),
        tenant_border("sources_page", column="version_id", parent="sources_version"),
        tenant_border("sources_chunk"),
        tenant_border("sources_chunkembedding", column="version_id", parent="sources_version"),
        migrations.RunSQL(CHUNKS_HOLDING, "DROP FUNCTION sources_chunks_holding"),
        migrations.RunPython(hand_over, migrations.RunPython.noop),
    ]
