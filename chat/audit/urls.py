"""Addresses of the audit."""

from django.urls import path

from chat.audit import documents, export_views, quality_views, views

app_name = "audit"

urlpatterns = [
    path("", views.records, name="records"),
    path("reason/", views.reason, name="reason"),
    path("records/<uuid:tenant_id>/<int:sequence>/", views.record, name="record"),
    path("records/<uuid:tenant_id>/<int:sequence>/dossier.html", export_views.dossier, name="dossier"),
    path("quality/", quality_views.dashboard, name="quality"),
    path("export/", export_views.export, name="export"),
    path("exports/", export_views.exports, name="exports"),
    path("exports/<uuid:tenant_id>/<int:sequence>.sha256", export_views.checksum, name="checksum"),
    path("documents/<uuid:document_id>/", documents.document, name="document"),
]
