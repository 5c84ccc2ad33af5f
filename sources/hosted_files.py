"""Documents of ours that a provider's hosted file search names by its own file id."""

import hashlib
import re
import uuid
from dataclasses import dataclass

from django.db.models import Q

from citeweb.accounts.models import Tenant, User
from sources.core.lines import line_at, line_starts
from sources.core.passages import LineRange, Passage
from sources.models import Chunk, Version
from sources.permissions import Hidden, version_for, visible_chunks, visible_documents

# Shorter quotes stand in a text by chance.
_SHORTEST_QUOTE = 24


@dataclass(frozen=True, slots=True)
class HostedFile:
    """The document, in its current version, that a provider's file id stands for."""

    document_id: uuid.UUID
    version_id: uuid.UUID
    title: str


def hosted_file(*, user: User, tenant: Tenant, file_id: str) -> HostedFile | None:
    """Return the document that the user may read and that a curator or our own API gave this file id.

    File names are no identity: two files of one name are two documents.
    """
    if not file_id:
        return None
    ours = _own_id(file_id)
    named = Q(provider_file_id=file_id) | Q(pk=ours) if ours else Q(provider_file_id=file_id)
    readable = visible_documents(user=user, tenant=tenant).filter(named, current_version__isnull=False)
    # Our own id comes first: nobody can give it to another document.
    document = next(iter(sorted(readable, key=lambda found: found.pk != ours)), None)
    if document is None or document.current_version_id is None:
        return None
    return HostedFile(document.pk, document.current_version_id, document.title)


def hosted_passage(*, user: User, tenant: Tenant, file: HostedFile, text: str) -> Passage | None:
    """Return the place in our text that a provider's search quoted, or None if it stands there not exactly once.

    White space may differ; nothing else may: a look-alike is never taken for the place.
    """
    words = text.split()
    if len(" ".join(words)) < _SHORTEST_QUOTE:
        return None
    try:
        version = version_for(user=user, tenant=tenant, version_id=file.version_id)
    except Hidden:
        return None
    found = list(re.finditer(r"\s+".join(map(re.escape, words)), version.text))
    if len(found) != 1:
        return None
    start, end = found[0].span()
    chunks = visible_chunks(user=user, tenant=tenant).filter(version=version)
    chunk = chunks.filter(start__lte=start, end__gt=start).order_by("ordinal").first()
    return _passage(version, chunk, start, end) if chunk else None


def _passage(version: Version, chunk: Chunk, start: int, end: int) -> Passage:
    starts, text = line_starts(version.text), version.text[start:end]
    page = version.page_layouts.filter(start__lte=start, end__gt=start).order_by("number").first()
    return Passage(
        block_id=chunk.block_id,
        document_id=str(version.document_id),
        version_id=str(version.pk),
        title=version.document.title,
        text=text,
        start=start,
        end=end,
        lines=LineRange(line_at(starts, start), line_at(starts, end - 1)),
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        page=page.number if page else None,
        page_label=page.label if page else "",
        heading_path=tuple(chunk.heading_path),
    )


def _own_id(file_id: str) -> uuid.UUID | None:
    """Return the document's id in an id that our own API gave out, `file-` and the id's 32 digits."""
    try:
        return uuid.UUID(file_id.removeprefix("file-"))
    except ValueError:
        return None
