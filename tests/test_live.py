"""The growing answer as its viewers see it."""

import asyncio
import uuid

from chat.core.render import Chip
from chat.live import LiveTurn, View


def live() -> LiveTurn:
    return LiveTurn(uuid.uuid4())


def html(view: View) -> str:
    return "".join(view.closed) + view.open_html


def test_a_viewer_gets_closed_blocks_once() -> None:
    turn = live()
    turn.append("One.\n\nTwo.\n\nThr")
    first = turn.view(0)
    turn.append("ee.\n\nFour")
    second = turn.view(first.total)
    assert "One" in html(first)
    assert "One" not in html(second)
    assert "Four" in html(second)


def test_a_late_viewer_gets_everything_in_one_view() -> None:
    turn = live()
    turn.append("One.\n\nTwo.\n\nThree.\n\nFour")
    turn.view(0)
    assert all(word in html(turn.view(0)) for word in ("One", "Two", "Three", "Four"))


def test_a_chip_is_in_the_next_view() -> None:
    turn = live()
    turn.append("One.")
    turn.view(0)
    turn.place(Chip(4, 1, "id", "Source 1", "/cite/id/"))
    assert 'class="chip"' in html(turn.view(0))


def test_withdrawn_text_begins_a_new_epoch() -> None:
    turn = live()
    turn.append("Let me think.\n\nAbout it.\n\nStill")
    before = turn.view(0)
    turn.withdraw()
    turn.append("The answer.")
    after = turn.view(0)
    assert after.epoch == before.epoch + 1
    assert "think" not in html(after)


def test_the_end_closes_all_blocks() -> None:
    turn = live()
    turn.append("One.\n\nTwo")
    turn.finish()
    view = turn.view(0)
    assert view.finished
    assert (view.total, view.open_html) == (2, "")


async def test_every_viewer_is_woken_by_every_change() -> None:
    turn = live()
    waiting = [asyncio.create_task(turn.wait_beyond(turn.view(0).version)) for _ in range(3)]
    await asyncio.sleep(0)
    turn.append("One.")
    async with asyncio.timeout(1):
        await asyncio.gather(*waiting)


async def test_a_viewer_that_is_behind_need_not_wait() -> None:
    turn = live()
    seen = turn.view(0).version
    turn.append("One.")
    async with asyncio.timeout(1):
        await turn.wait_beyond(seen)
