"""The one door to documents and what belongs to them: who may read what, as querysets and as questions.

Every function asks who it is for, and reads membership, role and grant from the database in the very SQL
statement that it makes: a right that was taken away a second ago is gone. A restricted collection is read by
those it is granted to, whatever their role. A curator manages what they read; an administrator manages also what
they can't read, by name only.

What is absent and what is forbidden both raise `Hidden`.
"""

import uuid
from collections.abc import Iterable, Sequence
from typing import TypeVar

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.http import Http404

from citeweb.accounts.models import Group, Membership, Role, Tenant, User
from sources.models import Chunk, ChunkEmbedding, Collection, Document, EmbeddingSpace, Grant, Version

CURATING_ROLES = (Role.CURATOR, Role.ADMIN)
Id = uuid.UUID | str
# Collections that a search is limited to, out of those that the user may read; None limits nothing.
Within = Sequence[uuid.UUID] | None
M = TypeVar("M", bound=Model)


class Hidden(Http404):
    """The thing does not exist, or this person may not know that it does; a view answers 404 either way."""


def visible_collections(*, user: User, tenant: Tenant) -> QuerySet[Collection]:
    """Return the collections that the user may read."""
    return _shelves(user, tenant).filter(deleted_at=None)


def _shelves(user: User, tenant: Tenant) -> QuerySet[Collection]:
    """Return the same with those that are deleted, whose documents can still be purged."""
    mine = Q(user=user) | Q(group__in=Group.objects.filter(tenant=tenant, users=user))
    granted = Exists(Grant.objects.filter(mine, collection=OuterRef("pk")))
    return Collection.objects.filter(Q(restricted=False) | granted, _belongs(user, tenant), tenant=tenant)


def curated_collections(*, user: User, tenant: Tenant) -> QuerySet[Collection]:
    """Return the collections that the user may read and add documents to."""
    return visible_collections(user=user, tenant=tenant).filter(_belongs(user, tenant, CURATING_ROLES))


def managed_collections(*, user: User, tenant: Tenant) -> QuerySet[Collection]:
    """Return the collections whose name and grants the user may change.

    A curator's are those that they read; an administrator's are all, without their contents.
    """
    curated = curated_collections(user=user, tenant=tenant).values("pk")
    mine = _belongs(user, tenant, (Role.ADMIN,)) | Q(pk__in=curated)
    return Collection.objects.filter(mine, tenant=tenant, deleted_at=None)


def visible_documents(*, user: User, tenant: Tenant, collections: Within = None) -> QuerySet[Document]:
    """Return the documents that the user may read and that are not deleted, whether ready or not."""
    shelves = visible_collections(user=user, tenant=tenant)
    if collections is not None:
        shelves = shelves.filter(pk__in=collections)
    return Document.objects.filter(tenant=tenant, deleted_at=None, collection__in=shelves)


def curated_documents(*, user: User, tenant: Tenant) -> QuerySet[Document]:
    """Return the documents that the user may read and change."""
    return visible_documents(user=user, tenant=tenant).filter(
        collection__in=curated_collections(user=user, tenant=tenant)
    )


def removed_documents(*, user: User, tenant: Tenant) -> QuerySet[Document]:
    """Return the documents deleted from collections that the user curates, as long as anything of them is left."""
    shelves = _shelves(user, tenant).filter(_belongs(user, tenant, CURATING_ROLES))
    gone = Document.objects.filter(tenant=tenant, deleted_at__isnull=False, purged_at=None)
    return gone.filter(collection__in=shelves)


def visible_versions(*, user: User, tenant: Tenant) -> QuerySet[Version]:
    """Return all versions, current and earlier, of the documents that the user may read."""
    return Version.objects.filter(tenant=tenant, document__in=visible_documents(user=user, tenant=tenant))


def visible_chunks(*, user: User, tenant: Tenant, collections: Within = None) -> QuerySet[Chunk]:
    """Return what the user's searches run over: the chunks of the current versions of their documents.

    Rank on top of this queryset, so that filter and ranking are one statement.
    """
    return Chunk.objects.filter(tenant=tenant, version__in=_current_versions(user, tenant, collections))


def visible_vectors(
    *, user: User, tenant: Tenant, space: EmbeddingSpace, collections: Within = None
) -> QuerySet[ChunkEmbedding]:
    """Return the vectors of `visible_chunks` in one embedding space."""
    return ChunkEmbedding.objects.filter(
        space=space, version__in=_current_versions(user, tenant, collections)
    )


def collection_for(*, user: User, tenant: Tenant, collection_id: Id) -> Collection:
    """Return the collection. Raises Hidden."""
    return _only(visible_collections(user=user, tenant=tenant), collection_id)


