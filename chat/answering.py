"""The flow of one answer: retrieve, prompt, generate, read. One async generator, used by every way of asking."""

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

from django.conf import settings

from chat.core.citations import Source
from chat.core.followup import asks_by_itself, search_query
from chat.core.prompt import HistoryTurn, Prompt, build_messages
from chat.hosting import Hosting
from chat.likeness import claim_likeness, question_likeness
from chat.providers.base import (
    Annotation,
    Api,
    HostedSource,
    ModelRequest,
    ModelSettings,
    Pause,
    TextDelta,
    no_pause,
)
from chat.providers.errors import ModelError
from chat.providers.registry import client_for
from chat.reading import Cited, ReadEvent, Reading, Settled
from chat.rules import rules_for
from citeweb.accounts.models import Tenant, User
from citeweb.threads import in_thread
from sources.core.passages import Passage
from sources.retrieval import recall, retrieve


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of one person in one tenant, to one model, after earlier turns.

    `cited_before` are the blocks that the turns before cited, the newest first. A program may add `instructions`
    to the rules, limit the search to `collections` (None: all that the user may read) and to `most_passages`.
    `key_id` is the key that it showed: once that is worthless, the answer is stopped.
    """

    turn_id: uuid.UUID
    user: User
    tenant: Tenant
    question: str
    model: ModelSettings
    history: tuple[HistoryTurn, ...] = ()
    cited_before: tuple[str, ...] = ()
    instructions: str = ""
    collections: tuple[uuid.UUID, ...] | None = None
    most_passages: int | None = None
    request_id: str = ""
    key_id: int | None = None


@dataclass(frozen=True, slots=True)
class Offered:
    """What was searched for, what the model is about to see, and how its answer is read (see Reading)."""

    query: str
    prompt: Prompt
    withdrawn: tuple[str, ...]
    numbered: bool


@dataclass(frozen=True, slots=True)
class Timing:
    """The seconds that a step took."""

    step: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Heard:
    """What a provider's own tool found, and what the asker may see of it."""

    event: Annotation | HostedSource
    source: Source | None


AnswerEvent = Offered | Timing | Heard | ReadEvent


async def answer(asked: Asked, pause: Pause = no_pause) -> AsyncGenerator[AnswerEvent]:
    """Yield the events of one answer; close or cancel it to close the model's connection at once.

    `pause` says how many seconds the model's words may gather, asked before each reading of them.
    Raises chat.providers.errors.ModelError. What was yielded before stays valid.
    """
    begin = time.monotonic()
    query = search_query(asked.question, asked.history)
    passages = await in_thread(_passages, asked, query)
    yield Timing("retrieval", time.monotonic() - begin)
    prompt = _prompt(asked, passages)
    known = {passage.block_id for passage in passages}
    withdrawn = tuple(block_id for block_id in asked.cited_before if block_id not in known)
    numbered = not asked.model.numbered_sources
    yield Offered(query, prompt, withdrawn, numbered)
    reading = Reading(
        turn_id=asked.turn_id,
        question=asked.question,
        offered=prompt.offered,
        withdrawn=withdrawn,
        numbered=numbered,
    )
    try:
        async for event in _generate(asked, _request(asked, query, prompt, pause), reading):
            yield event
    except (ModelError, asyncio.CancelledError):
        # The words that the parser still holds back were said too.
        for event in reading.finish():
            yield event
        raise


def _passages(asked: Asked, query: str) -> list[Passage]:
    """Return what is offered: what was found, and behind it what earlier turns cited and the asker may still see.

    The quoting model gets only what was found: it quotes whatever fits, and repeats nothing.
    """
    user, tenant = asked.user, asked.tenant
    within = asked.collections
    limit = min(asked.most_passages or settings.OFFERED_PASSAGES, settings.OFFERED_PASSAGES)
    found = retrieve(user=user, tenant=tenant, query=query, limit=limit, collections=within)
    if asked.model.api is Api.QUOTE:
        return found
    known = {passage.block_id for passage in found}
    before = [block_id for block_id in asked.cited_before if block_id not in known]
    return found + recall(user=user, tenant=tenant, block_ids=before, collections=within)


async def _generate(
    asked: Asked, request: ModelRequest, reading: Reading
) -> AsyncGenerator[Timing | Heard | ReadEvent]:
    begin, waiting = time.monotonic(), True
    client = client_for(asked.model, similarity=question_likeness)
    hosting = Hosting(user=asked.user, tenant=asked.tenant)
    async with aclosing(client.stream(request)) as events:
        async for event in events:
            if waiting and isinstance(event, TextDelta):
                waiting = False
                yield Timing("first_text", time.monotonic() - begin)
            if isinstance(event, Annotation | HostedSource):
                source = await hosting.source_of(event)
                reading.take_hosted(event, source)
                yield Heard(event, source)
            for read in reading.take(event):
                yield await _compared(read)
    yield Timing("generation", time.monotonic() - begin)


async def _compared(event: ReadEvent) -> ReadEvent:
    """Let vectors compare a claim with a passage of another language; that takes too long for the event loop."""
    if isinstance(event, Settled):
        return replace(event, cited=tuple([await _compared_one(cited) for cited in event.cited]))
    return await _compared_one(event) if isinstance(event, Cited) else event


async def _compared_one(cited: Cited) -> Cited:
    if not cited.incomparable:
        return cited
    return cited.compared(await in_thread(claim_likeness, cited.claim, cited.citation.quote))


def _prompt(asked: Asked, passages: list[Passage]) -> Prompt:
    model = asked.model
    return build_messages(
        question=asked.question,
        history=asked.history,
        passages=passages,
        rules=rules_for(model, asked.tenant, asked.instructions),
        budget_tokens=model.prompt_tokens,
        blocks_role=model.blocks_role,
        line_numbers=model.line_numbers,
        token_weights=model.token_weights,
    )


def _request(asked: Asked, query: str, prompt: Prompt, pause: Pause) -> ModelRequest:
    return ModelRequest(
        settings=asked.model,
        # The quoting model has no memory: to a mere "yes" it can only answer what was offered before.
        question=asked.question if asks_by_itself(asked.question) else query,
        history=asked.history,
        passages=prompt.offered,
        messages=prompt.messages,
        pause=pause,
    )
