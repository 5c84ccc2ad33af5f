"""Members, their roles and groups: what an administrator changes, what others can't, and what is recorded of it."""

from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404

from citeweb.accounts import groups, people
from citeweb.accounts.api_keys import issue
from citeweb.accounts.models import Group, Membership, Role, User
from citeweb.accounts.tenancy import Place, place_in
from sources.permissions import visible_collections
from sources.shelves import dismiss_member, grant
from tests.audited import kinds, last
from tests.conftest import House, join, make_user

pytestmark = pytest.mark.django_db


def roles_of(place: Place) -> set[str]:
    now = place_in(place.user, place.tenant)
    return set(now.roles) if now else set()


def add(house: House, email: str, *roles: str) -> tuple[User, bool]:
    return people.add_member(by=house.owner.user, tenant=house.tenant, email=email, roles=roles)


def test_an_administrator_adds_somebody_new(house: House) -> None:
    user, new = add(house, "New@aurora.example", Role.CURATOR, Role.AUDITOR)
    assert (new, user.email, user.has_usable_password()) == (True, "new@aurora.example", False)
    assert roles_of(Place(user, house.tenant, frozenset())) == {"curator", "auditor"}
    record = last(house.tenant)
    assert (record["kind"], record["actor_email"]) == ("member_added", "owner@aurora.example")
    assert (record["user_email"], record["roles"]) == ("new@aurora.example", ["auditor", "curator"])


def test_somebody_of_another_tenant_is_added_to_this_one_too(house: House, neighbour: House) -> None:
    user, new = add(house, neighbour.stranger.user.email, Role.MEMBER)
    assert (new, user) == (True, neighbour.stranger.user)
    assert roles_of(neighbour.stranger) == {"member"}


def test_who_is_a_member_already_keeps_their_roles(house: House) -> None:
    assert add(house, house.auditor.user.email.upper(), Role.ADMIN) == (house.auditor.user, False)
    assert roles_of(house.auditor) == {"auditor"}


@pytest.mark.parametrize(
    ("email", "roles"), [("nobody", ["member"]), ("a@b.example", []), ("a@b.example", ["king"])]
)
def test_what_is_no_address_or_role_is_refused(house: House, email: str, roles: list[str]) -> None:
    with pytest.raises(ValidationError):
        add(house, email, *roles)


def test_roles_are_changed_and_recorded(house: House) -> None:
    people.set_roles(by=house.owner.user, tenant=house.tenant, user=house.stranger.user, roles=["curator"])
    assert roles_of(house.stranger) == {"curator"}
    record = last(house.tenant)
    assert (record["kind"], record["before"], record["roles"]) == ("member_roles", ["member"], ["curator"])
    people.set_roles(by=house.owner.user, tenant=house.tenant, user=house.stranger.user, roles=["curator"])
    assert kinds(house.tenant) == ["member_roles"]


def test_the_last_administrator_stays_one(house: House) -> None:
    owner = house.owner.user
    with pytest.raises(ValidationError, match="only administrator"):
        people.set_roles(by=owner, tenant=house.tenant, user=owner, roles=["curator"])
    with pytest.raises(ValidationError, match="only administrator"):
        dismiss_member(by=owner, tenant=house.tenant, user=owner)
    second = join(make_user("second@aurora.example"), house.tenant, Role.ADMIN)
    people.set_roles(by=owner, tenant=house.tenant, user=owner, roles=["curator"])
    assert roles_of(house.owner) == {"curator"}
    assert roles_of(second) == {"admin"}


def test_who_leaves_keeps_nothing(house: House) -> None:
    leaving = house.granted.user
    Group.objects.create(tenant=house.tenant, name="Finance").users.add(leaving)
    key, _text = issue(tenant=house.tenant, user=leaving)
    dismiss_member(by=house.owner.user, tenant=house.tenant, user=leaving)
    assert kinds(house.tenant) == ["key_issued", "member_removed", "grant_taken"]
    again = join(leaving, house.tenant)
    assert set(visible_collections(user=again.user, tenant=house.tenant)) == {house.open_shelf}
    assert not leaving.tenant_groups.exists()
    key.refresh_from_db()
    assert key.revoked_at is not None


def test_a_refused_dismissal_takes_nothing(house: House) -> None:
    grant(house.closed_shelf, user=house.auditor.user)
    before = kinds(house.tenant)
    with pytest.raises(ValidationError):
        dismiss_member(by=house.owner.user, tenant=house.tenant, user=house.owner.user)
    assert kinds(house.tenant) == before
    assert Membership.objects.filter(user=house.owner.user).count() == 2


