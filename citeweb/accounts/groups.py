"""Groups of a tenant's members, which are granted collections together.

As in `citeweb.accounts.people`: only administrators, Http404 for all others and for what is not there, each change
recorded in its own transaction.
"""

from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Q
from django.http import Http404
from django.utils.translation import gettext as _

from citeweb.accounts.changes import Change, Kind, record
from citeweb.accounts.models import Group, Tenant, User
from citeweb.accounts.people import administers, users_of


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """A group and how many of the tenant's people are in it."""

    group_id: int
    name: str
    members: int


def groups_of(tenant: Tenant) -> list[GroupSummary]:
    """Return the tenant's groups by name; the caller has asked who may see them."""
    inside = Q(users__memberships__tenant=tenant)
    counted = Group.objects.filter(tenant=tenant).annotate(count=Count("users", filter=inside, distinct=True))
    return [GroupSummary(*row) for row in counted.order_by("name").values_list("pk", "name", "count")]


def group_for(*, by: User, tenant: Tenant, group_id: int) -> Group:
    """Return a group for an administrator. Raises Http404."""
    group = Group.objects.filter(tenant=tenant, pk=group_id).first() if administers(by, tenant) else None
    if group is None:
        raise Http404
    return group


def create_group(*, by: User, tenant: Tenant, name: str) -> Group:
    """Make an empty group. Raises Http404 without the right, ValidationError for a bad or taken name."""
    if not administers(by, tenant):
        raise Http404
    group = Group(tenant=tenant, name=" ".join(name.split()))
    _check_name(group)
    with transaction.atomic():
        group.save(force_insert=True)
        record(_about(Kind.GROUP_CREATED, by, group))
    return group


def rename_group(group: Group, *, by: User, name: str) -> None:
    """Give a group another name. Raises as `create_group`."""
    group = group_for(by=by, tenant=group.tenant, group_id=group.pk)
    before, group.name = group.name, " ".join(name.split())
    if before == group.name:
        return
    _check_name(group)
    with transaction.atomic():
        group.save(update_fields=["name"])
        record(_about(Kind.GROUP_RENAMED, by, group, before=before))


def delete_group(group: Group, *, by: User) -> None:
    """Remove a group with all that it was granted. Raises Http404 without the right."""
    group = group_for(by=by, tenant=group.tenant, group_id=group.pk)
    with transaction.atomic():
        record(_about(Kind.GROUP_DELETED, by, group))
        group.delete()


def join_group(group: Group, *, by: User, email: str) -> None:
    """Put a member into a group. Raises Http404 without the right, ValidationError for who is no member."""
    group = group_for(by=by, tenant=group.tenant, group_id=group.pk)
    user = users_of(group.tenant).filter(email__iexact=email.strip()).first()
    if user is None:
        raise ValidationError(_("Nobody of this organisation has this address."))
    with transaction.atomic():
        if group.users.filter(pk=user.pk).exists():
            return
        group.users.add(user)
        record(_about(Kind.GROUP_JOINED, by, group, user_id=user.pk, user_email=user.email))


def leave_group(group: Group, *, by: User, user_id: int) -> None:
    """Take somebody out of a group. Raises Http404 without the right."""
    group = group_for(by=by, tenant=group.tenant, group_id=group.pk)
    user = group.users.filter(pk=user_id).first()
    if user is None:
        return
    with transaction.atomic():
        group.users.remove(user)
        record(_about(Kind.GROUP_LEFT, by, group, user_id=user.pk, user_email=user.email))


def _check_name(group: Group) -> None:
    try:
        group.full_clean()
    except ValidationError as exc:
        taken = Group.objects.filter(tenant=group.tenant, name=group.name).exclude(pk=group.pk).exists()
        raise ValidationError(_("There is a group of this name already.") if taken else exc.messages) from exc


def _about(kind: Kind, by: User, group: Group, **more: object) -> Change:
    return Change(kind, group.tenant_id, by, {"group_id": group.pk, "group": group.name, **more})
