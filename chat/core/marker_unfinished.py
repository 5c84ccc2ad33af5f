"""A marker that nothing ends: what is surely its own, so that the words after it go back to the text."""

import re

from chat.core.marker_ids import HOSTED_RUN, OfferedIds, Reading
from chat.core.marker_spellings import is_family_beginning

FAMILY_AT_START = re.compile(r"[ \t]{0,2}(filecite|cite|navlist)[ \t:=|,]{0,3}", re.IGNORECASE)
LOOSE_ID = re.compile(r"([ \t]{0,2})([A-Za-z0-9_][A-Za-z0-9_.:#-]*)")
_LIST_GAP = re.compile(r"[ \t]?[,;][ \t]?(?=[A-Za-z0-9_])")
_HOSTILE_END = re.compile(r"[\"']?\s?/?>\S*")


def bare_id(token: re.Match[str]) -> str:
    """Return the id of a LOOSE_ID match without the punctuation that may follow it."""
    return token[2].rstrip(".:#-")


def read_unfinished_family(text: str, ids: OfferedIds, *, at_end: bool) -> tuple[str | None, int]:
    """Return the family at the start of `text`, or None, and how many characters are the marker's own."""
    match = FAMILY_AT_START.match(text)
    if match:
        token = LOOSE_ID.match(text, match.end())
        named = token is not None and (bare_id(token) in ids or HOSTED_RUN.match(token[2]) is not None)
        if named or match.end() == len(text):
            return match[1].lower(), match.end()
        return None, match.end(1)
    if at_end and (not text.strip() or is_family_beginning(text.strip())):
        return None, len(text)
    token = LOOSE_ID.match(text)
    return ("" if token and bare_id(token) in ids else None), 0


def read_loose_ids(text: str, start: int, reading: Reading, *, prose_may_follow: bool) -> int:
    """Read the ids that running text goes on from at `start`; return where it does.

    With `prose_may_follow` an unknown word of letters alone is prose even as the first thing.
    """
    position = start
    while token := LOOSE_ID.match(text, position):
        end = _read_loose_id(token, reading, prose_may_follow=prose_may_follow)
        if end is None:
            break
        position = end
        gap = _LIST_GAP.match(text, position)
        following = LOOSE_ID.match(text, gap.end()) if gap else None
        if gap is None or following is None or bare_id(following) not in reading.ids:
            break
        position = gap.end()
    hostile = _HOSTILE_END.match(text, position) if position > start else None
    if hostile:
        reading.refs.clear()
        return hostile.end()
    return position


def _read_loose_id(token: re.Match[str], reading: Reading, *, prose_may_follow: bool) -> int | None:
    """Take one id, with or without the punctuation after it; return its end, or None if it is prose."""
    for candidate in (token[2], bare_id(token)):
        if reading.take_token(candidate):
            return token.start(2) + len(candidate)
    if token[1] or (bare_id(token).isalpha() and (prose_may_follow or reading.refs)):
        return None
    reading.drop(bare_id(token))
    return token.start(2) + len(bare_id(token))
