"""Opening a document by its address, in whichever of the reader's tenants it lies.

A link must work for whoever may read the document, also when they work in another tenant at the moment.
"""

import uuid

from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from citeweb.accounts.models import Tenant, User
from citeweb.accounts.tenancy import in_whichever_tenant
from sources.models import Document, Version, VersionState
from sources.permissions import Hidden, visible_documents, visible_versions

# What only the viewer of a whole text needs; canonical text may be megabytes.
_HEAVY = ("text", "headings", "tables", "warnings")


def open_document(*, user: User, document_id: uuid.UUID) -> Document:
    """Return the document with its tenant and collection, and go on in that tenant. Raises Hidden."""

    def find(tenant: Tenant) -> Document | None:
        found = visible_documents(user=user, tenant=tenant).filter(pk=document_id)
        return found.select_related("tenant", "collection", "uploaded_by").first()

    document = in_whichever_tenant(user, find)
    if document is None:
        raise Hidden
    return document


def open_version(*, user: User, document_id: uuid.UUID, wanted: str, with_text: bool = False) -> Version:
    """Return a version of a document, by its id or number, or for "" the current one. Raises Hidden.

    A document none of whose versions is ready yet gives its newest one.
    """
    document = open_document(user=user, document_id=document_id)
    versions = versions_of(document, user=user).select_related("document__tenant", "document__collection")
    version = _wanted(versions if with_text else versions.defer(*_HEAVY), document, wanted)
    if version is None:
        raise Hidden
    return version


def versions_of(document: Document, *, user: User) -> QuerySet[Version]:
    """Return the document's versions that the user may read, the newest first."""
    mine = visible_versions(user=user, tenant=document.tenant)
    return mine.filter(document=document).order_by("-number")


def newer_ready_version(version: Version, *, user: User) -> Version | None:
    """Return the newest ready version that came after this one, without its text."""
    later = versions_of(version.document, user=user).filter(number__gt=version.number)
    return later.filter(state=VersionState.READY).defer(*_HEAVY).first()


def _wanted(versions: QuerySet[Version], document: Document, wanted: str) -> Version | None:
    if not wanted:
        current = document.current_version_id
        return versions.filter(pk=current).first() if current else versions.first()
    if wanted.isascii() and wanted.isdigit():
        return versions.filter(number=int(wanted)).first() if len(wanted) < 10 else None
    try:
        return versions.filter(pk=wanted).first()
    except (ValidationError, ValueError):
        return None
