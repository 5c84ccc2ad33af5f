"""Addresses of the API, for chat.api.door."""

from django.urls import path

from chat.api.routes import api

urlpatterns = [path("v1/", api.urls)]
