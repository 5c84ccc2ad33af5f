"""Making collections and granting them."""

from django.db import transaction
from django.db.models import QuerySet

from citeweb.accounts.models import Group, Tenant, User
from sources.models import Collection, Grant
from sources.permissions import Hidden, may_create_collections


def create_collection(*, user: User, tenant: Tenant, name: str, restricted: bool) -> Collection:
    """Make a collection for a curator, who is granted it at once if it is restricted.

    Raises Hidden without the right to, and ValidationError for a bad or taken name.
    """
    if not may_create_collections(user=user, tenant=tenant):
        raise Hidden
    with transaction.atomic():
        collection = create_collection_as_system(tenant=tenant, name=name, restricted=restricted)
        if restricted:
            grant(collection, user=user)
    return collection


def create_collection_as_system(*, tenant: Tenant, name: str, restricted: bool) -> Collection:
    """Make a collection for an operator at the machine. Raises ValidationError for a bad or taken name."""
    collection = Collection(tenant=tenant, name=" ".join(name.split()), restricted=restricted)
    collection.full_clean()
    collection.save(force_insert=True)
    return collection


def grant(collection: Collection, *, user: User | None = None, group: Group | None = None) -> bool:
    """Let a user or a group read the collection; False when they were let already."""
    return Grant.objects.get_or_create(collection=collection, user=user, group=group)[1]


def revoke(collection: Collection, *, user: User | None = None, group: Group | None = None) -> bool:
    """Take a grant back; it counts from the next query on. False when there was none."""
    return bool(Grant.objects.filter(collection=collection, user=user, group=group).delete()[0])


def shelf_of(collection: Collection) -> QuerySet[Collection]:
    """Return the collection as a queryset, for an operator at the machine."""
    return Collection.objects.filter(pk=collection.pk)


def collections_named(name: str, *, tenant_slug: str = "") -> list[Collection]:
    """Return the collections of that name, of one tenant or of all, for an operator at the machine."""
    found = Collection.objects.filter(name=name).select_related("tenant")
    return list(found.filter(tenant__slug=tenant_slug) if tenant_slug else found)
