"""Who may read what: the one door, for the owner, someone granted, a stranger, and another tenant."""

import re
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone

from citeweb.accounts.models import Group, Membership, Role, User
from citeweb.accounts.tenancy import Place
from sources import permissions
from sources.models import Document
from sources.permissions import Hidden
from sources.shelves import create_collection, grant, revoke
from tests.conftest import House, join, make_user
from tests.documents import add_version, put

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def handbook(house: House) -> Document:
    """A document that everybody of the house may read."""
    return put(house.open_shelf, "Handbook", "Visitors sign in at the front desk.")


@pytest.fixture
def payroll(house: House) -> Document:
    """A document that the owner and the granted member may read."""
    return put(house.closed_shelf, "Payroll", "The director earns 9,000 a month.")


def titles(place: Place) -> set[str]:
    """The titles of all documents a person may read."""
    documents = permissions.visible_documents(user=place.user, tenant=place.tenant)
    return set(documents.values_list("title", flat=True))


def blocks(place: Place) -> int:
    """The number of chunks a person's searches run over."""
    return permissions.visible_chunks(user=place.user, tenant=place.tenant).count()


def test_open_collections_are_for_every_member(house: House, handbook: Document) -> None:
    for place in (house.owner, house.granted, house.stranger, house.auditor):
        assert titles(place) == {"Handbook"}
        assert blocks(place) == 1


def test_restricted_collections_are_for_whom_they_are_granted(house: House, payroll: Document) -> None:
    assert titles(house.owner) == titles(house.granted) == {"Payroll"}
    assert titles(house.stranger) == titles(house.auditor) == set()
    assert (blocks(house.granted), blocks(house.stranger)) == (1, 0)


def test_a_group_reads_what_is_granted_to_it(house: House, payroll: Document) -> None:
    team = Group.objects.create(tenant=house.tenant, name="Finance")
    grant(house.closed_shelf, group=team)
    assert titles(house.stranger) == set()
    team.users.add(house.stranger.user)
    assert titles(house.stranger) == {"Payroll"}
    team.users.remove(house.stranger.user)
    assert titles(house.stranger) == set()


def test_a_group_of_another_tenant_opens_nothing(house: House, neighbour: House, payroll: Document) -> None:
    team = Group.objects.create(tenant=neighbour.tenant, name="Finance")
    team.users.add(house.stranger.user)
    grant(house.closed_shelf, group=team)
    assert titles(house.stranger) == set()


def test_taking_a_grant_back_counts_at_once(house: House, payroll: Document) -> None:
    revoke(house.closed_shelf, user=house.granted.user)
    assert titles(house.granted) == set()
    assert blocks(house.granted) == 0
    with pytest.raises(Hidden):
        permissions.document_for(user=house.granted.user, tenant=house.tenant, document_id=payroll.pk)


def test_roles_open_no_restricted_collection(house: House, payroll: Document) -> None:
    for role in Role.values:
        place = join(make_user(f"new-{role}@aurora.example"), house.tenant, role)
        assert titles(place) == set()


def test_a_superuser_without_membership_sees_nothing(house: House, handbook: Document) -> None:
    root = User.objects.create_superuser("root@example.org", "correct horse battery")
    assert not permissions.visible_documents(user=root, tenant=house.tenant).exists()


def test_nobody_sees_another_tenant(
    house: House, neighbour: House, handbook: Document, payroll: Document
) -> None:
    grant(house.closed_shelf, user=neighbour.owner.user)
    assert not permissions.visible_documents(user=neighbour.owner.user, tenant=house.tenant).exists()
    assert titles(neighbour.owner) == set()
    assert blocks(neighbour.owner) == 0


def test_a_member_of_two_tenants_sees_one_at_a_time(
    house: House, neighbour: House, handbook: Document
) -> None:
    both = join(house.stranger.user, neighbour.tenant)
    assert titles(both) == set()
    assert titles(house.stranger) == {"Handbook"}


def test_leaving_the_tenant_counts_at_once(house: House, handbook: Document, payroll: Document) -> None:
    Membership.objects.filter(user=house.granted.user).delete()
    assert titles(house.granted) == set()
    assert blocks(house.granted) == 0


def test_a_deactivated_account_sees_nothing(house: House, handbook: Document) -> None:
    # The user object at hand may be older than the row.
    User.objects.filter(pk=house.stranger.user.pk).update(is_active=False)
    assert house.stranger.user.is_active
    assert titles(house.stranger) == set()
    assert blocks(house.stranger) == 0


def test_a_deleted_document_is_gone_for_everybody(house: House, handbook: Document) -> None:
    version = handbook.current_version
    Document.objects.filter(pk=handbook.pk).update(deleted_at=timezone.now())
    assert titles(house.owner) == set()
    assert blocks(house.owner) == 0
    assert version is not None
    with pytest.raises(Hidden):
        permissions.version_for(user=house.owner.user, tenant=house.tenant, version_id=version.pk)


def test_a_document_that_moves_to_a_closed_shelf_is_closed(house: House, handbook: Document) -> None:
    Document.objects.filter(pk=handbook.pk).update(collection=house.closed_shelf)
    assert titles(house.stranger) == set()
    assert blocks(house.stranger) == 0
    assert blocks(house.granted) == 1


def test_search_runs_over_current_versions_and_citations_over_all(house: House, handbook: Document) -> None:
    first = handbook.current_version
    second = add_version(handbook, "Visitors sign in with the guard. Dogs stay outside.")
    searched = permissions.visible_chunks(user=house.stranger.user, tenant=house.tenant)
    assert set(searched.values_list("version_id", flat=True)) == {second.pk}
    versions = permissions.visible_versions(user=house.stranger.user, tenant=house.tenant)
    assert first is not None
    assert {version.pk for version in versions} == {first.pk, second.pk}


