from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_api_keys")]

    operations = [
        migrations.AddField(
            "tenant",
            "asks_audit_reason",
            models.BooleanField(default=False, verbose_name="ask why before the audit is opened"),
        ),
    ]
