"""What a browser may send over the socket: the fields of the htmx forms, as JSON."""

import json
import uuid
from dataclasses import dataclass

from django.utils.translation import gettext as _

QUESTION_CHARACTERS = 8_000


class BadFrame(Exception):
    """A frame that can't be read; the message is a sentence for the reader."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question; `client_id` makes a resent one the same one."""

    question: str
    client_id: uuid.UUID
    model: str


@dataclass(frozen=True, slots=True)
class Stop:
    """End the answer that is being written."""

    turn_id: uuid.UUID


@dataclass(frozen=True, slots=True)
class Retry:
    """Ask the question of an ended turn again."""

    turn_id: uuid.UUID
    client_id: uuid.UUID


def parse(text: str | None) -> Ask | Stop | Retry:
    """Return the action of a frame. Raises BadFrame."""
    fields = _fields(text)
    match fields.get("action"):
        case "ask":
            return Ask(_question(fields), _uuid(fields, "client_id"), _text(fields, "model"))
        case "stop":
            return Stop(_uuid(fields, "turn"))
        case "retry":
            # The turn's id makes a doubled click one retry where the page sends no id of its own.
            turn = _uuid(fields, "turn")
            return Retry(turn, _uuid(fields, "client_id") if fields.get("client_id") else _retry_id(turn))
    raise BadFrame(_("The page sent something that the server does not know."))


def _retry_id(turn_id: uuid.UUID) -> uuid.UUID:
    return uuid.uuid5(turn_id, "retry")


def _fields(text: str | None) -> dict[str, object]:
    try:
        fields = json.loads(text or "")
    except (json.JSONDecodeError, RecursionError) as exc:
        raise BadFrame(_("The page sent something that the server can't read.")) from exc
    if not isinstance(fields, dict):
        raise BadFrame(_("The page sent something that the server can't read."))
    return fields


def _text(fields: dict[str, object], name: str) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise BadFrame(_("The page sent something that the server can't read."))
    return value


def _question(fields: dict[str, object]) -> str:
    # PostgreSQL keeps no NUL, and UTF-8 no lone surrogate.
    question = _text(fields, "question").replace("\0", "").encode(errors="ignore").decode().strip()
    if not question:
        raise BadFrame(_("Please write a question first."))
    if len(question) > QUESTION_CHARACTERS:
        raise BadFrame(
            _("This question is too long; %(limit)s characters are the most.")
            % {"limit": QUESTION_CHARACTERS}
        )
    return question


def _uuid(fields: dict[str, object], name: str) -> uuid.UUID:
    try:
        return uuid.UUID(_text(fields, name))
    except ValueError as exc:
        raise BadFrame(_("The page sent something that the server can't read.")) from exc
