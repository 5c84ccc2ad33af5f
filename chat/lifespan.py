"""Gives each request the process's running answers, and ends these in order when the server stops."""

import asyncio
import logging
from typing import Any

from asgiref.typing import ASGI3Application, ASGIReceiveCallable, ASGISendCallable
from django.db import DatabaseError

from chat.generation import Generations
from chat.store import interrupt_silent_turns
from citeweb import metrics
from citeweb.threads import in_thread
from sources import page_upkeep

logger = logging.getLogger(__name__)

SAMPLE_SECONDS = 5


class Lifespan:
    """An ASGI wrapper. `scope["generations"]` is where consumers and the API find what runs here."""

    def __init__(self, application: ASGI3Application, generations: Generations) -> None:
        self._application = application
        self._generations = generations
        self._upkeep: list[asyncio.Task[None]] = []

    async def __call__(
        self, scope: dict[str, Any], receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        """Handle the server's start and stop here and pass everything else on."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        widened: Any = {**scope, "generations": self._generations}
        await self._application(widened, receive, send)

    async def _live(self, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                # What a killed process left running ends here at the latest.
                await in_thread(interrupt_silent_turns)
                self._upkeep = [
                    asyncio.create_task(_sample_regularly()),
                    asyncio.create_task(_tidy_regularly()),
                ]
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self._generations.shut_down()
                for task in self._upkeep:
                    task.cancel()
                await send({"type": "lifespan.shutdown.complete"})
                return


async def _sample_regularly() -> None:
    """Note how the connection pool stands, for whichever process is asked for the metrics."""
    while True:
        await asyncio.sleep(SAMPLE_SECONDS)
        await in_thread(metrics.sample_pool)


async def _tidy_regularly() -> None:
    """Remove from this machine what was purged by another one, first at the start."""
    while True:
        try:
            await in_thread(page_upkeep.forget_pages_of_purged)
        except (DatabaseError, OSError):
            logger.warning("The cache of page pictures was not tidied; it will be tried again", exc_info=True)
        await asyncio.sleep(page_upkeep.SECONDS_BETWEEN)
