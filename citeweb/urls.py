"""All addresses of Citeweb."""

from django.contrib import admin
from django.urls import include, path

from citeweb import health

urlpatterns = [
    path("", include("chat.urls")),
    path("accounts/", include("citeweb.accounts.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("cite/<uuid:citation_id>/", health.alive, name="cite"),
    path("admin/", admin.site.urls),
    path("healthz", health.alive),
    path("readyz", health.ready),
]
