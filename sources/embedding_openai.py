"""Vectors from OpenAI's embeddings API or a server that speaks it (OPENAI_BASE_URL)."""

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

from openai import OpenAI, OpenAIError

from sources.core.relevance import Background
from sources.embedding_errors import EmbeddingError

# A request may hold 2,048 inputs and 300,000 tokens, an input 8,192 tokens: platform.openai.com/docs/api-reference.
_INPUTS_AT_ONCE = 64
_LONGEST_INPUT = 8000  # code points; a chunk with its headings is far shorter
_QUERY_SECONDS = 5.0
_PASSAGES_SECONDS = 60.0

# How the cosines of unrelated texts lie, from published comparisons; not measured here, for want of a key.
_UNRELATED = {
    "text-embedding-3-small": Background(0.12, 0.07),
    "text-embedding-3-large": Background(0.12, 0.07),
    "text-embedding-ada-002": Background(0.72, 0.025),
}
_UNKNOWN = Background(0.0, 0.0, count=0, known=0)


class OpenAIEmbedder:
    """Asks for `dimension` numbers a text where the model lets one choose."""

    def __init__(self, model: str, dimension: int) -> None:
        self.model = model
        self.dimension = dimension
        self.unrelated = _UNRELATED.get(model, _UNKNOWN)
        self.space = f"{model}@openai/{dimension}"

    def query(self, text: str) -> list[float]:
        """Return the vector of a question; a person waits, so there is one short try. Raises EmbeddingError."""
        return self._vectors([text], self._client.with_options(timeout=_QUERY_SECONDS, max_retries=0))[0]

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of passages. Raises EmbeddingError."""
        return [vector for batch in _batches(texts) for vector in self._vectors(batch, self._client)]

    @cached_property
    def _client(self) -> OpenAI:
        try:
            return OpenAI(timeout=_PASSAGES_SECONDS, max_retries=3)
        except OpenAIError as exc:
            raise EmbeddingError(str(exc)) from exc

    def _vectors(self, texts: Sequence[str], client: OpenAI) -> list[list[float]]:
        inputs = [text[:_LONGEST_INPUT] or " " for text in texts]
        try:
            if self.model.startswith("text-embedding-3"):
                answer = client.embeddings.create(model=self.model, input=inputs, dimensions=self.dimension)
            else:
                answer = client.embeddings.create(model=self.model, input=inputs)
        except OpenAIError as exc:
            raise EmbeddingError(f"{type(exc).__name__}: {exc}") from exc
        vectors = [_unit(row.embedding) for row in sorted(answer.data, key=lambda row: row.index)]
        if len(vectors) != len(inputs) or any(len(vector) != self.dimension for vector in vectors):
            raise EmbeddingError(
                f"{self.model} did not give {len(inputs)} vectors of {self.dimension} numbers"
            )
        return vectors


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), _INPUTS_AT_ONCE):
        yield texts[start : start + _INPUTS_AT_ONCE]


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(number * number for number in vector))
    return [number / length for number in vector] if length else list(vector)
