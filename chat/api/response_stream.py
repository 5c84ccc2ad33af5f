"""An answer as a stream of `response.*` events. Their order is load-bearing: shared/WIRE.md section 6.4."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace

from django.utils import timezone

from chat.api.chat_stream import TAKEN_BACK
from chat.api.citation_objects import Json
from chat.api.completion import finish_reason, usage
from chat.api.errors import ApiError
from chat.api.following import Following
from chat.api.response_object import (
    NOTHING,
    Written,
    ended_status,
    incomplete_reason,
    message_item,
    response_object,
    response_usage,
    search_item,
    text_part,
)
from chat.api.sse import HEARTBEAT, dumps, event
from chat.models import Turn

_SEARCH, _MESSAGE = 0, 1


class _Events:
    """Numbers the events and writes those that come a thousand times from a template."""

    def __init__(self, turn: Turn) -> None:
        self._sequence = 0
        self._place: Json = {"item_id": f"msg_{turn.pk.hex}", "output_index": _MESSAGE, "content_index": 0}
        self._delta = dumps({"type": "response.output_text.delta", **self._place, "logprobs": []})[:-1]

    def made(self, name: str, **fields: object) -> bytes:
        """Return an event."""
        sequence, self._sequence = self._sequence, self._sequence + 1
        kind = f"response.{name}"
        return event(dumps({"type": kind, "sequence_number": sequence, **fields}), kind)

    def in_text(self, name: str, **fields: object) -> bytes:
        """Return an event of the message's text."""
        return self.made(name, **self._place, **fields)

    def text(self, text: str) -> bytes:
        """Return the next words."""
        sequence, self._sequence = self._sequence, self._sequence + 1
        data = f'{self._delta},"sequence_number":{sequence},"delta":{dumps(text)}}}'
        return event(data, "response.output_text.delta")


async def response_stream(turn: Turn, following: Following) -> AsyncGenerator[bytes]:
    """Yield the events; closing the generator early stops the answer."""
    events = _Events(turn)
    empty = Written(NOTHING, "in_progress")
    begun = response_object(turn, following.wishes, empty)
    try:
        yield events.made("created", response=begun)
        yield events.made("in_progress", response=begun)
        for made in _searching(turn, following, events):
            yield made
        async with aclosing(following.pieces()) as pieces:
            async for piece in pieces:
                yield HEARTBEAT if piece is None else events.text(piece.text)
        for made in await _end(turn, following, events):
            yield made
    finally:
        following.stop()


def _searching(turn: Turn, following: Following, events: _Events) -> Iterator[bytes]:
    item, place = search_item(turn, "in_progress", None), {"output_index": _SEARCH}
    yield events.made("output_item.added", **place, item=item)
    for step in ("in_progress", "searching", "completed"):
        yield events.made(f"file_search_call.{step}", **place, item_id=item["id"])
    yield events.made("output_item.done", **place, item=search_item(turn, "completed", None))
    empty = message_item(turn, following.wishes, Written(NOTHING, "in_progress"))
    yield events.made("output_item.added", output_index=_MESSAGE, item={**empty, "content": []})
    yield events.in_text("content_part.added", part=text_part(NOTHING, following.wishes))


async def _end(turn: Turn, following: Following, events: _Events) -> list[bytes]:
    if following.taken_back:
        return [_failed(turn, following, events, Written(NOTHING, "failed", error=TAKEN_BACK))]
    answer, results = await following.ended_answer(), await following.results()
    outcome, failure = following.outcome, following.failure
    finish = finish_reason(outcome.state, outcome.settings)
    written = Written(
        answer,
        ended_status(finish),
        incomplete_reason(finish),
        failure,
        response_usage(usage(outcome.usage)),
        results,
        await following.related(answer),
    )
    turn.finished_at = timezone.now()
    turn.settings = outcome.settings
    if failure is not None:
        return [_failed(turn, following, events, written)]
    return list(_whole(turn, following, events, written))


def _whole(turn: Turn, following: Following, events: _Events, written: Written) -> Iterator[bytes]:
    wishes, answer = following.wishes, written.answer
    part = text_part(answer, wishes)
    annotations = part["annotations"]
    assert isinstance(annotations, Sequence)
    for index, annotation in enumerate(annotations):
        yield events.in_text("output_text.annotation.added", annotation_index=index, annotation=annotation)
    yield events.in_text("output_text.done", text=answer.footnoted.text, logprobs=[])
    yield events.in_text("content_part.done", part=part)
    item = message_item(turn, wishes, written)
    yield events.made("output_item.done", output_index=_MESSAGE, item=item)
    name = "completed" if written.status == "completed" else "incomplete"
    yield events.made(name, response=response_object(turn, wishes, written))


def _failed(turn: Turn, following: Following, events: _Events, written: Written) -> bytes:
    error: ApiError | None = written.error
    failed = replace(written, status="failed", reason=None, error=error)
    return events.made("failed", response=response_object(turn, following.wishes, failed))
