"""Addresses of the sockets."""

from typing import Any

from django.urls import path

from chat.consumers import ChatConsumer

# Any: Django's `path` is typed for views, Channels uses it for ASGI applications.
_chat: Any = ChatConsumer.as_asgi()

websocket_urlpatterns: list[Any] = [path("ws/chat/<uuid:conversation_id>/", _chat)]
