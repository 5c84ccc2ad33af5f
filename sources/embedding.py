"""Vectors of texts: which model makes them is a setting, and each model names the space its vectors live in."""

import logging
from collections.abc import Hashable, Sequence
from functools import cache, lru_cache
from typing import Protocol

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from sources.core.relevance import Background
from sources.embedding_local import LocalEmbedder, local_is_there
from sources.embedding_openai import OpenAIEmbedder

logger = logging.getLogger(__name__)

# Longer questions are cut for embedding, in code points; models read about as much.
_LONGEST_QUERY = 2000


class Embedder(Hashable, Protocol):
    """Makes vectors of length 1 and says in which space they live: model, revision and dimension."""

    @property
    def space(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def unrelated(self) -> Background:
        """How the cosines of unrelated texts lie; with count 0 where that is not known."""

    def query(self, text: str) -> list[float]:
        """Return the vector of a question. Raises EmbeddingError."""

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts to be found. Raises EmbeddingError."""


def configured_embedder() -> Embedder | None:
    """Return the embedder of the settings, or None when search is by words only."""
    return _embedder(settings.EMBEDDINGS, settings.EMBEDDING_MODEL, settings.EMBEDDING_DIM)


@cache
def _embedder(kind: str, model: str, dimension: int) -> Embedder | None:
    if kind == "none":
        return None
    if kind == "openai":
        return OpenAIEmbedder(model, dimension)
    if kind != "local":
        raise ImproperlyConfigured(f"unknown kind of embeddings: {kind}")
    if not local_is_there():
        logger.warning("No local embedding model on this machine: search is by words only.")
        return None
    return LocalEmbedder()


def query_vector(embedder: Embedder, query: str) -> tuple[float, ...]:
    """Return the vector of a question, from a small cache where it was asked lately. Raises EmbeddingError."""
    return _cached_query(embedder, " ".join(query.replace("\0", " ").split())[:_LONGEST_QUERY])


@lru_cache(maxsize=512)
def _cached_query(embedder: Embedder, query: str) -> tuple[float, ...]:
    return tuple(embedder.query(query))
