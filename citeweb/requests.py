"""Each request has an id, a line in the log and a place in the metrics."""

import logging
import re
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from citeweb.logs import REQUEST_ID, bound
from citeweb.metrics import REQUESTS

logger = logging.getLogger(__name__)

HEADER = "x-request-id"
# A proxy's own id is taken over if it can do no harm in a log.
_USABLE = re.compile(r"[A-Za-z0-9_.-]{8,64}\Z")
Answer = HttpResponseBase | Awaitable[HttpResponseBase]


class RequestLog:
    """The outermost middleware."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Answer]) -> None:
        self.get_response = get_response
        self._is_async = bool(iscoroutinefunction(get_response))
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Answer:
        """Answer, and say how it went."""
        if self._is_async:
            return self._answer(request)
        request_id, begin = id_of(request), time.monotonic()
        request.META[REQUEST_ID] = request_id
        with bound(request_id=request_id):
            response = cast(HttpResponseBase, self.get_response(request))
            _note(request, response, request_id, time.monotonic() - begin)
        return response

    async def _answer(self, request: HttpRequest) -> HttpResponseBase:
        request_id, begin = id_of(request), time.monotonic()
        request.META[REQUEST_ID] = request_id
        with bound(request_id=request_id):
            response = await cast(Awaitable[HttpResponseBase], self.get_response(request))
            _note(request, response, request_id, time.monotonic() - begin)
        return response


def id_of(request: HttpRequest) -> str:
    """Return the id that a proxy gave the request, or a new one."""
    given = request.headers.get(HEADER, "")
    return given if _USABLE.match(given) else f"req_{uuid.uuid4().hex}"


def _note(request: HttpRequest, response: HttpResponseBase, request_id: str, seconds: float) -> None:
    # The API has given its own already, which its records know. Pages say only what a proxy asked for: the
    # answers for what is forbidden and for what is absent are the same, header for header.
    if HEADER in request.headers and not response.has_header(HEADER):
        response[HEADER] = request_id
    match = request.resolver_match
    address = (match.view_name or match.route) if match else "none"
    method = (
        request.method if request.method in ("GET", "HEAD", "POST", "DELETE", "PUT", "PATCH") else "other"
    )
    REQUESTS.labels(method, address, str(response.status_code)).observe(seconds)
    logger.info(
        "request",
        extra={
            "method": method,
            "address": address,
            "status": response.status_code,
            "milliseconds": round(1000 * seconds, 1),
            "answered_as": response.headers.get(HEADER, request_id),
        },
    )
