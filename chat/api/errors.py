"""What goes wrong under /v1/, in OpenAI's words and shape."""

from collections.abc import Mapping

from django.http import JsonResponse

from chat.models import TurnState
from chat.providers.errors import ModelError
from chat.store import Outcome

# What a model's failure is to a program: status, type and code. A wrong key or setting of ours is no fault of the
# caller's, and repeating the request doesn't help: `x-should-retry` tells the official clients so.
_MODEL_ERRORS = {
    "rate_limit": (429, "rate_limit_error", "upstream_rate_limit"),
    "quota": (503, "server_error", "upstream_quota"),
    "context_length": (400, "invalid_request_error", "context_length_exceeded"),
    "content_filter": (400, "invalid_request_error", "content_filter"),
    "auth": (502, "server_error", "upstream_auth"),
    "rejected": (502, "server_error", "upstream_rejected"),
    "unavailable": (503, "server_error", "upstream_unavailable"),
    "timeout": (504, "server_error", "upstream_timeout"),
}
_HOPELESS = {"upstream_auth", "upstream_rejected", "upstream_quota"}


class ApiError(Exception):
    """A refusal that the caller gets as JSON. `param` names the parameter at fault, `code` is a stable word."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "invalid_request_error",
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.param = param
        self.code = code
        self.headers = dict(headers or {})

    @property
    def body(self) -> dict[str, object]:
        """The `error` object."""
        return {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}

    def response(self) -> JsonResponse:
        """Return the whole answer."""
        return JsonResponse({"error": self.body}, status=self.status, headers=self.headers)


def invalid(message: str, param: str | None = None, code: str | None = None) -> ApiError:
    """Return the error of a request that can't be carried out as it is."""
    return ApiError(400, message, param=param, code=code)


def unsupported(param: str, why: str) -> ApiError:
    """Return the error of a parameter that OpenAI knows and that means nothing here."""
    return invalid(f"Unsupported parameter: '{param}'. {why}", param, "unsupported_parameter")


def unknown_parameter(param: str) -> ApiError:
    """Return the error of a parameter that nobody knows."""
    return invalid(f"Unknown parameter: '{param}'.", param, "unknown_parameter")


def not_found(noun: str, given: str, param: str = "id") -> ApiError:
    """Return the one error for what is absent and for what the caller may not see."""
    return ApiError(404, f"No such {noun}: '{given}'.", param=param, code="not_found")


def forbidden(message: str) -> ApiError:
    """Return the error of a caller who may not do this at all."""
    return ApiError(403, message, kind="permission_error", code="insufficient_permissions")


def bad_key(given: bool) -> ApiError:
    """Return the error of a missing or worthless key; what is wrong with it isn't told."""
    if not given:
        message = "You didn't provide an API key. Send it in an Authorization header: Authorization: Bearer YOUR_KEY."
        return ApiError(401, message, headers={"WWW-Authenticate": "Bearer"})
    return ApiError(
        401,
        "Incorrect API key provided.",
        code="invalid_api_key",
        headers={"WWW-Authenticate": 'Bearer error="invalid_token"'},
    )


def failed_answer(outcome: Outcome, failure: ModelError | None) -> ApiError:
    """Return what an answer that did not come to its end is to a program."""
    if failure is not None:
        status, kind, code = _MODEL_ERRORS.get(
            failure.code, (502, "server_error", f"upstream_{failure.code}")
        )
        headers = {"x-should-retry": "false"} if code in _HOPELESS else {}
        if failure.retry_after is not None:
            headers["Retry-After"] = str(max(1, round(failure.retry_after)))
        return ApiError(status, outcome.error, kind=kind, code=code, headers=headers)
    match outcome.state:
        case TurnState.STOPPED:
            return ApiError(409, "The answer was stopped.", kind="server_error", code="stopped")
        case TurnState.INTERRUPTED:
            message = "The server is being restarted. Please send the request again."
            return ApiError(503, message, kind="server_error", code="interrupted")
    return ApiError(502, outcome.error, kind="server_error", code="no_answer")
