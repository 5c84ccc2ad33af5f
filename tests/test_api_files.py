"""Files and vector stores: the official client uploads, waits, searches and asks, unchanged."""

import io
import uuid
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from openai import (
    APIStatusError,
    BadRequestError,
    ConflictError,
    NotFoundError,
    OpenAI,
    PermissionDeniedError,
)

from sources.models import Batch, Collection, Document, Version
from tests.api_client import Program, program_of
from tests.audited import kinds
from tests.conftest import House
from tests.model_server import ModelServer
from tests.sources import add_document
from tests.web_server import WebServer, job_worker

pytestmark = pytest.mark.django_db(transaction=True)

RULES = b"# House rules\n\nThe locker deposit is 15 euro. It is paid back when the key returns.\n"
LAMPS = b"# Lamps\n\nThe lamp of the second room is of type L-88.\n"


@pytest.fixture
def client(server: WebServer, house: House) -> OpenAI:
    """The client of a curator's program."""
    return program_of(server, house.owner).client()


@pytest.fixture
def worker(house: House) -> Iterator[None]:
    with job_worker():
        yield


def upload(client: OpenAI, content: bytes = RULES, name: str = "rules.md") -> str:
    return client.files.create(file=(name, content), purpose="assistants").id


def test_it_works(client: OpenAI, worker: None) -> None:
    store = client.vector_stores.create(name="House")
    assert (store.name, store.file_counts.total, store.status) == ("House", 0, "completed")
    file = client.vector_stores.files.upload_and_poll(
        vector_store_id=store.id, file=("rules.md", RULES), poll_interval_ms=100
    )
    assert (file.status, file.last_error, file.vector_store_id) == ("completed", None, store.id)
    found = client.vector_stores.search(store.id, query="How much is the locker deposit?")
    assert "15 euro" in found.data[0].content[0].text
    assert (found.data[0].file_id, found.data[0].filename) == (file.id, "rules.md")
    assert 0.5 < found.data[0].score <= 1
    response = client.responses.create(
        model="citeweb-quote",
        input="How much is the locker deposit?",
        tools=[{"type": "file_search", "vector_store_ids": [store.id]}],
        include=["file_search_call.results"],
    )
    assert "15 euro" in response.output_text
    message = next(item for item in response.output if item.type == "message")
    (part,) = message.content
    assert part.type == "output_text"
    noted = part.annotations[0]
    assert noted.type == "file_citation"
    assert (noted.file_id, noted.filename) == (file.id, "rules.md")
    assert part.text[noted.index :].startswith("[^1]")
    search = next(item for item in response.output if item.type == "file_search_call")
    assert search.results
    assert search.results[0].file_id == file.id
    assert client.vector_stores.retrieve(store.id).file_counts.completed == 1


def test_several_files_are_put_in_together(client: OpenAI, worker: None) -> None:
    store = client.vector_stores.create(name="House")
    files = [
        ("rules.md", io.BytesIO(RULES)),
        ("lamps.md", io.BytesIO(LAMPS)),
        ("empty.pdf", io.BytesIO(b"%PDF-1.7")),
    ]
    batch = client.vector_stores.file_batches.upload_and_poll(
        vector_store_id=store.id, files=files, poll_interval_ms=100
    )
    assert (batch.file_counts.completed, batch.file_counts.failed, batch.file_counts.total) == (2, 1, 3)
    assert batch.status == "completed"
    listed = client.vector_stores.file_batches.list_files(batch.id, vector_store_id=store.id, filter="failed")
    (failed,) = listed.data
    assert failed.last_error is not None
    assert failed.last_error.code == "invalid_file"
    assert client.files.retrieve(failed.id).status == "error"
    assert len(client.vector_stores.files.list(store.id).data) == 3


def test_a_file_keeps_its_id(client: OpenAI, house: House) -> None:
    file_id = upload(client)
    waiting = client.files.retrieve(file_id)
    assert (waiting.status, waiting.bytes, waiting.filename) == ("uploaded", len(RULES), "rules.md")
    assert not Document.objects.exists()
    store = client.vector_stores.create(name="House", file_ids=[file_id], metadata={"a": "b"})
    assert (store.metadata, store.file_counts.in_progress) == ({"a": "b"}, 1)
    document = Document.objects.get()
    assert file_id == f"file-{document.pk.hex}"
    assert client.files.content(file_id).read() == RULES
    assert client.vector_stores.files.retrieve(file_id, vector_store_id=store.id).status == "in_progress"
    assert [file.id for file in client.files.list()] == [file_id]
    assert kinds(house.tenant)[-3:] == ["grant_given", "uploaded", "original_downloaded"]


