"""Runs answers in tasks of their own, so that a closed tab stops nothing and a stop stops everything."""

import asyncio
import logging
import time
import uuid
from contextlib import aclosing
from enum import StrEnum
from typing import Protocol

from django.db import DatabaseError
from django.utils.translation import gettext as _

from chat import store
from chat.announcing import announce
from chat.answering import AnswerEvent, Asked, answer
from chat.live import LiveTurn
from chat.models import TurnState
from chat.providers.base import Pause, no_pause
from chat.providers.errors import ModelError
from chat.saving import Saving
from chat.transcript import Transcript
from citeweb import metrics
from citeweb.accounts.row_security import acting_for
from citeweb.logs import bound
from citeweb.threads import in_thread

logger = logging.getLogger(__name__)

# A database that is restarting must not cost a finished answer.
FINISH_TRIES, FINISH_WAIT = 30, 1.0
SHUT_DOWN_SECONDS = 6.0
# Up to so many answers at once each piece of text is passed on as it comes; the more there are, the longer text may
# gather: at most as long as a page's frames, in seconds.
UNHURRIED, LONGEST_PAUSE = 10, 0.04


class _Why(StrEnum):
    STOPPED = "stopped"
    SHUT_DOWN = "shut down"


class Hearing(Protocol):
    """Somebody who wants each event of an answer at once, after it was taken down."""

    def __call__(self, event: AnswerEvent, transcript: Transcript) -> None:
        """Take in one event, quickly and without raising: the answer waits for it."""
        ...


class Generation:
    """One answer that is being written by this process. When it has ended, `outcome` says how.

    `failure` is the model's error, if that is why.
    """

    def __init__(self, asked: Asked, *, hear: Hearing | None = None) -> None:
        self.asked = asked
        self.outcome: store.Outcome | None = None
        self.failure: ModelError | None = None
        self.pause: Pause = no_pause
        self._hear = hear
        self.live = LiveTurn(asked.turn_id)
        self.transcript = Transcript(asked, self.live)
        self._why: _Why | None = None
        self._begin = time.monotonic()
        self._writing: asyncio.Task[None] | None = None

    def stop(self, why: _Why) -> None:
        """End the writing; what has come is kept."""
        if self._why is not None:
            # A second cancel would interrupt the orderly closing of the first.
            return
        self._why = why
        if self._writing is not None:
            self._writing.cancel()

    async def run(self) -> None:
        """Write the answer to its end, whatever that is, and store it."""
        with (
            acting_for(tenant=self.asked.tenant, user=self.asked.user),
            bound(turn_id=str(self.asked.turn_id), **self._request()),
            metrics.WRITING.track_inprogress(),
        ):
            self._writing = asyncio.create_task(self._write())
            if self._why:
                self._writing.cancel()
            outcome = await self._outcome(self._writing)
            await self._finish(outcome)

    @property
    def tenant_id(self) -> uuid.UUID:
        """The tenant that the answer belongs to."""
        return self.asked.tenant.pk

    @property
    def key_id(self) -> int | None:
        """The key of the program that asked."""
        return self.asked.key_id

    @property
    def progress(self) -> store.Progress | None:
        """What has come so far; None before the writing and after it."""
        if self._writing is None or self._writing.done():
            return None
        said = self.transcript
        return store.Progress(self.asked.turn_id, said.raw, said.text, said.inputs)

    def stop_writing(self) -> None:
        """End the writing because somebody asked for that elsewhere, or took the turn away."""
        if self._writing is not None and not self._writing.done():
            self.stop(_Why.STOPPED)

    def _request(self) -> dict[str, str]:
        return {"request_id": self.asked.request_id} if self.asked.request_id else {}

    async def _write(self) -> None:
        async with aclosing(answer(self.asked, self.pause)) as events:
            async for event in events:
                await self.transcript.take(event)
                if self._hear is not None:
                    self._hear(event, self.transcript)

    async def _outcome(self, writing: "asyncio.Task[None]") -> store.Outcome:
        try:
            await writing
        except asyncio.CancelledError:
            stopped = self._why == _Why.STOPPED
            return self.transcript.outcome(TurnState.STOPPED if stopped else TurnState.INTERRUPTED)
        except ModelError as exc:
            self.failure = exc
            return self.transcript.outcome(TurnState.FAILED, error=_(exc.public), detail=exc.detail)
        except Exception as exc:
            logger.exception("turn %s failed", self.asked.turn_id)
            return self.transcript.outcome(
                TurnState.FAILED,
                error=_("Something went wrong here. Your question is kept."),
                detail=repr(exc),
            )
        return self.transcript.end()

    async def _finish(self, outcome: store.Outcome) -> None:
        await self.transcript.noted()
        outcome.timings["total"] = round(time.monotonic() - self._begin, 4)
        for attempt in range(FINISH_TRIES):
            try:
                await in_thread(store.finish_turn, self.asked.turn_id, outcome)
                break
            except DatabaseError:
                logger.warning("turn %s: end not stored, try %s", self.asked.turn_id, attempt + 1)
                await asyncio.sleep(FINISH_WAIT)
        self.outcome = outcome
        self._tell(outcome)
        self.live.finish()
        await announce(self.asked.turn_id)

    def _tell(self, outcome: store.Outcome) -> None:
        """Count the end, and say it in the log without a word of what was asked or answered."""
        model = self.asked.model.name
        reasons = [str(rejection["reason"]) for rejection in outcome.rejections]
        metrics.observe_turn(
            model=model,
            state=str(outcome.state),
            timings=outcome.timings,
            usage=outcome.usage,
            reasons=reasons,
        )
        for row in self.transcript.citations:
            metrics.CITATIONS.labels(row.verdict or "unchecked", model).inc()
        if self.failure is not None:
            metrics.UPSTREAM_ERRORS.labels(type(self.failure).__name__, model).inc()
        logger.info(
            "turn ended",
            extra={
                "state": str(outcome.state),
                "model": model,
                "seconds": outcome.timings.get("total"),
                "citations": len(self.transcript.citations),
                "rejected": len(reasons),
            },
        )


