"""Addresses of the chat pages."""

from django.urls import path

from chat import views

app_name = "chat"

urlpatterns = [
    path("", views.new, name="new"),
    path("c/<uuid:conversation_id>/", views.conversation, name="conversation"),
    path(
        "c/<uuid:conversation_id>/turns/<uuid:turn_id>/export.<str:form>", views.export_answer, name="export"
    ),
]
