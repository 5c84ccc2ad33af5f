"""What the reader shows of a version: which pages or lines, what is marked, what is found, and the ways onward."""

from dataclasses import replace

import numpy as np
import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from sources.core.extract.boxes import pack_boxes
from sources.core.line_view import Marks
from sources.models import Document, Version
from sources.reader import Opened, Reader, Reading
from sources.reader_state import ReaderState, state_of
from sources.viewer import LINES_BEFORE, PAGES_AT_ONCE, Place, marks_of
from tests.conftest import House
from tests.documents import put
from tests.files import Page as PdfPage
from tests.files import lines_of, make_pdf, text_page
from tests.office_files import make_xlsx, sheet_row
from tests.sources import add_document

pytestmark = pytest.mark.django_db

PATH = "/d/x/"
LONG = "\n".join(f"Line number {number} of the text." for number in range(1, 1001))
FIRST = "Enterprise customers are told at once.\nAlerts are sent at 80 percent."
SECOND = "They are sent again at 100 percent.\nNothing else is sent."


def version_of(document: Document) -> Version:
    assert document.current_version is not None
    return document.current_version


def marks_at(version: Version, sentence: str, chunk: str = "", quote: str = "") -> Marks:
    around = chunk or sentence
    start, at = version.text.index(around), version.text.index(sentence)
    place = Place(chunk=(start, start + len(around)), cited=(at, at + len(sentence)), quote=quote or around)
    return marks_of(version, place)


def reading(
    document: Document, query: str = "", sentence: str = "", chunk: str = "", quote: str = ""
) -> Reading:
    """Open a document as its address asks, with a cited sentence if there is one."""
    version = version_of(document)
    marks = marks_at(version, sentence, chunk, quote) if sentence else Marks()
    return Reading(Opened(version, state_of(PATH, QueryDict(query)), marks))


def reader(
    document: Document, query: str = "", sentence: str = "", chunk: str = "", quote: str = ""
) -> Reader:
    return reading(document, query, sentence, chunk, quote).reader()


@pytest.fixture
def long(house: House) -> Document:
    """A document of 1,000 lines."""
    return put(house.open_shelf, "Long", LONG)


@pytest.fixture
def pdf(house: House) -> Document:
    """Three pages; the second one is turned. The first is called i."""
    pages = [
        text_page(FIRST),
        PdfPage(lines_of(SECOND), rotate=90),
        text_page("The last page says goodbye."),
    ]
    return add_document(house.open_shelf, "alerts.pdf", make_pdf(pages, labels="0 << /S /r >>"))


@pytest.fixture
def ledger(house: House) -> Document:
    """Forty pages."""
    pages = [
        text_page(f"Ledger page {number}. The code of room {number} is K{number}.") for number in range(1, 41)
    ]
    return add_document(house.open_shelf, "ledger.pdf", make_pdf(pages))


# --- Lines ----------------------------------------------------------------------------------------------


def test_it_works(long: Document) -> None:
    shown = reader(long, sentence="Line number 500 of the text.")
    assert shown.marked
    assert [line.number for line in shown.body.lines if line.cited] == [500]
    assert shown.reveal == ".mark--cited, .cited"


def test_of_a_long_text_some_hundred_lines_are_shown(long: Document) -> None:
    body = reader(long, sentence="Line number 500 of the text.").body
    assert (body.first, body.last, body.total) == (500 - LINES_BEFORE, 879, 1000)


def test_a_text_is_opened_at_any_line(long: Document) -> None:
    body = reader(long, "line=700").body
    assert (body.first, body.last) == (700 - LINES_BEFORE, 1000)
    assert reader(long, "line=999999999").body.last == 1000


def test_more_lines_come_on_both_sides(long: Document) -> None:
    shown = reader(long, "line=500")
    assert shown.grow.part_before.endswith("part=earlier&last=479")
    assert shown.grow.part_after.endswith("part=later&first=880")
    assert "line=80" in shown.grow.before
    assert "line=880" in shown.grow.after
    assert (reader(long).grow.before, reader(long, "line=1000").grow.after) == ("", "")


