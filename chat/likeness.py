"""How alike a question and some sentences are in meaning, for answers across languages."""

from collections.abc import Sequence

from chat.core.support import from_cosine
from sources.embedding import configured_embedder, query_vector
from sources.embedding_errors import EmbeddingError

# Cosines of multilingual-e5-small lie close together: what has nothing to do with a question still has 0.75.
# That must not become 0, because across languages an answer stands out from the other sentences by little.
_UNRELATED, _SAME = 0.70, 0.90


def question_likeness(question: str, texts: Sequence[str]) -> list[float]:
    """Return a likeness from 0 (unrelated) to 1 for each text; all 0 without an embedding model."""
    embedder = configured_embedder()
    if embedder is None or not texts:
        return [0.0] * len(texts)
    try:
        asked = query_vector(embedder, question)
        vectors = embedder.passages(texts)
    except EmbeddingError:
        return [0.0] * len(texts)
    cosines = (sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in vectors)
    return [from_cosine(cosine, unrelated=_UNRELATED, same=_SAME) for cosine in cosines]