def test_a_block_of_an_earlier_version_still_opens(house: House, payroll: Document) -> None:
    old = permissions.visible_chunks(user=house.owner.user, tenant=house.tenant).get()
    add_version(payroll, "The director earns 9,500 a month.")
    found = permissions.chunk_for(user=house.granted.user, tenant=house.tenant, block_id=old.block_id)
    assert found.version.text[found.start : found.end] == "The director earns 9,000 a month."
    for block_id in (old.block_id, "block_000000000000", ""):
        with pytest.raises(Hidden):
            permissions.chunk_for(user=house.stranger.user, tenant=house.tenant, block_id=block_id)


def _ask_for(place: Place, door: str, thing_id: object) -> None:
    kind = door.removesuffix("_for")
    ask: Callable[..., object] = getattr(permissions, door)
    ask(user=place.user, tenant=place.tenant, **{f"{kind}_id": thing_id})


@pytest.mark.parametrize("door", ["collection_for", "document_for", "version_for"])
def test_absent_and_forbidden_are_the_same(
    house: House, neighbour: House, payroll: Document, door: str
) -> None:
    things = {
        "collection_for": payroll.collection_id,
        "document_for": payroll.pk,
        "version_for": payroll.current_version_id,
    }
    _ask_for(house.granted, door, things[door])
    _ask_for(house.granted, door, str(things[door]))
    refusals = set()
    for place, thing in (
        (house.stranger, things[door]),
        (house.stranger, uuid.uuid4()),
        (house.stranger, "no id at all"),
        (house.stranger, ""),
        (neighbour.owner, things[door]),
    ):
        with pytest.raises(Hidden) as refusal:
            _ask_for(place, door, thing)
        refusals.add(repr(refusal.value))
    assert refusals == {"Hidden()"}


def test_curators_and_administrators_add_to_what_they_may_read(house: House) -> None:
    owner, tenant = house.owner.user, house.tenant
    for shelf in (house.open_shelf, house.closed_shelf):
        assert permissions.may_curate(user=owner, tenant=tenant, collection=shelf)
        assert not permissions.may_curate(user=house.granted.user, tenant=tenant, collection=shelf)
    curator = join(make_user("curator@aurora.example"), tenant, Role.CURATOR)
    assert permissions.may_curate(user=curator.user, tenant=tenant, collection=house.open_shelf)
    assert not permissions.may_curate(user=curator.user, tenant=tenant, collection=house.closed_shelf)


def test_a_curator_of_one_tenant_curates_no_other(house: House, neighbour: House) -> None:
    join(neighbour.owner.user, house.tenant)
    assert not permissions.may_curate(
        user=neighbour.owner.user, tenant=house.tenant, collection=house.open_shelf
    )
    assert not permissions.may_curate(
        user=house.owner.user, tenant=house.tenant, collection=neighbour.open_shelf
    )


def test_administrators_manage_collections_that_they_do_not_read(house: House) -> None:
    admin = join(make_user("admin@aurora.example"), house.tenant, Role.ADMIN)
    managed = permissions.managed_collections(user=admin.user, tenant=house.tenant)
    assert set(managed) == {house.open_shelf, house.closed_shelf}
    assert titles(admin) == set()
    assert not permissions.managed_collections(user=house.granted.user, tenant=house.tenant).exists()


def test_who_makes_a_restricted_collection_may_read_it(house: House) -> None:
    curator = join(make_user("curator@aurora.example"), house.tenant, Role.CURATOR)
    made = create_collection(user=curator.user, tenant=house.tenant, name="Board", restricted=True)
    assert permissions.may_curate(user=curator.user, tenant=house.tenant, collection=made)
    assert made not in permissions.visible_collections(user=house.owner.user, tenant=house.tenant)


def test_members_make_no_collections(house: House, neighbour: House) -> None:
    for person in (house.granted.user, house.auditor.user, neighbour.owner.user):
        with pytest.raises(Hidden):
            create_collection(user=person, tenant=house.tenant, name="Mine", restricted=False)


# The models that hold protected rows, and the modules that may reach them: the door itself, the writers (which
# act after a check or for the system), and the one ranking that is too much for a queryset.
_PROTECTED = "Chunk|ChunkEmbedding|Page|Document|Version|Collection|Grant"
_DOORS = {
    f"sources/{name}.py"
    for name in (
        "permissions",
        "index",
        "versions",
        "shelves",
        "uploads",
        "curation",
        "removal",
        "retrieval_lexical",
    )
}
_REACHES = re.compile(
    rf"\b(?:{_PROTECTED})\.(?:objects|_default_manager|_base_manager)\b(?!\.none\(\))"
    r"|sources_(?:chunk|document|version|collection|page)"
    r"|\.(?:documents|versions|chunks|collections)\.(?:all|filter|get|exclude|count|exists|values)"
)


def test_protected_rows_are_reached_through_the_doors_only() -> None:
    """A second door (an admin action, an export, a count) would forget to ask who is there."""
    modules = {
        str(path.relative_to(ROOT)): path.read_text()
        for package in ("citeweb", "chat", "sources")
        for path in (ROOT / package).rglob("*.py")
        if not {"migrations", "commands"} & set(path.parts)
    }
    assert modules.keys() > _DOORS
    reaching = {name for name, code in modules.items() if _REACHES.search(code)}
    assert reaching <= _DOORS
