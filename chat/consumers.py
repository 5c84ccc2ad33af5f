"""The chat socket: translates frames from the page into calls, and turns into frames for the page."""

import asyncio
import uuid
from urllib.parse import parse_qs

from channels.generic.websocket import AsyncWebsocketConsumer
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from chat import frames, store
from chat.admission import Admission, admit
from chat.answering import Asked
from chat.asking import Unanswerable, ask_again, ask_new
from chat.generation import Generations
from chat.live import LiveTurn
from chat.viewing import Viewer, catch_up, conversation_list, turn_added
from citeweb import metrics
from citeweb.language import language_of
from citeweb.threads import in_thread

NOT_FOUND = 4404


class ChatConsumer(AsyncWebsocketConsumer):
    """One reader's connection to one conversation."""

    async def connect(self) -> None:
        """Admit the reader, bring the page up to date and follow what is being written."""
        self._viewers: dict[uuid.UUID, asyncio.Task[None]] = {}
        self._counted = False
        self._conversation_id: uuid.UUID = self.scope["url_route"]["kwargs"]["conversation_id"]
        self._generations: Generations = self.scope["generations"]  # type: ignore[typeddict-item]  # chat.lifespan
        query = parse_qs(self.scope["query_string"].decode("latin-1"))
        self._token = query.get("token", [""])[0]
        # For this connection's task and all that it starts.
        translation.activate(language_of(self.scope))
        await self.accept()
        try:
            admission = await self._admission()
        except store.Refused:
            # After accept, so that the page can be told; a refused handshake would be retried for ever.
            await self.close(NOT_FOUND)
            return
        self._counted = True
        metrics.SOCKETS.inc()
        await self.channel_layer.group_add(self._group, self.channel_name)
        with admission.acting():
            await self._catch_up(admission, query.get("seen", [""])[0])

    async def disconnect(self, code: int) -> None:
        """Stop watching. The answers themselves go on."""
        if self._counted:
            metrics.SOCKETS.dec()
        for viewer in self._viewers.values():
            viewer.cancel()
        await asyncio.gather(*self._viewers.values(), return_exceptions=True)
        await self.channel_layer.group_discard(self._group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Carry out one frame; whatever is wrong with it, the socket lives on."""
        try:
            action = frames.parse(text_data)
            admission = await self._admission()
            with admission.acting():
                match action:
                    case frames.Ask():
                        await self._ask(admission, action)
                    case frames.Retry():
                        await self._retry(admission, action)
                    case frames.Stop():
                        await self._stop(admission, action)
        except (frames.BadFrame, Unanswerable) as exc:
            await self._send_error(str(exc))
        except store.Refused:
            await self._send_error(_("This conversation is not available to you any more."))

    async def turn_added(self, event: dict[str, str]) -> None:
        """Show a turn that was asked here or in another tab, and follow it."""
        turn_id = uuid.UUID(event["turn_id"])
        if turn_id in self._viewers:
            return
        try:
            admission = await self._admission()
        except store.Refused:
            await self.close(NOT_FOUND)
            return
        with admission.acting():
            await self.send(await in_thread(turn_added, admission, turn_id))
            await self.send(await in_thread(conversation_list, admission))
            self._follow(admission, turn_id)

    @property
    def _group(self) -> str:
        return f"conversation.{self._conversation_id}"

    async def _admission(self) -> Admission:
        return await in_thread(
            admit,
            user_id=getattr(self.scope["user"], "pk", None) or 0,
            session=self.scope["session"],
            conversation_id=self._conversation_id,
            token=self._token,
        )

    async def _catch_up(self, admission: Admission, seen: str) -> None:
        missed, running = await in_thread(catch_up, admission, seen)
        for frame in missed:
            await self.send(frame)
        for turn_id in running:
            self._follow(admission, turn_id)

    async def _ask(self, admission: Admission, action: frames.Ask) -> None:
        asked, turn_id = await in_thread(ask_new, admission, action)
        await self._begin(asked, turn_id)

    async def _retry(self, admission: Admission, action: frames.Retry) -> None:
        asked, turn_id = await in_thread(ask_again, admission, action)
        await self._begin(asked, turn_id)

    async def _begin(self, asked: Asked | None, turn_id: uuid.UUID) -> None:
        if asked is not None:
            self._generations.start(asked)
        message = {"type": "turn.added", "turn_id": str(turn_id)}
        await self.channel_layer.group_send(self._group, message)

    async def _stop(self, admission: Admission, action: frames.Stop) -> None:
        turn = await in_thread(store.turn_for, action.turn_id, user=admission.user)
        # Both: the flag reaches whichever process writes the answer, the call is faster when it is this one.
        await in_thread(store.request_stop, turn.pk)
        self._generations.stop(turn.pk)

    def _follow(self, admission: Admission, turn_id: uuid.UUID) -> None:
        viewer = Viewer(admission, turn_id, self.send)
        self._viewers[turn_id] = asyncio.create_task(self._show(viewer, self._generations.live(turn_id)))

    async def _show(self, viewer: Viewer, live: LiveTurn | None) -> None:
        try:
            await viewer.follow(live)
        except store.Refused:
            await self.close(NOT_FOUND)

    async def _send_error(self, message: str) -> None:
        await self.send(render_to_string("chat/frames/error.html", {"message": message}))
