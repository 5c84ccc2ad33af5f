"""Telling other processes that a turn has changed."""

import uuid
from contextlib import suppress

from channels.layers import get_channel_layer


def group_of(turn_id: uuid.UUID) -> str:
    """Return the channel-layer group that hears of a turn's changes."""
    return f"turn.{turn_id}"


async def announce(turn_id: uuid.UUID) -> None:
    """Tell viewers in other processes to look at the stored state; they also look by themselves."""
    layer = get_channel_layer()
    assert layer is not None
    # A lost message costs half a second, not the answer.
    with suppress(OSError):
        await layer.group_send(group_of(turn_id), {"type": "turn.changed", "turn_id": str(turn_id)})
