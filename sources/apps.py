"""Sources: collections, documents, their versions, and retrieval from them."""

from django.apps import AppConfig
from django.core.checks import register

from sources.checks import check_embeddings


class SourcesConfig(AppConfig):
    """Registers the sources app."""

    name = "sources"

    def ready(self) -> None:
        """Say at each start when search is not what the settings ask for."""
        register(check_embeddings)