def test_a_part_of_the_lines_is_bounded(long: Document) -> None:
    later, earlier = reading(long).later_lines(100), reading(long).earlier_lines(600)
    assert (later.first, later.last, later.after) == (100, 499, 500)
    assert (earlier.first, earlier.last, earlier.before) == (201, 600, 1)


@pytest.fixture
def wide(house: House) -> Document:
    """A table of 400 rows with fifty columns, 1,500 characters a row."""
    rows = [[f"Column {column}" for column in range(50)]]
    rows += [[f"value {row} of {column}" for column in range(50)] for row in range(400)]
    return add_document(house.open_shelf, "wide.csv", "\n".join(map(",".join, rows)))


def test_of_long_lines_fewer_are_shown_and_the_place_is_among_them(wide: Document) -> None:
    shown = reader(wide, "line=200")
    (block,) = shown.body.blocks
    assert (block.is_table, block.names[:2]) == (True, ("Column 0", "Column 1"))
    assert 200 - LINES_BEFORE <= shown.body.first < 200 < shown.body.last < 250
    html = render_to_string("sources/reader_lines.html", {"body": shown.body, "grow": shown.grow})
    assert len(html) < 500_000


def test_lines_stand_as_the_text_is_written_whatever_the_page_speaks(house: House, wide: Document) -> None:
    persian = add_document(house.open_shelf, "codes.csv", "نشان,کد\nب۱,۷۰۰۱\n")
    for document, leftward in ((wide, False), (persian, True)):
        shown = reader(document)
        assert (shown.right_to_left, shown.body.blocks[0].right_to_left) == (leftward, leftward)


def test_going_on_through_long_lines_leaves_none_out(wide: Document) -> None:
    body = reader(wide, "line=200").body
    seen = [*range(body.first, body.last + 1)]
    while seen[-1] < body.total:
        seen += [line.number for line in reading(wide).later_lines(seen[-1] + 1).lines]
    while seen[0] > 1:
        seen = [line.number for line in reading(wide).earlier_lines(seen[0] - 1).lines] + seen
    assert seen == [*range(1, 402)]


def test_a_line_as_long_as_a_file_is_shown_alone(house: House) -> None:
    text = "\n".join(["word " * 30_000] * 30)
    body = reader(add_document(house.open_shelf, "lines.txt", text), "line=15").body
    assert body.first <= 15 <= body.last
    assert body.last - body.first < 20


def test_a_quote_that_is_not_there_marks_nothing(long: Document) -> None:
    shown = reader(long, sentence="Line number 500 of the text.", quote="Line number 501 of the text.")
    assert not shown.marked
    assert not any(line.cited or line.in_chunk for line in shown.body.lines)


def test_without_marks_the_reader_opens_where_the_place_was_said_to_be(long: Document) -> None:
    opened = Opened(version_of(long), ReaderState(PATH), Marks(), line=300)
    assert Reading(opened).reader().body.first == 300 - LINES_BEFORE


def test_the_cited_lines_are_one_group(long: Document) -> None:
    shown = reader(long, sentence="Line number 500 of the text.\nLine number 501 of the text.")
    (block,) = shown.body.blocks
    assert [
        ([line.number for line in group.lines], group.begins) for group in block.groups if group.cited
    ] == [([500, 501], True)]


def test_a_table_is_one_block_below_the_names_of_its_columns(house: House) -> None:
    rows = "".join(f"B{number},{7000 + number}\n" for number in range(1, 1001))
    document = add_document(house.open_shelf, "codes.csv", f"Badge,Door code\n{rows}")
    (block,) = reader(document, sentence="Badge: B3 | Door code: 7003").body.blocks
    assert block.is_table
    assert block.head is not None
    assert [[len(group.lines), group.cited] for group in block.groups] == [
        [2, False],
        [1, True],
        [396, False],
    ]
    (later,) = reader(document, "line=700").body.blocks
    assert later.head is None
    assert later.names == ("Badge", "Door code")


def test_text_and_tables_follow_each_other(house: House) -> None:
    text = "# Fees\n\n| Plan | Fee |\n|---|---|\n| Team | 190 |\n\nThat is all.\n"
    document = add_document(house.open_shelf, "fees.md", text)
    blocks = reader(document).body.blocks
    assert [block.is_table for block in blocks] == [False, True, False]
    (group,) = blocks[1].groups
    assert [line.number for line in group.lines] == [5]


