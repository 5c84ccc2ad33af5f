"""Chat Completions, and the many ways in which services deviate from it (WIRE.md section 2)."""

from collections.abc import AsyncGenerator, Iterator
from typing import cast

from openai import AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletionMessageParam

from chat.core.hosted import Annotation
from chat.providers.annotations import Part, raw_annotation
from chat.providers.base import (
    End,
    EndReason,
    Message,
    ModelEvent,
    ModelRequest,
    ModelSettings,
    ReasoningDelta,
    ReasoningTags,
    TextDelta,
    TextWithdrawn,
    Usage,
)
from chat.providers.errors import CutStream, from_payload
from chat.providers.fields import JsonObject, items_of, number_of, object_of, objects_of, text_of
from chat.providers.listed_sources import claude_annotations, numbered_annotations, numbered_sources
from chat.providers.mending import TextMender
from chat.providers.thinking import ThinkFilter
from chat.providers.upstream import answer_events, lenient

_ENDS = {
    "stop": EndReason.STOP,
    "eos": EndReason.STOP,
    "eos_token": EndReason.STOP,
    "end_turn": EndReason.STOP,
    "stop_sequence": EndReason.STOP,
    "length": EndReason.LENGTH,
    "max_tokens": EndReason.LENGTH,
    "model_length": EndReason.LENGTH,
    "content_filter": EndReason.CONTENT_FILTER,
    "safety": EndReason.CONTENT_FILTER,
    "refusal": EndReason.REFUSAL,
}


class ChatClient:
    """A model behind /chat/completions."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the events of one answer; see `ModelClient`."""
        settings = request.settings
        messages = cast(list[ChatCompletionMessageParam], chat_messages(settings, request.messages))

        async def call(client: AsyncOpenAI) -> AsyncStream[object]:
            async def create(body: dict[str, object]) -> AsyncStream[object]:
                stream = await client.chat.completions.create(
                    model=settings.upstream_name, messages=messages, stream=True, extra_body=body
                )
                return cast(AsyncStream[object], stream)

            return await lenient(create, chat_body(request))

        def reader(secrets: tuple[str, ...]) -> ChatReader:
            own_numbers = settings.numbered_sources or not request.passages
            return ChatReader(settings.reasoning_tags, own_numbers=own_numbers, secrets=secrets)

        events = answer_events(settings, call, reader, request.pause)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()


def chat_messages(settings: ModelSettings, messages: tuple[Message, ...]) -> list[dict[str, str]]:
    """Return the messages as this service wants them: its role for the rules, merged if it insists."""
    made: list[dict[str, str]] = []
    for message in messages:
        role = settings.rules_role if message.role.is_rules else message.role
        if settings.merge_roles and made and made[-1]["role"] == role:
            made[-1]["content"] += "\n\n" + message.content
        else:
            made.append({"role": role.value, "content": message.content})
    return made


def chat_body(request: ModelRequest) -> dict[str, object]:
    """Return the parameters beside model, messages and stream."""
    settings = request.settings
    body: dict[str, object] = {"stream_options": {"include_usage": True}, **settings.extra_body}
    limit = request.max_output_tokens or settings.max_output_tokens
    temperature = settings.temperature if request.temperature is None else request.temperature
    if limit is not None:
        body[settings.token_limit_field] = limit
    if temperature is not None:
        body["temperature"] = temperature
    for tool in settings.hosted_tools:
        if tool.type == "web_search":
            body["web_search_options"] = dict(tool.options)
    return body


# What a chunk may have besides its text without meaning anything.
_PLAIN_CHUNK = frozenset(
    (
        "id",
        "object",
        "created",
        "model",
        "choices",
        "usage",
        "system_fingerprint",
        "service_tier",
        "obfuscation",
    )
)
_PLAIN_CHOICE = frozenset(("index", "delta", "finish_reason", "logprobs"))
_PLAIN_DELTA = frozenset(("content", "role"))


def _only_text(payload: JsonObject) -> str | None:
    """Return the text of a chunk that says nothing else, as almost all of an answer do; None for any other."""
    choices = payload.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or payload.get("usage"):
        return None
    choice = choices[0]
    if not isinstance(choice, dict) or choice.get("finish_reason") or choice.get("index"):
        return None
    delta = choice.get("delta")
    if not isinstance(delta, dict) or not isinstance(text := delta.get("content"), str):
        return None
    known = payload.keys() <= _PLAIN_CHUNK and choice.keys() <= _PLAIN_CHOICE and delta.keys() <= _PLAIN_DELTA
    return text if known and payload.get("object") != "error" else None


