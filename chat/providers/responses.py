"""The Responses API (WIRE.md section 1), read from raw events: unknown ones are ignored, lost ones made up."""

from collections.abc import AsyncGenerator, Iterator
from typing import cast

from openai import AsyncOpenAI, AsyncStream
from openai.types.responses import ResponseInputParam

from chat.providers.annotations import Part, raw_annotation
from chat.providers.base import (
    End,
    EndReason,
    HostedSource,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    ReasoningTags,
    TextDelta,
    TextWithdrawn,
    Usage,
)
from chat.providers.errors import CutStream, Unavailable, from_payload
from chat.providers.fields import JsonObject, number_of, object_of, objects_of, text_of
from chat.providers.listed_sources import source_from
from chat.providers.mending import TextMender
from chat.providers.thinking import ThinkEvent, ThinkFilter
from chat.providers.upstream import answer_events, lenient

_INCLUDE = {
    "web_search": ("web_search_call.action.sources",),
    "web_search_preview": ("web_search_call.action.sources",),
    "file_search": ("file_search_call.results",),
}
_INCOMPLETE = {
    "max_output_tokens": EndReason.LENGTH,
    "content_filter": EndReason.CONTENT_FILTER,
}
_UNFINISHED = ("incomplete", "failed", "cancelled")  # believed even inside response.completed
_FINAL = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}


class ResponsesClient:
    """A model behind /responses. Nothing is stored there: `store` is false and the history is sent again."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the events of one answer; see `ModelClient`."""
        settings = request.settings
        items = cast(ResponseInputParam, response_input(request))

        async def call(client: AsyncOpenAI) -> AsyncStream[object]:
            async def create(body: dict[str, object]) -> AsyncStream[object]:
                stream = await client.responses.create(
                    model=settings.upstream_name, input=items, stream=True, extra_body=body
                )
                return cast(AsyncStream[object], stream)

            return await lenient(create, response_body(request))

        def reader(secrets: tuple[str, ...]) -> ResponsesReader:
            return ResponsesReader(settings.reasoning_tags, secrets=secrets)

        events = answer_events(settings, call, reader, request.pause)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()


def response_input(request: ModelRequest) -> list[dict[str, str]]:
    """Return the messages after the leading rules, which go into `instructions`."""
    rest = request.messages[1:] if _instructions(request) else request.messages
    return [{"role": message.role.value, "content": message.content} for message in rest]


def response_body(request: ModelRequest) -> dict[str, object]:
    """Return the parameters beside model, input and stream."""
    settings = request.settings
    body: dict[str, object] = {"store": False, **settings.extra_body}
    if _instructions(request):
        body["instructions"] = _instructions(request)
    limit = request.max_output_tokens or settings.max_output_tokens
    temperature = settings.temperature if request.temperature is None else request.temperature
    if limit is not None:
        body["max_output_tokens"] = limit
    if temperature is not None:
        body["temperature"] = temperature
    if settings.hosted_tools:
        body["tools"] = [{"type": tool.type, **tool.options} for tool in settings.hosted_tools]
        body["include"] = sorted(
            {entry for tool in settings.hosted_tools for entry in _INCLUDE.get(tool.type, ())}
        )
    return body


def _instructions(request: ModelRequest) -> str:
    first = request.messages[0] if request.messages else None
    return first.content if first is not None and first.role.is_rules else ""


