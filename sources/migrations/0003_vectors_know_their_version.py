import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sources", "0002_sources")]

    operations = [
        migrations.AddField("version", "chunk_count", models.PositiveIntegerField(default=0)),
        migrations.AddField(
            "chunkembedding",
            "version",
            models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="sources.version"
            ),
        ),
        migrations.RunSQL(
            "UPDATE sources_chunkembedding e SET version_id = c.version_id FROM sources_chunk c WHERE c.id = e.chunk_id",
            migrations.RunSQL.noop,
        ),
        # Changed rows wait for deferred constraint triggers: fire them before the table is altered.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL IMMEDIATE"),
        migrations.AlterField(
            "chunkembedding",
            "version",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="sources.version"
            ),
        ),
        migrations.AlterField(
            "chunkembedding",
            "chunk",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="embeddings",
                to="sources.chunk",
            ),
        ),
        migrations.RunSQL(
            "UPDATE sources_version v SET chunk_count = (SELECT count(*) FROM sources_chunk c WHERE c.version_id = v.id)",
            migrations.RunSQL.noop,
        ),
        # Ranking reads the lexemes of many chunks: keep them in the row and uncompressed as long as a page holds them.
        migrations.RunSQL(
            "ALTER TABLE sources_chunk SET (toast_tuple_target = 8160)",
            "ALTER TABLE sources_chunk RESET (toast_tuple_target)",
        ),
    ]
