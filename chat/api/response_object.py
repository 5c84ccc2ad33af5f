"""An answer as OpenAI's `response` object with citations; shared/WIRE.md section 6.4 has the format."""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.api.citation_objects import Json, response_annotations
from chat.api.completion import answer_of, extras, finish_reason, related_to, usage
from chat.api.errors import ApiError
from chat.api.evidence import CitedAnswer
from chat.api.ids import RESPONSE, public_id
from chat.api.search_results import found_results
from chat.api.wishes import Wishes
from chat.core.footnotes import Footnoted
from chat.models import Turn, TurnState
from citeweb.accounts.models import User

NOTHING = CitedAnswer(Footnoted("", ()), ())
_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}


@dataclass(frozen=True, slots=True)
class Written:
    """How far an answer has come: what of it there is, how it ended, and what was found for it."""

    answer: CitedAnswer
    status: str
    reason: str | None = None
    error: ApiError | None = None
    usage: Json | None = None
    results: Sequence[Json] | None = None
    related: Sequence[str] | None = None


def response(turn: Turn, *, user: User, results: bool = False) -> Json:
    """Return a stored turn as one reader may see it now; `results` adds what was found."""
    wishes = Wishes.from_json(turn.request)
    status, reason = status_of(turn)
    error = None
    if status == "failed":
        error = ApiError(502, turn.error or "The answer was interrupted.", code="server_error")
    answer = answer_of(turn, wishes, user=user)
    written = Written(
        answer,
        status,
        reason,
        error,
        _usage(turn.usage) if turn.state != TurnState.RUNNING else None,
        found_results(turn.offered, user=user, tenant=turn.tenant) if results or wishes.results else None,
        related_to(turn, answer, wishes, user=user),
    )
    return response_object(turn, wishes, written)


def status_of(turn: Turn) -> tuple[str, str | None]:
    """Return the status of a stored answer and, if it is incomplete, why."""
    match turn.state:
        case TurnState.RUNNING:
            return "in_progress", None
        case TurnState.STOPPED:
            return "cancelled", None
    finish = finish_reason(turn.state, turn.settings)
    return ended_status(finish), _INCOMPLETE.get(finish)


def ended_status(finish: str) -> str:
    """Return the status for the finish_reason that a chat completion would have."""
    return {"stop": "completed", "length": "incomplete", "content_filter": "incomplete"}.get(finish, "failed")


def incomplete_reason(finish: str) -> str | None:
    """Return why an answer is incomplete."""
    return _INCOMPLETE.get(finish)


def response_object(turn: Turn, wishes: Wishes, written: Written) -> Json:
    """Return the object."""
    status = written.status
    error = written.error
    return {
        "id": public_id(RESPONSE, turn.pk),
        "object": "response",
        "created_at": int(turn.created_at.timestamp()),
        "completed_at": int(turn.finished_at.timestamp())
        if turn.finished_at and status == "completed"
        else None,
        "status": status,
        "background": False,
        "error": {"code": "server_error", "message": error.message} if error else None,
        "incomplete_details": {"reason": written.reason} if written.reason else None,
        "instructions": wishes.instructions,
        "max_output_tokens": wishes.settings.get("max_output_tokens"),
        "max_tool_calls": None,
        "model": turn.model,
        "output": _output(turn, wishes, written),
        "parallel_tool_calls": True,
        "previous_response_id": f"{RESPONSE}{wishes.previous}" if wishes.previous else None,
        "reasoning": {"effort": None, "summary": None},
        "service_tier": "default",
        "store": wishes.stored,
        "temperature": wishes.settings.get("temperature"),
        "text": {"format": {"type": "text"}},
        "tool_choice": wishes.settings.get("tool_choice", "auto"),
        "tools": wishes.settings.get("tools", []),
        "top_logprobs": 0,
        "top_p": wishes.settings.get("top_p"),
        "truncation": wishes.settings.get("truncation", "disabled"),
        "usage": written.usage,
        "user": wishes.settings.get("user"),
        "metadata": dict(wishes.metadata),
        **extras(written.answer, written.related),
    }


def _output(turn: Turn, wishes: Wishes, written: Written) -> list[Json]:
    if written.status == "in_progress" and not written.answer.footnoted.text:
        return []
    return [search_item(turn, "completed", written.results), message_item(turn, wishes, written)]


def search_item(turn: Turn, status: str, results: Sequence[Json] | None) -> Json:
    """Return the search as an output item; `results` only where the program asked for them."""
    query = turn.settings.get("query") or turn.question
    return {
        "id": f"fs_{turn.pk.hex}",
        "type": "file_search_call",
        "status": status,
        "queries": [query],
        "results": list(results) if results is not None else None,
    }


def message_item(turn: Turn, wishes: Wishes, written: Written) -> Json:
    """Return the answer as an output item."""
    status = {"completed": "completed", "in_progress": "in_progress"}.get(written.status, "incomplete")
    return {
        "id": f"msg_{turn.pk.hex}",
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": [text_part(written.answer, wishes)],
    }


def text_part(answer: CitedAnswer, wishes: Wishes) -> Json:
    """Return the answer's text with its annotations."""
    return {
        "type": "output_text",
        "text": answer.footnoted.text,
        "annotations": response_annotations(answer, files=wishes.searches),
        "logprobs": [],
    }


def _usage(counted: Json) -> Json:
    return response_usage(usage(counted))


def response_usage(counted: Json) -> Json:
    """Return the tokens under the names of this API."""
    return {
        "input_tokens": counted["prompt_tokens"],
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": counted["completion_tokens"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": counted["total_tokens"],
    }
