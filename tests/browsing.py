"""Pages as a signed-in person gets them, for tests of views."""

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from citeweb.accounts.tenancy import Place
from sources.models import Collection
from tests.page_reading import Page, read


def as_(place: Place) -> Client:
    """Return a browser in which the person is signed in."""
    client = Client()
    client.force_login(place.user)
    return client


def page_of(place: Place, address: str) -> Page:
    """Return a page that must open."""
    response = as_(place).get(address)
    assert response.status_code == 200
    return read(response.content.decode())


def told(answer: HttpResponse) -> str:
    """Return all words of a page."""
    return " ".join(read(answer.content.decode()).texts)


def file(
    name: str = "pricing.md", content: str | bytes = "# Pricing\n\nIt costs 4 euro.\n"
) -> SimpleUploadedFile:
    """Return a file as a form sends it."""
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def upload(
    client: Client, shelf: Collection, *files: SimpleUploadedFile, htmx: bool = False, **fields: str
) -> HttpResponse:
    """Send files as the form does; under htmx as htmx does, which follows the redirect with its headers."""
    response = client.post(
        "/sources/upload/",
        {"collection": str(shelf.pk), "documents": list(files), "next": f"/sources/{shelf.pk}/", **fields},
        headers={"HX-Request": "true", "HX-Target": "shelf"} if htmx else {},
        follow=True,
    )
    assert isinstance(response, HttpResponse)
    return response
