"""What people change, told to whoever keeps the record of it, inside the transaction of the change.

`settings.CHANGE_RECORDER` names the function that is told; it raises outside a transaction, so that a change and
its record stand or fall together. Words of a document go into `texts`, never into `body`: the record keeps their
hashes only, and a purge can take the words themselves away.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import cast

from django.conf import settings
from django.utils.module_loading import import_string

from citeweb.accounts.models import User


class Kind(StrEnum):
    """What was changed."""

    COLLECTION_CREATED = "collection_created"
    COLLECTION_RENAMED = "collection_renamed"
    COLLECTION_RESTRICTED = "collection_restricted"
    COLLECTION_OPENED = "collection_opened"
    COLLECTION_DELETED = "collection_deleted"
    GRANT_GIVEN = "grant_given"
    GRANT_TAKEN = "grant_taken"
    MEMBER_ADDED = "member_added"
    MEMBER_ROLES = "member_roles"
    MEMBER_REMOVED = "member_removed"
    GROUP_CREATED = "group_created"
    GROUP_RENAMED = "group_renamed"
    GROUP_DELETED = "group_deleted"
    GROUP_JOINED = "group_joined"
    GROUP_LEFT = "group_left"
    # In Django's admin site, on whatever it keeps.
    CHANGED_BY_STAFF = "changed_by_staff"
    UPLOADED = "uploaded"
    UPLOAD_DECIDED = "upload_decided"
    UPLOAD_DISCARDED = "upload_discarded"
    UPLOAD_CANCELLED = "upload_cancelled"
    UPLOAD_RETRIED = "upload_retried"
    DOCUMENT_EDITED = "document_edited"
    DOCUMENT_MOVED = "document_moved"
    DOCUMENT_DELETED = "document_deleted"
    DOCUMENT_RESTORED = "document_restored"
    PURGE_ORDERED = "purge_ordered"
    DOCUMENT_PURGED = "document_purged"
    KEY_ISSUED = "key_issued"
    KEY_REVOKED = "key_revoked"


@dataclass(frozen=True, slots=True)
class Change:
    """One change. `actor` is None for an operator at the machine or the system itself.

    `body` holds ids, names of people, groups and collections, and hashes, as JSON values. `texts` are words of or
    about the document `document_id`, by the name under which the record has their hash.
    """

    kind: Kind
    tenant_id: uuid.UUID
    actor: User | None
    body: Mapping[str, object]
    document_id: uuid.UUID | None = None
    texts: Mapping[str, str] = field(default_factory=dict)


def record(change: Change) -> None:
    """Record a change that the running transaction makes."""
    _recorder()(change)


@cache
def _recorder() -> Callable[[Change], None]:
    return cast(Callable[[Change], None], import_string(settings.CHANGE_RECORDER))