def managed_collection_for(*, user: User, tenant: Tenant, collection_id: Id) -> Collection:
    """Return a collection whose name and grants the user may change, with its tenant. Raises Hidden."""
    return _only(managed_collections(user=user, tenant=tenant).select_related("tenant"), collection_id)


def document_for(*, user: User, tenant: Tenant, document_id: Id) -> Document:
    """Return the document. Raises Hidden."""
    return _only(visible_documents(user=user, tenant=tenant), document_id)


def version_for(*, user: User, tenant: Tenant, version_id: Id) -> Version:
    """Return the version with its document. Raises Hidden."""
    return _only(visible_versions(user=user, tenant=tenant).select_related("document"), version_id)


def chunk_for(*, user: User, tenant: Tenant, block_id: str) -> Chunk:
    """Return the chunk of that public id, of whichever version the user may read. Raises Hidden."""
    versions = visible_versions(user=user, tenant=tenant)
    chunk = Chunk.objects.filter(block_id=block_id, version__in=versions).select_related("version").first()
    if chunk is None:
        raise Hidden
    return chunk


def may_curate(*, user: User, tenant: Tenant, collection: Collection) -> bool:
    """Tell whether the user may add documents to the collection."""
    return curated_collections(user=user, tenant=tenant).filter(pk=collection.pk).exists()


def may_create_collections(*, user: User, tenant: Tenant) -> bool:
    """Tell whether the user may make new collections in the tenant."""
    return Tenant.objects.filter(_belongs(user, tenant, CURATING_ROLES), pk=tenant.pk).exists()


def was_removed(*, user: User, tenant: Tenant, document_id: Id) -> bool:
    """Tell whether the document was deleted from a collection that the user may read; no to everybody else."""
    shelves = _shelves(user, tenant)
    gone = Document.objects.filter(tenant=tenant, collection__in=shelves, deleted_at__isnull=False)
    return gone.filter(pk=document_id).exists()


def audited_documents(*, user: User, tenant: Tenant | None) -> QuerySet[Document]:
    """Return the documents that the audit may name to the user: their tenant's, also deleted ones, for an auditor.

    All tenants' (`tenant` None), or any one's, for staff. It names documents and opens none.
    """
    documents = Document.objects.all() if tenant is None else Document.objects.filter(tenant=tenant)
    if user.is_staff and user.is_active:
        return documents
    return documents.filter(_belongs(user, tenant, (Role.AUDITOR,))) if tenant else Document.objects.none()


def audited_versions(*, user: User, tenant: Tenant | None) -> QuerySet[Version]:
    """Return the versions of `audited_documents`."""
    return Version.objects.filter(document__in=audited_documents(user=user, tenant=tenant))


def audited_collections(*, user: User, tenant: Tenant) -> QuerySet[Collection]:
    """Return the collections that the audit may name to the user, as `audited_documents` does."""
    shelves = Collection.objects.filter(tenant=tenant)
    if user.is_staff and user.is_active:
        return shelves
    return shelves.filter(_belongs(user, tenant, (Role.AUDITOR,)))


def tenant_of_document_as_system(document_id: Id) -> uuid.UUID | None:
    """Return whose document it is, for the audit record of somebody's try to open it; None if there is none."""
    return Document.objects.filter(pk=document_id).values_list("tenant_id", flat=True).first()


def collections_of_documents_as_system(documents: Iterable[uuid.UUID]) -> dict[uuid.UUID, uuid.UUID]:
    """Return the collection that each of the documents stands in now, whoever may read it; for the audit record."""
    rows = Document.objects.filter(pk__in=list(documents))
    return dict(rows.values_list("pk", "collection_id"))


def purged_documents_as_system(documents: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    """Return which of the documents were purged; what is written of them from now on has none of their words."""
    purged = Document.objects.filter(pk__in=list(documents), purged_at__isnull=False)
    return set(purged.values_list("pk", flat=True))


def _belongs(user: User, tenant: Tenant, roles: tuple[Role, ...] = ()) -> Exists:
    """Say in SQL that the user is active and a member of the tenant, with one of `roles` if any are given."""
    held = Membership.objects.filter(user=user, tenant=tenant, user__is_active=True)
    return Exists(held.filter(role__in=roles) if roles else held)


def _current_versions(
    user: User, tenant: Tenant, collections: Within
) -> QuerySet[Document, uuid.UUID | None]:
    documents = visible_documents(user=user, tenant=tenant, collections=collections)
    return documents.filter(current_version__isnull=False).values_list("current_version_id", flat=True)


def _only(rows: QuerySet[M], pk: Id) -> M:
    """Return the row of that id. Raises Hidden, also for what is no id at all."""
    try:
        return rows.get(pk=pk)
    except (ObjectDoesNotExist, ValidationError, ValueError) as exc:
        raise Hidden from exc
