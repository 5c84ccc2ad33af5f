"""What a curator may change of a document that stays: what is said about it, and where it stands."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction

from citeweb.accounts.changes import Change, Kind, record
from citeweb.accounts.models import User
from sources.curation import check_curator
from sources.metadata import correct
from sources.models import Collection, Document
from sources.permissions import Hidden, curated_documents, may_curate
from sources.queue import defer_relabel


class Taken(Exception):
    """Another document of the tenant has this provider's file id."""


def edit(document: Document, *, user: User, values: Mapping[str, str]) -> bool:
    """Set title, author and what else `sources.metadata.EDITED` names; False when nothing changes.

    No later upload overwrites what was set here. Raises Hidden without the right, and Taken.
    """
    with transaction.atomic():
        found = _locked(document, user)
        before = {name: getattr(found, name) for name in values}
        fields = correct(found, values)
        if not fields:
            return False
        _save(found, fields)
        changed = [name for name in fields if name != "corrected"]
        texts = {f"{name}_before": before[name] for name in changed} | {
            name: values[name] for name in changed
        }
        record(_about(Kind.DOCUMENT_EDITED, found, user, texts, fields=sorted(changed)))
        if "title" in changed:
            # The title's words find its passages.
            defer_relabel(found.pk)
    return True


def move(document: Document, *, user: User, to: Collection) -> bool:
    """Move a document to another collection that the user curates; False when it is there.

    Who may read it changes at once. Raises Hidden without the right to either collection.
    """
    with transaction.atomic():
        found = _locked(document, user)
        if not may_curate(user=user, tenant=found.tenant, collection=to):
            raise Hidden
        if found.collection_id == to.pk:
            return False
        before, found.collection = found.collection_id, to
        found.save(update_fields=["collection"])
        texts = {"title": found.title}
        record(_about(Kind.DOCUMENT_MOVED, found, user, texts, before=str(before)))
    return True


def _save(document: Document, fields: list[str]) -> None:
    try:
        with transaction.atomic():
            document.save(update_fields=fields)
    except IntegrityError as exc:
        # The one constraint that a curator's words can break.
        raise Taken from exc


def _locked(document: Document, user: User) -> Document:
    check_curator(document, user)
    mine = curated_documents(user=user, tenant=document.tenant).filter(pk=document.pk)
    found = mine.select_for_update(of=("self",), no_key=True).select_related("tenant").first()
    if found is None:
        raise Hidden
    return found


def _about(kind: Kind, document: Document, user: User, texts: Mapping[str, str], **more: object) -> Change:
    body = {"collection_id": str(document.collection_id), **more}
    return Change(kind, document.tenant_id, user, body, document.pk, texts)
