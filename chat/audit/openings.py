"""Records who opened a passage or a document on a page, and whom what was refused.

A middleware and not a line in each view: an address that is refused has often found no row to speak of. Which of the
two happened is read off the answer; see chat.audit.tries for what is recorded.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from chat.audit.tries import DOCUMENT, ORIGINAL, PASSAGE, Try, note, tell_owner
from citeweb.accounts.models import User
from citeweb.accounts.tenancy import place_of
from citeweb.threads import in_thread
from sources.reader_views import asks_for_part

# What opening each address is called. The picture of a page is always a part of its document.
OPENED = {
    "cite": PASSAGE,
    "sources:document": DOCUMENT,
    "sources:page_image": DOCUMENT,
    "sources:original": ORIGINAL,
}
_PARTS = frozenset({"sources:page_image"})
# Who asks for one of these, or for what stands in the audit, and is refused, leaves a record.
_NOUNS = ("citation", "document", "conversation")
_REFUSALS = frozenset({403, 404, 410})
_MARK = "_citeweb_refused"

Answer = HttpResponseBase | Awaitable[HttpResponseBase]
Response = TypeVar("Response", bound=HttpResponseBase)


def as_refused(response: Response) -> Response:
    """Mark an answer of status 200 as a refusal: htmx shows no other."""
    setattr(response, _MARK, True)
    return response


class Openings:
    """The middleware."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Answer]) -> None:
        self.get_response = get_response
        self._later: set[asyncio.Task[None]] = set()
        self._is_async = bool(iscoroutinefunction(get_response))
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Answer:
        """Answer, and record what was opened."""
        if self._is_async:
            return self._answer(request)
        response = cast(HttpResponseBase, self.get_response(request))
        attempt = _try(request, response) if _is_watched(request, response) else None
        if attempt and (subject := note(attempt)):
            tell_owner(attempt, subject)
        return response

    async def _answer(self, request: HttpRequest) -> HttpResponseBase:
        response = await cast(Awaitable[HttpResponseBase], self.get_response(request))
        if not _is_watched(request, response):
            return response
        attempt = await in_thread(_try, request, response)
        if attempt and (subject := await in_thread(note, attempt)):
            task = asyncio.create_task(in_thread(tell_owner, attempt, subject))
            # The loop itself keeps no task alive.
            self._later.add(task)
            task.add_done_callback(self._later.discard)
        return response


def _is_watched(request: HttpRequest, response: HttpResponseBase) -> bool:
    match = request.resolver_match
    if match is None:
        return False
    if not _is_refused(response):
        return match.view_name in OPENED and response.status_code == 200 and request.method == "GET"
    named = match.view_name == "chat:shared" or match.view_name.startswith("audit:")
    return named or any(f"{noun}_id" in match.kwargs for noun in _NOUNS)


def _is_refused(response: HttpResponseBase) -> bool:
    return response.status_code in _REFUSALS or hasattr(response, _MARK)


def _try(request: HttpRequest, response: HttpResponseBase) -> Try | None:
    place, match = place_of(request), request.resolver_match
    if place is None or match is None or not isinstance(request.user, User):
        return None
    noun = next((noun for noun in _NOUNS if f"{noun}_id" in match.kwargs), "")
    return Try(
        place.user.pk,
        place.user.email,
        place.tenant.pk,
        match.view_name,
        noun,
        match.kwargs.get(f"{noun}_id"),
        opened="" if _is_refused(response) else OPENED[match.view_name],
        is_part=match.view_name in _PARTS or asks_for_part(request),
    )
