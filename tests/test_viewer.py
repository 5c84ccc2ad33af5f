"""What a viewer page shows: numbered lines, pages with their marks, and the layer of selectable words."""

import pytest

from sources.core.geometry import TextRun
from sources.core.line_view import LONGEST_LINE, Marks, NumberedLine, numbered_lines
from sources.core.lines import line_starts
from sources.core.names import plain_name
from sources.core.text_layer import layer_lines
from sources.models import Document, Version
from sources.viewer import NEAR_LINES, Body, Place, document_lines, document_pages, passage_body, unbroken
from tests.conftest import House
from tests.documents import put
from tests.files import Page as PdfPage
from tests.files import lines_of, make_pdf, text_page
from tests.sources import add_document

TEXT = "# Fees\n\nThe fee is ten euro.\nIt is due in May.\r\nسلام دنیا\n"


def shown(text: str, cited: str = "", chunk: str = "", headings: tuple[int, ...] = ()) -> list[NumberedLine]:
    starts = line_starts(text)
    marks = Marks(
        (text.find(cited), text.find(cited) + len(cited)), (text.find(chunk), text.find(chunk) + len(chunk))
    )
    return numbered_lines(text, starts, range(1, len(starts) + 1), marks=marks, headings=headings)


def test_lines_come_with_their_numbers_and_without_their_ends() -> None:
    lines = shown(TEXT)
    assert [line.number for line in lines] == [1, 2, 3, 4, 5, 6]
    assert ["".join(part.text for part in line.parts) for line in lines] == [
        "# Fees",
        "",
        "The fee is ten euro.",
        "It is due in May.",
        "سلام دنیا",
        "",
    ]


def test_the_cited_words_are_marked_inside_their_line() -> None:
    line = shown(TEXT, cited="ten euro")[2]
    assert [(part.text, part.cited) for part in line.parts] == [
        ("The fee is ", False),
        ("ten euro", True),
        (".", False),
    ]


def test_a_span_over_a_line_end_marks_its_part_of_each_line() -> None:
    lines = shown(TEXT, cited="ten euro.\nIt is")
    assert [part.text for line in lines for part in line.parts if part.cited] == ["ten euro.", "It is"]


def test_the_chunk_is_marked_lightly_around_the_cited_line() -> None:
    lines = shown(TEXT, cited="ten euro", chunk="The fee is ten euro.\nIt is due in May.")
    assert [(line.number, line.cited) for line in lines if line.in_chunk] == [(3, True), (4, False)]


def test_an_empty_line_inside_a_chunk_belongs_to_it() -> None:
    lines = shown(TEXT, cited="ten euro", chunk="# Fees\n\nThe fee is ten euro.")
    assert [line.number for line in lines if line.in_chunk] == [1, 2, 3]


def test_without_marks_nothing_is_marked() -> None:
    lines = numbered_lines(TEXT, line_starts(TEXT), range(1, 6), marks=Marks())
    assert not any(line.in_chunk or line.cited for line in lines)


def test_a_heading_is_shown_as_one() -> None:
    assert [line.number for line in shown(TEXT, headings=(0,)) if line.heading] == [1]


def test_of_a_huge_line_the_part_around_the_mark_is_shown() -> None:
    (line,) = shown("a " * 50_000 + "needle" + " b" * 50_000, cited="needle")
    assert line.cut
    assert sum(len(part.text) for part in line.parts) == LONGEST_LINE
    assert [part.text for part in line.parts if part.cited] == ["needle"]


def run(text: str, x: float, y: float, width: float = 20, height: float = 10) -> TextRun:
    return TextRun(text, x, y, width, height)


def test_words_of_one_line_are_one_line_of_the_text_layer() -> None:
    lines = layer_lines([run("one", 0, 0), run("two", 25, 1), run("three", 0, 14)])
    assert [[word.text for word in line.words] for line in lines] == [["one", "two"], ["three"]]


def test_words_on_both_sides_of_a_gutter_are_two_lines() -> None:
    assert len(layer_lines([run("left", 0, 0), run("right", 300, 0)])) == 2


def test_a_line_of_persian_is_written_to_the_left() -> None:
    persian, latin = layer_lines([run("سلام", 25, 0), run("VPN", 0, 0), run("hello", 0, 20)])
    assert persian.right_to_left
    assert not latin.right_to_left


@pytest.mark.parametrize(
    ("name", "shown_as"),
    [
        ("report\u202efdp.exe", "reportfdp.exe"),
        ("two\nlines\x00", "two lines"),
        ("کتاب\u200cخانه", "کتاب\u200cخانه"),
        ('"><img src=x>', '"><img src=x>'),
    ],
)
def test_a_name_can_not_turn_or_hide_what_is_written(name: str, shown_as: str) -> None:
    assert plain_name(name) == shown_as


@pytest.mark.parametrize(
    ("quote", "line"),
    [
        ("usage\nalerts", "usage alerts"),
        ("qua-\nrum", "qua-rum"),
        ("10 -\n20", "10 - 20"),
    ],
)
def test_a_quote_from_a_printed_page_is_one_line(quote: str, line: str) -> None:
    assert unbroken(quote) == line


