"""JSON as text: kept as it is where it has lines, else set in lines, with every name, sign and digit unchanged."""

import json
import re
from contextlib import suppress

JSON = "application/json"
_LONGEST_LINE = 400
_DEEPEST = 200
# Strings come as a whole, so that brackets and commas in them are no structure.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+|\s+')
# No string holds a line end, so these are structure.
_EMPTY = re.compile(r"([{\[])\n\s*\n\s*([}\]])")


def is_json(text: str) -> bool:
    """Whether a text is a JSON object or list, or lines of them."""
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return False
    with suppress(ValueError, RecursionError):
        json.loads(text)
        return True
    lines = [line for line in text.split("\n") if line.strip()][:50]
    with suppress(ValueError, RecursionError):
        return len(lines) > 1 and all(isinstance(json.loads(line), dict) for line in lines)
    return False


def in_lines(text: str) -> str:
    """Return JSON text with a line for each entry, if its lines are too long to be read."""
    lines = text.count("\n") + 1
    if len(text) <= _LONGEST_LINE * lines:
        return text
    parts: list[str] = []
    depth = 0
    for token in _TOKEN.findall(text):
        depth += (token in {"{", "["}) - (token in {"}", "]"})
        parts.append(_set(token, depth))
    return _EMPTY.sub(r"\1\2", "".join(parts))


def _set(token: str, depth: int) -> str:
    line_end = "\n" + "  " * min(max(depth, 0), _DEEPEST)
    if token in {"{", "[", ","}:
        return token + line_end
    if token in {"}", "]"}:
        return line_end + token
    if token.isspace():
        # Between the values of a file of lines.
        return "\n" if "\n" in token and depth <= 0 else ""
    return ": " if token == ":" else token
