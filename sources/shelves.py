"""Making and changing collections, and granting them; each change is recorded in its own transaction."""

import uuid
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from citeweb.accounts.changes import Change, Kind, record
from citeweb.accounts.models import Group, Membership, Tenant, User
from citeweb.accounts.people import remove_member, users_of
from sources.core.names import plain_name
from sources.models import Collection, Document, Grant
from sources.permissions import (
    Hidden,
    curated_collections,
    managed_collections,
    may_create_collections,
    visible_collections,
)


@dataclass(frozen=True, slots=True)
class Reader:
    """Whom a collection is granted to: a user or a group."""

    user: User | None = None
    group: Group | None = None


def create_collection(*, user: User, tenant: Tenant, name: str, restricted: bool) -> Collection:
    """Make a collection for a curator, who is granted it at once if it is restricted.

    Raises Hidden without the right to, and ValidationError for a bad or taken name.
    """
    if not may_create_collections(user=user, tenant=tenant):
        raise Hidden
    with transaction.atomic():
        collection = _create(tenant, name, restricted, user)
        if restricted:
            _grant(collection, Reader(user), user)
    return collection


def create_collection_as_system(*, tenant: Tenant, name: str, restricted: bool) -> Collection:
    """Make a collection for an operator at the machine. Raises ValidationError for a bad or taken name."""
    with transaction.atomic():
        return _create(tenant, name, restricted, None)


def rename_collection(collection: Collection, *, user: User, name: str) -> None:
    """Give a collection another name. Raises Hidden, and ValidationError for a bad or taken name."""
    with transaction.atomic():
        shelf = _locked(collection, user)
        before, shelf.name = shelf.name, plain_name(name)
        if before == shelf.name:
            return
        _check(shelf)
        shelf.save(update_fields=["name"])
        record(_about(Kind.COLLECTION_RENAMED, shelf, user, before=before))


def set_restricted(collection: Collection, *, user: User, restricted: bool) -> None:
    """Close a collection to all but those it is granted to, or open it to the organisation. Raises Hidden.

    Whoever closes a collection that they read goes on reading it.
    """
    with transaction.atomic():
        shelf = _locked(collection, user)
        if shelf.restricted == restricted:
            return
        reads = visible_collections(user=user, tenant=shelf.tenant).filter(pk=shelf.pk).exists()
        shelf.restricted = restricted
        shelf.save(update_fields=["restricted"])
        kind = Kind.COLLECTION_RESTRICTED if restricted else Kind.COLLECTION_OPENED
        record(_about(kind, shelf, user))
        if (
            restricted
            and reads
            and not visible_collections(user=user, tenant=shelf.tenant).filter(pk=shelf.pk)
        ):
            _grant(shelf, Reader(user), user)


def delete_collection(collection: Collection, *, user: User) -> None:
    """Remove a collection that holds nothing, not even what was deleted from it: its proof would go with it.

    Raises Hidden, and ValidationError for one that holds something.
    """
    with transaction.atomic():
        shelf = _locked(collection, user)
        if Document.objects.filter(collection=shelf).exists():
            raise ValidationError(_("Only an empty collection can be deleted."))
        record(_about(Kind.COLLECTION_DELETED, shelf, user))
        shelf.delete()


def share(collection: Collection, *, user: User, reader: Reader) -> bool:
    """Let somebody of the organisation read a collection; False when they were let already. Raises Hidden."""
    with transaction.atomic():
        shelf = _locked(collection, user)
        _check_reader(shelf, reader)
        return _grant(shelf, reader, user)


def unshare(collection: Collection, *, user: User, reader: Reader) -> bool:
    """Take a grant back; it counts from the next query on. False when there was none. Raises Hidden."""
    with transaction.atomic():
        return _revoke(_locked(collection, user), reader, user)


def dismiss_member(*, by: User, tenant: Tenant, user: User) -> None:
    """Remove a member together with all that they were granted, so that coming back gives nothing back.

    Raises as `citeweb.accounts.people.remove_member`.
    """
    with transaction.atomic():
        remove_member(by=by, tenant=tenant, user=user)
        for given in Grant.objects.filter(collection__tenant=tenant, user=user).select_related("collection"):
            _revoke(given.collection, Reader(user), by)


def take_from_former_members(tenant: Tenant, *, by: User) -> None:
    """Take grants and groups from whoever has no role in the tenant any more, inside the caller's transaction."""
    members = Membership.objects.filter(tenant=tenant).values("user")
    left = Grant.objects.filter(collection__tenant=tenant, user__isnull=False).exclude(user__in=members)
    for given in left.select_related("collection", "user"):
        _revoke(given.collection, Reader(given.user), by)
    Group.users.through.objects.filter(group__tenant=tenant).exclude(user__in=members).delete()


