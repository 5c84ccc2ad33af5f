"""Who may read a collection: what was granted, and to whom that amounts. Ask the door who may know it before."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from citeweb.accounts.groups import groups_of
from citeweb.accounts.models import Group, Tenant, User
from citeweb.accounts.people import users_of
from sources.core.names import plain_name
from sources.models import Collection
from sources.shelves import Reader, grants_of

# So many readers are listed by name; the others are counted.
LISTED = 200


@dataclass(frozen=True, slots=True)
class Given:
    """A grant as the page shows it; `key` names its reader in a form."""

    key: str
    name: str
    detail: str
    is_group: bool
    members: int


@dataclass(frozen=True, slots=True)
class Access:
    """Who reads a collection. `readers` are the first of `count` people, by address."""

    restricted: bool
    given: Sequence[Given]
    readers: Sequence[tuple[str, str]]
    count: int


def access_of(collection: Collection) -> Access:
    """Return who reads the collection now."""
    readers = readers_of(collection)
    people = [(plain_name(user.get_full_name()), user.email) for user in readers.order_by("email")[:LISTED]]
    sizes = {group.group_id: group.members for group in groups_of(collection.tenant)}
    return Access(
        restricted=collection.restricted,
        given=[_given(one.user, one.group, sizes) for one in grants_of(collection)],
        readers=people,
        count=readers.count(),
    )


def readers_of(collection: Collection) -> QuerySet[User]:
    """Return the people who read the collection: what `permissions.visible_collections` decides, asked from here."""
    people = users_of(collection.tenant).filter(is_active=True)
    if not collection.restricted:
        return people
    granted = grants_of(collection)
    inside = Group.objects.filter(tenant=collection.tenant, users=OuterRef("pk"))
    return people.filter(
        Q(pk__in=granted.filter(user__isnull=False).values("user"))
        | Exists(inside.filter(pk__in=granted.filter(group__isnull=False).values("group")))
    )


def named_reader(tenant: Tenant, name: str) -> Reader:
    """Return the member of this address, or the group of this name. Raises ValidationError for neither."""
    wanted = " ".join(name.split())
    user = users_of(tenant).filter(email__iexact=wanted).first()
    if user is not None:
        return Reader(user=user)
    group = Group.objects.filter(tenant=tenant, name=wanted).first()
    if group is None:
        raise ValidationError(_("There is no member of this address and no group of this name."))
    return Reader(group=group)


def keyed_reader(tenant: Tenant, key: str) -> Reader | None:
    """Return the reader that a form names by `Given.key`, None for anything else."""
    kind, _colon, number = key.partition(":")
    if not (number.isascii() and number.isdigit()) or len(number) > 18:
        return None
    if kind == "group":
        group = Group.objects.filter(tenant=tenant, pk=int(number)).first()
        return Reader(group=group) if group else None
    # Also somebody who has left: what they were given can still be taken back.
    user = User.objects.filter(pk=int(number)).first() if kind == "user" else None
    return Reader(user=user) if user else None


def suggestions(tenant: Tenant) -> list[tuple[str, str]]:
    """Return whom a collection may be granted to, as (what to type, who that is): groups, then members."""
    groups = [(group.name, _("Group")) for group in groups_of(tenant)]
    members = users_of(tenant).filter(is_active=True).order_by("email")[:LISTED]
    return groups + [(user.email, plain_name(user.get_full_name())) for user in members]


def _given(user: User | None, group: Group | None, sizes: dict[int, int]) -> Given:
    if group is not None:
        return Given(f"group:{group.pk}", plain_name(group.name), "", True, sizes.get(group.pk, 0))
    assert user is not None
    return Given(f"user:{user.pk}", plain_name(user.display_name), user.email, False, 1)
