"""Ids as programs see them: OpenAI's prefixes before our own."""

import string
import uuid

CHAT, RESPONSE, FILE, STORE, BATCH = "chatcmpl-", "resp_", "file-", "vs_", "vsfb_"
_DIGITS = frozenset(string.hexdigits + "-")


def public_id(prefix: str, own: uuid.UUID) -> str:
    """Return the id that programs see; chat completions keep the dashes that they have always had."""
    return prefix + (str(own) if prefix == CHAT else own.hex)


def own_id(prefix: str, given: str) -> uuid.UUID | None:
    """Return our id in a public one, or None if it is none of ours."""
    try:
        # UUID() itself would take braces and urn: too; one thing has one id.
        if not set(given.removeprefix(prefix)) <= _DIGITS:
            return None
        return uuid.UUID(given.removeprefix(prefix)) if given.startswith(prefix) else None
    except ValueError:
        return None
