"""An answer as a stream of `chat.completion.chunk` objects. Their order is load-bearing: shared/WIRE.md section 6.3."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing

from chat.api.citation_objects import Json, chat_annotations
from chat.api.completion import extras, finish_reason, head, usage
from chat.api.errors import ApiError
from chat.api.following import Following
from chat.api.sse import DONE, HEARTBEAT, dumps, event
from chat.models import Turn

TAKEN_BACK = ApiError(
    502,
    "What was sent turned out to be the model's thinking. Ask without streaming, or have reasoning_tags set.",
    kind="server_error",
    code="text_withdrawn",
)


class _Chunks:
    """Makes the chunks of one answer; most of each is the same, so it is written once."""

    def __init__(self, turn: Turn, *, counts: bool) -> None:
        self._head = head(turn, "chat.completion.chunk")
        # With include_usage every chunk has the key, and one more at the end has the numbers.
        self._tail: Json = {"usage": None} if counts else {}
        empty = dumps(self._whole({"content": ""}, None, {}))
        self._before, self._after = empty.split('"content":""')

    def text(self, text: str) -> bytes:
        """Return the next words."""
        return event(f'{self._before}"content":{dumps(text)}{self._after}')

    def other(self, delta: Json, finish: str | None = None, **more: object) -> bytes:
        """Return any other chunk; `more` goes to its top."""
        return event(dumps(self._whole(delta, finish, more)))

    def usage(self, counted: Json) -> bytes:
        """Return the chunk without choices that has the numbers."""
        return event(dumps({**self._head, "choices": [], "usage": counted}))

    def _whole(self, delta: Json, finish: str | None, more: Json) -> Json:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return {**self._head, "choices": [choice], **self._tail, **more}


async def chat_stream(turn: Turn, following: Following, *, counts: bool) -> AsyncGenerator[bytes]:
    """Yield the events; closing the generator early stops the answer."""
    chunks = _Chunks(turn, counts=counts)
    try:
        yield chunks.other({"role": "assistant", "content": "", "refusal": None})
        async with aclosing(following.pieces()) as pieces:
            async for piece in pieces:
                yield HEARTBEAT if piece is None else chunks.text(piece.text)
        for last in await _end(following, chunks, counts=counts):
            yield last
    finally:
        following.stop()


async def _end(following: Following, chunks: _Chunks, *, counts: bool) -> list[bytes]:
    if following.taken_back:
        return [_error(TAKEN_BACK)]
    answer = await following.ended_answer()
    outcome, failure = following.outcome, following.failure
    more = extras(answer, await following.related(answer))
    # Also in the delta: clients that add up the deltas drop what stands at the top of a chunk.
    delta: Json = {"annotations": chat_annotations(answer), **more}
    if failure is not None:
        return [chunks.other(delta, None, **more), _error(failure)]
    finish = finish_reason(outcome.state, outcome.settings)
    return [chunks.other(delta, finish, **more), *_counted(chunks, usage(outcome.usage), counts), DONE]


def _counted(chunks: _Chunks, counted: Json, counts: bool) -> Iterator[bytes]:
    if counts:
        yield chunks.usage(counted)


def _error(error: ApiError) -> bytes:
    # No [DONE] follows: a client that waits for it must not take the answer for a whole one.
    return event(dumps({"error": error.body}))
