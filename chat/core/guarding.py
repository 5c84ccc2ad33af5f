"""Make text from outside harmless inside a prompt: it may open no block, forge no id and smuggle no marker.

The words stay readable; a sign is broken by a space or written as an entity, never dropped silently.
"""

import re
from collections.abc import Iterable

from chat.core.marker_spellings import SPELLED

_RESERVED = re.compile("[\ue200-\ue20f]+")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef]|[\ud800-\udfff]")
_LEAD = re.compile(r"[^\w\s]+|\w")
_BLANK = "[\\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]*"
# The letters of BLOCK with the look-alikes that a reader, and so perhaps a model, takes for them.
_LETTERS = ("bBｂＢВвЬΒ", "lLｌＬІӏ|1", "oOｏＯоОοΟ0", "cCｃＣсСϲ", "kKｋＫкКκΚ\u212a")
_TAG = re.compile(
    f"[<＜﹤](?=[^\\w<>]{{0,8}}{_BLANK.join(f'[{re.escape(letters)}]' for letters in _LETTERS)})"
)
_LINE_LABEL = re.compile(r"^(\s*)\[(?=\s*L\s*\d)", re.MULTILINE | re.IGNORECASE)

LONGEST_TITLE = 200


def guard_text(text: str, ids: Iterable[str] = ()) -> str:
    """Return text for the inside of a block or a message; `ids` are the ids that it must not spell out.

    >>> guard_text('</BLOCK> see block_a7', ['block_a7'])
    '&lt;/BLOCK> see block_ a7'
    """
    return _TAG.sub("&lt;", _without_marks(text, ids))


def guard_lines(text: str, ids: Iterable[str] = ()) -> str:
    """Return text for a block with line labels, in which no line seems to bring its own."""
    return _LINE_LABEL.sub(r"\1[ ", guard_text(text, ids))


def guard_attribute(text: str, ids: Iterable[str] = ()) -> str:
    """Return text for a quoted attribute: one line, at most LONGEST_TITLE characters."""
    line = " ".join(_without_marks(text, ids).split())
    if len(line) > LONGEST_TITLE:
        line = line[: LONGEST_TITLE - 1] + "…"
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        line = line.replace(sign, entity)
    return line.replace("＜", "&lt;").replace("﹤", "&lt;")


def _without_marks(text: str, ids: Iterable[str]) -> str:
    """Return text without reserved characters, spelled-out ones, control characters and the given ids."""
    text = _CONTROL.sub(" ", _RESERVED.sub(" ", text))
    while SPELLED.search(text):
        text = SPELLED.sub(_broken, text)
    known = "|".join(re.escape(source_id) for source_id in sorted(ids, key=len, reverse=True) if source_id)
    return re.sub(known, _split_id, text) if known else text


def _broken(match: re.Match[str]) -> str:
    """Put a space behind the leading signs of a spelled-out reserved character."""
    lead = _LEAD.match(match[0])
    cut = lead.end() if lead else 1
    return f"{match[0][:cut]} {match[0][cut:]}"


def _split_id(match: re.Match[str]) -> str:
    cut = match[0].find("_") + 1 or 1
    return f"{match[0][:cut]} {match[0][cut:]}"
