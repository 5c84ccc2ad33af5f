"""All addresses of Citeweb."""

from django.contrib import admin
from django.urls import include, path

from citeweb import health

urlpatterns = [
    path("accounts/", include("citeweb.accounts.urls")),
    path("admin/", admin.site.urls),
    path("healthz", health.alive),
    path("readyz", health.ready),
]
