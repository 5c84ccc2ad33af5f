"""Saves the answers that a process writes while they grow, all of one tenant in one statement."""

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextvars import Context
from itertools import groupby
from typing import Protocol

from django.db import DatabaseError

from chat.announcing import announce
from chat.store import Progress, save_progress
from citeweb.accounts.api_keys import alive
from citeweb.accounts.row_security import acting_for
from citeweb.threads import in_thread

logger = logging.getLogger(__name__)

SAVE_SECONDS = 0.5


class Writing(Protocol):
    """An answer that is being written."""

    @property
    def tenant_id(self) -> uuid.UUID:
        """The tenant that it belongs to."""
        ...

    @property
    def key_id(self) -> int | None:
        """The key of the program that asked, None for a person."""
        ...

    @property
    def progress(self) -> Progress | None:
        """What has come so far; None when its end is being stored."""
        ...

    def stop_writing(self) -> None:
        """End it: somebody asked for that, or took its turn away."""
        ...


class Saving:
    """Saves every half second, as long as there is anything to save."""

    def __init__(self, running: Callable[[], Iterable[Writing]]) -> None:
        self._running = running
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Begin, unless it is going on already."""
        if self._task is None or self._task.done():
            # Not in the scope of whoever asked first.
            self._task = asyncio.create_task(self._save_regularly(), name="saving", context=Context())

    async def _save_regularly(self) -> None:
        while True:
            await asyncio.sleep(SAVE_SECONDS)
            running = sorted(self._running(), key=lambda one: one.tenant_id)
            if not running:
                return
            for tenant_id, answers in groupby(running, key=lambda one: one.tenant_id):
                await self._save(tenant_id, list(answers))

    async def _save(self, tenant_id: uuid.UUID, answers: list[Writing]) -> None:
        growing = [(progress, one) for one in answers if (progress := one.progress)]
        if not growing:
            return
        try:
            with acting_for(tenant=tenant_id):
                going_on = await in_thread(_saved, growing)
        except DatabaseError:
            # The answers live on in memory; the next save or the end brings all of them.
            logger.warning("%s turns could not be saved yet", len(growing))
            return
        for progress, answer in growing:
            await announce(progress.turn_id)
            if progress.turn_id not in going_on:
                answer.stop_writing()


def _saved(growing: Sequence[tuple[Progress, Writing]]) -> set[uuid.UUID]:
    """Save, and return the turns that should go on: nobody stopped them, and their programs' keys are still good."""
    going_on = save_progress([progress for progress, _ in growing])
    keys = {answer.key_id for _, answer in growing if answer.key_id is not None}
    good = alive(keys) if keys else set()
    worthless = {progress.turn_id for progress, answer in growing if answer.key_id in keys - good}
    return going_on - worthless
