"""Deleting, restoring and purging documents: what goes when, and what is left."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.db import connection
from django.test import Client
from pytest_django import Settings

from chat.models import AuditRecord, AuditText, Citation
from citeweb.accounts.tenancy import Place
from sources import removal
from sources.index import chunks_without_vector, space_named, write_vectors
from sources.ingest import process_version
from sources.jobs import requeue_all
from sources.models import Chunk, ChunkEmbedding, Document, HandedInFile, Page, Version, VersionState
from sources.page_images import SIZES, page_image
from sources.permissions import Hidden, was_removed
from sources.queue import INGEST, PURGE, documents_in_queue, versions_in_queue
from sources.retrieval import retrieve
from sources.uploads import accept_as_system
from sources.versions import claim
from tests.audited import kinds, last, records
from tests.citing import answered, cite
from tests.conftest import House
from tests.documents import put
from tests.files import make_pdf, text_page
from tests.sources import add_document

pytestmark = pytest.mark.django_db

SECRET = "The director earns 9,000 a month."


@pytest.fixture(autouse=True)
def _own_folder(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT, settings.PAGE_CACHE_DIR = tmp_path / "media", tmp_path / "pages"


@pytest.fixture(autouse=True)
def _empty_queue(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")


@pytest.fixture
def payroll(house: House) -> Document:
    """A PDF on the restricted shelf."""
    return add_document(house.closed_shelf, "payroll.pdf", make_pdf([text_page(SECRET)]))


def finds(place: Place) -> bool:
    return bool(retrieve(user=place.user, tenant=place.tenant, query="What does the director earn?", limit=5))


def gone(document: Document) -> Document:
    """Delete the document as its owner and return it as it then is."""
    owner = document.tenant.memberships.filter(role="admin").get().user
    assert removal.delete(document, user=owner)
    return removal.removed_document_for(user=owner, tenant=document.tenant, document_id=document.pk)


def test_a_deleted_document_is_out_of_retrieval_at_once(house: House, payroll: Document) -> None:
    assert finds(house.owner)
    assert removal.delete(payroll, user=house.owner.user)
    assert not finds(house.owner)
    assert was_removed(user=house.granted.user, tenant=house.tenant, document_id=payroll.pk)
    assert not was_removed(user=house.stranger.user, tenant=house.tenant, document_id=payroll.pk)
    record = last(house.tenant)
    assert (record["kind"], record["document_id"]) == ("document_deleted", str(payroll.pk))
    assert payroll.title not in json.dumps(record)
    assert AuditText.objects.get(sequence=str(record["sequence"]), name="title").text == payroll.title


def test_it_is_deleted_once(house: House, payroll: Document) -> None:
    removal.delete(payroll, user=house.owner.user)
    assert not removal.delete(payroll, user=house.owner.user)
    assert kinds(house.tenant) == ["uploaded", "document_deleted"]


def test_a_deleted_document_is_restored_whole(house: House, payroll: Document) -> None:
    assert removal.restore(gone(payroll), user=house.owner.user)
    assert finds(house.granted)
    assert last(house.tenant)["kind"] == "document_restored"
    with pytest.raises(Hidden):
        removal.restore(payroll, user=house.owner.user)


def test_a_file_whose_document_was_deleted_while_it_was_read_is_read_after_restoring(house: House) -> None:
    upload = accept_as_system(
        collection=house.open_shelf, file=File(io.BytesIO(b"# Gate\n")), file_name="gate.md"
    )
    claim(upload.version.pk)
    deleted = gone(upload.document)
    process_version(upload.version.pk)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")
    assert removal.restore(deleted, user=house.owner.user)
    assert versions_in_queue(INGEST) == {str(upload.version.pk)}
    process_version(upload.version.pk)
    assert Version.objects.get().state == VersionState.READY


def test_a_large_collection_is_deleted_in_handfuls(house: House) -> None:
    for number in range(60):
        put(house.open_shelf, f"Note {number}", "Words.")
    removal.put_away(house.open_shelf, user=house.owner.user)
    assert not Document.objects.filter(deleted_at=None).exists()
    assert kinds(house.tenant).count("document_deleted") == 60
    assert kinds(house.tenant)[-1] == "collection_deleted"


def test_a_provider_id_that_was_given_away_meanwhile_hinders_restoring(
    house: House, payroll: Document
) -> None:
    Document.objects.filter(pk=payroll.pk).update(provider_file_id="file-1")
    deleted = gone(payroll)
    other = put(house.open_shelf, "Other", "Words.")
    Document.objects.filter(pk=other.pk).update(provider_file_id="file-1")
    with pytest.raises(ValidationError, match="provider's file id"):
        removal.restore(deleted, user=house.owner.user)
    assert not finds(house.owner)


def test_only_curators_of_the_collection_take_away_and_bring_back(
    house: House, neighbour: House, payroll: Document
) -> None:
    for place in (house.granted, house.stranger, house.auditor, neighbour.owner):
        with pytest.raises(Hidden):
            removal.delete(payroll, user=place.user)
    deleted = gone(payroll)
    for place in (house.granted, house.stranger, house.auditor, neighbour.owner):
        acts: tuple[Callable[..., object], ...] = (removal.restore, removal.order_purge)
        for act in acts:
            with pytest.raises(Hidden):
                act(deleted, user=place.user)
        with pytest.raises(Hidden):
            removal.removed_document_for(user=place.user, tenant=house.tenant, document_id=payroll.pk)
    assert kinds(house.tenant) == ["uploaded", "document_deleted"]


def test_what_is_not_deleted_is_not_purged(house: House, payroll: Document) -> None:
    with pytest.raises(Hidden):
        removal.order_purge(payroll, user=house.owner.user)
    removal.purge(payroll.pk)
    removal.purge(gone(payroll).pk)
    assert Version.objects.exists()


def embed(version: Version) -> None:
    space = space_named("test@1/3", 3)
    batch = chunks_without_vector(version.pk, space, 100)
    write_vectors(batch, [[1.0, 0.0, 0.0]] * len(batch), space)


def files() -> list[str]:
    folders = (Path(django_settings.MEDIA_ROOT), Path(django_settings.PAGE_CACHE_DIR))
    return [path.name for folder in folders for path in folder.rglob("*") if path.is_file()]


def test_a_purge_leaves_hashes_only(house: House, payroll: Document) -> None:
    version = payroll.current_version
    assert version is not None
    embed(version)
    page_image(version, 1, SIZES["1"])
    assert {"1-1x.webp", str(version.pk)} <= set(files())
    cited = cite(answered(house.owner), payroll, "director")
    assert removal.order_purge(gone(payroll), user=house.owner.user)
    removal.purge(payroll.pk)
    for model in (Version, Chunk, ChunkEmbedding, Page):
        assert not model.objects.exists()
    assert not [name for name in files() if name.endswith(".webp") or name == str(version.pk)]
    stone = Document.objects.get()
    assert (stone.title, stone.author, stone.purged_at is not None) == ("", "", True)
    proof = last(house.tenant)
    assert (proof["kind"], proof["versions"]) == (
        "document_purged",
        [{"id": str(version.pk), "number": 1, "sha256": version.sha256, "size": version.size}],
    )
    citation = Citation.objects.get(pk=cited.pk)
    assert (citation.quote, citation.title, citation.start) == ("", "", cited.start)


def test_no_word_of_a_purged_document_is_left_in_the_database(house: House) -> None:
    document = add_document(
        house.closed_shelf, "zanzibar.md", "# Zanzibar\n\nThe zanzibar plan costs 9,000.\n"
    )
    cite(answered(house.owner), document, "zanzibar plan", heading_path=["Zanzibar"])
    HandedInFile.objects.create(
        tenant=house.tenant, user=house.owner.user, document=document, file_name="zanzibar.md", size=1
    )
    removal.order_purge(gone(document), user=house.owner.user)
    removal.purge(document.pk)
    found = []
    with connection.cursor() as cursor:
        for table in set(connection.introspection.table_names(cursor)) - {"citeweb_scope_key"}:
            cursor.execute(f'SELECT count(*) FROM "{table}" row WHERE row::text ILIKE %s', ["%zanzibar%"])
            found += [table] * cursor.fetchone()[0]
    assert found == []
    assert len(records(house.tenant)) == 4


def test_its_chips_go_on_saying_that_the_source_was_removed(house: House, payroll: Document) -> None:
    cited = cite(answered(house.granted), payroll, "director")
    removal.order_purge(gone(payroll), user=house.owner.user)
    removal.purge(payroll.pk)
    client = Client()
    client.force_login(house.granted.user)
    answer = client.get(f"/cite/{cited.pk}/")
    assert answer.status_code == 410
    assert b"The source was removed" in answer.content


def test_auditors_keep_the_quote_of_a_deleted_document(house: House, payroll: Document) -> None:
    cited = cite(answered(house.granted), payroll, "director")
    gone(payroll)
    assert Citation.objects.get(pk=cited.pk).quote == "director"


def test_other_documents_keep_everything(house: House, payroll: Document) -> None:
    other = put(house.open_shelf, "Other", "The director parks in space 4.")
    removal.order_purge(gone(payroll), user=house.owner.user)
    removal.purge(payroll.pk)
    assert Version.objects.get() == other.current_version
    assert Chunk.objects.count() == 1


def test_a_purge_that_was_cut_off_is_done_again(house: House, payroll: Document) -> None:
    removal.order_purge(gone(payroll), user=house.owner.user)
    assert documents_in_queue(PURGE) == {str(payroll.pk)}
    version = Version.objects.get()
    version.file.storage.delete(str(version.file.name))
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")
    requeue_all()
    requeue_all()
    assert documents_in_queue(PURGE) == {str(payroll.pk)}
    removal.purge(payroll.pk)
    removal.purge(payroll.pk)
    assert kinds(house.tenant).count("document_purged") == 1
    assert not AuditRecord.objects.filter(body__contains=payroll.title).exists()


def test_what_is_ordered_is_neither_ordered_again_nor_restored(house: House, payroll: Document) -> None:
    deleted = gone(payroll)
    removal.order_purge(deleted, user=house.owner.user)
    assert not removal.order_purge(deleted, user=house.owner.user)
    assert not removal.restore(deleted, user=house.owner.user)
    assert kinds(house.tenant) == ["uploaded", "document_deleted", "purge_ordered"]


def test_the_same_file_may_come_back_after_a_purge(house: House, payroll: Document) -> None:
    data = payroll.current_version.file.open().read() if payroll.current_version else b""
    removal.order_purge(gone(payroll), user=house.owner.user)
    removal.purge(payroll.pk)
    again = accept_as_system(
        collection=house.closed_shelf, file=File(io.BytesIO(data)), file_name="payroll.pdf"
    )
    assert not again.already_there
