"""Cursors of long lists: the value by which a row is sorted and its id, as one word that goes into an address."""

import base64
import binascii
import json
from dataclasses import dataclass

_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place between two rows: right behind, or before, the row of this value and id."""

    value: str
    row_id: str

    def encoded(self) -> str:
        """Return the cursor as letters, digits, `-` and `_`."""
        text = json.dumps([self.value, self.row_id], ensure_ascii=False, separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decoded(word: str) -> Cursor | None:
    """Return the cursor of an address, or None for anything that isn't one."""
    if not word or len(word) > _LONGEST:
        return None
    try:
        parts = json.loads(base64.urlsafe_b64decode(word + "=" * (-len(word) % 4)))
    except (binascii.Error, ValueError):
        return None
    if isinstance(parts, list) and len(parts) == 2 and all(isinstance(part, str) for part in parts):
        value, row_id = parts
        return None if "\0" in value else Cursor(value, row_id)
    return None
