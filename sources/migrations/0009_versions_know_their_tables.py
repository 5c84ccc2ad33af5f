from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("sources", "0008_curating")]

    operations = [migrations.AddField("version", "tables", models.JSONField(default=list))]
