"""What people, models and the machine may do to the audit, and what must hold all the same."""

import json
import threading
import uuid

import pytest
from django.db import connection
from django.http import StreamingHttpResponse
from django.test import Client

from chat import audit, sharing, store
from chat.audit.replay import replayed
from chat.models import AuditHead, AuditRecord, Turn, TurnState
from citeweb.accounts.models import User
from citeweb.accounts.row_security import acting_as_system
from sources import removal
from sources.models import Document, Version
from tests.answering import Answered, answered_turn
from tests.api_client import program_of
from tests.audited import record
from tests.conftest import House
from tests.documents import add_version, put
from tests.model_server import ModelServer, chat_text
from tests.page_reading import read
from tests.web_server import WebServer

pytestmark = pytest.mark.django_db


@pytest.fixture
def handbook(house: House) -> Document:
    return put(house.open_shelf, "Handbook", "Leave is 30 days a year. Alerts come at eight.")


@pytest.fixture
def asked(house: House, handbook: Document) -> Answered:
    return answered_turn(house.stranger, handbook, "How many days of leave are there?", "Leave is 30 days.^")


@pytest.fixture
def auditor(client: Client, house: House) -> Client:
    client.force_login(house.auditor.user)
    return client


def texts_of(client: Client, address: str) -> list[str]:
    response = client.get(address)
    assert response.status_code == 200, address
    return read(response.content.decode()).texts


def address_of(record: AuditRecord) -> str:
    return f"/audit/records/{record.tenant_id}/{record.sequence}/"


# --- Addresses -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "before=x",
        "before=-1",
        "before=0",
        "before=999999999999999999",
        "before=99999999999999999999999",
        "after=999999999999999999",
        "after=0&q=leave",
        "before=٣",
        "q=%00",
        "q=%ed%a0%80",
        "q=%27+%26+%7C+%21+%3A%2A+%28%29+%5C",
        "q=" + "%F0%9F%9A%80" * 500,
        "q=" + "x" * 600,
        "user=%00",
        "user=%27%5C",
        "model=%27%20%7C%20%5C%5C",
        "model=" + "م" * 200,
        "document=%25",
        "document=%00",
        "version=x",
        "collection=x",
        "kind=x",
        "state=x",
        "since=0001-01-01",
        "since=0001-01-01&until=0001-01-01",
        "until=9999-12-31",
        "since=9999-12-31&q=leave",
        "since=2026-02-30",
        "tenant=x",
        "kind=any&kind=turn&before=5&before=x",
    ],
)
def test_any_address_of_the_list_is_answered(auditor: Client, asked: Answered, query: str) -> None:
    assert auditor.get(f"/audit/?{query}").status_code == 200
    form = dict(pair.split("=", 1) for pair in query.split("&"))
    assert auditor.post("/audit/export/", {**form, "format": "csv"}).status_code in (200, 404)


@pytest.mark.parametrize("sequence", ["0", "99", "9" * 18, "9" * 19, "9" * 40])
def test_a_record_that_is_not_there_is_not_found(house: House, auditor: Client, sequence: str) -> None:
    for rest in ("", "dossier.html"):
        assert auditor.get(f"/audit/records/{house.tenant.pk}/{sequence}/{rest}").status_code == 404
    assert auditor.get(f"/audit/exports/{house.tenant.pk}/{sequence}.sha256").status_code == 404


# --- Sizes and signs -----------------------------------------------------------------------------------


def test_a_very_long_answer_is_proved_and_shown(house: House, auditor: Client, handbook: Document) -> None:
    filler = "and so it was in every one of the years before this one, as far as anybody can remember"
    asked = answered_turn(house.stranger, handbook, "How many days?", f"Leave is 30 days {filler}.^ " * 1_000)
    assert len(asked.turn.text) > 100_000
    assert replayed(asked.record) == []
    assert audit.verify(house.tenant.pk) is None
    for address in (address_of(asked.record), f"{address_of(asked.record)}dossier.html"):
        assert "Unaltered: its digest is right and follows the record before it." in texts_of(
            auditor, address
        )


@pytest.mark.parametrize("sign", ["a", "ی", "𐒰", "가"])
def test_no_words_are_too_many_for_a_record(house: House, handbook: Document, sign: str) -> None:
    """PostgreSQL takes a megabyte of different words, each under 2 KB."""
    words = " ".join(f"{sign * 110}{number:05}" for number in range(6_000))
    asked = answered_turn(house.stranger, handbook, words, "Leave is 30 days.^")
    assert asked.record.state == "complete"
    assert audit.verify(house.tenant.pk) is None


SIGNS = "\u202eevil\u202c \u200b\ufeff\u2028\x85\x07<b>'\"&"


def test_signs_in_names_harm_no_page_and_no_export(house: House, auditor: Client) -> None:
    house.open_shelf.name = f"Shelf {SIGNS}"
    house.open_shelf.save()
    document = put(house.open_shelf, f"Title {SIGNS}", f"Leave is 30 days. {SIGNS}")
    User.objects.filter(pk=house.stranger.user.pk).update(email="a'\"<b>@x.example")
    house.stranger.user.refresh_from_db()
    asked = answered_turn(
        house.stranger, document, f"Q {SIGNS}", f"Leave is 30 days. {SIGNS}^", model=SIGNS[:20]
    )
    for address in (
        "/audit/?kind=any",
        address_of(asked.record),
        f"{address_of(asked.record)}dossier.html",
        f"/audit/documents/{document.pk}/",
        "/audit/quality/",
    ):
        response = auditor.get(address)
        assert response.status_code == 200
        assert {e.tag for e in read(response.content.decode()).elements} & {"b", "script"} <= {"script"}
    for form in ("csv", "jsonl"):
        exported: object = auditor.post("/audit/export/", {"format": form, "kind": "any"})
        assert isinstance(exported, StreamingHttpResponse)
        assert asked.record.digest in exported.getvalue().decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("question", ["Leave\x00?", "Leave\ud800?", "\ud83d", "\u0000"])
