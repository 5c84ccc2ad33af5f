"""From a program's request to a stored turn and the answer that is written to it."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chat import store
from chat.answering import Asked
from chat.api.caller import Caller
from chat.api.dialogue import Dialogue
from chat.api.errors import ApiError, invalid
from chat.api.tools import FileSearch
from chat.api.wishes import Wishes
from chat.asking import CITED_BEFORE
from chat.model_choice import choose
from chat.models import Turn
from chat.providers.base import ModelSettings

QUESTION_CHARACTERS = 100_000
INSTRUCTIONS_CHARACTERS = 100_000


@dataclass(frozen=True, slots=True)
class Order:
    """A request that may be answered."""

    dialogue: Dialogue
    model: ModelSettings
    wishes: Wishes
    search: FileSearch
    previous: Turn | None = None


def model_for(
    name: str, caller: Caller, *, max_output_tokens: int | None, temperature: float | None
) -> ModelSettings:
    """Return the model as this request wants it; the operator's own limit stays the highest. Raises ApiError."""
    model = choose(name, caller.tenant) if name else None
    if model is None:
        message = f"The model '{name}' does not exist or you do not have access to it."
        raise ApiError(404, message, param="model", code="model_not_found")
    limits = [limit for limit in (max_output_tokens, model.max_output_tokens) if limit is not None]
    return replace(
        model,
        max_output_tokens=min(limits, default=None),
        temperature=model.temperature if temperature is None else temperature,
    )


def begin(order: Order, caller: Caller) -> tuple[Turn, Asked]:
    """Store the question and return its turn with what to answer. Raises ApiError."""
    question, instructions = order.dialogue.question, order.dialogue.instructions
    _check_length(question, QUESTION_CHARACTERS, "question")
    _check_length(instructions, INSTRUCTIONS_CHARACTERS, "instructions")
    new = store.ProgramTurn(
        question=question,
        model=order.model.name,
        request_id=caller.request_id,
        request=order.wishes.to_json(),
        conversation_id=order.previous.conversation_id if order.previous else None,
    )
    turn = store.begin_program_turn(new, user=caller.user, tenant=caller.tenant)
    asked = Asked(
        turn_id=turn.pk,
        request_id=caller.request_id,
        key_id=caller.holder.key_id,
        user=caller.user,
        tenant=caller.tenant,
        question=question,
        model=order.model,
        history=order.dialogue.history,
        cited_before=_cited_before(order.dialogue.cited_before),
        instructions=instructions,
        collections=order.search.collections,
        most_passages=order.search.most_passages,
    )
    return turn, asked


def _check_length(text: str, most: int, noun: str) -> None:
    if len(text) > most:
        message = f"{len(text)} characters of {noun}; {most} are the most."
        raise invalid(message, code="string_above_max_length")


def _cited_before(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if len(name) <= 40)[:CITED_BEFORE]


def thread(previous: Turn) -> list[Turn]:
    """Return the answers that a response goes on from, the oldest first, each with its citations."""
    turns = previous.conversation.turns.prefetch_related("citations")
    known = {turn.pk.hex: turn for turn in turns}
    found: list[Turn] = []
    name: str | None = previous.pk.hex
    while name in known and len(found) < 200:
        turn = known.pop(name)
        found.append(turn)
        before = turn.request.get("previous")
        name = str(before) if before else None
    return found[::-1]


def turn_of(turn_id: uuid.UUID | None, caller: Caller) -> Turn | None:
    """Return a stored turn of the caller's in this tenant, unless the program wanted it not to be kept."""
    mine = Turn.objects.filter(conversation__user=caller.user, tenant=caller.tenant)
    turn = mine.select_related("conversation", "tenant").filter(pk=turn_id).first() if turn_id else None
    return turn if turn is not None and Wishes.from_json(turn.request).stored else None
