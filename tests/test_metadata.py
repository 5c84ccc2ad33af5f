"""What a document says about itself comes from its newest file, unless a curator has said it better."""

from dataclasses import replace

import pytest

from sources.core.chunking import chunk_spans
from sources.core.extract import Extracted
from sources.index import add_text, add_version
from sources.metadata import correct, fill_from_file
from sources.models import Chunk, Document
from tests.conftest import House

pytestmark = pytest.mark.django_db

TEXT = "The steward keeps the keys of the cellar."


BARE = Extracted(TEXT, "text/plain")
FULL = replace(
    BARE,
    title="The Cellar Rules",
    author="Anna Berg",
    year="1274",
    reference="HR-7",
    url="https://example.org/cellar",
    language="en",
)


@pytest.fixture
def document(house: House) -> Document:
    return add_text(house.open_shelf, title="Cellar", text=TEXT, file_name="cellar.txt")


def upload(document: Document, extracted: Extracted) -> Document:
    add_version(document, extracted, file_name="cellar.txt")
    document.refresh_from_db()
    return document


def about(document: Document) -> tuple[str, ...]:
    return (
        document.title,
        document.author,
        document.year,
        document.reference,
        document.url,
        document.language,
    )


def test_it_comes_from_the_file(document: Document) -> None:
    upload(document, FULL)
    assert about(document) == (
        "The Cellar Rules",
        "Anna Berg",
        "1274",
        "HR-7",
        "https://example.org/cellar",
        "en",
    )


def test_a_file_that_says_nothing_leaves_the_title_alone_and_the_rest_blank(document: Document) -> None:
    upload(document, FULL)
    upload(document, BARE)
    assert about(document) == ("The Cellar Rules", "", "", "", "", "")


def test_a_later_upload_never_overwrites_what_a_curator_set(document: Document) -> None:
    document.save(update_fields=correct(document, {"title": "Cellar", "author": "A. Berg", "year": ""}))
    upload(document, FULL)
    assert about(document)[:3] == ("The Cellar Rules", "A. Berg", "1274")
    document.save(update_fields=correct(document, {"title": "Cellar", "year": ""}))
    upload(document, FULL)
    assert about(document)[:3] == ("Cellar", "A. Berg", "")
    assert document.corrected == ["author", "title", "year"]


def test_chunks_are_indexed_under_the_title_that_the_document_keeps(document: Document) -> None:
    document.save(update_fields=correct(document, {"title": "Undercroft"}))
    version = add_version(document, FULL, file_name="cellar.txt")
    lexemes = str(Chunk.objects.get(version=version).lexemes)
    assert "undercroft" in lexemes
    assert len(chunk_spans(FULL)) == 1


def test_nothing_changed_corrects_nothing(document: Document) -> None:
    assert correct(document, {"title": "Cellar", "author": ""}) == []
    assert document.corrected == []


def test_only_the_known_fields_can_be_corrected(document: Document) -> None:
    with pytest.raises(ValueError, match="deleted_at"):
        correct(document, {"deleted_at": "now"})


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///etc/passwd", "https://", "http://[", "x" * 2001]
)
def test_only_web_addresses_are_kept(document: Document, url: str) -> None:
    fill_from_file(document, replace(BARE, url=url))
    assert document.url == ""


def test_what_is_too_long_is_cut_to_its_column(document: Document) -> None:
    fill_from_file(document, replace(BARE, title="t" * 600, author="a" * 600, reference="r" * 300))
    document.save()
    assert (len(document.title), len(document.author), len(document.reference)) == (500, 500, 200)
