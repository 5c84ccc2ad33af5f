"""Bodies and addresses as they may be stored: in every string, whatever it is for, no character that can't be kept."""

import json
from typing import Any, cast

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser

# Without an escape and without the first byte of a surrogate there is nothing to take out; UTF-16 has zero bytes.
_SUSPICIOUS = (b"\\u", b"\xed")


class StorableParser(Parser):
    """Reads bodies and addresses for ninja."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """Return the body without NUL, which PostgreSQL can't keep, and lone surrogates, which UTF-8 can't."""
        body: object = json.loads(request.body)
        if b"\0" in request.body or any(sign in request.body for sign in _SUSPICIOUS):
            body = _storable(body)
        return cast(dict[str, Any], body)

    def parse_querydict(
        self, data: MultiValueDict[str, str], list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        """Return the fields of an address or a form, cleaned as a body is."""
        return cast(dict[str, Any], _storable(super().parse_querydict(data, list_fields, request)))


def _storable(value: object) -> object:
    match value:
        case str():
            return storable_text(value)
        case list():
            return [_storable(item) for item in value]
        case dict():
            return {storable_text(name): _storable(item) for name, item in value.items()}
    return value


def storable_text(text: str) -> str:
    """Return text without NUL and lone surrogates."""
    return text.replace("\0", "").encode(errors="ignore").decode()
