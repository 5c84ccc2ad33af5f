"""The built-in model: it streams quotes, needs no key and no service, and states nothing of its own."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

from chat.core.quoting import Selection, answer_pieces, choose_quotes
from chat.providers.base import End, EndReason, ModelEvent, ModelRequest, TextDelta, Usage

# Gives each text a likeness to the question from 0 (unrelated) to 1; called in a thread.
Similarity = Callable[[str, Sequence[str]], Sequence[float]]

PACE = 0.008  # seconds between two pieces: slow enough to be read as it comes, 120 words a second


class QuoteClient:
    """Stream the sentences of the passages that answer best, each with its marker."""

    def __init__(self, similarity: Similarity | None = None, *, pace: float = PACE) -> None:
        self._similarity = similarity
        self._pace = pace

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the events of one answer; see `ModelClient`. It raises nothing."""
        pieces = await asyncio.to_thread(self._pieces, request)
        for piece in pieces:
            yield TextDelta(piece)
            await asyncio.sleep(self._pace)
        read = sum(len(passage.text.split()) for passage in request.passages)
        yield Usage(read + len(request.question.split()), len(pieces))
        yield End(EndReason.STOP, "stop")

    def _pieces(self, request: ModelRequest) -> tuple[str, ...]:
        similarity = self._similarity

        def likeness(texts: list[str]) -> list[float]:
            return list(similarity(request.question, texts)) if similarity is not None else []

        chosen: Selection = choose_quotes(
            request.question, request.passages, similarity=likeness if similarity is not None else None
        )
        return answer_pieces(request.question, chosen)
