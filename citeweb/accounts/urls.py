"""Addresses under /accounts/: allauth's, and the choice of tenant."""

from django.urls import include, path

from citeweb.accounts import views

urlpatterns = [
    path("tenant/", views.choose_tenant, name="choose_tenant"),
    path("citations/", views.choose_citations, name="choose_citations"),
    path("organisation/", views.organisation, name="organisation"),
    path("", include("allauth.account.urls")),
]
