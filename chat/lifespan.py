"""Gives each request the process's running answers, and ends these in order when the server stops."""

from typing import Any

from asgiref.typing import ASGI3Application, ASGIReceiveCallable, ASGISendCallable

from chat.generation import Generations
from chat.store import interrupt_silent_turns
from citeweb.threads import in_thread


class Lifespan:
    """An ASGI wrapper. `scope["generations"]` is where consumers and the API find what runs here."""

    def __init__(self, application: ASGI3Application, generations: Generations) -> None:
        self._application = application
        self._generations = generations

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
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self._generations.shut_down()
                await send({"type": "lifespan.shutdown.complete"})
                return
