"""What a record says, as lines of a name and a value that somebody who is no engineer can read."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.core.raw_view import spelled_out

_DOCUMENTS = frozenset({"document_id", "asked_document_id", "about_document_id"})
_HASH = "_sha256"
# The names of what records hold. A name that is not here is shown as it is written in the record.
LABELS: dict[str, str | Promise] = {
    "about_document_id": _("Document"),
    "about_turn_id": _("Turn"),
    "actor_is_staff": _("By staff of the operator"),
    "address": _("Way"),
    "after": _("After entry"),
    "api": _("Interface of the model"),
    "asked_collection_id": _("Collection asked for"),
    "asked_conversation_id": _("Conversation asked for"),
    "asked_document_id": _("Document asked for"),
    "asked_turn_id": _("Turn asked for"),
    "author": _("Author"),
    "before": _("Before entry"),
    "bytes": _("Size in bytes"),
    "cached_tokens": _("Tokens from the cache"),
    "changes": _("Changes"),
    "citation_id": _("Citation"),
    "collection": _("Collection"),
    "collection_id": _("Collection (number)"),
    "conversation_id": _("Conversation"),
    "cut_passages": _("Blocks cut to fit"),
    "days": _("Days"),
    "document_id": _("Document"),
    "end_reason": _("The model ended with"),
    "expires_at": _("Valid until"),
    "export_id": _("Export"),
    "file_name": _("File name"),
    "filters": _("Filters"),
    "first_text": _("First words after"),
    "form": _("Format"),
    "found": _("Passages found"),
    "generation": _("Model's output took"),
    "group": _("Group"),
    "input_tokens": _("Tokens in"),
    "key": _("Key (its beginning)"),
    "key_id": _("Key (number)"),
    "last_ordinal": _("Shows up to turn"),
    "left_out_passages": _("Blocks left out"),
    "left_out_turns": _("Earlier turns left out"),
    "line_numbers": _("Blocks with line numbers"),
    "marker_style": _("Style of the markers"),
    "max_output_tokens": _("Most tokens out"),
    "model": _("Model"),
    "name": _("Name"),
    "number": _("Version"),
    "object": _("Object"),
    "object_id": _("Object (number)"),
    "output_tokens": _("Tokens out"),
    "queries": _("Searched for"),
    "query": _("Searched for"),
    "reason": _("Reason"),
    "reasoning_tokens": _("Tokens of thought"),
    "record_kind": _("Kind of the record"),
    "record_sequence": _("Number of the record"),
    "reference": _("Reference"),
    "request_id": _("Request"),
    "requests_per_minute": _("Requests a minute"),
    "retrieval": _("Search took"),
    "role": _("Role"),
    "roles": _("Roles"),
    "rows": _("Rows"),
    "scopes": _("May be used for"),
    "sha256": _("SHA-256 of the file"),
    "share_id": _("Link"),
    "shown": _("Entries shown"),
    "size": _("Size in bytes"),
    "state": _("State"),
    "temperature": _("Temperature"),
    "title": _("Title"),
    "total": _("Everything took"),
    "turn_ids": _("Turns"),
    "upstream_name": _("The provider calls the model"),
    "user_email": _("Person"),
    "user_id": _("Person (number)"),
    "version_id": _("Version (number)"),
    "versions": _("Versions"),
    "why": _("Reason given"),
}
# What the same names mean where no entry of a list is their value.
CHANGED: dict[str, str | Promise] = {"before": _("Before the change"), "after": _("After the change")}


@dataclass(frozen=True, slots=True)
class Fact:
    """One line. `document_id` is that of the document whose number is the value, or ""."""

    label: str
    value: str
    document_id: str = ""


def facts_of(values: Mapping[str, object]) -> Iterator[Fact]:
    """Yield a line for each value that is there."""
    for name, value in values.items():
        if value not in (None, "", [], {}):
            shown = _shown(value)
            label = CHANGED[name] if name in CHANGED and not isinstance(value, int) else _label(name)
            yield Fact(str(label), spelled_out(shown), shown if name in _DOCUMENTS else "")


def _label(name: str) -> str:
    if name.endswith(_HASH) and name not in LABELS:
        return f"{_label(name.removesuffix(_HASH))} (SHA-256)"
    return str(LABELS.get(name, name))


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return " · ".join(value)
    if isinstance(value, dict) and all(isinstance(one, str | int | float) for one in value.values()):
        return " · ".join(f"{_label(key)}: {one}" for key, one in value.items())
    return json.dumps(value, ensure_ascii=False)
