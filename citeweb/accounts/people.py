"""An organisation's members, their roles and groups: who they are, and how an administrator changes them.

What an administrator may not see or change raises Http404, whether it exists or not. Each change is recorded
(citeweb.accounts.changes) in its own transaction.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from citeweb.accounts.changes import Change, Kind, record
from citeweb.accounts.models import ApiKey, Group, Membership, Role, Tenant, User


@dataclass(frozen=True, slots=True)
class Member:
    """A user in a tenant, with roles in the order of `Role` and the names of their groups."""

    user_id: int
    name: str
    email: str
    roles: tuple[str, ...]
    groups: tuple[str, ...]
    since: datetime
    is_active: bool

    @property
    def role_names(self) -> list[str]:
        """The roles in the reader's language."""
        return [str(Role(role).label) for role in self.roles]


def administers(user: User, tenant: Tenant) -> bool:
    """Tell whether the user is an administrator of the tenant now."""
    held = Membership.objects.filter(user=user, tenant=tenant, role=Role.ADMIN, user__is_active=True)
    return held.exists()


def users_of(tenant: Tenant) -> QuerySet[User]:
    """Return the tenant's users; the caller has asked who may see them."""
    return User.objects.filter(memberships__tenant=tenant).distinct()


def members_of(tenant: Tenant, users: Iterable[User]) -> list[Member]:
    """Return users of the tenant as its members, in the order given; three queries."""
    listed = list(users)
    roles: dict[int, list[Membership]] = {}
    for held in Membership.objects.filter(tenant=tenant, user__in=listed):
        roles.setdefault(held.user_id, []).append(held)
    groups: dict[int, list[str]] = {}
    joined = Group.objects.filter(tenant=tenant, users__in=listed).order_by("name")
    for user_id, name in joined.values_list("users", "name"):
        groups.setdefault(user_id, []).append(name)
    return [_member(user, roles[user.pk], groups.get(user.pk, ())) for user in listed if user.pk in roles]


def _member(user: User, held: list[Membership], groups: Iterable[str]) -> Member:
    return Member(
        user_id=user.pk,
        name=user.get_full_name(),
        email=user.email,
        roles=tuple(role for role in Role.values if role in {one.role for one in held}),
        groups=tuple(groups),
        since=min(one.created_at for one in held),
        is_active=user.is_active,
    )


def find_members(tenant: Tenant, words: str) -> QuerySet[User]:
    """Return the tenant's users whose name or address holds all of the words, by address."""
    found = users_of(tenant)
    for word in words.split()[:5]:
        found = found.filter(
            Q(email__icontains=word) | Q(first_name__icontains=word) | Q(last_name__icontains=word)
        )
    return found.order_by("email")


def member_for(*, by: User, tenant: Tenant, user_id: int) -> User:
    """Return a member for an administrator. Raises Http404."""
    user = users_of(tenant).filter(pk=user_id).first() if administers(by, tenant) else None
    if user is None:
        raise Http404
    return user


def add_member(*, by: User, tenant: Tenant, email: str, roles: Collection[str]) -> tuple[User, bool]:
    """Give somebody roles in the tenant, with a new account if the address has none; whether they are new to it.

    A new account has no password; its owner sets one through the password reset. Raises Http404 without the
    right, ValidationError for what is no address or no role.
    """
    if not administers(by, tenant):
        raise Http404
    validate_email(email)
    wanted = _known(roles)
    with transaction.atomic():
        user = User.objects.filter(email__iexact=email).first() or User.objects.create_user(email)
        if users_of(tenant).filter(pk=user.pk).exists():
            return user, False
        _give(tenant, user, wanted)
        record(_about_member(Kind.MEMBER_ADDED, tenant, by, user, roles=wanted))
    return user, True


def give_role_as_system(*, tenant: Tenant, user: User, role: str) -> bool:
    """Give a user a role for an operator at the machine; False when they had it."""
    with transaction.atomic():
        made = Membership.objects.get_or_create(tenant=tenant, user=user, role=role)[1]
        if made:
            roles = sorted(Membership.objects.filter(tenant=tenant, user=user).values_list("role", flat=True))
            record(_about_member(Kind.MEMBER_ROLES, tenant, None, user, roles=roles))
    return made


def set_roles(*, by: User, tenant: Tenant, user: User, roles: Collection[str]) -> None:
    """Let a member have these roles and no others.

    Raises Http404 without the right, ValidationError for none, an unknown one, or for the last administrator.
    """
    if not administers(by, tenant):
        raise Http404
    wanted = _known(roles)
    with transaction.atomic():
        before = _lock(tenant, user)
        if before == wanted:
            return
        if Role.ADMIN not in wanted:
            _keep_an_administrator(tenant, user)
        Membership.objects.filter(tenant=tenant, user=user).exclude(role__in=wanted).delete()
        _give(tenant, user, [role for role in wanted if role not in before])
        record(_about_member(Kind.MEMBER_ROLES, tenant, by, user, roles=wanted, before=before))


def remove_member(*, by: User, tenant: Tenant, user: User) -> None:
    """Take all roles, groups and keys of the tenant from a member.

    Inside the caller's transaction, which also takes what the user was granted. Raises Http404 without the
    right, ValidationError for the last administrator.
    """
    if not administers(by, tenant):
        raise Http404
    before = _lock(tenant, user)
    _keep_an_administrator(tenant, user)
    Membership.objects.filter(tenant=tenant, user=user).delete()
    Group.users.through.objects.filter(group__tenant=tenant, user=user).delete()
    ApiKey.objects.filter(tenant=tenant, user=user, revoked_at=None).update(revoked_at=timezone.now())
    record(_about_member(Kind.MEMBER_REMOVED, tenant, by, user, before=before))


def _known(roles: Collection[str]) -> list[str]:
    if not roles or set(roles) - set(Role.values):
        raise ValidationError(_("Choose at least one role."))
    return sorted(set(roles))


def _give(tenant: Tenant, user: User, roles: Iterable[str]) -> None:
    Membership.objects.bulk_create(
        [Membership(tenant=tenant, user=user, role=role) for role in roles], ignore_conflicts=True
    )


def _lock(tenant: Tenant, user: User) -> list[str]:
    """Return a member's roles, with all of the tenant's memberships locked. Raises Http404 for no member.

    Of two administrators who remove each other at once, one finds themselves the last.
    """
    held = Membership.objects.select_for_update().filter(tenant=tenant).values_list("user_id", "role")
    roles = sorted(role for user_id, role in held if user_id == user.pk)
    if not roles:
        raise Http404
    return roles


def _keep_an_administrator(tenant: Tenant, leaving: User) -> None:
    admins = Membership.objects.filter(tenant=tenant, role=Role.ADMIN, user__is_active=True)
    if admins.filter(user=leaving).exists() and not admins.exclude(user=leaving).exists():
        raise ValidationError(_("This is the only administrator. Make somebody else one first."))


def _about_member(kind: Kind, tenant: Tenant, by: User | None, user: User, **more: Iterable[str]) -> Change:
    lists = {name: list(values) for name, values in more.items()}
    return Change(kind, tenant.pk, by, {"user_id": user.pk, "user_email": user.email, **lists})
