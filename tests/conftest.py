"""People and places that most tests need: one tenant with its roles, and another tenant next door."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.utils import translation
from hypothesis import settings

from citeweb.accounts.models import Membership, Role, Tenant, User
from citeweb.accounts.row_security import acting_as_system
from citeweb.accounts.tenancy import Place, place_in
from sources.models import Collection, Grant

pytest_plugins = ["tests.servers", "tests.api_client", "tests.proved_turns"]

PASSWORD = "correct horse battery"

# How long an example takes depends on what else the machine does; cost is measured in bench/.
settings.register_profile("citeweb", deadline=None)
settings.load_profile("citeweb")


@pytest.fixture(scope="session", autouse=True)
def _system() -> Iterator[None]:
    """Let tests put things into the database; what they call as a page, a socket, a job or a command scopes itself.

    For the session, so that it is there before the event loops, which copy it; for each test, so that it is there
    again after one that went on as somebody else.
    """
    with acting_as_system("tests"):
        yield


@pytest.fixture(autouse=True)
def _system_again(_system: None) -> Iterator[None]:
    with acting_as_system("tests"):
        yield


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Begin in English: a page in Persian leaves its language to whatever the thread does next."""
    with translation.override("en"):
        yield


def make_user(email: str) -> User:
    """Create a user who signs in with PASSWORD."""
    return User.objects.create_user(email, PASSWORD)


def join(user: User, tenant: Tenant, *roles: str) -> Place:
    """Make the user a member with the given roles and return their place."""
    for role in roles or (Role.MEMBER,):
        Membership.objects.create(user=user, tenant=tenant, role=role)
    place = place_in(user, tenant)
    assert place is not None
    return place


@dataclass(frozen=True)
class House:
    """A tenant: `owner` curates, `granted` may read the restricted shelf, `stranger` only the open one."""

    tenant: Tenant
    open_shelf: Collection
    closed_shelf: Collection
    owner: Place
    granted: Place
    stranger: Place
    auditor: Place


def make_house(slug: str) -> House:
    """Create a tenant with an open and a restricted collection and its people."""
    tenant = Tenant.objects.create(slug=slug, name=slug.title())
    closed = Collection.objects.create(tenant=tenant, name="Restricted", restricted=True)
    people = {
        name: make_user(f"{name}@{slug}.example") for name in ("owner", "granted", "stranger", "auditor")
    }
    for name in ("owner", "granted"):
        Grant.objects.create(collection=closed, user=people[name])
    return House(
        tenant=tenant,
        open_shelf=Collection.objects.create(tenant=tenant, name="Open"),
        closed_shelf=closed,
        owner=join(people["owner"], tenant, Role.CURATOR, Role.ADMIN),
        granted=join(people["granted"], tenant),
        stranger=join(people["stranger"], tenant),
        auditor=join(people["auditor"], tenant, Role.AUDITOR),
    )


@pytest.fixture
def house(db: None) -> House:
    """The tenant of most tests."""
    return make_house("aurora")


@pytest.fixture
def neighbour(db: None) -> House:
    """Another tenant, to which nothing of the first one may leak."""
    return make_house("borealis")
