"""Addresses under /accounts/: allauth's, and the choice of tenant."""

from django.urls import include, path

from citeweb.accounts import key_views, views

urlpatterns = [
    path("tenant/", views.choose_tenant, name="choose_tenant"),
    path("citations/", views.choose_citations, name="choose_citations"),
    path("organisation/", views.organisation, name="organisation"),
    path("keys/", key_views.keys, name="api_keys"),
    path("keys/<int:key_id>/revoke/", key_views.revoke, name="revoke_api_key"),
    path("", include("allauth.account.urls")),
]
