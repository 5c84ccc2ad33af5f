import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sources", "0005_documents_name_a_hosted_copy")]

    operations = [
        migrations.AddField("document", "author", models.CharField(blank=True, default="", max_length=500)),
        migrations.AddField("document", "year", models.CharField(blank=True, default="", max_length=50)),
        migrations.AddField("document", "reference", models.CharField(blank=True, default="", max_length=200)),
        migrations.AddField("document", "url", models.URLField(blank=True, default="", max_length=2000)),
        migrations.AddField("document", "language", models.CharField(blank=True, default="", max_length=35)),
        migrations.AddField(
            "document",
            "corrected",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=20), blank=True, default=list, size=None
            ),
        ),
    ]
