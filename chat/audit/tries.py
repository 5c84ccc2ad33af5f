"""Records of somebody's try to open something, through a page or the API.

What was refused stands in the chain of the asker's tenant, whatever was asked for; where it belongs to another
tenant, that one's chain gets a record too (`tell_owner`), after the answer has gone out, so that an answer to
something absent takes as long as one to something forbidden.

A reader who scrolls asks for one part of a document after the other; a part is recorded only when nothing was of the
same thing in the last minutes, so that nobody reads by parts unseen.
"""

import uuid
from dataclasses import dataclass

from django.core.cache import cache
from django.db import transaction

from chat.audit.chain import append
from chat.models import Citation, Conversation, Turn
from citeweb.accounts.row_security import acting_as_system, acting_for
from sources.permissions import tenant_of_document_as_system

REFUSED = "access_refused"
PASSAGE, DOCUMENT, ORIGINAL = "passage_opened", "document_opened", "original_downloaded"
# Seconds in which the parts of one thing that a reader asks for count as one opening.
_ONE_READING = 600
# What the asked thing is called in the body of a record.
_ASKED = {"citation": "citation_id"}


@dataclass(frozen=True, slots=True)
class Try:
    """Somebody's try to open something, in the tenant that they work in.

    `noun` says what `wanted` is the id of (citation, document, conversation, turn, collection). `opened` is the
    kind of record that a success leaves, "" if it was refused.
    """

    user_id: int
    email: str
    tenant_id: uuid.UUID
    address: str
    noun: str
    wanted: uuid.UUID | None
    opened: str = ""
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class Subject:
    """What was to be opened, as far as there is such a thing."""

    tenant_id: uuid.UUID | None = None
    document_id: uuid.UUID | None = None
    version_id: uuid.UUID | None = None


def note(attempt: Try) -> Subject | None:
    """Record the try where it belongs first; return what `tell_owner` must know, or None."""
    if attempt.opened and _goes_on(attempt):
        return None
    with acting_as_system("what was opened"):
        subject = _subject(attempt)
    if attempt.opened and subject.tenant_id is not None:
        _append(subject.tenant_id, attempt.opened, attempt, subject)
        if subject.document_id:
            # The pages beside a passage are part of reading it.
            cache.set(_key(attempt, DOCUMENT, subject.document_id), 1, _ONE_READING)
        return None
    here = subject if subject.tenant_id == attempt.tenant_id else Subject()
    _append(attempt.tenant_id, REFUSED, attempt, here)
    return subject


def tell_owner(attempt: Try, subject: Subject) -> None:
    """Record a refusal also in the chain of the tenant whose thing it was."""
    if subject.tenant_id is not None and subject.tenant_id != attempt.tenant_id:
        _append(subject.tenant_id, REFUSED, attempt, subject)


def _goes_on(attempt: Try) -> bool:
    """Tell whether this is one more part of what the same person opened a moment ago."""
    key = _key(attempt, attempt.opened, attempt.wanted)
    if not attempt.is_part:
        cache.set(key, 1, _ONE_READING)
        return False
    return not cache.add(key, 1, _ONE_READING)


def _key(attempt: Try, opened: str, wanted: uuid.UUID | None) -> str:
    return f"opened:{attempt.user_id}:{opened}:{wanted}"


def _subject(attempt: Try) -> Subject:
    if attempt.wanted is None:
        return Subject()
    match attempt.noun:
        case "citation":
            citation = Citation.objects.filter(pk=attempt.wanted).first()
            return (
                Subject(citation.tenant_id, citation.document_id, citation.version_id)
                if citation
                else Subject()
            )
        case "document":
            tenant_id = tenant_of_document_as_system(attempt.wanted)
            return Subject(tenant_id, attempt.wanted if tenant_id else None)
        case "conversation" | "turn":
            rows = Conversation.objects if attempt.noun == "conversation" else Turn.objects
            return Subject(rows.filter(pk=attempt.wanted).values_list("tenant_id", flat=True).first())
    return Subject()


def _append(tenant_id: uuid.UUID, kind: str, attempt: Try, subject: Subject) -> None:
    body: dict[str, object] = {
        "actor_id": attempt.user_id,
        "actor_email": attempt.email,
        "address": attempt.address,
        "document_id": str(subject.document_id) if subject.document_id else None,
        "version_id": str(subject.version_id) if subject.version_id else None,
    }
    if attempt.wanted is not None:
        body[_ASKED.get(attempt.noun, f"asked_{attempt.noun}_id")] = str(attempt.wanted)
    with acting_for(tenant=tenant_id), transaction.atomic():
        append(tenant_id=tenant_id, kind=kind, body=body)
