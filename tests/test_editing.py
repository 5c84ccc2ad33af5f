"""Correcting what is said of a document, and moving it: who may, what follows, and what is recorded."""

import json
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from chat.models import AuditText
from citeweb.accounts.models import Role
from sources import editing
from sources.core.chunking import chunk_spans
from sources.core.extract.types import Extracted
from sources.index import (
    add_version,
    chunks_without_vector,
    space_named,
    write_title,
    write_vectors,
    write_version,
)
from sources.models import ChunkEmbedding, Document
from sources.permissions import Hidden, visible_documents
from sources.queue import RELABEL, documents_in_queue
from sources.retrieval import retrieve
from tests.audited import kinds, last
from tests.conftest import House, join, make_user
from tests.documents import add_waiting, put

pytestmark = pytest.mark.django_db

TEXT = "The steward keeps the keys."


@pytest.fixture(autouse=True)
def _empty_queue(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")


@pytest.fixture
def document(house: House) -> Document:
    return put(house.open_shelf, "Scan 001", TEXT)


def finds(house: House, question: str) -> bool:
    return bool(retrieve(user=house.stranger.user, tenant=house.tenant, query=question, limit=5))


def test_values_are_set_recorded_and_kept(house: House, document: Document) -> None:
    values = {"title": "Cellar rules", "author": "Anna Berg"}
    assert editing.edit(document, user=house.owner.user, values=values)
    assert not editing.edit(document, user=house.owner.user, values=values)
    record = last(house.tenant)
    assert (record["kind"], record["fields"]) == ("document_edited", ["author", "title"])
    assert "Cellar" not in json.dumps(record)
    told = dict(AuditText.objects.values_list("name", "text"))
    assert told == {
        "title_before": "Scan 001",
        "title": "Cellar rules",
        "author_before": "",
        "author": "Anna Berg",
    }
    add_version(document, Extracted(TEXT, "text/plain", title="Scan 002"), file_name="scan.txt")
    document.refresh_from_db()
    assert (document.title, document.author) == ("Cellar rules", "Anna Berg")


def test_the_words_of_the_new_title_find_the_document(house: House, document: Document) -> None:
    assert not finds(house, "undercroft")
    editing.edit(document, user=house.owner.user, values={"title": "Undercroft"})
    assert documents_in_queue(RELABEL) == {str(document.pk)}
    assert write_title(document.pk) == document.current_version_id
    assert finds(house, "undercroft")
    assert not finds(house, "scan")


def test_the_vectors_of_the_old_title_go(house: House, document: Document) -> None:
    space = space_named("test@1/3", 3)
    assert document.current_version_id is not None
    batch = chunks_without_vector(document.current_version_id, space, 100)
    write_vectors(batch, [[1.0, 0.0, 0.0]] * len(batch), space)
    editing.edit(document, user=house.owner.user, values={"title": "Undercroft"})
    write_title(document.pk)
    assert not ChunkEmbedding.objects.exists()
    (again,) = chunks_without_vector(document.current_version_id, space, 100)
    assert again.input.startswith("Undercroft\n")


def test_other_fields_need_no_new_index(house: House, document: Document) -> None:
    editing.edit(document, user=house.owner.user, values={"author": "Anna Berg"})
    assert documents_in_queue(RELABEL) == set()


def test_a_title_that_is_given_while_a_file_is_read_is_indexed_too(house: House, document: Document) -> None:
    version = add_waiting(document, TEXT)
    assert version.document.title == "Scan 001"
    editing.edit(document, user=house.owner.user, values={"title": "Undercroft"})
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")
    extracted = Extracted(TEXT, "text/plain")
    write_version(version, extracted, chunk_spans(extracted))
    assert documents_in_queue(RELABEL) == {str(document.pk)}


def test_a_moved_document_is_read_by_the_readers_of_its_new_place(house: House, document: Document) -> None:
    assert editing.move(document, user=house.owner.user, to=house.closed_shelf)
    assert not finds(house, "Who keeps the keys?")
    readers = visible_documents(user=house.granted.user, tenant=house.tenant)
    assert document in readers
    record = last(house.tenant)
    assert (record["kind"], record["before"], record["collection_id"]) == (
        "document_moved",
        str(house.open_shelf.pk),
        str(house.closed_shelf.pk),
    )
    assert not editing.move(document, user=house.owner.user, to=house.closed_shelf)


def test_a_document_moves_only_where_its_curator_curates(
    house: House, neighbour: House, document: Document
) -> None:
    curator = join(make_user("curator@aurora.example"), house.tenant, Role.CURATOR)
    secret = put(house.closed_shelf, "Payroll", TEXT)
    moves: list[Callable[[], object]] = [
        lambda: editing.move(document, user=curator.user, to=house.closed_shelf),
        lambda: editing.move(secret, user=curator.user, to=house.open_shelf),
        lambda: editing.move(document, user=house.owner.user, to=neighbour.open_shelf),
        lambda: editing.move(secret, user=house.granted.user, to=house.open_shelf),
    ]
    for attempt in moves:
        with pytest.raises(Hidden), transaction.atomic():
            attempt()
    assert kinds(house.tenant) == []


def test_nobody_else_edits(house: House, neighbour: House, document: Document) -> None:
    for place in (house.granted, house.stranger, house.auditor, neighbour.owner):
        with pytest.raises(Hidden):
            editing.edit(document, user=place.user, values={"title": "Mine"})
    document.refresh_from_db()
    assert document.title == "Scan 001"
