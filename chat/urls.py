"""Addresses of the chat pages."""

from django.urls import path

from chat import share_views, views

app_name = "chat"

urlpatterns = [
    path("s/<str:token>/", share_views.shared, name="shared"),
    path("c/<uuid:conversation_id>/share/", share_views.shares, name="shares"),
    path("c/<uuid:conversation_id>/share/<int:share_id>/revoke/", share_views.revoke, name="revoke"),
    path("c/<uuid:conversation_id>/delete/", share_views.delete, name="delete"),
    path("", views.new, name="new"),
    path("c/<uuid:conversation_id>/", views.conversation, name="conversation"),
    path(
        "c/<uuid:conversation_id>/turns/<uuid:turn_id>/export.<str:form>", views.export_answer, name="export"
    ),
]
