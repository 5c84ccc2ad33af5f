"""Records who opened a passage or a document, and whom it was refused.

A middleware and not a line in each view: an address that is refused has often found no row to speak of. Which of the
two happened is read off the answer. What was refused stands in the chain of the reader's tenant, whatever was asked
for; where it belongs to another tenant, that one's chain gets a record too, after the answer has gone out, so that
an answer to something absent takes as long as one to something forbidden.

A reader who scrolls asks for one part of a document after the other; a part is recorded only when nothing was of the
same thing in the last minutes, so that nobody reads by parts unseen.
"""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.core.cache import cache
from django.db import transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from chat.audit.chain import append
from chat.models import Citation
from citeweb.accounts.models import User
from citeweb.accounts.row_security import acting_as_system, acting_for
from citeweb.accounts.tenancy import place_of
from citeweb.threads import in_thread
from sources.permissions import tenant_of_document_as_system
from sources.reader_views import asks_for_part

# What opening each address is called.
OPENED = {
    "cite": "passage_opened",
    "sources:document": "document_opened",
    "sources:original": "original_downloaded",
}
REFUSED = "access_refused"
_REFUSALS = frozenset({403, 404, 410})
# Seconds in which the parts of one thing that a reader asks for count as one opening.
_ONE_READING = 600

Answer = HttpResponseBase | Awaitable[HttpResponseBase]


@dataclass(frozen=True, slots=True)
class _Try:
    """Somebody's try to open something, in the tenant that they work in."""

    user_id: int
    email: str
    tenant_id: uuid.UUID
    address: str
    wanted: uuid.UUID
    opened: bool
    is_part: bool

    def goes_on(self) -> bool:
        """Tell whether this is one more part of what the same person opened a moment ago."""
        key = f"opened:{self.user_id}:{self.address}:{self.wanted}"
        if not self.is_part:
            cache.set(key, 1, _ONE_READING)
            return False
        return not cache.add(key, 1, _ONE_READING)


@dataclass(frozen=True, slots=True)
class _Subject:
    """What was to be opened, as far as there is such a thing."""

    tenant_id: uuid.UUID | None = None
    document_id: uuid.UUID | None = None
    version_id: uuid.UUID | None = None


class Openings:
    """The middleware."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Answer]) -> None:
        self.get_response = get_response
        self._later: set[asyncio.Task[None]] = set()
        self._is_async = bool(iscoroutinefunction(get_response))
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Answer:
        """Answer, and record what was opened."""
        if self._is_async:
            return self._answer(request)
        response = cast(HttpResponseBase, self.get_response(request))
        if _is_watched(request, response):
            _record(request, response)
        return response

    async def _answer(self, request: HttpRequest) -> HttpResponseBase:
        response = await cast(Awaitable[HttpResponseBase], self.get_response(request))
        if _is_watched(request, response):
            attempt, subject = await in_thread(_note, request, response)
            if attempt is not None:
                task = asyncio.create_task(in_thread(_tell_owner, attempt, subject))
                # The loop itself keeps no task alive.
                self._later.add(task)
                task.add_done_callback(self._later.discard)
        return response


def _is_watched(request: HttpRequest, response: HttpResponseBase) -> bool:
    match = request.resolver_match
    watched = match is not None and match.view_name in OPENED and request.method == "GET"
    return watched and (response.status_code == 200 or response.status_code in _REFUSALS)


def _record(request: HttpRequest, response: HttpResponseBase) -> None:
    attempt, subject = _note(request, response)
    if attempt is not None:
        _tell_owner(attempt, subject)


def _note(request: HttpRequest, response: HttpResponseBase) -> tuple[_Try | None, _Subject]:
    """Record the try where it belongs first; return it with its subject."""
    attempt = _try(request, response)
    if attempt is None or (attempt.opened and attempt.goes_on()):
        return None, _Subject()
    with acting_as_system("what was opened"):
        subject = _subject(attempt)
    if attempt.opened and subject.tenant_id is not None:
        _append(subject.tenant_id, OPENED[attempt.address], attempt, subject)
        return None, subject
    here = subject if subject.tenant_id == attempt.tenant_id else _Subject()
    _append(attempt.tenant_id, REFUSED, attempt, here)
    return attempt, subject


def _tell_owner(attempt: _Try, subject: _Subject) -> None:
    """Record a refusal also in the chain of the tenant whose thing it was."""
    if subject.tenant_id not in (None, attempt.tenant_id):
        assert subject.tenant_id is not None
        _append(subject.tenant_id, REFUSED, attempt, subject)


def _try(request: HttpRequest, response: HttpResponseBase) -> _Try | None:
    place, match = place_of(request), request.resolver_match
    if place is None or match is None or not isinstance(request.user, User):
        return None
    wanted = match.kwargs.get("citation_id") or match.kwargs["document_id"]
    opened = response.status_code == 200
    return _Try(
        place.user.pk,
        place.user.email,
        place.tenant.pk,
        match.view_name,
        wanted,
        opened,
        is_part=asks_for_part(request),
    )


def _subject(attempt: _Try) -> _Subject:
    if attempt.address != "cite":
        tenant_id = tenant_of_document_as_system(attempt.wanted)
        return _Subject(tenant_id, attempt.wanted if tenant_id else None)
    citation = Citation.objects.filter(pk=attempt.wanted).first()
    if citation is None:
        return _Subject()
    return _Subject(citation.tenant_id, citation.document_id, citation.version_id)


def _append(tenant_id: uuid.UUID, kind: str, attempt: _Try, subject: _Subject) -> None:
    name = "citation_id" if attempt.address == "cite" else "asked_document_id"
    body: dict[str, object] = {
        "actor_id": attempt.user_id,
        "actor_email": attempt.email,
        "address": attempt.address,
        name: str(attempt.wanted),
        "document_id": str(subject.document_id) if subject.document_id else None,
        "version_id": str(subject.version_id) if subject.version_id else None,
    }
    with acting_for(tenant=tenant_id), transaction.atomic():
        append(tenant_id=tenant_id, kind=kind, body=body)
