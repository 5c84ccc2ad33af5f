from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0002_citations_of_other_sources")]

    operations = [
        migrations.CreateModel(
            name="AuditText",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tenant_id", models.UUIDField()),
                ("sequence", models.PositiveBigIntegerField()),
                ("name", models.CharField(max_length=60)),
                ("document_id", models.UUIDField()),
                ("text", models.TextField()),
            ],
            options={
                "indexes": [models.Index(fields=["document_id"], name="audit_text_of_document")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant_id", "sequence", "name"), name="audit_text_once_a_record"
                    )
                ],
            },
        ),
    ]