def version_of(document: Document) -> Version:
    assert document.current_version is not None
    return document.current_version


def body_of(
    document: Document, sentence: str, chunk: str = "", *, quote: str = "", wide: bool = False
) -> Body:
    version = version_of(document)
    around = chunk or sentence
    start, at = version.text.index(around), version.text.index(sentence)
    place = Place(
        chunk=(start, start + len(around)),
        cited=(at, at + len(sentence)),
        quote=quote or around,
        page=1,
        line=1,
    )
    return passage_body(version, place, wide=wide)


LONG = "\n".join(f"Line number {number} of the text." for number in range(1, 1001))


@pytest.mark.django_db
def test_the_panel_shows_a_few_lines_around_the_passage(house: House) -> None:
    body = body_of(put(house.open_shelf, "Long", LONG), "Line number 500 of the text.")
    assert body.located
    assert (body.first, body.last, body.total) == (500 - NEAR_LINES, 500 + NEAR_LINES, 1000)
    assert [line.number for line in body.lines if line.cited] == [500]


@pytest.mark.django_db
def test_the_page_shows_more_lines_but_never_all_of_a_huge_text(house: House) -> None:
    body = body_of(put(house.open_shelf, "Long", LONG), "Line number 500 of the text.", wide=True)
    assert (body.first, body.last) == (300, 700)


@pytest.mark.django_db
def test_a_quote_that_is_not_there_marks_nothing(house: House) -> None:
    document = put(house.open_shelf, "Long", LONG)
    body = body_of(document, "Line number 500 of the text.", quote="Line number 501 of the text.")
    assert not body.located
    assert not any(line.cited or line.in_chunk for line in body.lines)
    assert body.first == 1


@pytest.mark.django_db
def test_a_document_of_lines_is_shown_in_parts(house: House) -> None:
    version = version_of(put(house.open_shelf, "Long", LONG))
    first = document_lines(version, 1)
    second = document_lines(version, first.after)
    assert (first.first, first.last) == (1, 400)
    assert (second.first, second.last, second.before) == (401, 800, 1)
    assert document_lines(version, 999_999).last == 1000


FIRST = "Enterprise customers are told at once.\nAlerts are sent at 80 percent."
SECOND = "They are sent again at 100 percent.\nNothing else is sent."


@pytest.fixture
def pdf(house: House) -> Document:
    """Three pages; the second one is turned."""
    pages = [
        text_page(FIRST),
        PdfPage(lines_of(SECOND), rotate=90),
        text_page("The last page says goodbye."),
    ]
    return add_document(house.open_shelf, "alerts.pdf", make_pdf(pages, labels="0 << /S /r >>"))


@pytest.mark.django_db
def test_the_cited_sentence_is_marked_on_its_page(pdf: Document) -> None:
    body = body_of(pdf, "Alerts are sent at 80 percent.", FIRST)
    (page,) = body.pages
    assert body.located
    assert (page.number, page.label) == (1, "i")
    assert len(page.cited) == 1
    assert len(page.chunk) == 2
    # The second line begins 72 points from the left and stands 86.4 points from the top.
    box = page.cited[0]
    assert float(box.x) == pytest.approx(72, abs=1)
    assert float(box.y) < 86.4 < float(box.y) + float(box.height)


@pytest.mark.django_db
def test_a_passage_over_two_pages_shows_both(pdf: Document) -> None:
    version = version_of(pdf)
    start = version.text.index("Alerts")
    end = version.text.index("percent.\nNothing") + len("percent.")
    place = Place(chunk=(start, end), cited=(start, end), quote=version.text[start:end], page=1)
    body = passage_body(version, place, wide=False)
    assert [(page.number, bool(page.cited)) for page in body.pages] == [(1, True), (2, True)]


@pytest.mark.django_db
def test_the_page_of_its_own_also_shows_the_neighbours(pdf: Document) -> None:
    body = body_of(pdf, "Nothing else is sent.", wide=True)
    assert [(page.number, bool(page.cited)) for page in body.pages] == [(1, False), (2, True), (3, False)]


@pytest.mark.django_db
def test_a_turned_page_is_as_wide_as_it_is_displayed(pdf: Document) -> None:
    (page,) = body_of(pdf, "Nothing else is sent.").pages
    assert (page.width, page.height) == ("842", "595")


@pytest.mark.django_db
def test_if_the_quote_is_not_there_the_cited_page_is_shown_unmarked(pdf: Document) -> None:
    body = body_of(pdf, "Nothing else is sent.", quote="Nothing else was sent.")
    assert not body.located
    assert [(page.number, page.cited, page.chunk) for page in body.pages] == [(1, (), ())]


@pytest.mark.django_db
def test_the_text_layer_holds_the_words_of_the_page(pdf: Document) -> None:
    (page,) = body_of(pdf, "Alerts are sent at 80 percent.").pages
    lines = [" ".join(word.text for word in line.words) for line in page.text]
    assert lines == FIRST.split("\n")


@pytest.mark.django_db
def test_a_document_of_pages_is_shown_from_any_page_on(pdf: Document) -> None:
    assert [page.number for page in document_pages(version_of(pdf), 2).pages] == [2, 3]
