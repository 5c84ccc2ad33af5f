"""What files say about themselves, made fit for a citation: years, authors, languages, web addresses."""

import re
from collections.abc import Iterable

_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)")
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]+)*$")
# What programs write where an author belongs.
_NOBODY = re.compile(
    r"(?:unknown|anonymous|author|user|admin|administrator|owner|python-docx|openpyxl|apache poi|"
    r"microsoft(?: office)?(?: user)?|windows user|none|null|un-named|untitled|<?saved by .*|[\W\d_]*)$",
    re.IGNORECASE,
)


def year_of(date: str | None) -> str:
    """Return the first year in a date of any form, or ""."""
    found = _YEAR.search(date or "")
    return found[1] if found else ""


def authors(names: Iterable[str | None]) -> str:
    """Return real names joined by "; ", each once."""
    tidy = (" ".join((name or "").split()) for name in names)
    return "; ".join(dict.fromkeys(name for name in tidy if name and not _NOBODY.match(name)))


def language_code(tag: str | None) -> str:
    """Return the language of a tag like "fa-IR", or ""."""
    found = _LANGUAGE.match((tag or "").strip())
    return found[1].lower() if found else ""


def web_address(url: str | None) -> str:
    """Return a http or https address, or ""."""
    url = (url or "").strip()
    return url if re.match(r"https?://[^\s<>\"]+$", url) else ""
