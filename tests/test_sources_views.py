"""The sources pages, a document's viewer, its pictures and its original: what they show and to whom."""

import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from citeweb.accounts.tenancy import Place
from sources.ingest import process_version
from sources.models import Collection, Document, Version, VersionState
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
    as_(house.owner).post(address, {"v": str(failed.pk)})
    failed.refresh_from_db()
    assert (failed.state, failed.failure, failed.attempts) == (VersionState.QUEUED, "", 0)


def test_nobody_else_has_it_read_again(house: House, neighbour: House, failed: Version) -> None:
    address = f"/d/{failed.document_id}/retry/"
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
