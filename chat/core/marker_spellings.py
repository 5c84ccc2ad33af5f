"""How the reserved characters U+E200 to U+E206 appear in model output: as themselves, or spelled out."""

import re

OPEN, CLOSE, SEPARATOR = "\ue200", "\ue201", "\ue202"
RESERVED = re.compile("[\ue200-\ue206]")
FAMILIES = frozenset({"cite", "filecite", "navlist"})
FAMILY_AT_END = re.compile(r"(?:filecite|cite|navlist)\Z", re.IGNORECASE)

_NAMES = {
    OPEN: ("citation_start", "citation_open", "citation_begin"),
    SEPARATOR: ("citation_delimiter", "citation_separator"),
    CLOSE: ("citation_stop", "citation_end", "citation_close"),
}


def _spellings() -> dict[str, str]:
    """Return every spelling, in lower case, with the character it stands for."""
    found: dict[str, str] = {}
    for code in range(0xE200, 0xE207):
        char, digits = chr(code), f"{code:x}"
        for slashes in ("\\", "\\\\"):
            for form in ("u{}", "u{{{}}}", "x{{{}}}", "u0000{}", "u+{}"):
                found[slashes + form.format(digits)] = char
        for form in ("u+{}", "<u+{}>", "[u+{}]", "{{u+{}}}"):
            found[form.format(digits)] = char
        for zeros in range(5):
            found[f"&#x{'0' * zeros}{digits};"] = char
            found[f"&#{'0' * zeros}{code};"] = char
        found["".join(f"\\x{byte:02x}" for byte in char.encode())] = char
        found["".join(f"%{byte:02x}" for byte in char.encode())] = char
        for name in _NAMES.get(char, ()):
            for form in ("{{{}}}", "{{{{{}}}}}", "<{}>", "[{}]"):
                found[form.format(name)] = char
    return found


SPELLINGS = _spellings()
_LONGEST = max(map(len, SPELLINGS))
_BEGINNINGS = frozenset(spelling[:length] for spelling in SPELLINGS for length in range(1, len(spelling)))
_FAMILY_ENDS = frozenset(family[:length] for family in FAMILIES for length in range(1, len(family) + 1))
_FIRST = re.compile(f"[{re.escape(''.join({piece[0] for piece in (*_BEGINNINGS, *_FAMILY_ENDS)}))}]")
_INSIDE = frozenset("".join((*_BEGINNINGS, *_FAMILY_ENDS)))
_ANY = "|".join(re.escape(spelling) for spelling in sorted(SPELLINGS, key=len, reverse=True))
# The look-ahead makes the search several times faster: nearly no character of prose passes it.
SPELLED = re.compile(rf"(?=[\\&{{<\[%]|[uU]\+)(?ai:{_ANY})")
DELIMITER = re.compile(rf"{RESERVED.pattern}|{SPELLED.pattern}")


def character(delimiter: str) -> str:
    """Return the reserved character that a match of DELIMITER stands for."""
    return SPELLINGS.get(delimiter.lower(), delimiter)


def unfinished(text: str) -> int:
    """Return how many characters at the end of `text` may be the start of a spelling or of a family's name."""
    if text[-1:].lower() not in _INSIDE:
        return 0
    tail = text[-_LONGEST:].lower()
    for first in _FIRST.finditer(tail):
        piece = tail[first.start() :]
        if piece in _FAMILY_ENDS:
            return len(piece)
        if piece in _BEGINNINGS:
            # A family's name may have lost its opener, and its delimiter is just being spelled out.
            family = FAMILY_AT_END.search(text[-len(piece) - 8 : -len(piece)])
            return len(piece) + (len(family.group()) if family else 0)
    return 0


def completes(before: str, text: str) -> int | None:
    """Say how many characters at the start of `text` complete a spelling that `before` ends in the middle of.

    None means that more text is needed; the name U+E200 in so many words is prose and not completed.
    """
    for start in range(max(0, len(before) - _LONGEST), len(before)):
        piece = before[start:]
        if piece.lower() not in _BEGINNINGS or "u+" in (piece + text[:1]).lower():
            continue
        match = SPELLED.match(piece + text[:_LONGEST])
        if match:
            return match.end() - len(piece)
        if len(text) < _LONGEST and is_beginning(piece + text):
            return None
    return 0


def is_family_beginning(text: str) -> bool:
    """Say whether `text` is a marker family's name or the start of one."""
    return text.lower() in _FAMILY_ENDS


def is_beginning(text: str) -> bool:
    """Say whether `text` may still become a spelling of a reserved character."""
    return text.lower() in _BEGINNINGS
