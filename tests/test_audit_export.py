"""Exports of the audit: whole, checkable, harmless in a spreadsheet, recorded."""

import csv
import hashlib
import io
import json

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client

from chat import audit
from chat.audit import export
from chat.audit.export import safe_cell
from citeweb.accounts.models import Role, User
from citeweb.accounts.row_security import acting_as_system
from sources.models import Document
from tests.answering import Answered, answered_turn
from tests.audited import chain, kinds, last
from tests.conftest import House
from tests.documents import put
from tests.page_reading import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def handbook(house: House) -> Document:
    return put(house.open_shelf, "Handbook", "Leave is 30 days a year. Alerts come at eight.")


@pytest.fixture
def asked(house: House, handbook: Document) -> Answered:
    return answered_turn(house.stranger, handbook, "=1+1 days of leave?", "Leave is 30 days.^")


@pytest.fixture
def auditor(client: Client, house: House) -> Client:
    client.force_login(house.auditor.user)
    return client


def exported(client: Client, form: str, **filters: str) -> tuple[bytes, str]:
    """Return the file and its name."""
    response: object = client.post("/audit/export/", {"format": form, **filters})
    assert isinstance(response, StreamingHttpResponse)
    assert response.status_code == 200
    name = response["Content-Disposition"].split('"')[1]
    return response.getvalue(), name


def lines(data: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in data.decode().splitlines()]


def test_json_lines_hold_all_that_the_proof_needs(auditor: Client, asked: Answered) -> None:
    data, name = exported(auditor, "jsonl")
    [line] = lines(data)
    assert name.startswith("audit-aurora-")
    assert audit.chain_digest(str(line["previous"]), str(line["body"])) == line["digest"]
    assert line["body"] == asked.record.body
    words = line["words"]
    assert isinstance(words, dict)
    assert "Leave is 30 days a year." in "".join(words.values())


def test_csv_has_a_row_for_each_record(auditor: Client, asked: Answered) -> None:
    data, _name = exported(auditor, "csv")
    text = data.decode("utf-8-sig")
    [row] = list(csv.DictReader(io.StringIO(text)))
    assert (row["question"], row["answer"], row["citations"]) == (
        "'=1+1 days of leave?",
        "Leave is 30 days.",
        "1",
    )
    assert (row["person"], row["state"], row["seconds"]) == ("stranger@aurora.example", "complete", "0.9")


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "  =1",
        "＝1",
        "|x",
        "%0A=1",
        "-2+3+cmd|' /C calc'!A0",
        '"=1+1"',
        "'=1",
        "“=1",
        "«@x»",
        "\u3000=1",
        "\u200b=1",
        "\ufeff=1",
        "\u202e=1",
        "\x00=1",
        "﹦1",
        "－1",
        "\u22121",
        ";=1",
        ',"=1',
    ],
)
def test_no_cell_is_a_formula(text: str) -> None:
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize("value", ["1+1", "a=b", "", "…", "— so", "Leave is 30 days.", "پاسخ", 5, 0.25])
def test_other_cells_stay_as_they_are(value: object) -> None:
    assert safe_cell(value) == str(value)


def test_the_filters_hold_for_the_export(house: House, auditor: Client, asked: Answered) -> None:
    assert lines(exported(auditor, "jsonl", q="holiday")[0]) == []
    assert len(lines(exported(auditor, "jsonl", q="leave")[0])) == 1
    assert exported(auditor, "csv", q="holiday")[0].decode("utf-8-sig").splitlines() == [
        ",".join(f'"{column}"' for column in export.COLUMNS)
    ]


def test_more_than_a_piece_is_whole(house: House, auditor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "ROWS_AT_ONCE", 7)
    chain(house, 24)
    data, _name = exported(auditor, "jsonl", kind="any")
    sequences = [line["sequence"] for line in lines(data) if line["kind"] == "test"]
    assert sequences == list(range(24, 0, -1))


