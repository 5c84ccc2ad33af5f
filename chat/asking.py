"""From a reader's question to a stored turn that an answer can begin with."""

import uuid

from django.utils.translation import gettext as _

from chat import frames, store
from chat.admission import Admission
from chat.answering import Asked
from chat.core.prompt import HistoryTurn
from chat.model_choice import choose
from chat.models import Turn, TurnState
from chat.providers.base import ModelSettings

# How many passages that the turns before cited are offered again.
CITED_BEFORE = 6


class Unanswerable(Exception):
    """The question can't be taken now; the message is a sentence for the reader."""


def ask_new(admission: Admission, action: frames.Ask) -> tuple[Asked | None, uuid.UUID]:
    """Store a question. Returns what to answer, or None if this very question was taken before, and its turn.

    Raises Unanswerable and chat.store.Refused.
    """
    model = choose(action.model, admission.tenant)
    if model is None:
        raise Unanswerable(_("This model is not available here. Please choose another one."))
    return _begin(admission, model, question=action.question, client_id=action.client_id)


def ask_again(admission: Admission, action: frames.Retry) -> tuple[Asked | None, uuid.UUID]:
    """Store the question of an ended turn once more, for the same model. Raises as `ask_new` does."""
    before = store.turn_for(action.turn_id, user=admission.user)
    if before.conversation_id != admission.conversation_id:
        raise store.Refused
    again = frames.Ask(before.question, action.client_id, before.model)
    return ask_new(admission, again)


def _begin(
    admission: Admission, model: ModelSettings, *, question: str, client_id: uuid.UUID
) -> tuple[Asked | None, uuid.UUID]:
    new = store.NewTurn(
        conversation_id=admission.conversation_id,
        client_id=client_id,
        question=question,
        model=model.name,
        request_id=uuid.uuid4().hex,
        via=admission.via,
    )
    try:
        turn, is_new = store.begin_turn(new, user=admission.user, tenant=admission.tenant)
    except store.Busy as exc:
        raise Unanswerable(_("Please wait for the answer that is being written, or stop it.")) from exc
    if not is_new:
        return None, turn.pk
    asked = Asked(
        turn_id=turn.pk,
        request_id=new.request_id,
        user=admission.user,
        tenant=admission.tenant,
        question=question,
        model=model,
        history=_history(turn),
        cited_before=tuple(store.cited_before(turn, limit=CITED_BEFORE)),
    )
    return asked, turn.pk


def _history(turn: Turn) -> tuple[HistoryTurn, ...]:
    """Return the earlier turns that have an answer, as clean text: markers never go back to a model."""
    earlier = turn.conversation.turns.filter(ordinal__lt=turn.ordinal).exclude(text="").order_by("ordinal")
    return tuple(
        HistoryTurn(known.question, known.text) for known in earlier if known.state != TurnState.FAILED
    )
