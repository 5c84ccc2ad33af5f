"""The sources pages, a document's viewer, its pictures and its original: what they show and to whom."""

import uuid
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from citeweb.accounts.tenancy import Place
from sources.ingest import process_version
from sources.models import Collection, Document, Grant, Version, VersionState
from sources.shelf_view import ROWS
from tests.conftest import House, join
from tests.documents import add_version, put
from tests.files import make_pdf, text_page
from tests.page_reading import Page, read
from tests.sources import PRICING, add_document

pytestmark = pytest.mark.django_db

TITLE = "Salary Bands"
TEXT = "The bonus is 4,350 euro.\n"


def as_(place: Place) -> Client:
    client = Client()
    client.force_login(place.user)
    return client


def page_of(place: Place, address: str) -> Page:
    response = as_(place).get(address)
    assert response.status_code == 200
    return read(response.content.decode())


def file(name: str = "pricing.md", content: str | bytes = PRICING) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def upload(client: Client, shelf: Collection, *files: SimpleUploadedFile, htmx: bool = False) -> HttpResponse:
    """Send files as the form does; under htmx as htmx does, which follows the redirect with its headers."""
    response = client.post(
        "/sources/upload/",
        {"collection": str(shelf.pk), "documents": list(files), "shelf": str(shelf.pk)},
        headers={"HX-Request": "true", "HX-Target": "shelf"} if htmx else {},
        follow=True,
    )
    assert isinstance(response, HttpResponse)
    return response


@pytest.fixture
def document(house: House) -> Document:
    """A document on the restricted shelf."""
    return put(house.closed_shelf, TITLE, TEXT)


@pytest.fixture
def pdf(house: House) -> Document:
    """A document of two pages on the restricted shelf."""
    return add_document(house.closed_shelf, "bands.pdf", make_pdf([text_page("One"), text_page("Two")]))


# --- The list -----------------------------------------------------------------------------------------


def test_it_works(house: House, document: Document) -> None:
    page = page_of(house.owner, "/sources/")
    assert f"/d/{document.pk}/" in page.values_of("href")
    assert {TITLE, "Open", "Restricted", "ready"} <= set(page.texts)


def test_a_reader_sees_only_collections_and_titles_that_they_may_read(
    house: House, neighbour: House, document: Document
) -> None:
    assert TITLE in page_of(house.granted, "/sources/").texts
    for place in (house.stranger, house.auditor, neighbour.owner):
        page = as_(place).get("/sources/").content.decode()
        assert TITLE not in page
        assert str(house.closed_shelf.pk) not in page


def test_counts_of_what_one_may_not_read_do_not_show(house: House, document: Document) -> None:
    put(house.open_shelf, "Open document", TEXT)
    tabs = page_of(house.stranger, "/sources/").texts
    assert tabs[tabs.index("All") + 1] == "1"


def test_a_collection_that_one_may_not_read_is_the_same_as_none(house: House, neighbour: House) -> None:
    for place in (house.stranger, neighbour.owner):
        forbidden = as_(place).get(f"/sources/{house.closed_shelf.pk}/")
        absent = as_(place).get(f"/sources/{uuid.uuid4()}/")
        assert (forbidden.status_code, forbidden.content) == (404, absent.content)


def test_a_long_list_comes_in_pages(house: House) -> None:
    for number in range(ROWS + 1):
        put(house.open_shelf, f"Document {number}", TEXT)
    first = page_of(house.stranger, "/sources/")
    assert "Document 0" not in first.texts
    assert "?page=2" in first.values_of("href")
    assert "Document 0" in page_of(house.stranger, "/sources/?page=2").texts
    assert "Document 0" in page_of(house.stranger, "/sources/?page=999").texts


def test_titles_are_searched(house: House) -> None:
    put(house.open_shelf, "Travel Policy", TEXT)
    put(house.open_shelf, "Support SLA", TEXT)
    texts = page_of(house.stranger, "/sources/?q=travel").texts
    assert "Travel Policy" in texts
    assert "Support SLA" not in texts