def test_the_checksum_stands_beside_the_export(house: House, auditor: Client, asked: Answered) -> None:
    data, name = exported(auditor, "jsonl")
    body = last(house.tenant)
    assert kinds(house.tenant)[-2:] == ["audit_export_begun", "audit_exported"]
    sha256 = hashlib.sha256(data).hexdigest()
    assert (body["sha256"], body["rows"], body["bytes"], body["file_name"]) == (sha256, 1, len(data), name)
    listed = auditor.get("/audit/exports/")
    assert isinstance(listed, HttpResponse)
    page = read(listed.content.decode())
    assert sha256 in page.texts
    [address] = [
        e.attributes["href"] for e in page.elements if e.attributes.get("href", "").endswith(".sha256")
    ]
    assert auditor.get(address).content == f"{sha256}  {name}\n".encode()


def test_an_export_that_is_broken_off_left_its_beginning(
    house: House, auditor: Client, asked: Answered
) -> None:
    auditor.post("/audit/export/", {"format": "csv"})
    assert kinds(house.tenant)[-1] == "audit_export_begun"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("person", ["auditor", "staff"])
def test_who_loses_the_right_in_the_middle_gets_no_more(
    house: House, monkeypatch: pytest.MonkeyPatch, person: str
) -> None:
    monkeypatch.setattr(export, "ROWS_AT_ONCE", 7)
    staff = User.objects.create_user("staff@citeweb.example", is_staff=True)
    chain(house, 24)
    client = Client()
    client.force_login(staff if person == "staff" else house.auditor.user)
    response: object = client.post("/audit/export/", {"format": "jsonl", "kind": "any"})
    assert isinstance(response, StreamingHttpResponse)
    pieces = iter(response)
    next(pieces)
    User.objects.filter(pk=staff.pk).update(is_staff=False)
    house.auditor.user.memberships.filter(role=Role.AUDITOR).delete()
    with pytest.raises(export.SeatLost):
        next(pieces)
    with acting_as_system("what is left"):
        assert kinds(house.tenant)[-1] == "audit_export_stopped"


@pytest.mark.django_db(transaction=True)
def test_records_written_meanwhile_neither_double_nor_drop_any(
    house: House, auditor: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "ROWS_AT_ONCE", 7)
    chain(house, 24)
    response: object = auditor.post("/audit/export/", {"format": "jsonl", "kind": "any"})
    assert isinstance(response, StreamingHttpResponse)
    pieces = [b""]
    for piece in response:
        pieces.append(piece)
        with acting_as_system("somebody else"):
            chain(house, 3)
    told = [line["sequence"] for line in lines(b"".join(pieces)) if line["kind"] == "test"]
    assert told == list(range(24, 0, -1))


@pytest.mark.parametrize("fields", [{"format": "xlsx"}, {"format": "csv", "since": "soon"}, {}])
def test_what_is_no_export_is_refused(house: House, auditor: Client, fields: dict[str, str]) -> None:
    assert auditor.post("/audit/export/", fields).status_code == 404


def test_nobody_else_exports(house: House, client: Client, asked: Answered) -> None:
    for person in (house.owner, house.granted, house.stranger):
        client.force_login(person.user)
        assert client.post("/audit/export/", {"format": "csv"}).status_code == 404


def test_an_export_holds_the_auditors_tenant_only(house: House, neighbour: House, auditor: Client) -> None:
    chain(neighbour)
    assert {line["tenant_id"] for line in lines(exported(auditor, "jsonl", kind="any")[0])} == {
        str(house.tenant.pk)
    }


def test_the_dossier_stands_by_itself(house: House, auditor: Client, asked: Answered) -> None:
    response = auditor.get(f"/audit/records/{house.tenant.pk}/{asked.record.sequence}/dossier.html")
    assert isinstance(response, HttpResponse)
    assert response["Content-Disposition"].startswith("attachment")
    html = response.content.decode()
    page = read(html)
    assert {e.tag for e in page.elements} & {"script", "link", "img", "form"} == set()
    assert not any(value.startswith(("http", "/")) for value in page.values_of("href"))
    text = " ".join(page.texts)
    for words in (
        "=1+1 days of leave?",
        "Leave is 30 days a year.",
        asked.record.digest,
        asked.record.previous,
    ):
        assert words in text
    assert asked.record.body in page.texts
    assert last(house.tenant)["sha256"] == hashlib.sha256(response.content).hexdigest()
