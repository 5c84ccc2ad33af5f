"""The OpenAPI document: ninja's, with what is the same for every route, and streams."""

from functools import cache

from chat.api.routes import api
from chat.api.schemas import ErrorBody

_REFUSALS = {
    "400": "The request can't be carried out as it is.",
    "401": "No key, or a worthless one.",
    "403": "The key or its user may not do this.",
    "404": "There is no such thing, or the caller may not see it.",
    "405": "Not with this method.",
    "409": "Not in its present state.",
    "413": "The request is too large.",
    "415": "The body is of another kind.",
    "429": "The key's rate limit is used up; Retry-After says for how long.",
    "500": "A fault of ours.",
    "502": "The model's service gave no answer.",
    "503": "The model's service can't be reached, or this server is being restarted.",
    "504": "The model's service was silent for too long.",
}
_STREAMS = {"createChatCompletion", "createResponse"}
_DOWNLOADS = {"getFileContent"}


@cache
def document() -> dict[str, object]:
    """Return the document."""
    made: dict[str, object] = dict(api.get_openapi_schema(path_prefix="v1/"))
    made["security"] = [{"ApiKeyAuth": []}]
    made["servers"] = [{"url": "/"}]
    components, paths = made["components"], made["paths"]
    assert isinstance(components, dict)
    assert isinstance(paths, dict)
    components["schemas"] |= _error_schemas()
    components["responses"] = {f"Error{status}": _refusal(text) for status, text in _REFUSALS.items()}
    for operations in paths.values():
        for operation in operations.values():
            _complete(operation)
    return made


def _complete(operation: dict[str, object]) -> None:
    responses = operation["responses"]
    assert isinstance(responses, dict)
    # Keys as text, and no code that OpenAPI doesn't know.
    whole = {str(status): found for status, found in responses.items()}
    if operation["operationId"] in _STREAMS:
        whole["200"]["content"]["text/event-stream"] = {"schema": {"type": "string"}}
    if operation["operationId"] in _DOWNLOADS:
        binary = {"type": "string", "format": "binary"}
        whole["200"]["content"] = {"application/octet-stream": {"schema": binary}}
    operation["responses"] = whole | {s: {"$ref": f"#/components/responses/Error{s}"} for s in _REFUSALS}


def _error_schemas() -> dict[str, object]:
    schema = ErrorBody.model_json_schema(ref_template="#/components/schemas/{model}")
    return {**schema.pop("$defs"), "ErrorBody": schema}


def _refusal(text: str) -> dict[str, object]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}}
    return {"description": text, "content": content}
