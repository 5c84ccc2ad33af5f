"""All addresses of Citeweb."""

from django.contrib import admin
from django.urls import include, path
from django.views.i18n import set_language

from chat import passage_views
from chat.api.pages import api_reference
from citeweb import health

urlpatterns = [
    path("", include("chat.urls")),
    path("", include("sources.urls")),
    path("cite/<uuid:citation_id>/", passage_views.passage, name="cite"),
    path("audit/", include("chat.audit.urls")),
    path("api/", api_reference, name="api_reference"),
    path("accounts/", include("citeweb.accounts.urls")),
    path("language/", set_language, name="set_language"),
    path("admin/", admin.site.urls),
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("metrics", health.figures),
]