def test_a_download_is_never_shown(client: OpenAI) -> None:
    file_id = upload(client, b"<script>x</script>", "page.html")
    answer = client.files.with_raw_response.content(file_id)
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.content == b"<script>x</script>"


def test_the_same_bytes_are_kept_once(client: OpenAI) -> None:
    store = client.vector_stores.create(name="House")
    first, second = upload(client), upload(client)
    for file_id in (first, second, first):
        added = client.vector_stores.files.create(store.id, file_id=file_id)
        assert added.id == file_id
    assert Document.objects.count() == Version.objects.count() == 1
    assert client.files.retrieve(second).filename == "rules.md"
    assert client.vector_stores.retrieve(store.id).file_counts.total == 1


def test_another_file_of_the_same_name_is_the_next_version(client: OpenAI) -> None:
    store = client.vector_stores.create(name="House")
    for content in (RULES, LAMPS):
        client.vector_stores.files.create(store.id, file_id=upload(client, content))
    assert (Document.objects.count(), Version.objects.count()) == (1, 2)


def test_a_file_stands_in_one_store(client: OpenAI) -> None:
    file_id = upload(client)
    first = client.vector_stores.create(name="One", file_ids=[file_id])
    second = client.vector_stores.create(name="Two")
    with pytest.raises(ConflictError, match=first.id):
        client.vector_stores.files.create(second.id, file_id=file_id)
    client.vector_stores.files.delete(file_id, vector_store_id=first.id)
    assert client.files.retrieve(file_id).status == "uploaded"
    with pytest.raises(NotFoundError):
        client.vector_stores.files.retrieve(file_id, vector_store_id=first.id)
    moved = client.vector_stores.files.create(second.id, file_id=file_id)
    assert (moved.id, moved.vector_store_id) == (file_id, second.id)
    assert [file.id for file in client.vector_stores.files.list(second.id)] == [file_id]


def test_a_deleted_store_leaves_its_files(client: OpenAI) -> None:
    file_id = upload(client)
    store = client.vector_stores.create(name="One", file_ids=[file_id])
    assert client.vector_stores.delete(store.id).deleted
    with pytest.raises(NotFoundError):
        client.vector_stores.retrieve(store.id)
    assert store.id not in [one.id for one in client.vector_stores.list()]
    again = client.vector_stores.create(name="One", file_ids=[file_id])
    assert (again.name, again.file_counts.total) == ("One", 1)
    assert client.files.delete(file_id).deleted
    with pytest.raises(NotFoundError):
        client.files.retrieve(file_id)
    assert client.vector_stores.retrieve(again.id).file_counts.total == 0


def test_a_store_may_be_renamed(client: OpenAI) -> None:
    store = client.vector_stores.create(name="One")
    changed = client.vector_stores.update(store.id, name="Two", metadata={"k": "v"})
    assert (changed.id, changed.name, changed.metadata) == (store.id, "Two", {"k": "v"})
    assert client.vector_stores.create(name="Two").name == "Two (2)"
    assert client.vector_stores.create().name


def test_attributes_are_what_the_document_says(client: OpenAI) -> None:
    store = client.vector_stores.create(name="One")
    attributes: dict[str, Any] = {"author": "Board", "year": 2021, "url": "https://example.org/rules"}
    file = client.vector_stores.files.create(store.id, file_id=upload(client), attributes=attributes)
    assert file.attributes is not None
    assert {name: file.attributes[name] for name in attributes} == {**attributes, "year": "2021"}
    changed = client.vector_stores.files.update(
        file.id, vector_store_id=store.id, attributes={"author": "Ann"}
    )
    assert changed.attributes is not None
    assert changed.attributes["author"] == "Ann"
    for wrong in ({"colour": "red"}, {"url": "javascript:x"}, {"year": "x" * 60}):
        with pytest.raises(BadRequestError):
            client.vector_stores.files.update(file.id, vector_store_id=store.id, attributes=wrong)  # type: ignore[arg-type]  # str values


def test_a_batch_may_be_cancelled(client: OpenAI) -> None:
    store = client.vector_stores.create(name="One")
    batch = client.vector_stores.file_batches.create(
        store.id, file_ids=[upload(client), upload(client, LAMPS, "l.md")]
    )
    assert (batch.status, batch.file_counts.in_progress) == ("in_progress", 2)
    cancelled = client.vector_stores.file_batches.cancel(batch.id, vector_store_id=store.id)
    assert (cancelled.status, cancelled.file_counts.cancelled) == ("cancelled", 2)
    assert Batch.objects.get().closed_at is not None


