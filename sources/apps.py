"""Sources: collections, documents, their versions, and retrieval from them."""

from django.apps import AppConfig


class SourcesConfig(AppConfig):
    """Registers the sources app."""

    name = "sources"
