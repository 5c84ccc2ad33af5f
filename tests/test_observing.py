"""Metrics, logs and health: they mean something, and they hold no content."""

import ast
import io
import json
import logging
import re
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from django.db import IntegrityError, connections
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from citeweb.database.base import DatabaseWrapper
from citeweb.health import _migrated
from citeweb.logs import Formatter, bound
from citeweb.threads import in_thread
from sources.queue import defer_ingest
from tests.chat_socket import chat_page
from tests.conftest import House
from tests.model_server import Gate, ModelServer, Status, chat_chunk, chat_text
from tests.sources import PRICING, add_document
from tests.web_server import WebServer, session_cookie, web_server

Figures = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def figures(text: str) -> Figures:
    """Return every sample by its name and labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def total(found: Figures, name: str, **labels: str) -> float:
    return sum(
        value
        for (known, have), value in found.items()
        if known == name and labels.items() <= dict(have).items()
    )


def scraped(server: WebServer) -> Figures:
    ask = HTTPConnection("127.0.0.1", server.port, timeout=10)
    ask.request("GET", "/metrics")
    answer = ask.getresponse()
    assert answer.status == 200
    return figures(answer.read().decode())


# --- Metrics -------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
async def test_an_answer_is_counted_and_timed_step_by_step(
    server: WebServer, house: House, model: ModelServer
) -> None:
    await in_thread(add_document, house.open_shelf, "pricing.md", PRICING)
    before = await in_thread(scraped, server)
    gate = Gate()
    model.script([chat_chunk({"content": "Soon. [[block_zzzzzzzzzzzz]]"}), gate, *chat_text(" Yes.")])
    cookie = await in_thread(session_cookie, house.stranger.user)
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask("When do budget alerts come?", model="patient-model")
        await page.wait_for("Soon")
        during = await in_thread(scraped, server)
        gate.open()
        await page.ended("complete")
        after = await in_thread(scraped, server)
    assert total(during, "citeweb_active_answers") == total(before, "citeweb_active_answers") + 1
    assert total(during, "citeweb_open_sockets") == total(before, "citeweb_open_sockets") + 1

    def grown(name: str, **labels: str) -> float:
        return total(after, name, **labels) - total(before, name, **labels)

    assert grown("citeweb_turns_total", state="complete", model="patient-model") == 1
    for step in ("retrieval", "first_text", "generation", "total"):
        assert grown("citeweb_step_seconds_count", step=step, model="patient-model") == 1
    assert grown("citeweb_rejected_markers_total", reason="unknown_id") == 1
    assert grown("citeweb_active_answers") == 0
    assert total(after, "citeweb_database_connections", state="open") >= 1


@pytest.mark.django_db(transaction=True)
async def test_a_failing_model_is_counted_by_its_error(
    server: WebServer, house: House, model: ModelServer
) -> None:
    before = await in_thread(scraped, server)
    model.script([Status(401, {"error": {"message": "bad key"}})])
    cookie = await in_thread(session_cookie, house.stranger.user)
    async with chat_page(server, house.stranger, cookie=cookie) as page:
        await page.ask("When?", model="patient-model")
        await page.ended("failed")
    after = await in_thread(scraped, server)
    name = "citeweb_upstream_errors_total"
    assert total(after, name, error="AuthFailed") - total(before, name, error="AuthFailed") == 1


@pytest.mark.django_db(transaction=True)
def test_jobs_that_wait_are_seen(client: Client, house: House) -> None:
    before = total(figures(client.get("/metrics").content.decode()), "citeweb_jobs", state="todo")
    defer_ingest("6a1cb1c8-3b4b-4e0f-9f5e-0f8a6a2f7b11")
    assert total(figures(client.get("/metrics").content.decode()), "citeweb_jobs", state="todo") == before + 1


@pytest.mark.django_db
def test_figures_name_no_person_and_no_tenant(client: Client, house: House) -> None:
    client.force_login(house.stranger.user)
    client.get(f"/sources/?q=secret-words&x={house.tenant.slug}")
    client.get("/nowhere/secret-words/")
    text = client.get("/metrics").content.decode()
    assert 'address="sources:collections"' in text
    for word in ("secret-words", house.tenant.slug, house.stranger.user.email):
        assert word not in text


@pytest.mark.parametrize(
    ("headers", "address", "status"),
    [
        ({}, "127.0.0.1", 200),
        ({}, "10.1.2.3", 404),
        ({"X-Forwarded-For": "10.1.2.3"}, "127.0.0.1", 404),
        ({"Authorization": "Bearer wrong"}, "10.1.2.3", 404),
    ],
)
@pytest.mark.django_db
def test_without_a_token_only_this_machine_reads_them(
    client: Client, headers: dict[str, str], address: str, status: int
) -> None:
    assert client.get("/metrics", headers=headers, REMOTE_ADDR=address).status_code == status


@pytest.mark.django_db
def test_a_token_opens_them_from_anywhere(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = "a long token"
    given = {"Authorization": "Bearer a long token"}
    assert client.get("/metrics", headers=given, REMOTE_ADDR="10.1.2.3").status_code == 200
    assert client.get("/metrics", headers={"Authorization": "Bearer other"}).status_code == 404
    assert client.get("/metrics").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_several_processes_count_together(house: House, tmp_path: Path) -> None:
    with web_server(workers=2, PROMETHEUS_MULTIPROC_DIR=str(tmp_path)) as server:
        for _ in range(20):
            ask = HTTPConnection("127.0.0.1", server.port, timeout=10)
            ask.request("GET", "/healthz")
            assert ask.getresponse().status == 200
        counted = total(scraped(server), "citeweb_http_seconds_count", status="200")
        assert counted >= 20


# --- Logs ----------------------------------------------------------------------------------------------


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What a logger named `test` writes as JSON."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Formatter(form="json"))
    for name in ("test", "citeweb.requests", "django.request"):
        logging.getLogger(name).addHandler(handler)
        logging.getLogger(name).setLevel("INFO")
    yield stream
    for name in ("test", "citeweb.requests", "django.request"):
        logging.getLogger(name).removeHandler(handler)
        logging.getLogger(name).setLevel("NOTSET")


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_has_the_ids_of_its_request_and_turn(log: io.StringIO) -> None:
    with bound(request_id="req_1"), bound(turn_id="t1"):
        logging.getLogger("test").info("turn ended", extra={"seconds": 1.5})
    logging.getLogger("test").info("outside")
    inside, outside = lines(log)
    assert (inside["request_id"], inside["turn_id"], inside["seconds"], inside["event"]) == (
        "req_1",
        "t1",
        1.5,
        "turn ended",
    )
    assert "turn_id" not in outside


def test_what_an_exception_says_is_not_written(log: io.StringIO) -> None:
    try:
        raise IntegrityError("Key (email)=(ada@aurora.example) already exists")
    except IntegrityError:
        logging.getLogger("test").exception("turn %s failed", "t1")
    [line] = lines(log)
    assert "ada@" not in json.dumps(line)
    assert line["error"] == "django.db.utils.IntegrityError"
    assert "test_observing.py" in str(line["frames"])


def test_no_line_of_ours_is_given_names_words_or_what_an_exception_says() -> None:
    """An id says what is meant; who may see the thing itself looks it up."""
    given = re.compile(r"\.(email|file_name|title|question|text|raw|quote|password|key)\b|, (exc|error)\b")
    roots = (Path("chat"), Path("sources"), Path("citeweb"))
    calls = [
        f"{path}:{call.lineno} {words}"
        for root in roots
        for path in root.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("logger.")
        for words in [", ".join(["", *map(ast.unparse, call.args[1:])])]
    ]
    assert len(calls) > 10
    assert [call for call in calls if given.search(call)] == []


def test_content_is_written_where_the_operator_wants_it() -> None:
    record = logging.makeLogRecord(
        {"name": "x", "msg": "x", "exc_info": (ValueError, ValueError("the words"), None)}
    )
    assert "the words" not in Formatter().format(record)
    assert "the words" in Formatter(content=True).format(record)


def test_a_line_stays_one_line() -> None:
    record = logging.makeLogRecord({"name": "x", "msg": "a\nb forged"})
    assert "\n" not in Formatter().format(record)


@pytest.mark.django_db
def test_a_request_has_an_id_in_answer_and_log(client: Client, house: House, log: io.StringIO) -> None:
    client.force_login(house.stranger.user)
    answer = client.get("/sources/?q=secret-words", headers={"X-Request-Id": "from-proxy-77"})
    [line] = lines(log)
    assert answer["x-request-id"] == line["request_id"] == "from-proxy-77"
    assert (line["address"], line["status"], line["method"]) == ("sources:collections", 200, "GET")
    assert "secret-words" not in log.getvalue()


@pytest.mark.django_db
def test_an_id_that_could_harm_a_log_is_not_taken_over(client: Client, log: io.StringIO) -> None:
    given = client.get("/healthz", headers={"X-Request-Id": "a b\tforged=1"})["x-request-id"]
    assert given.startswith("req_")


@pytest.mark.django_db
def test_an_address_that_is_not_there_is_not_quoted(client: Client, log: io.StringIO) -> None:
    client.get("/nowhere/secret-words/")
    assert "secret-words" not in log.getvalue()
    # Django's own line, written when the request is over, says which one it was.
    [ours, django] = lines(log)
    assert (django["logger"], django["event"], django["status_code"]) == ("django.request", "Not Found", 404)
    assert django["request_id"] == ours["request_id"]


# --- Health --------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_ready_tells_its_parts(client: Client) -> None:
    answer = client.get("/readyz")
    assert (answer.status_code, answer.content.decode().splitlines()[:4]) == (
        200,
        ["ok", "database: ok", "storage: ok", "channels: ok"],
    )
    assert answer.content.decode().splitlines()[4].startswith("worker: ")


@pytest.mark.django_db(transaction=True)
def test_missing_migrations_are_not_ready(client: Client) -> None:
    connection = connections["default"]
    assert isinstance(connection, DatabaseWrapper)
    with connection.as_owner(), connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM django_migrations WHERE id ="
            " (SELECT max(id) FROM django_migrations WHERE app = 'chat') RETURNING name, applied"
        )
        newest = cursor.fetchone()
    known = set(_migrated)
    _migrated.clear()
    try:
        answer = client.get("/readyz")
    finally:
        with connection.as_owner(), connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO django_migrations (app, name, applied) VALUES ('chat', %s, %s)",
                newest,
            )
        _migrated.update(known)
    assert answer.status_code == 503
    assert "migrations are missing" in answer.content.decode()


@pytest.mark.django_db
def test_a_folder_that_cannot_be_made_is_not_ready(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    settings.MEDIA_ROOT = tmp_path / "file" / "media"
    answer = client.get("/readyz")
    assert (
        answer.status_code,
        "storage: does not answer (NotADirectoryError)" in answer.content.decode(),
    ) == (
        503,
        True,
    )


def test_alive_asks_nobody(client: Client) -> None:
    """Not even the database: the test may not use it."""
    assert client.get("/healthz").content == b"ok\n"
