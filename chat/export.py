"""Placeholder while chat.core.render gets its exports."""

from chat.models import Turn
from citeweb.accounts.models import User


def plain_text(turn: Turn, *, user: User, references: bool) -> str:
    return turn.text