def grant(collection: Collection, *, user: User | None = None, group: Group | None = None) -> bool:
    """Let a user or a group read the collection, for an operator at the machine; False when they were let already."""
    with transaction.atomic():
        return _grant(collection, Reader(user, group), None)


def revoke(collection: Collection, *, user: User | None = None, group: Group | None = None) -> bool:
    """Take a grant back, for an operator at the machine. False when there was none."""
    with transaction.atomic():
        return _revoke(collection, Reader(user, group), None)


def shelf_of(collection: Collection) -> QuerySet[Collection]:
    """Return the collection as a queryset, for an operator at the machine."""
    return Collection.objects.filter(pk=collection.pk)


def curated_shelf(collection: Collection, *, user: User) -> QuerySet[Collection]:
    """Return the collection as a queryset, empty when the user may not add documents to it."""
    return curated_collections(user=user, tenant=collection.tenant).filter(pk=collection.pk)


def collections_named(name: str, *, tenant_slug: str = "") -> list[Collection]:
    """Return the collections of that name, of one tenant or of all, for an operator at the machine."""
    found = Collection.objects.filter(name=name).select_related("tenant")
    return list(found.filter(tenant__slug=tenant_slug) if tenant_slug else found)


def grants_of(collection: Collection) -> QuerySet[Grant]:
    """Return the grants of a collection that the caller has asked the door for, groups first."""
    given = Grant.objects.filter(collection=collection).select_related("user", "group")
    return given.order_by("group__name", "user__email")


def collections_of_group(group: Group) -> list[tuple[uuid.UUID, str]]:
    """Return id and name of the collections that were granted to a group, for an administrator."""
    given = Collection.objects.filter(grants__group=group).order_by("name")
    return list(given.values_list("pk", "name"))


def _create(tenant: Tenant, name: str, restricted: bool, by: User | None) -> Collection:
    collection = Collection(tenant=tenant, name=plain_name(name), restricted=restricted)
    _check(collection)
    collection.save(force_insert=True)
    record(_about(Kind.COLLECTION_CREATED, collection, by, restricted=restricted))
    return collection


def _locked(collection: Collection, user: User) -> Collection:
    """Return the collection, locked, for somebody who manages it. Raises Hidden."""
    managed = managed_collections(user=user, tenant=collection.tenant).filter(pk=collection.pk)
    shelf = managed.select_for_update(of=("self",), no_key=True).select_related("tenant").first()
    if shelf is None:
        raise Hidden
    return shelf


def _check(collection: Collection) -> None:
    try:
        collection.full_clean()
    except ValidationError as exc:
        same = Collection.objects.filter(tenant=collection.tenant, name=collection.name, deleted_at=None)
        taken = same.exclude(pk=collection.pk).exists()
        raise (ValidationError(_("There is a collection of this name already.")) if taken else exc) from exc


def _check_reader(collection: Collection, reader: Reader) -> None:
    """Raise Hidden for somebody or a group of another tenant."""
    if reader.user is not None and not users_of(collection.tenant).filter(pk=reader.user.pk).exists():
        raise Hidden
    if reader.group is not None and reader.group.tenant_id != collection.tenant_id:
        raise Hidden


def _grant(collection: Collection, reader: Reader, by: User | None) -> bool:
    made = Grant.objects.get_or_create(collection=collection, user=reader.user, group=reader.group)[1]
    if made:
        record(_about(Kind.GRANT_GIVEN, collection, by, **_named(reader)))
    return made


def _revoke(collection: Collection, reader: Reader, by: User | None) -> bool:
    given = Grant.objects.filter(collection=collection, user=reader.user, group=reader.group)
    taken = bool(given.delete()[0])
    if taken:
        record(_about(Kind.GRANT_TAKEN, collection, by, **_named(reader)))
    return taken


def _named(reader: Reader) -> dict[str, object]:
    if reader.group is not None:
        return {"group_id": reader.group.pk, "group": reader.group.name}
    return {"user_id": reader.user.pk, "user_email": reader.user.email} if reader.user else {}


def _about(kind: Kind, collection: Collection, by: User | None, **more: object) -> Change:
    body = {"collection_id": str(collection.pk), "collection": collection.name, **more}
    return Change(kind, collection.tenant_id, by, body)
