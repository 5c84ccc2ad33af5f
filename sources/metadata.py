"""What a document says about itself: from its file, until a curator says it better.

A field that a curator has set, also to nothing, is named in `Document.corrected`; no later upload changes it.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from django.db.models import CharField

from sources.core.extract.types import Extracted
from sources.models import Document

FIELDS = ("title", "author", "year", "reference", "url", "language")
# What a curator may set besides: no file knows its id at a model provider.
EDITED = (*FIELDS, "provider_file_id")


def fill_from_file(document: Document, extracted: Extracted) -> list[str]:
    """Set what the newest file says where no curator has spoken; the caller saves. Return the fields set.

    What the file doesn't say becomes blank, so that nothing of an earlier file is left over; a title stays.
    """
    stated = {name: _fitting(name, getattr(extracted, name)) for name in FIELDS}
    fields = [name for name in FIELDS if name not in document.corrected and (stated[name] or name != "title")]
    for name in fields:
        setattr(document, name, stated[name])
    return fields


def title_from_file(document: Document, extracted: Extracted) -> str:
    """Return the title that the document has with this file as its newest."""
    stated = _fitting("title", extracted.title)
    return stated if stated and "title" not in document.corrected else document.title


def correct(document: Document, values: Mapping[str, str]) -> list[str]:
    """Set what a curator says and remember which fields that changes; the caller saves. Return the fields to save.

    Raises ValueError for a field that isn't one of `EDITED`.
    """
    if unknown := set(values).difference(EDITED):
        raise ValueError(f"no such fields: {sorted(unknown)}")
    changed = [name for name, value in values.items() if getattr(document, name) != value]
    for name in changed:
        setattr(document, name, values[name])
    document.corrected = sorted({*document.corrected, *changed})
    return [*changed, "corrected"] if changed else []


def _fitting(name: str, value: str) -> str:
    """What the column holds of a value; an address that is cut or of another scheme would be none."""
    field = Document._meta.get_field(name)
    assert isinstance(field, CharField) and field.max_length  # noqa: PT018
    if name == "url":
        return value if len(value) <= field.max_length and is_web_address(value) else ""
    return value[: field.max_length]


def is_web_address(url: str) -> bool:
    """Tell whether it is an http or https address with a host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)
