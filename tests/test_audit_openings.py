"""Whoever opens a document's words, by whichever way, leaves a record; whoever is refused, too."""

import hashlib
import uuid

import pytest
from django.test import Client

from chat.api.ids import CHAT, FILE, RESPONSE, STORE, public_id
from chat.audit.columns import dictionaries
from chat.models import AuditRecord
from citeweb.accounts.models import User
from citeweb.accounts.row_security import acting_as_system
from sources import removal
from sources.models import Document
from tests.answering import Answered, answered_turn
from tests.api_client import program_of
from tests.audited import kinds, last
from tests.conftest import House
from tests.documents import put
from tests.files import make_pdf, text_page
from tests.sources import add_document
from tests.web_server import WebServer

pytestmark = pytest.mark.django_db


@pytest.fixture
def handbook(house: House) -> Document:
    return put(house.open_shelf, "Handbook", "Leave is 30 days a year. Alerts come at eight.")


@pytest.fixture
def asked(house: House, handbook: Document) -> Answered:
    return answered_turn(house.stranger, handbook, "How many days of leave are there?", "Leave is 30 days.^")


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


# --- Pages ---------------------------------------------------------------------------------------------


def test_opened_passages_and_documents_are_recorded(
    house: House, asked: Answered, handbook: Document
) -> None:
    client, citation = signed_in(house.stranger.user), asked.turn.citations.get()
    for address, kind in (
        (f"/cite/{citation.pk}/", "passage_opened"),
        (f"/d/{handbook.pk}/", "document_opened"),
    ):
        assert client.get(address).status_code == 200
        body = last(house.tenant)
        assert (body["kind"], body["document_id"], body["actor_email"]) == (
            kind,
            str(handbook.pk),
            house.stranger.user.email,
        )


def test_reading_on_is_one_opening_but_nobody_reads_by_parts_unseen(house: House, handbook: Document) -> None:
    client = signed_in(house.stranger.user)
    openings = AuditRecord.objects.filter(tenant_id=house.tenant.pk, kind="document_opened")
    part = f"/d/{handbook.pk}/?part=later&first=1&last=9"
    assert client.get(part).status_code == 200
    assert openings.count() == 1
    client.get(part)
    client.get(f"/d/{handbook.pk}/?q=leave", headers={"HX-Request": "true", "HX-Target": "reader"})
    assert openings.count() == 1
    client.get(f"/d/{handbook.pk}/")
    assert openings.count() == 2
    signed_in(house.owner.user).get(part)
    assert openings.count() == 3


def test_a_refused_passage_is_recorded_where_it_lies(house: House) -> None:
    secret = put(house.closed_shelf, "Salaries", "The director earns 9,000.")
    asked = answered_turn(house.granted, secret, "What?", "The director earns 9,000.^")
    client = signed_in(house.stranger.user)
    assert client.get(f"/cite/{asked.turn.citations.get().pk}/").status_code == 404
    body = last(house.tenant)
    assert (body["kind"], body["document_id"]) == ("access_refused", str(secret.pk))
    assert client.get(f"/cite/{uuid.uuid4()}/").status_code == 404
    body = last(house.tenant)
    assert (body["kind"], body["document_id"]) == ("access_refused", None)


def test_another_tenants_refusal_stands_in_both_chains_and_names_nothing_in_the_askers(
    house: House, neighbour: House, asked: Answered, handbook: Document
) -> None:
    signed_in(neighbour.owner.user).get(f"/cite/{asked.turn.citations.get().pk}/")
    assert (last(neighbour.tenant)["kind"], last(neighbour.tenant)["document_id"]) == ("access_refused", None)
    assert (last(house.tenant)["kind"], last(house.tenant)["document_id"]) == (
        "access_refused",
        str(handbook.pk),
    )


def test_the_picture_of_a_page_is_a_part_of_its_document(house: House) -> None:
    pages = make_pdf([text_page("One"), text_page("Two")])
    report = add_document(house.open_shelf, "report.pdf", pages)
    client = signed_in(house.stranger.user)
    openings = AuditRecord.objects.filter(tenant_id=house.tenant.pk, kind="document_opened")
    for _ in range(2):
        assert client.get(f"/d/{report.pk}/pages/1.webp").status_code == 200
    assert openings.count() == 1
    signed_in(house.owner.user).get(f"/d/{report.pk}/pages/1.webp")
    assert openings.count() == 2


def test_reading_on_beside_a_passage_is_reading_the_passage(house: House, asked: Answered) -> None:
    client, citation = signed_in(house.stranger.user), asked.turn.citations.get()
    client.get(f"/cite/{citation.pk}/")
    client.get(f"/d/{citation.document_id}/?part=later&first=1&last=9")
    assert kinds(house.tenant)[-2:] == ["turn", "passage_opened"]


@pytest.mark.parametrize("method", ["get", "head"])
@pytest.mark.parametrize("address", ["", "original", "pages/1.webp", "details/", "delete/", "replace/"])
def test_every_way_to_a_document_that_is_refused_is_recorded(house: House, address: str, method: str) -> None:
    secret = put(house.closed_shelf, "Salaries", "The director earns 9,000.")
    response = getattr(signed_in(house.stranger.user), method)(f"/d/{secret.pk}/{address}")
    body = last(house.tenant)
    assert response.status_code == 404
    assert (body["kind"], body["document_id"]) == ("access_refused", str(secret.pk))


@pytest.mark.parametrize("address", ["delete/", "retry/", "upload/"])
def test_refused_changes_are_recorded(house: House, address: str) -> None:
    secret = put(house.closed_shelf, "Salaries", "The director earns 9,000.")
    assert signed_in(house.stranger.user).post(f"/d/{secret.pk}/{address}").status_code == 404
    assert last(house.tenant)["kind"] == "access_refused"


