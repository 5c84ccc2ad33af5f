"""The way back in a list: chat_audit_find_newer finds the next records after one, as chat_audit_find those before."""

from django.db import migrations

from citeweb.database import roles

FIND = """
CREATE FUNCTION chat_audit_find_newer(
    tenant uuid, wanted tsquery, after bigint, last bigint, since timestamptz, until timestamptz, most int
) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
    place bigint := (after + 1) >> 14;
    walked int := 0;
    found int := 0;
    added int;
    few bigint[];
BEGIN
    -- As chat_audit_find (chat/0009), from the oldest window to the newest.
    IF NOT coalesce(citeweb_acting_as_system() OR tenant = citeweb_acting_tenant(), false) THEN
        RETURN;
    END IF;
    WHILE place <= last >> 14 AND found < most LOOP
        IF walked = 4 THEN
            few := ARRAY(SELECT record.id FROM chat_auditrecord record WHERE record.words @@ wanted LIMIT 5001);
            IF cardinality(few) <= 5000 THEN
                RETURN QUERY SELECT record.id FROM chat_auditrecord record
                    WHERE record.id = ANY (few) AND record.id >= place << 14 AND record.id <= last
                        AND (tenant IS NULL OR record.tenant_id = tenant)
                        AND record.created_at >= since AND record.created_at < until
                    ORDER BY record.id LIMIT most - found;
                RETURN;
            END IF;
        END IF;
        RETURN QUERY SELECT held.id FROM (
            SELECT record.id, record.tenant_id, record.created_at FROM chat_auditrecord record
            WHERE record.words @@ (wanted && quote_literal('w=' || place)::tsquery) OFFSET 0
        ) held
        WHERE held.id > after AND held.id <= last AND (tenant IS NULL OR held.tenant_id = tenant)
            AND held.created_at >= since AND held.created_at < until
        ORDER BY held.id LIMIT most - found;
        GET DIAGNOSTICS added = ROW_COUNT;
        found := found + added;
        place := place + 1;
        walked := walked + 1;
    END LOOP;
END $$;
"""
# chat/0007 gave the role what it reads.
HAND_OVER = """
GRANT CREATE ON SCHEMA public TO {index};
ALTER FUNCTION chat_audit_find_newer OWNER TO {index};
REVOKE CREATE ON SCHEMA public FROM {index};
"""


def hand_over(apps, schema_editor):
    connection = schema_editor.connection
    index = roles.index_role(connection.settings_dict)
    roles.join_role(connection, index)
    roles.execute(connection, HAND_OVER, index=index)


class Migration(migrations.Migration):
    dependencies = [("chat", "0009_audit_finds_what_is_rare")]

    operations = [
        migrations.RunSQL(FIND, "DROP FUNCTION chat_audit_find_newer"),
        migrations.RunPython(hand_over, migrations.RunPython.noop),
    ]
