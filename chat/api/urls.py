"""Addresses of the API, for chat.api.door."""

from django.urls import path

from chat.api.routes import api

_routes, _app, _namespace = api.urls
# Ninja's own start page leads to its documentation pages, which it doesn't serve here.
_routes = [route for route in _routes if getattr(route, "name", "") != "api-root"]

urlpatterns = [path("v1/", (_routes, _app, _namespace))]
