"""Records which documents programs opened, found by a search, or were refused; see chat.audit.tries."""

import uuid
from collections.abc import Iterable, Sequence

from django.db import transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch

from chat import audit
from chat.api.caller import Caller
from chat.api.ids import CHAT, FILE, RESPONSE, STORE, own_id
from chat.audit.tries import DOCUMENT, ORIGINAL, PASSAGE, Try, note, tell_owner
from sources.core.passages import Passage
from sources.permissions import collections_of_documents_as_system

FOUND = "passages_found"
# What a successful GET of each route is called.
_OPENED = {
    "v1/citations/<citation_id>": PASSAGE,
    "v1/files/<file_id>/content": ORIGINAL,
    "v1/vector_stores/<store_id>/files/<file_id>/content": DOCUMENT,
}
# The ids in addresses: what they are ids of, and their prefixes. The first that is there is what was asked for.
_NAMES = {
    "citation_id": ("citation", ""),
    "file_id": ("document", FILE),
    "response_id": ("turn", RESPONSE),
    "completion_id": ("turn", CHAT),
    "store_id": ("collection", STORE),
}
_REFUSALS = frozenset({403, 404})
_AUDIT = "v1/audit/"


def note_opening(
    request: HttpRequest, match: ResolverMatch, response: HttpResponseBase, caller: Caller
) -> None:
    """Record what this request opened or was refused."""
    refused = response.status_code in _REFUSALS
    opened = _OPENED.get(match.route, "") if request.method == "GET" and response.status_code == 200 else ""
    wanted = _wanted(match)
    if wanted and (refused or opened):
        address = f"api:{match.route}"
        attempt = Try(caller.user.pk, caller.user.email, caller.tenant.pk, address, *wanted, opened=opened)
        if subject := note(attempt):
            tell_owner(attempt, subject)


def _wanted(match: ResolverMatch) -> tuple[str, uuid.UUID | None] | None:
    if match.route.startswith(_AUDIT):
        return "", None
    for name, (noun, prefix) in _NAMES.items():
        if name in match.kwargs:
            own = own_id(prefix, str(match.kwargs[name]))
            return (noun, own) if own else None
    return None


@transaction.atomic
def note_found(caller: Caller, queries: Sequence[str], passages: Iterable[Passage]) -> None:
    """Record which passages a search gave to a program: it has their words now, as a reader has."""
    found = {passage.block_id: passage for passage in passages}
    shelves = collections_of_documents_as_system({uuid.UUID(one.document_id) for one in found.values()})
    body = {
        "actor_id": caller.user.pk,
        "actor_email": caller.user.email,
        "request_id": caller.request_id,
        "queries": list(queries),
        "found": [
            {
                "block_id": one.block_id,
                "document_id": one.document_id,
                "version_id": one.version_id,
                "collection_id": str(shelves.get(uuid.UUID(one.document_id), "")),
                "start": one.start,
                "end": one.end,
            }
            for one in found.values()
        ],
    }
    audit.append(tenant_id=caller.tenant.pk, kind=FOUND, body=body)
