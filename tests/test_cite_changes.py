"""A citation whose document has changed: the passage as it was, or a plain word about it, never another passage."""

import pytest
from django.http import HttpResponse
from django.test import Client

from chat.models import Citation
from citeweb.accounts.tenancy import Place
from sources.core.chunking import chunk_spans
from sources.core.extract.types import Extracted
from sources.models import Chunk, Document, Version
from tests.citing import answered, cite
from tests.conftest import House
from tests.documents import add_version, put
from tests.files import make_pdf, text_page
from tests.page_reading import Page, read
from tests.sources import add_document

pytestmark = pytest.mark.django_db

FIRST = "The reading room closes at six."
SECOND = "The garden closes at eight."
TEXT = f"# Hours\n\n{FIRST}\n\n# Garden\n\n{SECOND}\n"


def opened(place: Place, citation: Citation) -> Page:
    client = Client()
    client.force_login(place.user)
    response = client.get(f"/cite/{citation.pk}/", headers={"HX-Request": "true"})
    assert isinstance(response, HttpResponse)
    assert response.status_code == 200
    return read(response.content.decode())


def marked(page: Page) -> list[str]:
    """Return the words that are marked as cited in the text, line by line."""
    return [element.text for element in page.with_class("cited")]


def version_of(document: Document) -> Version:
    assert document.current_version is not None
    return document.current_version


def test_an_index_of_other_chunks_changes_no_citation(house: House) -> None:
    document = put(house.open_shelf, "Hours", TEXT)
    cited = cite(answered(house.owner), document, SECOND)
    version = version_of(document)
    before = list(version.chunks.values_list("start", "end"))
    Chunk.objects.filter(version=version).delete()
    for ordinal, span in enumerate(chunk_spans(Extracted(TEXT, "text/plain"), target=5, most=12)):
        Chunk.objects.create(
            tenant=version.tenant, document=document, version=version, ordinal=ordinal, start=span.start,
            end=span.end, first_line=span.first_line, last_line=span.last_line, sha256="0" * 64,
        )  # fmt: skip
    assert list(version.chunks.values_list("start", "end")) != before
    assert marked(opened(house.owner, cited)) == [SECOND]


def test_a_new_version_changes_no_citation_but_is_offered(house: House) -> None:
    document = put(house.open_shelf, "Hours", TEXT)
    cited = cite(answered(house.owner), document, SECOND)
    add_version(document, f"# Garden\n\n{SECOND.replace('eight', 'nine')}\n")
    page = opened(house.owner, cited)
    assert marked(page) == [SECOND]
    assert "Open version 2" in page.texts
    assert not any("nine" in text for text in page.texts)


def test_a_place_that_is_not_found_shows_what_was_cited_and_marks_nothing_alike(house: House) -> None:
    pages = [text_page("A cover."), text_page(f"{FIRST}\n{SECOND}"), text_page(f"{SECOND}\nAnd that is all.")]
    document = add_document(house.open_shelf, "hours.pdf", make_pdf(pages))
    quote = SECOND.replace("eight", "half past eight")
    cited = cite(answered(house.owner), document, SECOND, quote=quote, page=2)
    page = opened(house.owner, cited)
    assert page.with_class("mark") == []
    assert page.with_class("sheet")[0].attributes["id"] == "page-2"
    assert quote in page.texts
    assert any("could not be found in the document" in text for text in page.texts)
