from django.db import migrations

# Filters that share few records had to be looked for in every window (chat/0007). Now a page that four windows don't
# fill is asked for in one scan of the whole lists: if that meets no more than 5,000 records, the page is made of them.
# More of them means that windows further back fill the page soon. Sequential scans are off because the planner hopes
# to meet 5,000 matches early when each word alone is frequent.
FIND = """
CREATE OR REPLACE FUNCTION chat_audit_find(
    tenant uuid, wanted tsquery, before bigint, after bigint, since timestamptz, until timestamptz, most int
) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
    place bigint := (before - 1) >> 14;
    walked int := 0;
    found int := 0;
    added int;
    few bigint[];
BEGIN
    -- Nobody in particular asks for no tenant in particular, too: null is not the acting tenant.
    IF NOT coalesce(citeweb_acting_as_system() OR tenant = citeweb_acting_tenant(), false) THEN
        RETURN;
    END IF;
    WHILE place >= after >> 14 AND found < most LOOP
        IF walked = 4 THEN
            few := ARRAY(SELECT record.id FROM chat_auditrecord record WHERE record.words @@ wanted LIMIT 5001);
            IF cardinality(few) <= 5000 THEN
                RETURN QUERY SELECT record.id FROM chat_auditrecord record
                    WHERE record.id = ANY (few) AND record.id < (place + 1) << 14 AND record.id > after
                        AND (tenant IS NULL OR record.tenant_id = tenant)
                        AND record.created_at >= since AND record.created_at < until
                    ORDER BY record.id DESC LIMIT most - found;
                RETURN;
            END IF;
        END IF;
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
        walked := walked + 1;
    END LOOP;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("chat", "0008_turns_asked_by_programs")]

    # The function before finds the same records, only later: nothing to take back.
    operations = [migrations.RunSQL(FIND, migrations.RunSQL.noop)]
