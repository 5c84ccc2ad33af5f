"""An answer to take away, with numbered references that name only what the reader may open now."""

from django.db import transaction

from chat import audit
from chat.core.export import Reference, to_html, to_markdown, to_plain_text
from chat.core.render import Chip
from chat.models import Turn
from chat.turn_view import ReferenceView, chips_and_references
from citeweb.accounts.models import User

MEDIA_TYPES = {"txt": "text/plain", "md": "text/markdown", "html": "text/html"}


def plain_text(turn: Turn, *, user: User) -> str:
    """Return an answer as plain text: `[1]` in place and a numbered list below."""
    return exported(turn, user=user, form="txt")


def exported(turn: Turn, *, user: User, form: str, references: bool = True) -> str:
    """Return an answer as `txt`, `md` or `html`, with numbered references or without any."""
    chips: list[Chip] = []
    listed: list[Reference] = []
    if references:
        chips, views = chips_and_references(turn, user=user)
        listed = [_reference(view) for view in views]
    match form:
        case "md":
            return to_markdown(turn.text, chips, listed)
        case "html":
            return to_html(turn.text, chips, listed, title=turn.question)
    return to_plain_text(turn.text, chips, listed)


@transaction.atomic
def record(turn: Turn, *, user: User, form: str, text: str) -> None:
    """Record that the user took an answer away, with the SHA-256 of what they took."""
    body: dict[str, object] = {
        "actor_id": user.pk,
        "actor_email": user.email,
        "about_turn_id": str(turn.pk),
        "conversation_id": str(turn.conversation_id),
        "form": form,
        "sha256": audit.sha256_of(text),
    }
    audit.append(tenant_id=turn.tenant_id, kind="answer_exported", body=body)


def _reference(view: ReferenceView) -> Reference:
    return Reference(view.number, view.title, view.place, url=view.url, note=view.verdict_text)
