"""Chat: conversations, turns, citations and their audit."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    """Registers the chat app."""

    name = "chat"
