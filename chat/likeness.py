"""How alike texts are in meaning, for answers and claims across languages."""

from collections.abc import Sequence

from chat.core.support import from_cosine
from sources.embedding import configured_embedder, query_vector
from sources.embedding_errors import EmbeddingError
from sources.embedding_local import LocalEmbedder

# Cosines of multilingual-e5-small lie close together: what has nothing to do with a question still has 0.75.
# That must not become 0, because across languages an answer stands out from the other sentences by little.
_UNRELATED, _SAME = 0.70, 0.90
# The same for a claim and the passage of another language that it cites; measured by bench/support.py.
_OTHER_CLAIM, _SAME_CLAIM = 0.74, 0.86


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


def claim_likeness(claim: str, passage: str) -> float | None:
    """Return a likeness from 0 (unrelated) to 1, or None without a model whose cosines have been measured."""
    embedder = configured_embedder()
    if not isinstance(embedder, LocalEmbedder) or not claim.strip():
        return None
    said, cited = embedder.passages([claim, passage])
    cosine = sum(a * b for a, b in zip(said, cited, strict=True))
    return from_cosine(cosine, unrelated=_OTHER_CLAIM, same=_SAME_CLAIM)