def test_the_text_of_a_file_is_shown(client: OpenAI, house: House) -> None:
    document = add_document(house.open_shelf, "rules.md", RULES)
    page = client.vector_stores.files.content(
        f"file-{document.pk.hex}", vector_store_id=f"vs_{house.open_shelf.pk.hex}"
    )
    assert page.data[0].text == RULES.decode()


def test_files_are_listed_in_pages(client: OpenAI, house: House) -> None:
    ids = [upload(client, b"x%d" % number, f"{number}.txt") for number in range(3)]
    add_document(house.open_shelf, "rules.md", RULES)
    assert len(list(client.files.list(limit=2))) == 4
    assert [file.id for file in client.files.list(order="asc", limit=1)][:3] == ids
    assert [file.id for file in client.files.list(purpose="user_data")] == []


@pytest.mark.parametrize(
    ("name", "content", "purpose", "status"),
    [("a.md", b"", "assistants", 400), ("a.md", b"x", "fine-tune", 400)],
)
def test_files_that_are_refused(client: OpenAI, name: str, content: bytes, purpose: Any, status: int) -> None:
    with pytest.raises(APIStatusError) as caught:
        client.files.create(file=(name, content), purpose=purpose)
    assert caught.value.status_code == status


def test_what_is_no_form_is_refused(server: WebServer, house: House) -> None:
    with program_of(server, house.owner).http() as http:
        assert http.post("/v1/files", json={"purpose": "assistants"}).status_code == 400
        assert (
            http.post("/v1/files", data={"purpose": "assistants"}, files={"other": b"x"}).status_code == 400
        )
        assert http.post("/v1/files", files={"file": ("a.md", b"x")}).status_code == 400
        for kind in ("multipart/form-data", "multipart/form-data; boundary="):
            assert http.post("/v1/files", content=b"x", headers={"Content-Type": kind}).status_code == 400


def test_who_may_not_curate_may_not_upload(program: Program, house: House) -> None:
    client = program.client()
    store = f"vs_{house.open_shelf.pk.hex}"
    for refused in (
        lambda: upload(client),
        lambda: client.vector_stores.create(name="x"),
        lambda: client.vector_stores.update(store, name="x"),
        lambda: client.vector_stores.delete(store),
        lambda: client.vector_stores.files.create(store, file_id="file-" + "0" * 32),
    ):
        with pytest.raises(PermissionDeniedError):
            refused()
    assert Collection.objects.get(pk=house.open_shelf.pk).name == "Open"


# Nothing shows that there is something (cases, B36)


@pytest.fixture
def secret(house: House) -> Document:
    return add_document(
        house.closed_shelf, "bonus.md", "# Bonus\n\nThe bonus of the board is 4,350 euro a month.\n"
    )


def masked(answer: httpx2.Response, *names: str) -> tuple[int, str]:
    text = answer.text
    for name in names:
        text = text.replace(name, "ID")
    return answer.status_code, text


