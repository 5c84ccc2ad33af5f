"""Addresses of the audit."""

from django.urls import path

from chat.audit import documents, views

app_name = "audit"

urlpatterns = [
    path("", views.records, name="records"),
    path("reason/", views.reason, name="reason"),
    path("records/<uuid:tenant_id>/<int:sequence>/", views.record, name="record"),
    path("documents/<uuid:document_id>/", documents.document, name="document"),
]
