"""Turns as frames for one viewer: HTML that htmx swaps in by id, with a sequence number."""

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace

from django.db.models import prefetch_related_objects
from django.template.loader import render_to_string

from chat import store
from chat.admission import Admission, is_still_admitted
from chat.live import LiveTurn, View
from chat.model_choice import labels_for
from chat.models import Turn, TurnState
from chat.side_bar import side_bar
from chat.turn_view import TurnView, safe_html, views_of
from citeweb.threads import in_thread

# At most one frame per this many seconds; a slow network gets fewer and fuller ones.
FRAME_SECONDS = 0.04
# How often another process's answer is looked up in the database.
LOOK_SECONDS = 0.5
# How often it is asked, while an answer streams, whether its reader may still see it.
CHECK_SECONDS = 1.0

Send = Callable[[str], Awaitable[None]]


class Viewer:
    """Follows one turn for one socket until the turn has ended."""

    def __init__(self, admission: Admission, turn_id: uuid.UUID, send: Send) -> None:
        self._admission = admission
        self._turn_id = turn_id
        self._send_text = send
        self._sequence = 0
        self._checked = time.monotonic()

    async def follow(self, live: LiveTurn | None) -> None:
        """Send frames until the end; `live` is the growing answer if this process writes it.

        Raises chat.store.Refused when the reader may not see it any more.
        """
        with self._admission.acting():
            if live is not None:
                await self._follow_live(live)
            else:
                await self._follow_stored()

    async def _follow_live(self, live: LiveTurn) -> None:
        shown, status, cursor, epoch = await self._stored(), "", 0, 0
        while True:
            view = live.view(cursor)
            if view.epoch != epoch:
                epoch, cursor = view.epoch, 0
                view = live.view(cursor)
                await self._send("turn_replaced", replace(shown, blocks=(), open_html=safe_html("")))
            if view.finished:
                await self._send("answer_finished", await self._stored(), view)
                return
            if view.status != status:
                status = view.status
                await self._send("answer_status", replace(shown, status_text=status))
            await self._check()
            if view.closed or view.open_html:
                await self._send("answer_delta", shown, view)
            cursor = view.total
            await asyncio.sleep(FRAME_SECONDS)
            await live.wait_beyond(view.version)

    async def _check(self) -> None:
        """Raise chat.store.Refused soon after the reader lost their place: a long answer must not go on for them."""
        if time.monotonic() - self._checked < CHECK_SECONDS:
            return
        self._checked = time.monotonic()
        if not await in_thread(is_still_admitted, self._admission):
            raise store.Refused

    async def _follow_stored(self) -> None:
        before = ""
        while True:
            shown = await self._stored()
            now = "".join(shown.blocks) + shown.state
            if now != before:
                await self._send("turn_replaced", shown)
            if shown.state != TurnState.RUNNING:
                return
            before = now
            await asyncio.sleep(LOOK_SECONDS)
            await in_thread(store.interrupt_silent_turns)

    async def _stored(self) -> TurnView:
        return await in_thread(stored_view, self._admission, self._turn_id)

    async def _send(self, name: str, turn: TurnView, view: View | None = None) -> None:
        self._sequence += 1
        context: dict[str, object] = {"turn": turn, "sequence": self._sequence}
        if view is not None:
            context["closed"] = [safe_html(block) for block in view.closed]
            context["open_html"] = safe_html(view.open_html)
        await self._send_text(render_to_string(f"chat/frames/{name}.html", context))


def stored_view(admission: Admission, turn_id: uuid.UUID) -> TurnView:
    """Return a turn as it is stored now. Raises chat.store.Refused."""
    turn = store.turn_for(turn_id, user=admission.user)
    # Read once: a citation that comes meanwhile would be shown without having been looked up.
    prefetch_related_objects([turn], "citations")
    return _views([turn], admission)[0]


def turn_added(admission: Admission, turn_id: uuid.UUID) -> str:
    """Return the frame that appends a turn to the page."""
    return render_to_string(
        "chat/frames/turn_added.html", {"turn": stored_view(admission, turn_id), "sequence": 0}
    )


def conversation_list(admission: Admission) -> str:
    """Return the frame that replaces the side bar's list."""
    listed = side_bar(user=admission.user, tenant=admission.tenant, current=admission.conversation_id)
    return render_to_string("chat/frames/conversation_list.html", {"conversations": listed, "sequence": 0})


def catch_up(admission: Admission, seen: str) -> tuple[list[str], list[uuid.UUID]]:
    """Return the frames that a page lacks which shows `seen`, and the turns that still run.

    The whole state, not what was missed: nobody has to know where a dropped socket stood.
    """
    store.interrupt_silent_turns()
    turns = store.turns_in(admission.conversation_id, user=admission.user)
    running = [turn.pk for turn in turns if turn.state == TurnState.RUNNING]
    if store.mark_of(turns) == seen:
        return [], running
    views = _views(turns, admission)
    frames: list[str] = [
        render_to_string("chat/frames/turn_replaced.html", {"turn": view, "sequence": 0}) for view in views
    ]
    return frames, running


def _views(turns: list[Turn], admission: Admission) -> list[TurnView]:
    labels = labels_for(admission.tenant)
    return views_of(turns, user=admission.user, tenant=admission.tenant, labels=labels)