class ChatReader:
    """Turn chunks (or one whole completion) into events."""

    def __init__(
        self,
        tags: ReasoningTags = ReasoningTags.AUTO,
        *,
        own_numbers: bool = True,
        secrets: tuple[str, ...] = (),
    ) -> None:
        self._think = ThinkFilter(tags)
        self._mend = TextMender()
        self._own_numbers = own_numbers
        self._secrets = secrets
        self._part = Part(0)
        self._content = ""
        self._annotated = False
        self._citations: object = None
        self._results: object = None
        self._usage: Usage | None = None
        self._finish = ""
        self._done = False
        self._refused = False
        self._withdrawn = False
        self.started = False

    @property
    def finished(self) -> bool:
        """Whether a finish reason has come."""
        return bool(self._finish) or self._done

    def done(self) -> None:
        """Take note of the `[DONE]` line."""
        self._done = True

    def feed(self, payload: JsonObject) -> Iterator[ModelEvent]:
        """Yield the events of one chunk; raises ModelError for an error inside the stream."""
        text = _only_text(payload)
        if text is not None:
            yield from self._contents(text)
            return
        self._raise_error(payload)
        self._note_extras(payload)
        for choice in objects_of(payload, "choices"):
            if not number_of(choice, "index"):  # further choices of n > 1 are not ours
                yield from self._choice(choice)

    def finish(self) -> Iterator[ModelEvent]:
        """Yield what is left, the annotations, usage and End; raises CutStream without a finish."""
        yield from self.salvage()
        if not self.finished:
            raise CutStream("the stream ended without a finish_reason")
        if self._usage is not None:
            yield self._usage
        reason = _ENDS.get(self._finish.lower(), EndReason.OTHER) if self._finish else EndReason.STOP
        refused = self._refused and reason is EndReason.STOP
        yield End(EndReason.REFUSAL if refused else reason, self._finish)

    def salvage(self) -> Iterator[ModelEvent]:
        """Yield the text, sources and annotations that were held back."""
        yield from self._texts(self._think.feed(self._mend.flush()))
        yield from self._texts(self._think.flush())
        sources = numbered_sources(self._citations, self._results)
        yield from sources
        yield from self._part.finish()
        if not self._annotated:
            yield from numbered_annotations(self._part.text, sources, own_numbers=self._own_numbers)

    def _raise_error(self, payload: JsonObject) -> None:
        error = payload.get("error")
        for choice in objects_of(payload, "choices"):
            failed = text_of(choice, "finish_reason") == "error"
            error = error or choice.get("error") or ("finish_reason error" if failed else None)
        if not error and text_of(payload, "type", "object") == "error":
            error = payload
        if error:
            raise from_payload(error, secrets=self._secrets)

    def _note_extras(self, payload: JsonObject) -> None:
        usage = object_of(payload, "usage")
        tokens_in, tokens_out = number_of(usage, "prompt_tokens"), number_of(usage, "completion_tokens")
        if tokens_in is not None or tokens_out is not None:
            self._usage = Usage(tokens_in or 0, tokens_out or 0)
        self._citations = payload.get("citations") or self._citations
        self._results = payload.get("search_results") or self._results

    def _choice(self, choice: JsonObject) -> Iterator[ModelEvent]:
        delta, message = object_of(choice, "delta"), object_of(choice, "message")
        yield from self._reasoning(delta or message)
        yield from self._contents(delta.get("content"))
        yield from self._contents(self._unseen(message))
        yield from self._refusal(
            text_of(delta, "refusal") or ("" if self._refused else text_of(message, "refusal"))
        )
        for source in (delta, message, choice):
            yield from self._annotations(source)
            yield from self._claude_citations(source)
        for source in (delta, message, object_of(delta, "context"), object_of(message, "context")):
            self._citations = source.get("citations") or self._citations
        self._finish = self._finish or text_of(choice, "finish_reason")

    def _unseen(self, message: JsonObject) -> object:
        """Return the content of a whole message as far as it was not streamed before."""
        content = message.get("content")
        if isinstance(content, str) and self._content:
            return content[len(self._content) :] if content.startswith(self._content) else None
        return None if self._content else content

    def _reasoning(self, delta: JsonObject) -> Iterator[ModelEvent]:
        text = text_of(delta, "reasoning_content", "reasoning")
        if not text:
            text = "".join(
                text_of(item, "text", "summary") for item in objects_of(delta, "reasoning_details")
            )
        if text:
            self.started = True
            yield ReasoningDelta(self._mend_whole(text))

    def _contents(self, content: object) -> Iterator[ModelEvent]:
        """Yield the events of content that is a string or a list of parts."""
        if isinstance(content, str):
            self._content += content
            yield from self._texts(self._think.feed(self._mend.feed(content)))
            return
        for part in items_of({"content": content}, "content"):
            if isinstance(part, str):
                yield from self._contents(part)
            elif text_of(part, "type") in ("thinking", "reasoning"):
                yield from self._thoughts(part)
            else:
                yield from self._contents(text_of(part, "text"))
                yield from self._annotations(cast(JsonObject, part) if isinstance(part, dict) else {})

    def _thoughts(self, part: object) -> Iterator[ModelEvent]:
        texts = [text_of(item, "text") for item in items_of(part, "thinking")]
        thought = "".join(texts) or text_of(part, "thinking", "text", "reasoning")
        if thought:
            self.started = True
            yield ReasoningDelta(self._mend_whole(thought))

    def _refusal(self, text: str) -> Iterator[ModelEvent]:
        if text:
            self._refused = True
            yield from self._texts(iter((TextDelta(self._mend.feed(text)),)))

    def _texts(self, events: Iterator[TextDelta | ReasoningDelta | TextWithdrawn]) -> Iterator[ModelEvent]:
        for event in events:
            if isinstance(event, TextDelta):
                if not event.text:
                    continue
                self._part.append(event.text)
            elif isinstance(event, TextWithdrawn):
                self._part = Part(0)
            self.started = True
            yield event

    def _annotations(self, source: JsonObject) -> Iterator[Annotation]:
        for payload in objects_of(source, "annotations"):
            raw = raw_annotation(payload)
            if raw is not None:
                self._annotated = True
                yield from self._part.annotate(raw)

    def _claude_citations(self, source: JsonObject) -> Iterator[Annotation]:
        """Take what LiteLLM passes on of Anthropic: one by one on deltas, or all on the message."""
        extras = object_of(source, "provider_specific_fields")
        if not extras:
            return
        streamed = claude_annotations(extras.get("citation"), len(self._part.text))
        whole = claude_annotations(extras.get("citations"), None)
        for raw in (*streamed, *(() if self._annotated else whole)):
            self._annotated = True
            yield from self._part.annotate(raw)

    def _mend_whole(self, text: str) -> str:
        mender = TextMender()
        return mender.feed(text) + mender.flush()