class Generations:
    """The answers that this process is writing."""

    def __init__(self) -> None:
        self._running: dict[uuid.UUID, tuple[Generation, asyncio.Task[None]]] = {}
        self._saving = Saving(lambda: [generation for generation, _task in self._running.values()])

    def start(self, asked: Asked) -> LiveTurn:
        """Begin an answer in a task of its own."""
        generation = Generation(asked)
        self.begin(generation)
        return generation.live

    def begin(self, generation: Generation) -> "asyncio.Task[None]":
        """Run a generation in a task of its own and return that."""
        turn_id = generation.asked.turn_id
        generation.pause = self._pause
        task = asyncio.create_task(generation.run(), name=f"turn {turn_id}")
        self._running[turn_id] = (generation, task)
        self._saving.wake()
        task.add_done_callback(lambda _task: self._running.pop(turn_id, None))
        return task

    def _pause(self) -> float:
        """Let words gather when many answers are written at once: fewer, longer pieces, and time for all of them."""
        running = len(self._running)
        return 0.0 if running <= UNHURRIED else min(LONGEST_PAUSE, running / 1000)

    def live(self, turn_id: uuid.UUID) -> LiveTurn | None:
        """Return the growing answer if this process writes it."""
        found = self._running.get(turn_id)
        return found[0].live if found else None

    def stop(self, turn_id: uuid.UUID) -> bool:
        """Stop an answer at once; False if another process writes it."""
        found = self._running.get(turn_id)
        if found:
            found[0].stop(_Why.STOPPED)
        return found is not None

    async def shut_down(self) -> None:
        """End all answers as interrupted, storing what they have, within a bounded time."""
        for generation, _task in self._running.values():
            generation.stop(_Why.SHUT_DOWN)
        tasks = [task for _generation, task in self._running.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=SHUT_DOWN_SECONDS)