def test_a_foreign_id_and_a_random_one_are_the_same_on_every_route(
    server: WebServer, house: House, neighbour: House, secret: Document
) -> None:
    hidden_store, hidden_file = f"vs_{house.closed_shelf.pk.hex}", f"file-{secret.pk.hex}"
    foreign = add_document(neighbour.open_shelf, "x.md", "# X\n\nThe bonus is 9 euro.\n")
    foreign_store, foreign_file = f"vs_{neighbour.open_shelf.pk.hex}", f"file-{foreign.pk.hex}"
    random_store, random_file = f"vs_{uuid.uuid4().hex}", f"file-{uuid.uuid4().hex}"
    own = f"vs_{house.open_shelf.pk.hex}"
    routes: list[tuple[str, str, Any]] = [
        ("GET", "/v1/files/{file}", None),
        ("GET", "/v1/files/{file}/content", None),
        ("DELETE", "/v1/files/{file}", None),
        ("GET", "/v1/vector_stores/{store}", None),
        ("POST", "/v1/vector_stores/{store}", {"name": "x"}),
        ("DELETE", "/v1/vector_stores/{store}", None),
        ("POST", "/v1/vector_stores/{store}/search", {"query": "bonus"}),
        ("GET", "/v1/vector_stores/{store}/files", None),
        ("POST", "/v1/vector_stores/{store}/files", {"file_id": "{file}"}),
        ("GET", "/v1/vector_stores/{store}/files/{file}", None),
        ("GET", "/v1/vector_stores/{store}/files/{file}/content", None),
        ("POST", "/v1/vector_stores/{store}/files/{file}", {"attributes": {"author": "x"}}),
        ("DELETE", "/v1/vector_stores/{store}/files/{file}", None),
        ("POST", "/v1/vector_stores/{store}/file_batches", {"file_ids": ["{file}"]}),
        ("GET", f"/v1/vector_stores/{own}/files/{{file}}", None),
        ("DELETE", f"/v1/vector_stores/{own}/files/{{file}}", None),
        ("POST", "/v1/citations/lookup", {"cases": "bonus", "vector_store_ids": ["{store}"]}),
        ("POST", "/v1/citations/lookup", {"cases": "bonus", "vector_store_ids": [own, "{store}"]}),
        (
            "POST",
            "/v1/chat/completions",
            {
                "model": "citeweb-quote",
                "messages": [{"role": "user", "content": "What is the bonus?"}],
                "tools": [{"type": "file_search", "vector_store_ids": [own, "{store}"]}],
            },
        ),
        (
            "POST",
            "/v1/responses",
            {
                "model": "citeweb-quote",
                "input": "What is the bonus?",
                "tools": [{"type": "file_search", "vector_store_ids": ["{store}"]}],
            },
        ),
    ]
    names = (hidden_store, hidden_file, foreign_store, foreign_file, random_store, random_file)
    # A curator who isn't granted the closed shelf, so that no role stands in the way.
    house.owner.user.grants.all().delete()
    with program_of(server, house.owner).http() as http:
        for method, path, body in routes:
            told = set()
            for store, file in (
                (hidden_store, hidden_file),
                (foreign_store, foreign_file),
                (random_store, random_file),
            ):
                filled = _filled(body, store, file)
                answer = http.request(method, path.format(store=store, file=file), json=filled)
                told.add(masked(answer, *names))
            assert len(told) == 1, (method, path, told)
            assert next(iter(told))[0] == 404, (method, path, told)
        listing = http.get("/v1/vector_stores").text + http.get("/v1/files").text
    assert not any(name in listing for name in names)


def _filled(body: Any, store: str, file: str) -> Any:
    match body:
        case dict():
            return {key: _filled(value, store, file) for key, value in body.items()}
        case list():
            return [_filled(value, store, file) for value in body]
        case str():
            return body.replace("{store}", store).replace("{file}", file)
    return body


@pytest.mark.parametrize("given", [None, []])
def test_no_filter_means_what_the_caller_may_read(
    server: WebServer, house: House, neighbour: House, secret: Document, given: object
) -> None:
    add_document(neighbour.open_shelf, "x.md", "# X\n\nThe bonus of the board is 9 euro.\n")
    add_document(house.open_shelf, "y.md", "# Y\n\nThe bonus of the board is public.\n")
    with program_of(server, house.stranger).http() as http:
        found = http.post(
            "/v1/citations/lookup", json={"cases": "bonus of the board", "vector_store_ids": given}
        )
        titles = {one["source_title"] for one in found.json()["data"]}
        tools = [{"type": "file_search", "vector_store_ids": given}]
        asked = {"model": "citeweb-quote", "input": "What is the bonus of the board?"}
        assert http.post("/v1/responses", json={**asked, "tools": tools}).status_code == 400
        answer = http.post("/v1/responses", json=asked).text
    assert titles == (set() if given == [] else {"Y"})
    assert "public" in answer
    assert "4,350" not in answer
    assert "9 euro" not in answer


def test_a_question_may_be_limited_to_a_store(
    server: WebServer, house: House, model: ModelServer, secret: Document
) -> None:
    add_document(house.open_shelf, "y.md", "# Y\n\nThe bonus of the board is public.\n")
    client = program_of(server, house.granted).client()
    tools: Any = [{"type": "file_search", "vector_store_ids": [f"vs_{house.open_shelf.pk.hex}"]}]
    client.responses.create(model="chat-model", input="What is the bonus of the board?", tools=tools)
    client.chat.completions.create(
        model="chat-model",
        messages=[{"role": "user", "content": "What is the bonus of the board?"}],
        tools=tools,
    )
    for request in model.requests:
        assert "is public" in str(request.messages)
        assert "4,350" not in str(request.messages)
