"""/v1/responses."""

import uuid

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from ninja import Router

from chat.answering import Asked
from chat.api.asking import begin, turn_of
from chat.api.caller import ApiKeyAuth, Caller, caller_of
from chat.api.errors import ApiError, not_found
from chat.api.following import Following
from chat.api.ids import RESPONSE, own_id
from chat.api.response_object import response
from chat.api.response_stream import response_stream
from chat.api.responses_request import RESULTS, ResponsesRequest, order_of
from chat.api.running import generations_of
from chat.api.schemas import Deleted, ResponseObject
from chat.api.sse import stream
from chat.api.wishes import Wishes
from chat.models import Turn, TurnState
from chat.store import delete_program_turn
from citeweb.accounts.models import Scope
from citeweb.threads import in_thread

# The clients write a list as include[]=…, which no parameter of a function can be called.
_INCLUDE: dict[str, object] = {
    "parameters": [
        {
            "in": "query",
            "name": "include[]",
            "schema": {"type": "array", "items": {"type": "string"}},
            "required": False,
            "description": f"`{RESULTS}` adds what was found.",
        }
    ]
}
router = Router(tags=["Responses"], auth=ApiKeyAuth(Scope.CHAT))


@router.post("", summary="Ask a question", operation_id="createResponse", response=ResponseObject)
async def create(request: HttpRequest, body: ResponsesRequest) -> HttpResponseBase:
    """Answer the input from the documents that the key's user may read, with citations.

    With `stream: true` the answer comes as server-sent events.
    """
    caller = caller_of(request)
    turn, asked = await in_thread(_begun, body, caller)
    following = Following(asked, Wishes.from_json(turn.request), generations_of(request))
    if body.stream:
        await following.begun()
        return stream(response_stream(turn, following))
    await following.finished()
    if following.failure is not None:
        raise following.failure
    return JsonResponse(await in_thread(_response, turn.pk, caller))


def _begun(body: ResponsesRequest, caller: Caller) -> tuple[Turn, Asked]:
    return begin(order_of(body, caller), caller)


def _response(turn_id: uuid.UUID, caller: Caller) -> dict[str, object]:
    return response(Turn.objects.select_related("tenant").get(pk=turn_id), user=caller.user)


@router.get(
    "/{response_id}",
    summary="Fetch a stored answer",
    operation_id="getResponse",
    response=ResponseObject,
    openapi_extra=_INCLUDE,
)
async def retrieve(request: HttpRequest, response_id: str) -> HttpResponse:
    """Return an answer as it was, with those of its citations that the user may open now."""
    # The clients write a list as include[]=…; by hand one writes include=….
    included = request.GET.getlist("include[]") + request.GET.getlist("include")
    return JsonResponse(await in_thread(_stored, response_id, caller_of(request), RESULTS in included))


def _stored(response_id: str, caller: Caller, results: bool) -> dict[str, object]:
    return response(_turn(response_id, caller), user=caller.user, results=results)


@router.delete(
    "/{response_id}", summary="Delete a stored answer", operation_id="deleteResponse", response=Deleted
)
async def delete(request: HttpRequest, response_id: str) -> HttpResponse:
    """Take away an answer that a program asked for. Its audit record stays, as every answer's does."""
    await in_thread(_delete, response_id, caller_of(request))
    return JsonResponse({"id": response_id, "object": "response", "deleted": True})


def _delete(response_id: str, caller: Caller) -> None:
    turn = _turn(response_id, caller)
    if not turn.conversation.by_api:
        raise not_found("response", response_id, "response_id")
    if turn.state == TurnState.RUNNING:
        raise ApiError(409, "The answer is still being written.", code="in_progress")
    delete_program_turn(turn)


def _turn(response_id: str, caller: Caller) -> Turn:
    turn = turn_of(own_id(RESPONSE, response_id), caller)
    if turn is None:
        raise not_found("response", response_id, "response_id")
    return turn