def _attempts(house: House, by: User, group: Group) -> list[Callable[[], object]]:
    tenant, user = house.tenant, house.stranger.user
    return [
        lambda: people.member_for(by=by, tenant=tenant, user_id=user.pk),
        lambda: people.add_member(by=by, tenant=tenant, email="a@b.example", roles=["member"]),
        lambda: people.set_roles(by=by, tenant=tenant, user=user, roles=["admin"]),
        lambda: dismiss_member(by=by, tenant=tenant, user=user),
        lambda: groups.create_group(by=by, tenant=tenant, name="Mine"),
        lambda: groups.rename_group(group, by=by, name="Mine"),
        lambda: groups.delete_group(group, by=by),
        lambda: groups.join_group(group, by=by, email=user.email),
        lambda: groups.leave_group(group, by=by, user_id=user.pk),
    ]


def test_nobody_else_changes_anything(house: House, neighbour: House) -> None:
    curator = join(make_user("curator@aurora.example"), house.tenant, Role.CURATOR)
    group = Group.objects.create(tenant=house.tenant, name="Finance")
    group.users.add(house.stranger.user)
    for place in (curator, house.granted, house.stranger, house.auditor, neighbour.owner):
        for attempt in _attempts(house, place.user, group):
            with pytest.raises(Http404), transaction.atomic():
                attempt()
    assert kinds(house.tenant) == []
    assert roles_of(house.stranger) == {"member"}
    assert list(group.users.all()) == [house.stranger.user]


def test_an_administrator_of_one_tenant_reaches_no_member_of_another(house: House, neighbour: House) -> None:
    owner = house.owner.user
    with pytest.raises(Http404):
        people.member_for(by=owner, tenant=house.tenant, user_id=neighbour.stranger.user.pk)
    with pytest.raises(Http404):
        people.set_roles(by=owner, tenant=house.tenant, user=neighbour.stranger.user, roles=["admin"])


def test_groups_are_made_filled_and_removed(house: House) -> None:
    owner = house.owner.user
    group = groups.create_group(by=owner, tenant=house.tenant, name="  Legal   team ")
    assert group.name == "Legal team"
    groups.join_group(group, by=owner, email="Stranger@Aurora.example")
    groups.join_group(group, by=owner, email="stranger@aurora.example")
    groups.rename_group(group, by=owner, name="Legal")
    grant(house.closed_shelf, group=group)
    assert house.closed_shelf in visible_collections(user=house.stranger.user, tenant=house.tenant)
    groups.leave_group(group, by=owner, user_id=house.stranger.user.pk)
    assert house.closed_shelf not in visible_collections(user=house.stranger.user, tenant=house.tenant)
    groups.delete_group(group, by=owner)
    assert kinds(house.tenant) == [
        "group_created",
        "group_joined",
        "group_renamed",
        "grant_given",
        "group_left",
        "group_deleted",
    ]


def test_a_group_takes_members_of_its_tenant_only(house: House, neighbour: House) -> None:
    group = groups.create_group(by=house.owner.user, tenant=house.tenant, name="Legal")
    for email in (neighbour.stranger.user.email, "nobody@aurora.example", ""):
        with pytest.raises(ValidationError, match="Nobody of this organisation"):
            groups.join_group(group, by=house.owner.user, email=email)


def test_group_names_are_taken_once_a_tenant(house: House, neighbour: House) -> None:
    groups.create_group(by=house.owner.user, tenant=house.tenant, name="Legal")
    groups.create_group(by=neighbour.owner.user, tenant=neighbour.tenant, name="Legal")
    with pytest.raises(ValidationError, match="already"):
        groups.create_group(by=house.owner.user, tenant=house.tenant, name="Legal")
    with pytest.raises(ValidationError):
        groups.create_group(by=house.owner.user, tenant=house.tenant, name=" ")


def test_members_are_listed_with_roles_and_groups(house: House, neighbour: House) -> None:
    group = groups.create_group(by=house.owner.user, tenant=house.tenant, name="Legal")
    groups.join_group(group, by=house.owner.user, email=house.owner.user.email)
    found = people.find_members(house.tenant, "owner")
    (member,) = people.members_of(house.tenant, found)
    assert (member.email, member.roles, member.groups) == (
        "owner@aurora.example",
        ("curator", "admin"),
        ("Legal",),
    )
    assert people.find_members(house.tenant, "").count() == 4
    assert [counted.members for counted in groups.groups_of(house.tenant)] == [1]