class ResponsesReader:
    """Turn stream events (or one whole response object) into model events."""

    def __init__(self, tags: ReasoningTags = ReasoningTags.AUTO, *, secrets: tuple[str, ...] = ()) -> None:
        self._secrets = secrets
        self._parts: dict[tuple[int, int], Part] = {}
        self._sent: dict[tuple[int, int], list[str]] = {}
        self._mender = TextMender()
        self._think = ThinkFilter(tags)
        self._length = 0
        self._commentary: set[int] = set()
        self._sources: list[HostedSource] = []
        self._reasoned: set[tuple[int, int]] = set()
        self._refused = False
        self._final: JsonObject | None = None
        self._status = ""
        self._done = False
        self._text_done = False
        self.started = False

    @property
    def finished(self) -> bool:
        """Whether the final response object has come."""
        return self._final is not None

    def done(self) -> None:
        """Take note of a `[DONE]` line, which some services send here too."""
        self._done = True

    def feed(self, payload: JsonObject) -> Iterator[ModelEvent]:
        """Yield the events in one payload; raises ModelError for failures that the service reports."""
        kind = text_of(payload, "type")
        if kind == "error" or (not kind and payload.get("error")):
            raise from_payload(payload.get("error") or payload, secrets=self._secrets)
        if not kind and text_of(payload, "object") == "response":
            yield from self._whole(payload, text_of(payload, "status"))
        elif kind in _FINAL:
            response = object_of(payload, "response")
            said = text_of(response, "status")
            yield from self._whole(response, said if said in _UNFINISHED else _FINAL[kind])
        else:
            yield from self._event(kind, payload)

    def finish(self) -> Iterator[ModelEvent]:
        """Yield what is left, sources, usage and End; raises CutStream if no final event came."""
        yield from self.salvage()
        if self._final is None and not (self._done and self._text_done):
            raise CutStream("the stream ended without response.completed")
        usage = object_of(self._final, "usage")
        tokens_in, tokens_out = number_of(usage, "input_tokens"), number_of(usage, "output_tokens")
        if tokens_in is not None or tokens_out is not None:
            yield Usage(tokens_in or 0, tokens_out or 0)
        yield self._end()

    def salvage(self) -> Iterator[ModelEvent]:
        """Yield the text and annotations that were held back."""
        yield from self._release()
        for part in self._parts.values():
            yield from part.finish()

    def _end(self) -> End:
        raw = text_of(object_of(self._final, "incomplete_details"), "reason")
        if self._status == "incomplete":
            return End(_INCOMPLETE.get(raw, EndReason.OTHER), raw or "incomplete")
        return End(EndReason.REFUSAL if self._refused else EndReason.STOP, self._status or "done")

    def _event(self, kind: str, payload: JsonObject) -> Iterator[ModelEvent]:
        match kind:
            case "response.output_text.delta":
                yield from self._text(payload, text_of(payload, "delta"))
            case "response.refusal.delta":
                self._refused = True
                yield from self._text(payload, text_of(payload, "delta"))
            case "response.output_text.done":
                self._text_done = True
                yield from self._whole_part(payload, text_of(payload, "text"))
            case "response.refusal.done":
                self._refused = True
                yield from self._whole_part(payload, text_of(payload, "refusal"))
            case "response.reasoning_text.delta" | "response.reasoning_summary_text.delta":
                yield from self._reasoning(payload, text_of(payload, "delta"))
            case "response.reasoning_text.done" | "response.reasoning_summary_text.done":
                if _thought_key(payload) not in self._reasoned:
                    yield from self._reasoning(payload, text_of(payload, "text"))
            case "response.output_text.annotation.added":
                yield from self._annotation(payload)
            case "response.output_item.added":
                self._note_phase(payload)
            case "response.content_part.done":
                yield from self._content(payload, object_of(payload, "part"))
            case "response.output_item.done":
                yield from self._item(object_of(payload, "item"), number_of(payload, "output_index") or 0)
            case _ if "_search_call." in kind or kind == "response.content_part.added":
                self.started = True

    def _note_phase(self, payload: JsonObject) -> None:
        self.started = True
        if text_of(object_of(payload, "item"), "phase") == "commentary":
            self._commentary.add(number_of(payload, "output_index") or 0)

    def _text(self, payload: JsonObject, delta: str) -> Iterator[ModelEvent]:
        if not delta:
            return
        key = _key(payload)
        if key[0] in self._commentary:
            yield from self._reasoning(payload, delta)
            return
        if key not in self._sent:
            yield from self._between()
            # An annotation may have come before the text that it belongs to.
            self._parts.setdefault(key, Part(0)).base = self._length
        self._sent.setdefault(key, []).append(delta)
        yield from self._filtered(self._parts[key], self._think.feed(self._mender.feed(delta)))

    def _between(self) -> Iterator[ModelEvent]:
        """Separate a further text part from the one before."""
        yield from self._release()
        last = next(reversed(self._sent), None)
        said = self._parts[last].text if last is not None else ""
        if said and not said.endswith("\n"):
            self._length += 2
            yield TextDelta("\n\n")

    def _release(self) -> Iterator[ModelEvent]:
        """Yield the text that was held back."""
        last = next(reversed(self._sent), None)
        if last is not None:
            yield from self._filtered(self._parts[last], self._think.feed(self._mender.flush()))
            yield from self._filtered(self._parts[last], self._think.flush())

    def _filtered(self, part: Part, events: Iterator[ThinkEvent]) -> Iterator[ModelEvent]:
        """Yield what the tags leave of a part's text, and the thinking apart."""
        for event in events:
            if isinstance(event, TextDelta):
                if not event.text:
                    continue
                part.append(event.text)
                self._length += len(event.text)
            elif isinstance(event, TextWithdrawn):
                self._length = 0
                for known in self._parts.values():
                    known.clear()
            self.started = True
            yield event

    def _whole_part(self, payload: JsonObject, whole: str) -> Iterator[ModelEvent]:
        """Yield what the deltas of a part have left out of its whole text."""
        seen = "".join(self._sent.get(_key(payload), ()))
        if whole.startswith(seen):
            yield from self._text(payload, whole[len(seen) :])

    def _reasoning(self, payload: JsonObject, delta: str) -> Iterator[ModelEvent]:
        if not delta:
            return
        self.started = True
        key = _thought_key(payload)
        if key not in self._reasoned and self._reasoned:
            delta = "\n\n" + delta
        self._reasoned.add(key)
        yield ReasoningDelta(delta)

    def _annotation(self, payload: JsonObject) -> Iterator[ModelEvent]:
        raw = raw_annotation(object_of(payload, "annotation"))
        key = _key(payload)
        if raw is not None and key[0] not in self._commentary:
            part = self._parts.get(key) or self._parts.setdefault(key, Part(self._length))
            yield from part.annotate(raw)

    def _item(self, item: JsonObject, output_index: int) -> Iterator[ModelEvent]:
        """Take a finished output item: the sources of a search, or a message whose events were lost."""
        self.started = True
        kind = text_of(item, "type")
        if kind == "message":
            yield from self._message(item, output_index)
        elif kind in ("web_search_call", "file_search_call"):
            yield from self._found(item)

    def _found(self, item: JsonObject) -> Iterator[HostedSource]:
        """Yield the sources of a search at once: a marker in the text that follows may name one."""
        action = object_of(item, "action")
        listed = (*objects_of(action, "sources"), *objects_of(item, "results"), *objects_of(item, "sources"))
        for payload in listed:
            source = source_from(payload)
            if source not in self._sources:
                self._sources.append(source)
                yield source

    def _message(self, item: JsonObject, output_index: int) -> Iterator[ModelEvent]:
        if text_of(item, "phase") == "commentary":
            if output_index in self._commentary:
                return
            self._commentary.add(output_index)
        for content_index, content in enumerate(objects_of(item, "content")):
            yield from self._content({"output_index": output_index, "content_index": content_index}, content)

    def _content(self, place: JsonObject, content: JsonObject) -> Iterator[ModelEvent]:
        """Take a finished content part: what the events before it have left out."""
        kind = text_of(content, "type")
        if kind not in ("output_text", "refusal"):
            return
        self._refused = self._refused or kind == "refusal"
        yield from self._whole_part(place, text_of(content, "text", "refusal"))
        for annotation in objects_of(content, "annotations"):
            yield from self._annotation({**place, "annotation": annotation})

    def _whole(self, response: JsonObject, status: str) -> Iterator[ModelEvent]:
        """Take the final response object, which is the truth about everything that was lost."""
        if status == "failed":
            raise from_payload(response.get("error") or "response.failed", secrets=self._secrets)
        if status in ("cancelled", "queued", "in_progress"):
            raise Unavailable(f"the response ended as {status}")
        for output_index, item in enumerate(objects_of(response, "output")):
            yield from self._item(item, output_index)
        self._final, self._status = response, status


def _key(payload: JsonObject) -> tuple[int, int]:
    return number_of(payload, "output_index") or 0, number_of(payload, "content_index") or 0


def _thought_key(payload: JsonObject) -> tuple[int, int]:
    index = number_of(payload, "summary_index", "content_index")
    return number_of(payload, "output_index") or 0, index or 0
