"""Pages that hold far more words than a printed page: posters, plans, a table of thousands of rows on one sheet."""

import pytest
from django.template.loader import render_to_string
from django.test import Client

from sources.core.line_view import Hit, Marks
from sources.models import Document, Page, Version
from sources.page_view import PageView, page_view
from tests.conftest import House
from tests.files import Page as PdfPage
from tests.files import Words, make_pdf
from tests.sources import add_document

pytestmark = pytest.mark.django_db


def sheet(rows: int, columns: int = 100, apart: int = 14) -> PdfPage:
    """A page of that many rows of words, each called by its row and column, so many points apart."""
    return PdfPage(
        [
            Words(5 + column * apart, 5 + row * 4, f"r{row}c{column}", 3)
            for row in range(rows)
            for column in range(columns)
        ],
        media_box=(0, 0, 100 * apart + 20, 4 * rows + 20),
    )


def shown(document: Document, marks: Marks | None = None) -> tuple[PageView, Version]:
    version = document.current_version
    assert version is not None
    return page_view(version, Page.objects.get(version=version, number=1), marks or Marks()), version


def test_on_a_printed_page_each_word_stands_where_it_is_printed(house: House) -> None:
    view, _ = shown(add_document(house.open_shelf, "page.pdf", make_pdf([sheet(10, 20)])))
    assert sum(len(line.words) for line in view.text) == 200


def test_on_a_large_sheet_words_are_selected_by_the_line(house: House) -> None:
    view, _ = shown(add_document(house.open_shelf, "plan.pdf", make_pdf([sheet(60)])))
    assert {len(line.words) for line in view.text} == {1}
    words = " ".join(line.words[0].text for line in view.text).split()
    assert len(words) == 6000
    html = render_to_string("sources/page_image.html", {"page": view, "zoom": 0})
    assert len(html) < 500_000


def test_of_a_large_table_on_one_sheet_there_is_the_picture_and_the_text_view(house: House) -> None:
    document = add_document(house.open_shelf, "table.pdf", make_pdf([sheet(60, apart=40)]))
    view, version = shown(document)
    assert view.text == ()
    assert "r59c99" in version.text


def test_on_a_sheet_that_holds_a_book_the_passage_is_marked_and_read_aloud(house: House) -> None:
    document = add_document(house.open_shelf, "poster.pdf", make_pdf([sheet(250)]))
    _, version = shown(document)
    start = version.text.index("r125c50")
    cited = (start, start + len("r125c50"))
    hits = tuple(
        Hit(number, at, at + 2) for number, at in enumerate(range(0, len(version.text) - 2, 97), start=1)
    )
    view, _ = shown(document, Marks(cited=cited, chunk=cited, hits=hits))
    assert view.text == ()
    assert [piece.text for piece in view.aloud if piece.cited] == ["r125c50"]
    assert sum(len(piece.text) for piece in view.aloud) < 110_000
    (box,) = view.cited
    assert float(box.x) == pytest.approx(705, abs=2)
    assert float(box.width) < 14
    assert len(view.hits) == len(hits)
    client = Client()
    client.force_login(house.owner.user)
    answer = client.get(f"/d/{document.pk}/?mark={cited[0]}-{cited[1]}")
    assert (answer.status_code, len(answer.content) < 700_000) == (200, True)
