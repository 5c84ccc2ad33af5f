"""An answer as OpenAI's `chat.completion` object with citations; shared/WIRE.md section 6 has the format."""

from collections.abc import Mapping, Sequence

from chat.api.citation_objects import Json, chat_annotations, magisterium_citations
from chat.api.evidence import CitedAnswer, cited_answer, evidence_of
from chat.api.ids import CHAT, public_id
from chat.api.related import related_questions
from chat.api.wishes import Wishes
from chat.models import Turn, TurnState
from chat.providers.base import EndReason
from chat.turn_view import shows_citations
from citeweb.accounts.models import User

_FINISH = {TurnState.COMPLETE: "stop", TurnState.CUT: "length"}
_WITHHELD = {EndReason.CONTENT_FILTER.value, EndReason.REFUSAL.value}


def finish_reason(state: str, settings: Mapping[str, object]) -> str:
    """Return how an answer ended. One that isn't whole never has `stop`; `error` is the one word that is ours."""
    if state == TurnState.FAILED and settings.get("end_reason") in _WITHHELD:
        return "content_filter"
    return _FINISH.get(TurnState(state), "error")


def chat_completion(turn: Turn, *, user: User) -> Json:
    """Return the object for one reader; a source that they may not open (any more) leaves no trace in it."""
    wishes = Wishes.from_json(turn.request)
    answer = answer_of(turn, wishes, user=user)
    return {
        **head(turn, "chat.completion"),
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason(turn.state, turn.settings),
                "logprobs": None,
                "message": {
                    "role": "assistant",
                    "refusal": None,
                    "content": answer.footnoted.text,
                    "annotations": chat_annotations(answer),
                },
            }
        ],
        "usage": usage(turn.usage),
        "metadata": dict(wishes.metadata),
        **extras(answer, related_to(turn, answer, wishes, user=user)),
    }


def head(turn: Turn, kind: str) -> Json:
    """Return the fields that say which answer this is."""
    return {
        "id": public_id(CHAT, turn.pk),
        "object": kind,
        "created": int(turn.created_at.timestamp()),
        "model": turn.model,
        "system_fingerprint": None,
    }


def answer_of(turn: Turn, wishes: Wishes, *, user: User) -> CitedAnswer:
    """Return a stored answer with its marks; without any if the program, the reader or the tenant wants none."""
    if not (wishes.citations and shows_citations(user=user, tenant=turn.tenant)):
        return cited_answer(turn.text, [], wishes.style)
    rows = turn.citations.order_by("ordinal")
    return cited_answer(turn.text, evidence_of(rows, user=user, tenant=turn.tenant), wishes.style)


def related_to(turn: Turn, answer: CitedAnswer, wishes: Wishes, *, user: User) -> list[str] | None:
    """Return the questions that lead on from a stored answer, None if the program wants none."""
    if not wishes.related:
        return None
    cited = {one.row.block_id for one in answer.evidence}
    return related_questions(turn.offered, cited, question=turn.question, user=user, tenant=turn.tenant)


def extras(answer: CitedAnswer, related: Sequence[str] | None) -> Json:
    """Return the keys at the top that are not OpenAI's; `related` None leaves that key out."""
    found: Json = {"citations": magisterium_citations(answer)}
    return found if related is None else {**found, "related_questions": list(related)}


def usage(counted: Mapping[str, object]) -> Json:
    """Return the tokens as the model's provider counted them; 0 where it told nothing."""
    read, written = (int(str(counted.get(name, 0))) for name in ("input_tokens", "output_tokens"))
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }
