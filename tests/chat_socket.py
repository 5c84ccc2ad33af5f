"""A reader's page without a browser: connects to the chat socket, asks, and applies the frames as htmx would."""

import asyncio
import json
import re
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import websockets
from websockets.asyncio.client import ClientConnection

from chat.admission import token_for
from citeweb.accounts.tenancy import Place
from tests.web_server import WebServer, session_cookie


class ChatPage:
    """Keeps the frames that came; `wait_for` waits until one holds something."""

    def __init__(self, socket: ClientConnection, conversation_id: uuid.UUID) -> None:
        self.conversation_id = conversation_id
        self.frames: list[str] = []
        self._socket = socket

    async def ask(self, question: str, *, model: str = "", client_id: uuid.UUID | None = None) -> None:
        fields = {"action": "ask", "question": question, "model": model}
        await self.send(json.dumps({**fields, "client_id": str(client_id or uuid.uuid4())}))

    async def stop(self, turn_id: str) -> None:
        await self.send(json.dumps({"action": "stop", "turn": turn_id}))

    async def retry(self, turn_id: str) -> None:
        await self.send(json.dumps({"action": "retry", "turn": turn_id}))

    async def send(self, text: str | bytes) -> None:
        await self._socket.send(text)

    async def wait_for(self, pattern: str, *, seconds: float = 20) -> str:
        """Return the first frame, old or new, that the pattern is found in."""
        for known in self.frames:
            if re.search(pattern, known, re.DOTALL):
                return known
        async with asyncio.timeout(seconds):
            while True:
                self.frames.append(await self._receive(pattern))
                if re.search(pattern, self.frames[-1], re.DOTALL):
                    return self.frames[-1]

    async def closed(self, *, seconds: float = 20) -> int:
        """Wait until the server closes the socket and return its code."""
        async with asyncio.timeout(seconds):
            try:
                while True:
                    self.frames.append(str(await self._socket.recv()))
            except websockets.ConnectionClosed as exc:
                return exc.rcvd.code if exc.rcvd else 0

    async def _receive(self, pattern: str) -> str:
        try:
            return str(await self._socket.recv())
        except websockets.ConnectionClosed as exc:
            raise AssertionError(f"the socket closed before a frame held {pattern!r}") from exc

    async def turn_id(self) -> str:
        """Return the id of the turn that was added."""
        frame = await self.wait_for(r'id="turn-[0-9a-f-]{36}"')
        found = re.search(r'id="turn-([0-9a-f-]{36})"', frame)
        assert found is not None
        return found[1]

    async def ended(self, state: str = "") -> str:
        """Wait for the frame with the end state and return it."""
        wanted = state or "(?:complete|stopped|cut|interrupted|failed)"
        return await self.wait_for(rf'data-state="{wanted}"')


@asynccontextmanager
async def chat_page(
    server: WebServer,
    place: Place,
    *,
    cookie: str,
    conversation_id: uuid.UUID | None = None,
    seen: str = "",
    origin: str | None = None,
) -> AsyncIterator[ChatPage]:
    """Connect as a page of this place would, to a new conversation or a given one."""
    chosen = conversation_id or uuid.uuid4()
    token = token_for(chosen, user=place.user, tenant=place.tenant)
    address = f"{server.url.replace('http', 'ws')}/ws/chat/{chosen}/?token={token}&seen={seen}"
    headers = {"Cookie": cookie} if cookie else {}
    async with websockets.connect(
        address, additional_headers=headers, origin=websockets.Origin(origin or server.url), max_size=None
    ) as socket:
        yield ChatPage(socket, chosen)


__all__ = ["ChatPage", "chat_page", "session_cookie"]
