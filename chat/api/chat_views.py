"""/v1/chat/completions."""

import uuid

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from ninja import Router

from chat.answering import Asked
from chat.api.asking import begin, turn_of
from chat.api.caller import ApiKeyAuth, Caller, caller_of
from chat.api.chat_request import ChatRequest, order_of
from chat.api.chat_stream import chat_stream
from chat.api.completion import chat_completion
from chat.api.errors import not_found
from chat.api.following import Following
from chat.api.ids import CHAT, own_id
from chat.api.running import generations_of
from chat.api.schemas import ChatCompletion
from chat.api.sse import stream
from chat.api.wishes import Wishes
from chat.models import Turn, TurnState
from citeweb.accounts.models import Scope
from citeweb.threads import in_thread

router = Router(tags=["Chat"], auth=ApiKeyAuth(Scope.CHAT))


@router.post("", summary="Ask a question", operation_id="createChatCompletion", response=ChatCompletion)
async def create(request: HttpRequest, body: ChatRequest) -> HttpResponseBase:
    """Answer the last user message from the documents that the key's user may read, with citations.

    With `stream: true` the answer comes as server-sent events.
    """
    caller = caller_of(request)
    turn, asked = await in_thread(_begun, body, caller)
    following = Following(asked, Wishes.from_json(turn.request), generations_of(request))
    if body.stream:
        await following.begun()
        counts = bool(body.stream_options and body.stream_options.include_usage)
        return stream(chat_stream(turn, following, counts=counts))
    await following.finished()
    if following.failure is not None:
        raise following.failure
    return JsonResponse(await in_thread(_completion, turn.pk, caller))


def _begun(body: ChatRequest, caller: Caller) -> tuple[Turn, Asked]:
    return begin(order_of(body, caller), caller)


def _completion(turn_id: uuid.UUID, caller: Caller) -> dict[str, object]:
    turn = Turn.objects.select_related("tenant").get(pk=turn_id)
    return chat_completion(turn, user=caller.user)


@router.get(
    "/{completion_id}",
    summary="Fetch a stored answer",
    operation_id="getChatCompletion",
    response=ChatCompletion,
)
async def retrieve(request: HttpRequest, completion_id: str) -> HttpResponse:
    """Return an answer as it was, with those of its citations that the user may open now."""
    caller = caller_of(request)
    return JsonResponse(await in_thread(_stored, completion_id, caller))


def _stored(completion_id: str, caller: Caller) -> dict[str, object]:
    turn = turn_of(own_id(CHAT, completion_id), caller)
    if turn is None or turn.state == TurnState.RUNNING:
        raise not_found("chat completion", completion_id, "completion_id")
    return chat_completion(turn, user=caller.user)
