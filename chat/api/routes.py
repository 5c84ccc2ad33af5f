"""Everything under /v1/: the routes, and what becomes of an error in one of them."""

import logging

from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from chat.api import (
    audit_views,
    chat_views,
    citation_views,
    files_views,
    models_views,
    responses_views,
    store_files_views,
    stores_views,
)
from chat.api.bodies import StorableParser
from chat.api.errors import ApiError, invalid, unknown_parameter

logger = logging.getLogger(__name__)

api = NinjaAPI(
    title="Citeweb",
    version="1",
    description="Answers with citations from your documents, in the shapes of OpenAI's API.",
    openapi_url=None,
    docs_url=None,
    parser=StorableParser(),
    urls_namespace="api",
)
api.add_router("/chat/completions", chat_views.router)
api.add_router("/responses", responses_views.router)
api.add_router("/models", models_views.router)
api.add_router("/files", files_views.router)
api.add_router("/vector_stores", stores_views.router)
api.add_router("/vector_stores", stores_views.searching)
api.add_router("/vector_stores", store_files_views.router)
api.add_router("/citations", citation_views.router)
api.add_router("/audit", audit_views.router)
api.add_router("", citation_views.of_answers)


@api.exception_handler(ApiError)
def _refused(request: HttpRequest, exc: ApiError) -> HttpResponse:
    return exc.response()


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, exc: ValidationError) -> HttpResponse:
    return _of_validation(exc.errors[0]).response()


@api.exception_handler(HttpError)
def _http_error(request: HttpRequest, exc: HttpError) -> HttpResponse:
    if exc.message.startswith("Cannot parse"):
        return invalid("We could not parse the JSON body of your request.").response()
    return ApiError(exc.status_code, exc.message).response()


@api.exception_handler(Http404)
def _not_found(request: HttpRequest, exc: Http404) -> HttpResponse:
    return ApiError(404, "Not found.", code="not_found").response()


def _of_validation(error: dict[str, object]) -> ApiError:
    """Return pydantic's first complaint as OpenAI would put it."""
    location = error.get("loc", ())
    assert isinstance(location, tuple | list)
    param = _param(location)
    match error.get("type"):
        case "missing":
            return invalid(f"Missing required parameter: '{param}'.", param, "missing_required_parameter")
        case "extra_forbidden":
            return unknown_parameter(param)
    code = "invalid_type" if str(error.get("type", "")).endswith("_type") else "invalid_value"
    return invalid(f"Invalid value for '{param}': {error.get('msg')}.", param, code)


_KINDS = frozenset(("str", "int", "float", "bool", "dict", "list"))


def _param(location: "list[object] | tuple[object, ...]") -> str:
    """Return `messages[0].role` for ("body", "body", "messages", 0, "role")."""
    name = ""
    for part in location[2:] if location and location[0] == "body" else location[1:]:
        if isinstance(part, str) and (part in _KINDS or "[" in part):
            # Which member of a union pydantic tried last: no parameter's name.
            continue
        if isinstance(part, int):
            name += f"[{part}]"
        else:
            name += f".{part}" if name else str(part)
    return name or "body"
