"""The chain's promises, kept by the database whoever writes: nothing is changed, and each record follows the newest."""

from django.db import migrations

from citeweb.database import roles

APPEND_ONLY = """
-- The newest record of a tenant's chain, locked until the transaction ends, so that no two records follow the same one.
CREATE FUNCTION chat_audit_lock_head(tenant uuid) RETURNS TABLE (sequence bigint, digest text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
    -- The owner of this function may be a superuser, whom no policy binds: it holds the tenant's border itself.
    IF NOT coalesce(citeweb_acting_as_system() OR tenant = citeweb_acting_tenant(), false) THEN
        RETURN;
    END IF;
    INSERT INTO chat_audithead (tenant_id, sequence, digest) VALUES (tenant, 0, repeat('0', 64))
        ON CONFLICT (tenant_id) DO NOTHING;
    RETURN QUERY SELECT head.sequence::bigint, head.digest::text FROM chat_audithead head
        WHERE head.tenant_id = tenant FOR UPDATE;
END $$;

CREATE FUNCTION chat_audit_follow() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE head record;
BEGIN
    SELECT * INTO head FROM chat_audit_lock_head(NEW.tenant_id);
    IF NEW.sequence <> head.sequence + 1 OR NEW.previous <> head.digest THEN
        RAISE EXCEPTION 'audit record % does not follow the newest one, %', NEW.sequence, head.sequence
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NEW.digest <> encode(sha256(convert_to(NEW.previous || E'\\n' || NEW.body, 'UTF8')), 'hex') THEN
        RAISE EXCEPTION 'the digest of audit record % is not that of its body', NEW.sequence
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    -- Which window of records it stands in; chat_audit_find walks them from the newest.
    NEW.words := NEW.words || array_to_tsvector(ARRAY['w=' || (NEW.id >> 14)]);
    UPDATE chat_audithead SET sequence = NEW.sequence, digest = NEW.digest WHERE tenant_id = NEW.tenant_id;
    RETURN NEW;
END $$;

CREATE FUNCTION chat_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit chain is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER audit_follow BEFORE INSERT ON chat_auditrecord
    FOR EACH ROW EXECUTE FUNCTION chat_audit_follow();
CREATE TRIGGER audit_refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON chat_auditrecord
    FOR EACH STATEMENT EXECUTE FUNCTION chat_audit_refuse();
CREATE TRIGGER audit_refuse BEFORE DELETE OR TRUNCATE ON chat_audithead
    FOR EACH STATEMENT EXECUTE FUNCTION chat_audit_refuse();
CREATE TRIGGER audit_refuse BEFORE UPDATE ON chat_audittext
    FOR EACH STATEMENT EXECUTE FUNCTION chat_audit_refuse();
"""
CHANGEABLE = """
DROP TRIGGER audit_refuse ON chat_audittext;
DROP TRIGGER audit_refuse ON chat_audithead;
DROP TRIGGER audit_refuse ON chat_auditrecord;
DROP TRIGGER audit_follow ON chat_auditrecord;
DROP FUNCTION chat_audit_refuse(), chat_audit_follow();
DROP FUNCTION chat_audit_lock_head(uuid);
"""
# PostgreSQL uses an index below a row policy only for operators that can't leak what they saw, and `@@` isn't one
# (docs/permissions.md). This function scans the index as the index role, and holds the tenant's border itself.
# It walks windows of 16,384 records from the newest: each is a term of the query, so that the scan reads only that
# window's part of the other terms' lists, and ends with the window that fills the page.
FIND = """
CREATE FUNCTION chat_audit_find(
    tenant uuid, wanted tsquery, before bigint, after bigint, since timestamptz, until timestamptz, most int
) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    place bigint := (before - 1) >> 14;
    found int := 0;
    added int;
BEGIN
    -- Nobody in particular asks for no tenant in particular, too: null is not the acting tenant.
    IF NOT coalesce(citeweb_acting_as_system() OR tenant = citeweb_acting_tenant(), false) THEN
        RETURN;
    END IF;
    WHILE place >= after >> 14 AND found < most LOOP
        RETURN QUERY SELECT held.id FROM (
            -- OFFSET 0 keeps the planner at the index of words.
            SELECT record.id, record.tenant_id, record.created_at FROM chat_auditrecord record
            WHERE record.words @@ (wanted && quote_literal('w=' || place)::tsquery) OFFSET 0
        ) held
        WHERE held.id < before AND held.id > after AND (tenant IS NULL OR held.tenant_id = tenant)
            AND held.created_at >= since AND held.created_at < until
        ORDER BY held.id DESC LIMIT most - found;
        GET DIAGNOSTICS added = ROW_COUNT;
        found := found + added;
        place := place - 1;
    END LOOP;
END $$;
"""
HAND_OVER = """
GRANT USAGE, CREATE ON SCHEMA public TO {index};
ALTER FUNCTION chat_audit_find OWNER TO {index};
REVOKE CREATE ON SCHEMA public FROM {index};
GRANT SELECT (id, tenant_id, created_at, words) ON chat_auditrecord TO {index};
CREATE POLICY index_scan ON chat_auditrecord FOR SELECT TO {index} USING (true);
"""


def hand_over(apps, schema_editor):
    connection = schema_editor.connection
    index = roles.index_role(connection.settings_dict)
    roles.make_role(connection, index, "NOLOGIN")
    roles.join_role(connection, index)
    roles.execute(connection, HAND_OVER, index=index)


def take_back(apps, schema_editor):
    roles.execute(schema_editor.connection, "DROP POLICY index_scan ON chat_auditrecord")


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_row_security"), ("sources", "0007_row_security"), ("chat", "0006_audit_columns")]

    operations = [
        migrations.RunSQL(APPEND_ONLY, CHANGEABLE),
        migrations.RunSQL(FIND, "DROP FUNCTION chat_audit_find"),
        migrations.RunPython(hand_over, take_back),
    ]