def test_characters_that_no_database_takes_end_no_turn_without_a_record(
    server: WebServer, house: House, handbook: Document, model: ModelServer, question: str
) -> None:
    model.script(chat_text("It is\x00 so \ufffe."))
    with program_of(server, house.stranger).http() as program:
        body = json.dumps({"model": "chat-model", "messages": [{"role": "user", "content": question}]})
        answer = program.post(
            "/v1/chat/completions", content=body, headers={"Content-Type": "application/json"}
        )
    assert answer.status_code in (200, 400)
    with acting_as_system("what is left"):
        assert [turn.state for turn in Turn.objects.all()] == ["complete"] * Turn.objects.count()
        assert AuditRecord.objects.filter(kind="turn").count() == Turn.objects.count()


# --- At the same time ----------------------------------------------------------------------------------


def at_once(*tasks: object) -> list[BaseException]:
    """Run functions in threads of their own, all at the same moment; return what they raised."""
    begin, raised = threading.Barrier(len(tasks)), list[BaseException]()

    def run(task: object) -> None:
        assert callable(task)
        try:
            begin.wait()
            with acting_as_system("one of many"):
                task()
        except BaseException as exc:
            raised.append(exc)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[task]) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


@pytest.mark.django_db(transaction=True)
def test_many_turns_that_end_at_once_have_one_record_each(house: House, handbook: Document) -> None:
    def ask() -> None:
        for _ in range(3):
            answered_turn(house.stranger, handbook, "How many days?", "Leave is 30 days.^")

    assert at_once(*[ask] * 8) == []
    with acting_as_system("what is left"):
        turns = set(Turn.objects.values_list("pk", flat=True))
        assert len(turns) == 24
        assert sorted(AuditRecord.objects.filter(kind="turn").values_list("turn_id")) == sorted(
            (pk,) for pk in turns
        )
        assert AuditHead.objects.get(tenant_id=house.tenant.pk).sequence == 24
        assert audit.verify(house.tenant.pk) is None


@pytest.mark.django_db(transaction=True)
def test_a_turn_that_several_end_at_once_ends_once(house: House) -> None:
    new = store.NewTurn(uuid.uuid4(), uuid.uuid4(), "When?", "some-model", "req-1")
    turn, _made = store.begin_turn(new, user=house.stranger.user, tenant=house.tenant)

    def end(state: TurnState) -> None:
        store.end_unfinished(Turn.objects.select_related("conversation__user").get(pk=turn.pk), state)

    states = (TurnState.STOPPED, TurnState.INTERRUPTED, TurnState.FAILED, TurnState.STOPPED)
    assert at_once(*[lambda state=state: end(state) for state in states]) == []
    with acting_as_system("what is left"):
        turn.refresh_from_db()
        [proof] = AuditRecord.objects.filter(turn_id=turn.pk)
        assert proof.state == turn.state


@pytest.mark.django_db(transaction=True)
def test_a_chain_is_verified_and_exported_while_it_grows(
    house: House, auditor: Client, asked: Answered
) -> None:
    begun = threading.Event()

    def write() -> None:
        begun.set()
        for number in range(60):
            record(house, fact=number)

    def verify() -> None:
        begun.wait()
        for _ in range(5):
            assert audit.verify(house.tenant.pk) is None

    assert at_once(write, verify) == []


# --- After what they speak of is gone -------------------------------------------------------------------


def test_records_outlive_all_that_they_speak_of(house: House, asked: Answered, handbook: Document) -> None:
    add_version(handbook, "Leave is 28 days a year.")
    staff = Client()
    staff.force_login(User.objects.create_user("staff@citeweb.example", is_staff=True))
    pages = [
        address_of(asked.record),
        f"{address_of(asked.record)}dossier.html",
        f"/audit/documents/{handbook.pk}/",
    ]

    def still_there() -> None:
        for address in pages:
            assert staff.get(address).status_code == 200, address
        exported: object = staff.post("/audit/export/", {"format": "csv"})
        assert isinstance(exported, StreamingHttpResponse)
        assert asked.record.digest in exported.getvalue().decode()
        assert "30 days" in " ".join(texts_of(staff, pages[0]))
        assert audit.verify(house.tenant.pk) is None

    sharing.delete_conversation(asked.turn.conversation_id, user=house.stranger.user)
    still_there()
    removal.delete(handbook, user=house.owner.user)
    still_there()
    Version.objects.filter(document=handbook).update(text="")
    still_there()
    house.stranger.user.delete()
    still_there()
    tenant_id = house.tenant.pk
    house.tenant.delete()
    assert not Document.objects.filter(tenant_id=tenant_id).exists()
    still_there()
    assert kinds_of(tenant_id)[-1] == "audit_read"


def kinds_of(tenant_id: uuid.UUID) -> list[str]:
    return list(
        AuditRecord.objects.filter(tenant_id=tenant_id).order_by("sequence").values_list("kind", flat=True)
    )
