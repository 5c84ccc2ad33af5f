"""Taking a permission filter out: within a tenant it is missed, across tenants nothing leaks all the same."""

import pytest

from chat.consumers import NOT_FOUND
from citeweb.accounts.row_security import acting_for
from citeweb.accounts.tenancy import Place
from citeweb.threads import in_thread
from sources.core.lexemes import search_terms
from sources.index import chunks_without_vector, space_named, write_vectors
from sources.models import Document
from sources.retrieval import recall, retrieve
from sources.retrieval_lexical import lexical_hits
from sources.retrieval_vector import nearest
from tests.access_scene import SECRET, Scene, set_scene
from tests.access_table import PEOPLE, Row
from tests.conftest import House
from tests.documents import put
from tests.mutants import MUTANTS, forget
from tests.test_access_table import PAGES, SOCKETS, ask, socket_status
from tests.test_access_table_api import API
from tests.test_access_table_api import ask as call
from tests.web_server import web_server

WAYS = {"search", "words", "vectors", "recall"}
FOREIGNER = PEOPLE.index("foreigner")
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(400)]


@pytest.fixture
def scene(house: House, neighbour: House) -> Scene:
    return set_scene(house, neighbour)


@pytest.fixture
def secret(house: House) -> Document:
    """A document on the restricted shelf, found by its words and by its vector."""
    document = put(house.closed_shelf, "Payroll", SECRET)
    space = space_named("test", 2)
    chunks = chunks_without_vector(document.current_version_id or "", space, 10)
    write_vectors(chunks, [[1.0, 0.0]] * len(chunks), space)
    return document


def found(place: Place, secret: Document, *, asked_of: House | None = None) -> set[str]:
    """Return the ways of retrieving in which the person comes upon the secret."""
    user, tenant = place.user, asked_of.tenant if asked_of else place.tenant
    space, version = space_named("test", 2), secret.current_version
    assert version is not None
    block = version.chunks.get().block_id
    with acting_for(tenant=place.tenant, user=user):
        hits = {
            "search": retrieve(user=user, tenant=tenant, query=SECRET, limit=8),
            "words": lexical_hits(user=user, tenant=tenant, terms=search_terms(SECRET), limit=8),
            "vectors": nearest(
                user=user, tenant=tenant, space=space, vector=(1.0, 0.0), limit=8
            ).similarities,
            "recall": recall(user=user, tenant=tenant, block_ids=[block]),
        }
    return {way for way, found in hits.items() if found}


# --- Retrieval ----------------------------------------------------------------------------------------


def test_the_secret_is_found_by_its_readers_only(house: House, neighbour: House, secret: Document) -> None:
    assert found(house.granted, secret) == WAYS
    assert found(house.stranger, secret) == found(neighbour.owner, secret) == set()


@pytest.mark.parametrize(
    ("name", "ways"),
    [
        ("visible_collections", WAYS),
        ("visible_documents", WAYS),
        ("visible_chunks", {"recall"}),
        ("visible_vectors", {"vectors"}),
    ],
)
def test_a_filter_that_retrieval_forgets_is_missed_within_the_tenant(
    house: House, secret: Document, monkeypatch: pytest.MonkeyPatch, name: str, ways: set[str]
) -> None:
    forget(monkeypatch.setattr, name)
    assert found(house.stranger, secret) == ways


def test_retrieval_without_any_filter_finds_nothing_of_another_tenant(
    house: House, neighbour: House, secret: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(monkeypatch.setattr, *MUTANTS)
    assert found(house.stranger, secret) == WAYS
    assert found(neighbour.owner, secret) == set()
    # Not even when it is asked for the other tenant by name.
    assert found(neighbour.owner, secret, asked_of=house) == set()


# --- Pages --------------------------------------------------------------------------------------------


def test_a_filter_that_a_page_forgets_is_missed_within_the_tenant(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded = {
        row.line: row
        for row in PAGES
        # Only what somebody gets can be guarded.
        if 404 in row.within_the_tenant().values() and set(row.statuses) - {302, 404}
    }
    unnoticed = dict(guarded)
    for name in MUTANTS:
        with monkeypatch.context() as patch:
            forget(patch.setattr, name)
            opened = [line for line, row in unnoticed.items() if differs(scene, row)]
        for line in opened:
            del unnoticed[line]
    assert len(guarded) > 15
    assert list(unnoticed) == [], (
        "no mutant of tests/mutants.py opens these pages: add the filter that guards them"
    )


def differs(scene: Scene, row: Row) -> bool:
    """Tell whether somebody of the tenant gets what the table denies them; two of them are asked."""
    hidden = [person for person, status in row.within_the_tenant().items() if status == 404]
    return any(ask(scene, row, person).status_code != 404 for person in hidden[:2])


def test_no_page_without_any_filter_opens_for_another_tenant(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(monkeypatch.setattr, *MUTANTS)
    pages = [row for row in PAGES if row.statuses[FOREIGNER] == 404]
    assert len(pages) > 15
    assert {row.line: ask(scene, row, "foreigner").status_code for row in pages} == {
        row.line: 404 for row in pages
    }


@pytest.mark.django_db(transaction=True)
async def test_no_socket_or_route_without_any_filter_opens_for_another_tenant(
    house: House, neighbour: House
) -> None:
    scene = await in_thread(set_scene, house, neighbour)
    with web_server(DJANGO_SETTINGS_MODULE="tests.mutant_settings") as server:
        for row in SOCKETS:
            assert await socket_status(server, scene, row, "stranger") == 101
            assert await socket_status(server, scene, row, "foreigner") == NOT_FOUND
        routes = [row for row in API if row.statuses[FOREIGNER] == 404]
        got = {row.line: call(server, scene, row, "foreigner").status_code for row in routes}
        assert got == {row.line: 404 for row in routes}
        opened = [
            row for row in routes if row.method == "GET" and call(server, scene, row, "stranger").is_success
        ]
        assert opened, "nothing was forgotten"
