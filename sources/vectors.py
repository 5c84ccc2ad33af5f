"""Giving vectors to what is indexed, after words can find it already."""

import uuid
from collections.abc import Callable

from sources.embedding import Embedder, configured_embedder
from sources.index import (
    chunks_without_vector,
    space_named,
    versions_without_vectors,
    write_vectors,
)
from sources.ingest import Interrupted

# Saved together; an interrupted version goes on from there.
_CHUNKS_AT_ONCE = 16


def embed_version(
    version_id: uuid.UUID | str,
    *,
    should_stop: Callable[[], bool] = lambda: False,
    most: int | None = None,
) -> int:
    """Make the vectors that a current version lacks in the configured space; return how many were made.

    Stops after `most` chunks, or a few more. Raises EmbeddingError when the model fails, and Interrupted between
    batches; what was made stays.
    """
    embedder = configured_embedder()
    return _embed(embedder, version_id, should_stop, most) if embedder else 0


def versions_to_embed() -> list[str]:
    """Return the ids of current versions, of all tenants, that lack vectors in the configured space."""
    embedder = configured_embedder()
    if embedder is None:
        return []
    return versions_without_vectors(space_named(embedder.space, embedder.dimension))


def _embed(
    embedder: Embedder, version_id: uuid.UUID | str, should_stop: Callable[[], bool], most: int | None
) -> int:
    space = space_named(embedder.space, embedder.dimension)
    made = 0
    while (most is None or made < most) and (
        batch := chunks_without_vector(version_id, space, _CHUNKS_AT_ONCE)
    ):
        if should_stop():
            raise Interrupted
        write_vectors(batch, embedder.passages([chunk.input for chunk in batch]), space)
        made += len(batch)
    return made
