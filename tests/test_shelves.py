"""Collections: who makes, renames, closes, opens, shares and removes them, and what is recorded of it."""

from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction

from citeweb.accounts.models import Group, Role
from citeweb.accounts.tenancy import Place
from sources import shelves
from sources.models import Collection
from sources.permissions import Hidden, visible_collections
from sources.shelves import Reader
from tests.audited import kinds, last
from tests.conftest import House, join, make_user
from tests.documents import put

pytestmark = pytest.mark.django_db


def reads(place: Place, shelf: Collection) -> bool:
    return visible_collections(user=place.user, tenant=place.tenant).filter(pk=shelf.pk).exists()


@pytest.fixture
def admin(house: House) -> Place:
    """An administrator who reads no restricted collection."""
    return join(make_user("admin@aurora.example"), house.tenant, Role.ADMIN)


@pytest.fixture
def curator(house: House) -> Place:
    """A curator who reads no restricted collection."""
    return join(make_user("curator@aurora.example"), house.tenant, Role.CURATOR)


def test_making_a_restricted_collection_is_recorded_with_its_first_grant(
    house: House, curator: Place
) -> None:
    made = shelves.create_collection(
        user=curator.user, tenant=house.tenant, name=" Board \n papers", restricted=True
    )
    assert made.name == "Board papers"
    assert kinds(house.tenant) == ["collection_created", "grant_given"]
    record = last(house.tenant)
    assert (record["collection"], record["user_email"]) == ("Board papers", "curator@aurora.example")


def test_a_collection_is_renamed(house: House, curator: Place) -> None:
    shelves.rename_collection(house.open_shelf, user=curator.user, name="Handbooks")
    assert Collection.objects.get(pk=house.open_shelf.pk).name == "Handbooks"
    record = last(house.tenant)
    assert (record["kind"], record["before"], record["collection"]) == (
        "collection_renamed",
        "Open",
        "Handbooks",
    )
    with pytest.raises(ValidationError, match="already"):
        shelves.rename_collection(house.open_shelf, user=curator.user, name="Restricted")


def test_who_closes_a_collection_goes_on_reading_it(house: House, curator: Place) -> None:
    shelves.set_restricted(house.open_shelf, user=curator.user, restricted=True)
    assert reads(curator, house.open_shelf)
    assert not reads(house.stranger, house.open_shelf)
    assert kinds(house.tenant) == ["collection_restricted", "grant_given"]
    shelves.set_restricted(house.open_shelf, user=curator.user, restricted=False)
    assert reads(house.stranger, house.open_shelf)


def test_an_administrator_who_closes_what_they_do_not_read_does_not_read_it_then(
    house: House, admin: Place
) -> None:
    shelves.set_restricted(house.closed_shelf, user=admin.user, restricted=True)
    assert not reads(admin, house.closed_shelf)


def test_a_collection_is_shared_with_people_and_groups(house: House, admin: Place) -> None:
    team = Group.objects.create(tenant=house.tenant, name="Finance")
    team.users.add(house.auditor.user)
    stranger = Reader(user=house.stranger.user)
    assert shelves.share(house.closed_shelf, user=admin.user, reader=stranger)
    assert not shelves.share(house.closed_shelf, user=admin.user, reader=stranger)
    assert shelves.share(house.closed_shelf, user=admin.user, reader=Reader(group=team))
    assert reads(house.stranger, house.closed_shelf)
    assert reads(house.auditor, house.closed_shelf)
    assert shelves.unshare(house.closed_shelf, user=admin.user, reader=stranger)
    assert not shelves.unshare(house.closed_shelf, user=admin.user, reader=stranger)
    assert not reads(house.stranger, house.closed_shelf)
    assert kinds(house.tenant) == ["grant_given", "grant_given", "grant_taken"]
    assert last(house.tenant)["actor_email"] == "admin@aurora.example"


def test_nothing_is_shared_beyond_the_tenant(house: House, neighbour: House) -> None:
    theirs = Group.objects.create(tenant=neighbour.tenant, name="Finance")
    for reader in (Reader(user=neighbour.stranger.user), Reader(group=theirs)):
        with pytest.raises(Hidden):
            shelves.share(house.closed_shelf, user=house.owner.user, reader=reader)
    assert kinds(house.tenant) == []


def _changes(shelf: Collection, place: Place, reader: Reader) -> list[Callable[[], object]]:
    return [
        lambda: shelves.rename_collection(shelf, user=place.user, name="Mine"),
        lambda: shelves.set_restricted(shelf, user=place.user, restricted=not shelf.restricted),
        lambda: shelves.share(shelf, user=place.user, reader=reader),
        lambda: shelves.unshare(shelf, user=place.user, reader=reader),
        lambda: shelves.delete_collection(shelf, user=place.user),
    ]


def test_a_curator_manages_what_they_read_and_nothing_else(
    house: House, neighbour: House, curator: Place
) -> None:
    refused = [
        (house.closed_shelf, curator),
        (house.closed_shelf, house.granted),
        (house.open_shelf, house.stranger),
        (house.open_shelf, house.auditor),
        (house.open_shelf, neighbour.owner),
        (neighbour.open_shelf, house.owner),
    ]
    for shelf, place in refused:
        for change in _changes(shelf, place, Reader(user=house.stranger.user)):
            with pytest.raises(Hidden), transaction.atomic():
                change()
    assert kinds(house.tenant) == kinds(neighbour.tenant) == []


def test_only_an_empty_collection_is_deleted(house: House, curator: Place) -> None:
    put(house.open_shelf, "Handbook", "Visitors sign in.")
    with pytest.raises(ValidationError, match="Only an empty collection"):
        shelves.delete_collection(house.open_shelf, user=curator.user)
    made = shelves.create_collection(user=curator.user, tenant=house.tenant, name="Typo", restricted=False)
    shelves.delete_collection(made, user=curator.user)
    assert not Collection.objects.filter(name="Typo").exists()
    assert kinds(house.tenant) == ["collection_created", "collection_deleted"]


def test_an_operator_is_recorded_as_nobody(house: House) -> None:
    shelves.grant(house.closed_shelf, user=house.stranger.user)
    record = last(house.tenant)
    assert (record["kind"], record["actor_id"], record["actor_email"]) == ("grant_given", None, "")