def test_a_sheet_and_a_slide_are_called_by_their_names(house: House) -> None:
    sheets = {
        "Budget": sheet_row(1, "Item", "Price") + sheet_row(2, "Lamp", 30),
        "Notes": sheet_row(1, "Nothing else."),
    }
    document = add_document(house.open_shelf, "book.xlsx", make_xlsx(sheets))
    shown = reader(document, "page=2")
    assert not shown.drawn
    assert [line.page for line in shown.body.lines if line.page] == ["Budget", "Notes"]
    assert (shown.page, shown.pages, shown.label) == (2, 2, "Notes")


def test_anybody_may_point_at_a_place(long: Document) -> None:
    start = LONG.index("Line number 42 ")
    shown = reader(long, f"mark={start}-{start + 14}")
    assert [part.text for line in shown.body.lines for part in line.parts if part.cited] == ["Line number 42"]


@pytest.mark.parametrize("mark", ["5", "9-3", "x-y", "3-3", "0-999999999", "-4-5"])
def test_a_place_that_is_none_marks_nothing(long: Document, mark: str) -> None:
    shown = reader(long, f"mark={mark}")
    assert not shown.marked
    assert not any(line.cited for line in shown.body.lines)


# --- Pages ----------------------------------------------------------------------------------------------


def test_the_cited_sentence_is_marked_on_its_page(pdf: Document) -> None:
    shown = reader(pdf, sentence="Alerts are sent at 80 percent.", chunk=FIRST)
    page = shown.body.pages[0]
    assert shown.marked
    assert (page.number, page.label) == (1, "i")
    assert len(page.cited) == 1
    assert len(page.chunk) == 2
    # The second line begins 72 points from the left and stands 86.4 points from the top.
    box = page.cited[0]
    assert float(box.x) == pytest.approx(72, abs=1)
    assert float(box.y) < 86.4 < float(box.y) + float(box.height)


def test_a_passage_over_two_pages_is_marked_on_both(pdf: Document) -> None:
    text = version_of(pdf).text
    sentence = text[text.index("Alerts") : text.index("percent.\nNothing") + len("percent.")]
    pages = reader(pdf, sentence=sentence).body.pages
    assert [(page.number, bool(page.cited)) for page in pages] == [(1, True), (2, True), (3, False)]


def test_a_passage_opens_at_its_page(ledger: Document) -> None:
    shown = reader(ledger, sentence="The code of room 17 is K17.")
    assert (shown.page, shown.pages) == (17, 40)
    assert [page.number for page in shown.body.pages] == [17, 18, 19]


def test_a_turned_page_is_as_wide_as_it_is_displayed(pdf: Document) -> None:
    page = reader(pdf, sentence="Nothing else is sent.").body.pages[0]
    assert (page.width, page.height) == ("842", "595")


def test_if_the_quote_is_not_there_the_cited_page_is_shown_unmarked(ledger: Document) -> None:
    opened = Opened(version_of(ledger), ReaderState(PATH), Marks(), page=9)
    shown = Reading(opened).reader()
    assert not shown.marked
    assert [(page.number, page.cited, page.chunk) for page in shown.body.pages][:1] == [(9, (), ())]


def test_words_that_are_drawn_nowhere_are_not_said_to_be_marked(pdf: Document) -> None:
    layout = version_of(pdf).page_layouts.get(number=3)
    layout.boxes = pack_boxes(np.zeros((layout.end - layout.start, 4)), layout.width, layout.height)
    layout.save()
    assert not reader(pdf, sentence="The last page says goodbye.").marked


def test_the_text_layer_holds_the_words_of_the_page(pdf: Document) -> None:
    page = reader(pdf).body.pages[0]
    lines = [" ".join(word.text for word in line.words) for line in page.text]
    assert lines == FIRST.split("\n")


def test_read_aloud_the_passage_is_one_piece(pdf: Document) -> None:
    page = reader(pdf, sentence="once.\nAlerts are sent").body.pages[0]
    assert [(piece.text.strip(), piece.cited) for piece in page.aloud] == [
        ("Enterprise customers are told at", False),
        ("once. Alerts are sent", True),
        ("at 80 percent.", False),
    ]


