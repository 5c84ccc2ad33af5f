"""Each request works for whoever is signed in, from the first query on; `in_tenant` adds the tenant."""

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from citeweb.accounts.row_security import acting_for

Answer = HttpResponseBase | Awaitable[HttpResponseBase]


class ActingUser:
    """Sets the scope of the session's user, which shows their own memberships and nothing else.

    The session's word is enough for that: whether it still holds is for `request.user` to say.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Answer]) -> None:
        self.get_response = get_response
        self._asynchronous = iscoroutinefunction(get_response)
        if self._asynchronous:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Answer:
        """Answer the request in its user's scope."""
        if self._asynchronous:
            return self._answer(request)
        with acting_for(user=_number(request.session.get(SESSION_KEY))):
            return self.get_response(request)

    async def _answer(self, request: HttpRequest) -> HttpResponseBase:
        with acting_for(user=_number(await request.session.aget(SESSION_KEY))):
            response = self.get_response(request)
            assert isinstance(response, Awaitable)
            return await response


def _number(user_id: str | None) -> int | None:
    return int(user_id) if user_id else None
