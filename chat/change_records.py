"""The audit record of a change to documents, collections, members or groups; see citeweb.accounts.changes."""

import uuid

from chat import audit
from chat.models import Citation
from citeweb.accounts.changes import Change, Kind


def record(change: Change) -> None:
    """Append the change to its tenant's chain, in its transaction; a purge also takes the document's words away."""
    body: dict[str, object] = {
        **change.body,
        **{f"{name}_sha256": audit.sha256_of(text) for name, text in change.texts.items()},
        "actor_id": change.actor.pk if change.actor else None,
        "actor_email": change.actor.email if change.actor else "",
    }
    if change.document_id is not None:
        body["document_id"] = str(change.document_id)
    audit.append(tenant_id=change.tenant_id, kind=change.kind, body=body, words=_words(change))
    if change.kind == Kind.DOCUMENT_PURGED and change.document_id is not None:
        _forget(change.tenant_id, change.document_id)


def _words(change: Change) -> list[audit.Words]:
    if change.document_id is None:
        return []
    return [audit.Words(name, change.document_id, text) for name, text in change.texts.items()]


def _forget(tenant_id: uuid.UUID, document_id: uuid.UUID) -> None:
    """Leave of a purged document only places and hashes: also answers quote it."""
    audit.forget(tenant_id=tenant_id, document_id=document_id)
    Citation.objects.filter(tenant_id=tenant_id, document_id=document_id).update(
        title="", quote="", heading_path=[]
    )