def test_a_document_is_opened_at_any_page(ledger: Document) -> None:
    assert [page.number for page in reader(ledger, "page=12").body.pages] == [12, 13, 14]
    assert [page.number for page in reader(ledger, "page=999").body.pages] == [40]
    assert reader(ledger, "page=0").page == 1


def test_a_named_page_comes_before_the_cited_one(ledger: Document) -> None:
    shown = reader(ledger, "page=3", sentence="The code of room 17 is K17.")
    assert shown.page == 3
    assert shown.marked
    assert shown.reveal == ""


def test_the_ways_to_the_pages_around(ledger: Document) -> None:
    controls = reader(ledger, "page=12").controls
    assert (controls.before, controls.after) == (f"{PATH}?page={12 - PAGES_AT_ONCE}", f"{PATH}?page=15")
    assert (reader(ledger).controls.before, reader(ledger, "page=38").controls.after) == ("", "")


def test_a_part_of_the_pages_is_bounded(ledger: Document) -> None:
    assert len(reading(ledger).page_part(1, 40).pages) == 12


def test_zoom_goes_in_steps(ledger: Document) -> None:
    at_150 = reader(ledger, "zoom=150")
    assert (at_150.controls.larger, at_150.controls.smaller) == (f"{PATH}?zoom=200", f"{PATH}?zoom=125")
    assert reader(ledger, "zoom=300").controls.larger == ""
    # 595 points are 793 CSS pixels.
    assert (at_150.body.pages[0].pixels_wide, at_150.body.pages[0].pixels_high) == (1190, 1684)
    assert reader(ledger, "zoom=151").state.zoom == 0


def test_a_script_is_told_the_sizes_of_all_pages(pdf: Document, ledger: Document) -> None:
    assert reader(pdf).sizes == "595x842 842x595 595x842"
    assert reader(ledger).sizes == "595x842*40"


def test_pages_can_be_read_as_text_and_back(ledger: Document) -> None:
    pages = reader(ledger, "page=12")
    assert pages.controls.as_text == f"{PATH}?page=12&view=text"
    text = reader(ledger, "page=12&view=text")
    assert text.as_text
    assert text.controls.as_pages == f"{PATH}?page=12"
    (begins,) = [line for line in text.body.lines if line.page == "Page 12"]
    assert begins.parts[0].text.startswith("Ledger page 12.")
    assert text.reveal == f"#L{begins.number}"


def test_in_the_text_of_pages_the_passage_is_marked_too(ledger: Document) -> None:
    shown = reader(ledger, "view=text", sentence="The code of room 17 is K17.")
    assert [part.text for line in shown.body.lines for part in line.parts if part.cited] == [
        "The code of room 17 is K17."
    ]


# --- The strip --------------------------------------------------------------------------------------------


def test_the_strip_shows_small_pages_and_which_are_cited(ledger: Document) -> None:
    version = version_of(ledger)
    spans = [
        (version.text.index(words), version.text.index(words) + 5)
        for words in ("Ledger page 14", "Ledger page 15")
    ]
    opened = Opened(version, ReaderState(PATH, page=14, strip=True), Marks(), cited=spans)
    strip = Reading(opened).reader().strip
    assert [page.number for page in strip] == list(range(6, 41))
    assert [page.number for page in strip if page.cited] == [14, 15]
    assert [page.number for page in strip if page.current] == [14]
    assert strip[0].address == f"{PATH}?page=6&strip=1"
    assert strip[0].source.endswith("&scale=thumb")


def test_without_being_asked_there_is_no_strip(ledger: Document) -> None:
    assert reader(ledger).strip == ()
    assert reader(ledger).controls.strip == f"{PATH}?page=1&strip=1"


def test_the_hits_of_a_search_take_the_place_of_the_strip(ledger: Document) -> None:
    shown = reader(ledger, "strip=1&q=room&page=3")
    assert shown.strip == ()
    assert shown.controls.strip == f"{PATH}?page=3&strip=1"


# --- The search -------------------------------------------------------------------------------------------