def test_a_passage_of_a_deleted_document_is_refused_also_in_the_panel(
    house: House, asked: Answered, handbook: Document
) -> None:
    removal.delete(handbook, user=house.owner.user)
    address = f"/cite/{asked.turn.citations.get().pk}/"
    client = signed_in(house.stranger.user)
    for headers, status in (({}, 410), ({"HX-Request": "true"}, 200)):
        assert client.get(address, headers=headers).status_code == status
        assert last(house.tenant)["kind"] == "access_refused"


def test_other_peoples_conversations_and_links_that_open_nothing_are_recorded(
    house: House, asked: Answered
) -> None:
    conversation, turn = asked.turn.conversation_id, asked.turn.pk
    client = signed_in(house.owner.user)
    for address in (
        f"/c/{conversation}/turns/{turn}/export.md",
        f"/c/{conversation}/share/",
        "/s/no-such-link/",
    ):
        before = len(kinds(house.tenant))
        assert client.get(address).status_code == 404
        assert kinds(house.tenant)[before:] == ["access_refused"], address
    assert "no-such-link" not in str(last(house.tenant))


def test_who_tries_the_audit_without_being_an_auditor_leaves_a_record(house: House, asked: Answered) -> None:
    client = signed_in(house.stranger.user)
    for address in ("/audit/", f"/audit/records/{house.tenant.pk}/1/", "/audit/exports/"):
        assert client.get(address).status_code == 404
        assert (last(house.tenant)["kind"], last(house.tenant)["actor_email"]) == (
            "access_refused",
            house.stranger.user.email,
        )


def test_an_answer_that_is_taken_away_is_recorded(house: House, asked: Answered) -> None:
    address = f"/c/{asked.turn.conversation_id}/turns/{asked.turn.pk}/export.html"
    exported = signed_in(house.stranger.user).get(address)
    body = last(house.tenant)
    assert (body["kind"], body["form"], body["about_turn_id"]) == (
        "answer_exported",
        "html",
        str(asked.turn.pk),
    )
    assert body["sha256"] == hashlib.sha256(exported.content).hexdigest()


# --- Programs ------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_what_a_program_opens_is_recorded(server: WebServer, house: House, pricing: Document) -> None:
    asked = answered_turn(house.stranger, pricing, "When do alerts come?", "At 80%.^")
    citation = asked.turn.citations.get()
    file_id, store_id = public_id(FILE, pricing.pk), public_id(STORE, house.open_shelf.pk)
    with program_of(server, house.stranger).http() as program:
        for path, kind in (
            (f"/v1/citations/{citation.pk}", "passage_opened"),
            (f"/v1/files/{file_id}/content", "original_downloaded"),
            (f"/v1/vector_stores/{store_id}/files/{file_id}/content", "document_opened"),
        ):
            assert program.get(path).status_code == 200
            body = newest(house)
            assert (body["kind"], body["document_id"], body["actor_email"]) == (
                kind,
                str(pricing.pk),
                house.stranger.user.email,
            )


@pytest.mark.django_db(transaction=True)
def test_what_a_program_finds_by_a_search_is_recorded(
    server: WebServer, house: House, pricing: Document
) -> None:
    store_id = public_id(STORE, house.open_shelf.pk)
    with program_of(server, house.stranger).http() as program:
        for path, asked in (
            ("/v1/citations/lookup", {"cases": "usage alerts\0"}),
            (f"/v1/vector_stores/{store_id}/search", {"query": "usage alerts\0"}),
        ):
            assert program.post(path, json=asked).status_code == 200
            body = newest(house)
            assert (body["kind"], body["queries"]) == ("passages_found", ["usage alerts"])
            assert {one["document_id"] for one in dictionaries(body["found"])} == {str(pricing.pk)}
            assert {one["collection_id"] for one in dictionaries(body["found"])} == {str(house.open_shelf.pk)}
    page = signed_in(house.auditor.user).get(f"/audit/documents/{pricing.pk}/")
    assert house.stranger.user.email in page.content.decode()


@pytest.mark.django_db(transaction=True)
def test_what_a_program_is_refused_is_recorded(server: WebServer, house: House) -> None:
    secret = add_document(house.closed_shelf, "salaries.md", "# Salaries\n\nThe director earns 9,000.")
    asked = answered_turn(house.granted, secret, "What?", "The director earns 9,000.^")
    citation = asked.turn.citations.get()
    file_id, store_id = public_id(FILE, secret.pk), public_id(STORE, house.closed_shelf.pk)
    with program_of(server, house.stranger).http() as program:
        for path in (
            f"/v1/citations/{citation.pk}",
            f"/v1/files/{file_id}",
            f"/v1/files/{file_id}/content",
            f"/v1/vector_stores/{store_id}",
            f"/v1/vector_stores/{store_id}/files/{file_id}/content",
            f"/v1/responses/{public_id(RESPONSE, asked.turn.pk)}",
            f"/v1/chat/completions/{public_id(CHAT, asked.turn.pk)}/citations",
        ):
            assert program.get(path).status_code == 404
            body = newest(house)
            assert (body["kind"], body["actor_email"]) == ("access_refused", house.stranger.user.email), path
        assert program.delete(f"/v1/files/{file_id}").status_code == 404
        assert newest(house)["document_id"] == str(secret.pk)


def newest(house: House) -> dict[str, object]:
    with acting_as_system("what a program left"):
        return last(house.tenant)
