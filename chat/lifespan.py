"""Gives each request the process's running answers, and ends these in order when the server stops."""

import asyncio
from typing import Any

from asgiref.typing import ASGI3Application, ASGIReceiveCallable, ASGISendCallable

from chat.generation import Generations
from chat.store import interrupt_silent_turns
from citeweb import metrics
from citeweb.threads import in_thread

SAMPLE_SECONDS = 5


class Lifespan:
    """An ASGI wrapper. `scope["generations"]` is where consumers and the API find what runs here."""

    def __init__(self, application: ASGI3Application, generations: Generations) -> None:
        self._application = application
        self._generations = generations
        self._sampling: asyncio.Task[None] | None = None

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
                self._sampling = asyncio.create_task(_sample_regularly())
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self._generations.shut_down()
                if self._sampling is not None:
                    self._sampling.cancel()
                await send({"type": "lifespan.shutdown.complete"})
                return


async def _sample_regularly() -> None:
    """Note how the connection pool stands, for whichever process is asked for the metrics."""
    while True:
        await asyncio.sleep(SAMPLE_SECONDS)
        await in_thread(metrics.sample_pool)
