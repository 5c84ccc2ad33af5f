from django.db import migrations

from citeweb.database.policies import tenant_border


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_row_security"), ("chat", "0004_conversations_are_shared")]

    operations = [
        tenant_border("chat_conversation"),
        tenant_border("chat_turn"),
        tenant_border("chat_citation"),
        tenant_border("chat_share"),
        tenant_border("chat_audithead"),
        tenant_border("chat_auditrecord"),
        tenant_border("chat_audittext"),
    ]