def test_hits_are_listed_with_their_pages_and_marked(ledger: Document) -> None:
    shown = reader(ledger, "q=room+2")
    found = shown.found
    assert found is not None
    assert found.total == 11
    assert [hit.page for hit in found.listed] == [2, *range(20, 30)]
    assert found.listed[0].snippet.before.endswith("The code of ")
    marked = [hit for page in shown.body.pages for hit in page.hits]
    assert [(hit.number, hit.current) for hit in marked] == [(1, True)]


def test_a_search_begins_after_the_cited_place(ledger: Document) -> None:
    shown = reader(ledger, "q=the+code", sentence="The code of room 17 is K17.")
    assert shown.found is not None
    assert shown.found.current == 17
    assert shown.reveal == ".hit--current"


def test_one_goes_from_hit_to_hit_and_around(ledger: Document) -> None:
    first = reader(ledger, "q=room+2").found
    assert first is not None
    assert first.next == f"{PATH}?q=room+2&hit=2"
    assert first.previous == f"{PATH}?q=room+2&hit=11"
    last = reader(ledger, "q=room+2&hit=11")
    assert last.page == 29
    assert last.found is not None
    assert last.found.next == f"{PATH}?q=room+2&hit=1"


def test_a_search_keeps_how_one_reads(ledger: Document) -> None:
    shown = reader(ledger, "q=room+2&zoom=150&view=text&v=7")
    assert dict(shown.search_fields) == {"v": "7", "zoom": "150", "view": "text"}
    assert shown.found is not None
    assert shown.found.leave == f"{PATH}?v=7&view=text&zoom=150"


def test_a_page_that_is_named_is_shown_whatever_was_found(ledger: Document) -> None:
    shown = reader(ledger, "q=room+2&page=22")
    assert shown.page == 22
    assert shown.found is not None
    assert shown.found.current == 0
    assert shown.found.next == f"{PATH}?q=room+2&hit=4"


def test_a_long_list_of_hits_comes_in_parts(long: Document) -> None:
    found = reader(long, "q=number&hit=120").found
    assert found is not None
    assert found.total == 1000
    assert [found.listed[0].number, found.listed[-1].number] == [101, 150]
    assert found.earlier == f"{PATH}?q=number&hit=100"
    assert found.later == f"{PATH}?q=number&hit=151"


def test_in_lines_a_hit_is_shown_with_the_lines_around_it(long: Document) -> None:
    shown = reader(long, "q=number+700")
    assert [part.text for line in shown.body.lines for part in line.parts if part.current] == ["number 700"]
    assert shown.found is not None
    assert shown.found.listed[0].line == 700


def test_nothing_found_says_so_and_stays_at_the_place(ledger: Document) -> None:
    shown = reader(ledger, "q=zebra", sentence="The code of room 17 is K17.")
    assert shown.found is not None
    assert (shown.found.total, shown.found.next) == (0, "")
    assert shown.page == 17


# --- The address ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "state"),
    [
        ("", ReaderState(PATH)),
        ("page=²&line=-1&zoom=1e3&hit=x&view=html&strip=yes", ReaderState(PATH)),
        ("q=%00a%00", ReaderState(PATH, query="a")),
        ("page=3&view=text&zoom=75", ReaderState(PATH, page=3, as_text=True, zoom=75)),
    ],
)
def test_what_makes_no_sense_in_an_address_is_not_said(query: str, state: ReaderState) -> None:
    assert state_of(PATH, QueryDict(query)) == state


def test_an_address_says_its_whole_state() -> None:
    state = ReaderState(
        PATH, version="7", page=3, as_text=True, zoom=75, query="کتاب & more", hit=2, mark=(4, 9), strip=True
    )
    assert state_of(PATH, QueryDict(state.address().partition("?")[2])) == state


def test_a_link_to_the_place_opens_it_in_the_same_version(ledger: Document) -> None:
    version = version_of(ledger)
    link = reader(ledger, "q=x&zoom=50", sentence="The code of room 17 is K17.").controls.link
    path, _, query = link.partition("?")
    assert path == f"/d/{ledger.pk}/"
    state = state_of(path, QueryDict(query))
    assert (state.version, state.page) == (str(version.pk), 17)
    again = Reading(Opened(version, replace(state, page=0))).reader()
    assert [bool(page.cited) for page in again.body.pages] == [True, False, False]
