"""CitationSchema: the citations of stored answers, and the look-up for claims and questions."""

import uuid
from typing import Any

import httpx2
import pytest

from chat.models import Citation
from sources.models import Document, Grant
from tests.api_client import ALERTS, QUESTION, Program, block_of, marker, program_of, script
from tests.conftest import House
from tests.model_server import ModelServer, chat_text
from tests.sources import add_document
from tests.web_server import WebServer

pytestmark = pytest.mark.django_db(transaction=True)

ASK: dict[str, Any] = {"model": "chat-model", "messages": [{"role": "user", "content": QUESTION}]}
FIELDS = {
    "canonical_url",
    "case_index",
    "chunk_text_preview",
    "relevance_score",
    "section_heading",
    "source_id",
    "source_title",
    "vector_id",
}


def checked(schema: dict[str, Any]) -> dict[str, Any]:
    """Check the eight fields and their types."""
    assert set(schema) == FIELDS
    assert isinstance(schema["case_index"], int)
    assert uuid.UUID(schema["source_id"])
    assert isinstance(schema["source_title"], str)
    assert isinstance(schema["vector_id"], str)
    assert schema["relevance_score"] is None or 0 <= schema["relevance_score"] <= 1
    return schema


def test_it_works(program: Program, model: ModelServer, pricing: Document) -> None:
    script(model, pricing)
    client = program.client()
    chat = client.chat.completions.create(**ASK)
    response = client.responses.create(model="chat-model", input=QUESTION)
    for path in (f"/chat/completions/{chat.id}/citations", f"/responses/{response.id}/citations"):
        found = client.get(path, cast_to=object)
        assert isinstance(found, dict)
        (schema,) = found["data"]
        checked(schema)
        assert ALERTS in schema["chunk_text_preview"]
        assert (schema["source_id"], schema["source_title"]) == (str(pricing.pk), "Pricing Policy")
        assert schema["vector_id"] == block_of(pricing, ALERTS)
        assert schema["section_heading"] == "Pricing Policy"
        assert schema["relevance_score"] > 0.5
        assert (found["object"], found["has_more"], found["first_id"]) == ("list", False, found["last_id"])
        assert client.get(f"/citations/{found['first_id']}", cast_to=object) == schema


def test_an_answer_without_citations_has_an_empty_list(
    program: Program, http: httpx2.Client, model: ModelServer
) -> None:
    model.always(chat_text("Nothing."))
    answer = program.client().chat.completions.create(**ASK)
    assert http.get(f"/v1/chat/completions/{answer.id}/citations").json() == {
        "object": "list",
        "data": [],
        "first_id": None,
        "last_id": None,
        "has_more": False,
    }


def test_a_long_list_comes_in_pages(
    program: Program, http: httpx2.Client, model: ModelServer, pricing: Document
) -> None:
    mark = marker(block_of(pricing, ALERTS))
    model.always(chat_text(f"One.{mark} Two.{mark} Three.{mark}"))
    path = f"/v1/chat/completions/{program.client().chat.completions.create(**ASK).id}/citations"
    first = http.get(path, params={"limit": 2}).json()
    assert (len(first["data"]), first["has_more"]) == (2, True)
    rest = http.get(path, params={"limit": 2, "after": first["last_id"]}).json()
    assert (len(rest["data"]), rest["has_more"]) == (1, False)


def test_permission_is_asked_again(server: WebServer, house: House, model: ModelServer) -> None:
    secret = add_document(
        house.closed_shelf, "bonus.md", "# Bonus\n\nThe bonus of the board is 4,350 euro a month.\n"
    )
    program = program_of(server, house.granted)
    model.always(chat_text(f"It is 4,350 euro.{marker(block_of(secret, '4,350'))}"))
    asked: dict[str, Any] = {
        **ASK,
        "messages": [{"role": "user", "content": "What is the bonus of the board?"}],
    }
    answer = program.client().chat.completions.create(**asked)
    citation = Citation.objects.get()
    with program.http() as http:
        path = f"/v1/chat/completions/{answer.id}/citations"
        assert len(http.get(path).json()["data"]) == 1
        Grant.objects.filter(user=house.granted.user).delete()
        assert http.get(path).json()["data"] == []
        gone, other = (http.get(f"/v1/citations/{name}") for name in (citation.pk, uuid.uuid4()))
    assert gone.status_code == other.status_code == 404
    assert gone.text.replace(str(citation.pk), "") == other.text.replace(other.url.path.split("/")[-1], "")


@pytest.mark.parametrize("person", ["granted", "owner"])
def test_nobody_elses_answers_are_seen(
    server: WebServer,
    program: Program,
    house: House,
    neighbour: House,
    model: ModelServer,
    pricing: Document,
    person: str,
) -> None:
    script(model, pricing)
    answer = program.client().chat.completions.create(**ASK)
    citation = Citation.objects.get()
    for place in (getattr(house, person), neighbour.owner):
        with program_of(server, place).http() as http:
            for path in (
                f"/v1/chat/completions/{answer.id}",
                f"/v1/chat/completions/{answer.id}/citations",
                f"/v1/responses/resp_{uuid.UUID(answer.id.removeprefix('chatcmpl-')).hex}",
                f"/v1/citations/{citation.pk}",
            ):
                assert http.get(path).status_code == 404


def test_claims_and_questions_are_looked_up(http: httpx2.Client, house: House) -> None:
    add_document(house.open_shelf, "lamps.md", "# Lamps\n\nThe lamp of the second room is of type L-88.\n")
    found = http.post(
        "/v1/citations/lookup",
        json={"cases": [QUESTION, {"text": "The lamp is of type L-88."}, "Llamas eat hay."], "limit": 1},
    ).json()
    assert [(c["case_index"], c["source_title"]) for c in map(checked, found["data"])] == [
        (0, "Pricing Policy"),
        (1, "Lamps"),
    ]
    assert found["data"][0]["canonical_url"].startswith("http://127.0.0.1:8000/d/")
    one = http.post("/v1/citations/lookup", json={"cases": QUESTION, "limit": 1}).json()
    assert one["data"] == found["data"][:1]


def test_a_document_with_an_address_is_named_by_it(http: httpx2.Client, pricing: Document) -> None:
    pricing.url = "https://example.org/pricing"
    pricing.save()
    found = http.post("/v1/citations/lookup", json={"cases": QUESTION}).json()
    assert found["data"][0]["canonical_url"] == "https://example.org/pricing"


@pytest.mark.parametrize("cases", [[], "", [" "], [{"text": ""}], ["x"] * 101, "x" * 8_001, [1], None])
def test_cases_that_are_none(http: httpx2.Client, cases: object) -> None:
    answer = http.post("/v1/citations/lookup", json={"cases": cases})
    assert answer.status_code == 400
    assert answer.json()["error"]["param"].startswith("cases")


def test_the_eight_fields_of_a_citation_say_what_the_document_says(
    program: Program, model: ModelServer, pricing: Document
) -> None:
    pricing.author, pricing.year, pricing.reference = "Board", "1265-1274", "P-34"
    pricing.url = "https://example.org/pricing"
    pricing.save()
    script(model, pricing)
    (source,) = program.client().chat.completions.create(**ASK).model_dump()["citations"]
    assert (source["document_author"], source["document_year"], source["document_reference"]) == (
        "Board",
        "1265-1274",
        "P-34",
    )
    assert source["source_url"] == "https://example.org/pricing"
    assert source["cited_text_heading"] == "Pricing Policy"
