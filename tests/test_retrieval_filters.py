"""Every way to retrieve, without a filter and with every kind of one: only what the caller may read (case B36)."""

import uuid
from collections.abc import Callable, Iterable, Sequence

import httpx2
import pytest

from chat.api.ids import STORE, public_id
from citeweb.accounts.row_security import acting_as_system, acting_for
from citeweb.accounts.tenancy import Place
from sources.core.lexemes import search_terms
from sources.index import chunks_without_vector, space_named, write_vectors
from sources.models import Chunk, Collection
from sources.retrieval import recall, retrieve
from sources.retrieval_lexical import lexical_hits
from sources.retrieval_vector import nearest
from tests.api_client import program_of
from tests.conftest import House
from tests.documents import put
from tests.web_server import WebServer

pytestmark = pytest.mark.django_db

QUESTION = "What is the password of the vault?"
Within = Sequence[uuid.UUID] | None
Way = Callable[[Place, Within], set[str]]


def passages(place: Place, within: Within) -> set[str]:
    found = retrieve(user=place.user, tenant=place.tenant, query=QUESTION, limit=9, collections=within)
    return {passage.title for passage in found}


def words(place: Place, within: Within) -> set[str]:
    terms = search_terms(QUESTION)
    hits = lexical_hits(user=place.user, tenant=place.tenant, terms=terms, limit=9, collections=within)
    return titles([hit.chunk_id for hit in hits])


def vectors(place: Place, within: Within) -> set[str]:
    space = space_named("test", 2)
    near = nearest(
        user=place.user, tenant=place.tenant, space=space, vector=(1.0, 0.0), limit=9, collections=within
    )
    return titles(near.similarities)


def blocks(place: Place, within: Within) -> set[str]:
    with acting_as_system("the ids of all blocks"):
        everybodys = list(Chunk.objects.values_list("block_id", flat=True))
    found = recall(user=place.user, tenant=place.tenant, block_ids=everybodys, collections=within)
    return {passage.title for passage in found}


def titles(chunk_ids: Iterable[int]) -> set[str]:
    return set(Chunk.objects.filter(pk__in=list(chunk_ids)).values_list("document__title", flat=True))


@pytest.fixture
def shelves(house: House, neighbour: House) -> dict[str, uuid.UUID]:
    """A shelf of each kind with a document of its name that answers the question, and one that doesn't exist."""
    kinds = {"open": house.open_shelf, "closed": house.closed_shelf, "foreign": neighbour.open_shelf}
    for name, shelf in kinds.items():
        fill(shelf, name)
    return {name: shelf.pk for name, shelf in kinds.items()} | {"random": uuid.uuid4()}


def fill(shelf: Collection, name: str) -> None:
    document = put(shelf, name, f"The password of the {name} vault is {uuid.uuid4()}.")
    space = space_named("test", 2)
    assert document.current_version_id is not None
    chunks = chunks_without_vector(document.current_version_id, space, 10)
    write_vectors(chunks, [[1.0, 0.0]] * len(chunks), space)


@pytest.mark.parametrize("way", [passages, words, vectors, blocks])
@pytest.mark.parametrize(
    ("wished", "found"),
    [
        (None, {"open"}),
        ([], set()),
        (["open"], {"open"}),
        (["closed"], set()),
        (["foreign"], set()),
        (["random"], set()),
        (["open", "foreign"], {"open"}),
        (["open", "closed", "random"], {"open"}),
        (["foreign", "closed"], set()),
    ],
)
def test_a_filter_only_ever_narrows(
    house: House, shelves: dict[str, uuid.UUID], way: Way, wished: list[str] | None, found: set[str]
) -> None:
    place = house.stranger
    with acting_for(tenant=place.tenant, user=place.user):
        assert way(place, [shelves[name] for name in wished] if wished is not None else None) == found


# --- The API: a collection is a vector store ----------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_a_foreign_store_is_refused_like_a_random_one(
    server: WebServer, house: House, shelves: dict[str, uuid.UUID]
) -> None:
    with program_of(server, house.stranger).http() as http:
        (found,) = asked(http, [shelves["open"]]).json()["citations"]
        assert found["document_title"] == "open"
        for others in ([], [shelves["open"]]):
            answers = {
                name: refusal(asked(http, [*others, shelves[name]]), shelves[name])
                for name in ("foreign", "closed", "random")
            }
            assert answers["foreign"] == answers["closed"] == answers["random"]
            assert answers["random"][0] == 404


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("stores", [[], None])
def test_no_store_is_not_all_stores(
    server: WebServer, house: House, shelves: dict[str, uuid.UUID], stores: list[uuid.UUID] | None
) -> None:
    with program_of(server, house.stranger).http() as http:
        assert asked(http, stores).status_code == 400


@pytest.mark.django_db(transaction=True)
def test_no_tool_searches_what_the_caller_may_read(
    server: WebServer, house: House, shelves: dict[str, uuid.UUID]
) -> None:
    with program_of(server, house.stranger).http() as http:
        (found,) = http.post("/v1/chat/completions", json=question()).json()["citations"]
    assert found["document_title"] == "open"


@pytest.mark.django_db(transaction=True)
def test_a_look_up_is_limited_alike(server: WebServer, house: House, shelves: dict[str, uuid.UUID]) -> None:
    with program_of(server, house.stranger).http() as http:
        assert found_by_look_up(http, None) == found_by_look_up(http, [shelves["open"]]) == {"open"}
        assert found_by_look_up(http, []) == set()
        refusals = {
            refusal(look_up(http, [shelves["open"], shelves[name]]), shelves[name])
            for name in ("foreign", "closed", "random")
        }
    assert [status for status, _body in refusals] == [404]


def look_up(http: httpx2.Client, stores: list[uuid.UUID] | None) -> httpx2.Response:
    ids = [public_id(STORE, pk) for pk in stores] if stores is not None else None
    return http.post("/v1/citations/lookup", json={"cases": QUESTION, "vector_store_ids": ids})


def found_by_look_up(http: httpx2.Client, stores: list[uuid.UUID] | None) -> set[str]:
    return {one["source_title"] for one in look_up(http, stores).json()["data"]}


def question() -> dict[str, object]:
    return {"model": "citeweb-quote", "messages": [{"role": "user", "content": QUESTION}]}


def asked(http: httpx2.Client, stores: list[uuid.UUID] | None) -> httpx2.Response:
    ids = [public_id(STORE, pk) for pk in stores] if stores is not None else None
    tool = {"type": "file_search", "vector_store_ids": ids}
    return http.post("/v1/chat/completions", json={**question(), "tools": [tool]})


def refusal(response: httpx2.Response, named: uuid.UUID) -> tuple[int, str]:
    return response.status_code, response.text.replace(named.hex, "…")
