"""The door to /v1/: requests of programs never meet cookies, sessions or pages, and always get JSON back."""

import logging
import uuid
from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.urls import Resolver404, ResolverMatch, resolve

from chat.api.caller import admit, limit_headers
from chat.api.errors import ApiError, invalid
from chat.api.openapi import document
from chat.api.openings import note_opening
from citeweb.accounts.row_security import acting_for
from citeweb.threads import in_thread

logger = logging.getLogger(__name__)

_ROOT = "/v1"
_DOCUMENT = "/v1/openapi.json"
# What a page must not do with our answers.
_SAFE = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'"}
# What a form may have beside its file.
_FORM_BYTES = 1024 * 1024
_BODIES = ("POST", "PUT", "PATCH")


class ApiDoor:
    """Answers everything under /v1/ itself, before any middleware that is made for pages.

    Each answer has an `x-request-id`, which is also the turn's and the audit record's.
    """

    async_capable = True
    sync_capable = False

    def __init__(self, get_response: Callable[[HttpRequest], Awaitable[HttpResponseBase]]) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    async def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request of a program, pass on any other."""
        if request.path != _ROOT and not request.path.startswith(f"{_ROOT}/"):
            return await self.get_response(request)
        request_id = f"req_{uuid.uuid4().hex}"
        response = await _response(request, request_id)
        for name, value in {"x-request-id": request_id, **_SAFE}.items():
            response.headers[name] = value
        response.headers.setdefault("Cache-Control", "no-store")
        return response


async def _response(request: HttpRequest, request_id: str) -> HttpResponseBase:
    try:
        return await _answer(request, request_id)
    except ApiError as exc:
        return exc.response()
    except RequestDataTooBig:
        return ApiError(413, "The request is too large.", code="request_too_large").response()
    except (SuspiciousOperation, UnreadablePostError, MultiPartParserError) as exc:
        return invalid(f"The request can't be read: {type(exc).__name__}.").response()
    except Exception:
        logger.exception("%s %s failed as %s", request.method, request.path, request_id)
        message = f"Something went wrong here. Please name the request id {request_id} if you report it."
        return ApiError(500, message, kind="server_error", code="internal_error").response()


async def _answer(request: HttpRequest, request_id: str) -> HttpResponseBase:
    # As the middleware for pages would: a host that isn't ours is refused.
    request.get_host()
    if request.path == _DOCUMENT and request.method == "GET":
        # It says nothing of any tenant.
        return JsonResponse(document())
    match = _match(request)
    caller = await in_thread(admit, request.headers.get("Authorization", ""), request_id)
    _check_content_type(request)
    _check_length(request)
    request.caller = caller  # type: ignore[attr-defined]  # chat.api.caller.caller_of
    with acting_for(tenant=caller.tenant, user=caller.user):
        response = await _view(request, match)
        await in_thread(note_opening, request, match, response, caller)
    if response.status_code == 405:
        response = _not_allowed(request, response).response()
    for name, value in limit_headers(caller.holder.allowance).items():
        response.headers.setdefault(name, value)
    return response


async def _view(request: HttpRequest, match: ResolverMatch) -> HttpResponseBase:
    response: HttpResponseBase
    if iscoroutinefunction(match.func):
        response = await match.func(request, *match.args, **match.kwargs)
    else:
        response = await in_thread(match.func, request, *match.args, **match.kwargs)
    return response


def _match(request: HttpRequest) -> ResolverMatch:
    try:
        return resolve(request.path_info, "chat.api.urls")
    except Resolver404 as exc:
        message = f"Invalid URL ({request.method} {request.path})"
        hint = " Leave the slash at its end out." if request.path.endswith("/") else ""
        raise ApiError(404, message + hint, code="unknown_url") from exc


def _not_allowed(request: HttpRequest, response: HttpResponseBase) -> ApiError:
    allowed = ", ".join(sorted(name.strip() for name in response.headers["Allow"].split(",")))
    message = f"Not allowed to {request.method} {request.path}. Allowed: {allowed}."
    return ApiError(405, message, code="method_not_allowed", headers={"Allow": allowed})


def _check_length(request: HttpRequest) -> None:
    """Refuse a file that is too large before its parts are looked at."""
    length = request.headers.get("Content-Length", "")
    if length.isdigit() and int(length) > settings.MAX_FILE_BYTES + _FORM_BYTES:
        raise ApiError(413, "The request is too large.", code="request_too_large")


def _check_content_type(request: HttpRequest) -> None:
    kind = request.content_type or ""
    if request.method not in _BODIES or kind in ("application/json", "multipart/form-data"):
        return
    if (
        not request.headers.get("Content-Length", "0").strip("0")
        and "Transfer-Encoding" not in request.headers
    ):
        return
    message = f"Unsupported content type: '{kind}'. Send application/json, or multipart/form-data for a file."
    raise ApiError(415, message, code="unsupported_content_type")
