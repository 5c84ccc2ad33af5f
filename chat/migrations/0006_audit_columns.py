import json

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.db import migrations, models

from chat.audit.columns import columns_of, mark
from sources.core.lexemes import quote

_COLUMNS = {
    "signature": models.CharField(max_length=80, blank=True, default=""),
    "actor_id": models.BigIntegerField(null=True, blank=True),
    "actor_email": models.CharField(max_length=254, blank=True, default=""),
    "summary": models.CharField(max_length=300, blank=True, default=""),
    "model": models.CharField(max_length=200, blank=True, default=""),
    "state": models.CharField(max_length=12, blank=True, default=""),
    "verdict": models.CharField(max_length=12, blank=True, default=""),
    "offered": models.PositiveIntegerField(default=0),
    "citations": models.PositiveIntegerField(default=0),
    "unsupported": models.PositiveIntegerField(default=0),
    "weak": models.PositiveIntegerField(default=0),
    "uncited": models.PositiveIntegerField(default=0),
    "rejected": models.JSONField(default=dict, blank=True),
    "cited_documents": django.contrib.postgres.fields.ArrayField(
        models.UUIDField(), default=list, blank=True, size=None
    ),
    "retrieval_ms": models.PositiveIntegerField(null=True, blank=True),
    "first_text_ms": models.PositiveIntegerField(null=True, blank=True),
    "total_ms": models.PositiveIntegerField(null=True, blank=True),
    "words": django.contrib.postgres.search.SearchVectorField(null=True),
}
_INDEXES = [
    models.Index(fields=["tenant_id", "-id"], name="audit_newest_of_tenant"),
    models.Index(fields=["tenant_id", "created_at"], name="audit_days_of_tenant"),
    models.Index(fields=["created_at"], name="audit_days"),
    django.contrib.postgres.indexes.GinIndex(fields=["words"], name="audit_words", fastupdate=False),
]
# A list reads rows and never bodies: these, and the words, stand apart from the rows.
_SLIM = """
ALTER TABLE chat_auditrecord SET (toast_tuple_target = 256);
ALTER TABLE chat_auditrecord ALTER COLUMN words SET STORAGE EXTERNAL;
"""


def fill(apps, schema_editor):
    """Give records from before the columns that their bodies give."""
    records = apps.get_model("chat", "AuditRecord").objects.order_by("pk")
    last = 0
    while piece := list(records.filter(pk__gt=last).values_list("pk", "tenant_id", "body")[:500]):
        for pk, tenant_id, body in piece:
            columns = columns_of(tenant_id, json.loads(body))
            words = f"{columns.pop('words')} {quote(mark('w', pk >> 14))}"
            records.filter(pk=pk).update(words=words, **columns)
        last = piece[-1][0]


class Migration(migrations.Migration):
    dependencies = [("chat", "0005_row_security")]

    operations = [
        migrations.AddField("turn", "reading", models.JSONField(default=dict)),
        migrations.AddField("turn", "via", models.CharField(default="page", max_length=10)),
        *(migrations.AddField("auditrecord", name, field) for name, field in _COLUMNS.items()),
        migrations.RunSQL(_SLIM, migrations.RunSQL.noop),
        migrations.RunPython(fill, migrations.RunPython.noop),
        *(migrations.AddIndex("auditrecord", index) for index in _INDEXES),
    ]