def test_the_list_takes_few_queries_however_long_it_is(
    house: House, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = as_(house.owner)
    for number in range(20):
        put(house.open_shelf, f"Document {number}", TEXT)
    with django_assert_max_num_queries(25):
        client.get("/sources/")


# --- Uploading ----------------------------------------------------------------------------------------


def test_a_curator_uploads_several_files(house: House) -> None:
    page = read(
        upload(
            as_(house.owner), house.open_shelf, file("a.md", "# A\n"), file("b.md", "# B\n")
        ).content.decode()
    )
    assert Version.objects.filter(state=VersionState.QUEUED).count() == 2
    assert "2 files received" in page.texts
    assert {"a.md", "b.md"} <= set(page.texts)


def test_under_htmx_the_list_comes_back_alone(house: House) -> None:
    answer = upload(as_(house.owner), house.open_shelf, file(), htmx=True).content.decode()
    assert "<html" not in answer
    assert read(answer).elements[0].attributes["id"] == "shelf"


def test_only_curators_upload(house: House, neighbour: House) -> None:
    for place in (house.granted, house.stranger, house.auditor):
        assert 'type="file"' not in as_(place).get("/sources/").content.decode()
        assert upload(as_(place), house.open_shelf, file()).status_code == 404
    assert Version.objects.count() == 0


def test_a_curator_uploads_to_no_collection_that_they_may_not_read(house: House, neighbour: House) -> None:
    Grant.objects.filter(user=house.owner.user).delete()
    for shelf in (house.closed_shelf, neighbour.open_shelf, Collection(pk=uuid.uuid4())):
        assert upload(as_(house.owner), shelf, file()).status_code == 422
    assert Version.objects.count() == 0


def test_without_files_the_form_says_what_is_missing(house: House) -> None:
    response = upload(as_(house.owner), house.open_shelf)
    assert response.status_code == 422
    assert "Choose one or more files." in read(response.content.decode()).texts


def test_under_htmx_the_form_shows_its_errors_in_its_own_place(house: House) -> None:
    response = upload(as_(house.owner), house.open_shelf, htmx=True)
    assert (response.status_code, response["HX-Retarget"]) == (200, "#upload")
    assert "Choose one or more files." in read(response.content.decode()).texts


def test_the_same_file_again_is_already_there(house: House) -> None:
    client = as_(house.owner)
    upload(client, house.open_shelf, file())
    page = read(upload(client, house.open_shelf, file("copy.md")).content.decode())
    assert "already there" in page.texts
    assert Document.objects.count() == 1


def test_a_file_that_fails_at_once_says_why_and_leaves_the_others_alone(
    house: House, settings: Settings
) -> None:
    settings.MAX_FILE_BYTES = 1000
    files = file("empty.md", ""), file("huge.md", "x" * 5000), file("good.md", "# Good\n")
    page = read(upload(as_(house.owner), house.open_shelf, *files).content.decode())
    told = " ".join(page.texts)
    assert "The file is empty." in told
    assert "The file, or what it unpacks to, is larger than is allowed here." in told
    assert Version.objects.get(file_name="good.md").state == VersionState.QUEUED


def test_the_list_is_fetched_again_until_all_is_read(house: House) -> None:
    client = as_(house.owner)
    working = read(upload(client, house.open_shelf, file()).content.decode())
    (refresh,) = [element for element in working.elements if "hx-trigger" in element.attributes]
    assert refresh.attributes["href"] == refresh.attributes["hx-get"] == f"/sources/{house.open_shelf.pk}/"
    assert "every 2s" in refresh.attributes["hx-trigger"]
    process_version(Version.objects.get().pk)
    done = read(client.get(refresh.attributes["href"], headers={"HX-Target": "shelf"}).content.decode())
    assert done.values_of("hx-trigger") == []
    assert "1 ready, 0 in work, 0 failed, 0 already there" in done.texts


def test_the_note_of_an_upload_can_be_closed(house: House) -> None:
    client = as_(house.owner)
    upload(client, house.open_shelf, file())
    answer = client.post("/sources/upload/dismiss/", {"shelf": ""}, follow=True)
    assert "1 file received" not in answer.content.decode()


def test_uploads_leave_no_temporary_files(house: House, tmp_path: Path, settings: Settings) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    client = as_(house.owner)
    upload(client, house.open_shelf, file(), file("empty.md", ""))
    upload(client, house.open_shelf, file("copy.md"))
    assert list(tmp_path.iterdir()) == []


def test_a_hostile_file_name_is_shown_as_text(house: House) -> None:
    hostile = "<img src=x onerror=window.__x=1>.md"
    page = read(upload(as_(house.owner), house.open_shelf, file(hostile)).content.decode())
    assert page.values_of("onerror") == []
    assert any("window.__x=1" in text for text in page.texts)


# --- Collections --------------------------------------------------------------------------------------


def test_a_curator_makes_a_collection_and_reads_it(house: House) -> None:
    client = as_(house.owner)
    response = client.post("/sources/new/", {"name": "Board", "restricted": "on"}, follow=True)
    assert "Board" in read(response.content.decode()).texts
    assert Collection.objects.get(name="Board").restricted
    assert "Board" not in as_(house.stranger).get("/sources/").content.decode()


def test_a_taken_name_is_refused(house: House) -> None:
    response = as_(house.owner).post("/sources/new/", {"name": "Open"})
    assert "There is a collection of this name already." in read(response.content.decode()).texts


def test_only_curators_make_collections(house: House) -> None:
    for place in (house.granted, house.stranger, house.auditor):
        assert as_(place).get("/sources/new/").status_code == 404
        assert as_(place).post("/sources/new/", {"name": "Mine"}).status_code == 404
    assert not Collection.objects.filter(name="Mine").exists()


# --- A document ---------------------------------------------------------------------------------------

PARTS = ("", "pages/1.webp", "original", "delete/")


def test_a_document_is_shown_by_lines_or_by_pages(house: House, document: Document, pdf: Document) -> None:
    assert "The bonus is 4,350 euro." in page_of(house.granted, f"/d/{document.pk}/").texts
    pictures = page_of(house.granted, f"/d/{pdf.pk}/").with_class("page-image__picture")
    assert [picture.attributes["loading"] for picture in pictures] == ["lazy", "lazy"]


@pytest.mark.parametrize("part", PARTS)
def test_a_document_that_one_may_not_read_is_the_same_as_none(
    house: House, neighbour: House, pdf: Document, part: str
) -> None:
    for place in (house.stranger, house.auditor, neighbour.owner, neighbour.stranger):
        forbidden = as_(place).get(f"/d/{pdf.pk}/{part}")
        absent = as_(place).get(f"/d/{uuid.uuid4()}/{part}")
        assert (forbidden.status_code, forbidden.content) == (404, absent.content)
        assert dict(forbidden.headers) == dict(absent.headers)


@pytest.mark.parametrize("part", ["", "pages/1.webp", "original"])
def test_it_opens_while_the_reader_works_in_another_tenant(
    client: Client, house: House, neighbour: House, pdf: Document, part: str
) -> None:
    join(house.granted.user, neighbour.tenant)
    client.force_login(house.granted.user)
    client.post("/accounts/tenant/", {"tenant": str(neighbour.tenant.pk)})
    assert client.get(f"/d/{pdf.pk}/{part}").status_code == 200


def test_a_version_is_chosen_by_number_or_id(house: House, document: Document) -> None:
    first = document.current_version
    assert first is not None
    add_version(document, "The bonus is 9,999 euro.\n")
    client = as_(house.owner)
    for wanted in ("1", str(first.pk)):
        page = client.get(f"/d/{document.pk}/?v={wanted}").content.decode()
        assert "4,350" in page
        assert "This is an earlier version." in page
    assert "9,999" in client.get(f"/d/{document.pk}/").content.decode()


@pytest.mark.parametrize(
    "wanted", ["3", "99999999999999999999", "x", "00000000-0000-0000-0000-000000000000", "²"]
)
def test_there_is_no_other_version(house: House, document: Document, wanted: str) -> None:
    assert as_(house.owner).get(f"/d/{document.pk}/", {"v": wanted}).status_code == 404


def test_a_version_of_another_document_does_not_open_under_this_one(
    house: House, document: Document, pdf: Document
) -> None:
    assert as_(house.owner).get(f"/d/{document.pk}/?v={pdf.current_version_id}").status_code == 404


def test_a_failed_document_says_why(house: House) -> None:
    upload(as_(house.owner), house.open_shelf, file("empty.md", ""))
    told = " ".join(page_of(house.owner, f"/d/{Document.objects.get().pk}/").texts)
    assert "The file is empty." in told


# --- The original -------------------------------------------------------------------------------------


# The test client runs the view synchronously; the server doesn't.
@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume")
def test_the_original_is_a_download_that_nothing_runs(house: House) -> None:
    content = "<script>window.__pwn=1</script>"
    document = add_document(house.open_shelf, "page.md", content)
    response = as_(house.stranger).get(f"/d/{document.pk}/original")
    assert response.streaming
    assert b"".join(response) == content.encode()
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == 'attachment; filename="page.md"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Length"] == str(len(content))


def test_a_hostile_file_name_adds_no_header(house: House) -> None:
    document = add_document(house.open_shelf, 'a"; filename=b.exe\u202efdp.md', TEXT)
    disposition = as_(house.stranger).get(f"/d/{document.pk}/original")["Content-Disposition"]
    assert "\u202e" not in disposition
    assert disposition.startswith('attachment; filename="a\\"; filename=b.exe')


def test_a_refused_upload_has_no_original(house: House) -> None:
    client = as_(house.owner)
    upload(client, house.open_shelf, file("empty.md", ""))
    assert client.get(f"/d/{Document.objects.get().pk}/original").status_code == 404


# --- Curating -----------------------------------------------------------------------------------------


@pytest.fixture
def failed(house: House) -> Version:
    """A PDF that can't be read."""
    upload(as_(house.owner), house.open_shelf, file("broken.pdf", b"%PDF-1.7 nothing"))
    version = Version.objects.get()
    process_version(version.pk)
    version.refresh_from_db()
    assert version.state == VersionState.FAILED
    return version


def test_a_curator_has_a_failed_file_read_again(house: House, failed: Version) -> None:
    address = f"/d/{failed.document_id}/retry/"
    assert address in page_of(house.owner, "/sources/").values_of("action")
    as_(house.owner).post(address, {"v": str(failed.pk)})
    failed.refresh_from_db()
    assert (failed.state, failed.failure, failed.attempts) == (VersionState.QUEUED, "", 0)


def test_nobody_else_has_it_read_again(house: House, neighbour: House, failed: Version) -> None:
    address = f"/d/{failed.document_id}/retry/"
    assert address not in page_of(house.stranger, "/sources/").values_of("action")
    for place in (house.stranger, house.auditor, neighbour.owner):
        assert as_(place).post(address, {"v": str(failed.pk)}).status_code == 404
    failed.refresh_from_db()
    assert failed.state == VersionState.FAILED


def test_a_document_that_is_read_is_not_read_again(house: House, document: Document) -> None:
    as_(house.owner).post(f"/d/{document.pk}/retry/", {"v": str(document.current_version_id)})
    document.refresh_from_db()
    assert document.current_version is not None
    assert document.current_version.state == VersionState.READY


def test_a_curator_deletes_after_being_asked(house: House, document: Document) -> None:
    client = as_(house.owner)
    address = f"/d/{document.pk}/delete/"
    assert "Delete this document?" in read(client.get(address).content.decode()).texts
    assert client.get(f"/d/{document.pk}/").status_code == 200
    client.post(address)
    assert client.get(f"/d/{document.pk}/").status_code == 404
    assert TITLE not in client.get("/sources/").content.decode()


def test_a_reader_does_not_delete(house: House, document: Document) -> None:
    for place in (house.granted, house.stranger):
        assert as_(place).post(f"/d/{document.pk}/delete/").status_code == 404
    document.refresh_from_db()
    assert document.deleted_at is None
