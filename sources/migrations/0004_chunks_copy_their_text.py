import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sources", "0003_vectors_know_their_version")]

    operations = [
        migrations.AddField("chunk", "text", models.TextField(blank=True, default="")),
        migrations.RunSQL(
            '''UPDATE sources_chunk c SET text = substr(v.text, c.start + 1, c."end" - c.start)
            FROM sources_version v WHERE v.id = c.version_id AND c.lexemes IS NOT NULL''',
            migrations.RunSQL.noop,
        ),
        migrations.RemoveIndex("chunk", "chunk_lexemes"),
        # Changed rows wait for deferred constraint triggers: fire them before the table is altered.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL IMMEDIATE"),
        migrations.AddIndex(
            "chunk",
            django.contrib.postgres.indexes.GinIndex(fields=["lexemes"], name="chunk_lexemes", fastupdate=False),
        ),
    ]
