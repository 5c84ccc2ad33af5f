"""PDF: canonical text in reading order, page by page, with words joined and paragraphs apart."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from sources.core.extract import Extracted, ExtractionError, FailureReason
from sources.core.extract.formats import read_file
from sources.core.extract.pdf_characters import read_characters
from sources.core.extract.pdf_document import open_pdf
from sources.core.extract.pdf_half import WORTH_SHARING
from sources.core.extract.pdf_read_page import read_page
from tests.files import A4, Page, Words, lines_of, make_pdf, text_page

LEFT = """Open-domain question answering relies on
efficient passage retrieval to select the
candidate contexts, where traditional sparse
vector space models are the usual method.
In this work we show that retrieval can be
practically implemented using dense vectors."""
RIGHT = """The second column goes on with other things
that have nothing to do with the first one
and is read after the first one has ended. We
thank all of our colleagues for the helpful
discussions and all of the reviewers for the
valuable remarks they made about this paper."""


def read(folder: Path, pages: Sequence[Page], name: str = "upload.pdf", **entries: object) -> Extracted:
    path = folder / "upload"
    path.write_bytes(make_pdf(pages, **entries))  # type: ignore[arg-type]  # passed on as they are
    return read_file(path, name, lambda done, total: None)


def refusal(folder: Path, data: bytes) -> FailureReason:
    path = folder / "upload"
    path.write_bytes(data)
    with pytest.raises(ExtractionError) as caught:
        read_file(path, "upload.pdf", lambda done, total: None)
    return caught.value.reason


def columns(*, row_by_row: bool) -> Page:
    left = [Words(72, 770 - 12 * row, text, 9) for row, text in enumerate(LEFT.split("\n"))]
    right = [Words(310, 770 - 12 * row, text, 9) for row, text in enumerate(RIGHT.split("\n"))]
    rows = [words for pair in zip(left, right, strict=True) for words in pair]
    return Page(rows if row_by_row else left + right)


def test_a_page_is_its_lines(tmp_path: Path) -> None:
    extracted = read(tmp_path, [text_page("Valve torque is 35 newton metres.\nCheck it every spring.")])
    assert extracted.text == "Valve torque is 35 newton metres.\nCheck it every spring."
    assert extracted.media_type == "application/pdf"
    assert extracted.language == "en"
    assert extracted.warnings == ()


def test_pages_are_spans_of_the_text_parted_by_a_blank_line(tmp_path: Path) -> None:
    extracted = read(tmp_path, [text_page("Page one."), text_page("Page two.\nGoes on.")])
    assert extracted.text == "Page one.\n\nPage two.\nGoes on."
    assert [extracted.text[page.start : page.end] for page in extracted.pages] == [
        "Page one.",
        "Page two.\nGoes on.",
    ]
    assert [(page.number, page.width, page.height) for page in extracted.pages] == [
        (1, 595.0, 842.0),
        (2, 595.0, 842.0),
    ]


def test_page_labels_are_the_printed_ones(tmp_path: Path) -> None:
    pages = [text_page(f"Text {number}.") for number in range(4)]
    labels = "0 << /S /r /St 3 >> 2 << /S /D /P (A-) >>"
    assert [page.label for page in read(tmp_path, pages, labels=labels).pages] == ["iii", "iv", "A-1", "A-2"]
    assert [page.label for page in read(tmp_path, pages).pages] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("tres, qua-\nrum unam incolunt", "tres, quarum\nunam incolunt"),
        ("tres, qua\u00ad\nrum unam incolunt", "tres, quarum\nunam incolunt"),
        ("tres, qua\u2010\nrum unam incolunt", "tres, quarum\nunam incolunt"),
        ("one, ex-\ntraordi-\nnary word", "one, extraordinary\nword"),
        ("Part K-7731-\nB fits here", "Part K-7731-B\nfits here"),
        ("Since COVID-\n19 began", "Since COVID-19\nbegan"),
        ("It is state-of-the-\nart now", "It is state-of-the-art\nnow"),
        ("A dual-encoder is a dual-\nencoder here", "A dual-encoder is a dual-encoder\nhere"),
        ("Haupt-\nund Nebensatz", "Haupt-\nund Nebensatz"),
        ("a dash -\nstands alone", "a dash -\nstands alone"),
        ("ends with-\n(a bracket)", "ends with-\n(a bracket)"),
        ("the last word is bro-", "the last word is bro-"),
    ],
)
def test_words_broken_at_a_line_end_are_joined(tmp_path: Path, lines: str, text: str) -> None:
    assert read(tmp_path, [text_page(lines)]).text == text


def test_wider_gaps_and_other_sizes_part_paragraphs(tmp_path: Path) -> None:
    title = [Words(72, 790, "A large title", 20)]
    body = lines_of("First line of one\nparagraph here.\n\nNext paragraph\nof two lines.")
    assert read(tmp_path, [Page(title + body)]).text == (
        "A large title\n\nFirst line of one\nparagraph here.\n\nNext paragraph\nof two lines."
    )


def test_evenly_wide_leading_parts_nothing(tmp_path: Path) -> None:
    page = Page(lines_of("one line\ntwo lines\nthree lines\nfour lines", leading=2.4))
    assert read(tmp_path, [page]).text == "one line\ntwo lines\nthree lines\nfour lines"


def test_a_first_line_set_in_begins_a_paragraph(tmp_path: Path) -> None:
    lines = lines_of(
        "This ends a sentence here.\nAnd this one does too.\nNew paragraph that begins\nand goes on."
    )
    lines[2] = Words(lines[2].x + 15, lines[2].y, lines[2].text)
    assert "does too.\n\nNew paragraph that begins\nand goes on." in read(tmp_path, [Page(lines)]).text


@pytest.mark.parametrize("row_by_row", [True, False])
def test_columns_are_read_one_after_the_other(tmp_path: Path, row_by_row: bool) -> None:
    text = read(tmp_path, [columns(row_by_row=row_by_row)]).text
    assert " ".join(text.split()) == " ".join(f"{LEFT} {RIGHT}".split())


def test_a_title_over_columns_comes_first(tmp_path: Path) -> None:
    title = Words(72, 800, "A title that stands over both of the columns of this page", 14)
    page = columns(row_by_row=True)
    text = read(tmp_path, [Page([title, *page.words])]).text
    assert " ".join(text.split()) == " ".join(f"{title.text} {LEFT} {RIGHT}".split())


def test_table_rows_stay_rows(tmp_path: Path) -> None:
    cells = [
        Words(72 + 110 * column, 700 - 14 * row, cell, 10)
        for row in range(8)
        for column, cell in enumerate((f"Row {row}", str(row * 37), "yes"))
    ]
    assert read(tmp_path, [Page(cells)]).text.split("\n")[:3] == [
        "Row 0\t0\tyes",
        "Row 1\t37\tyes",
        "Row 2\t74\tyes",
    ]


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_turned_pages_read_from_the_top(tmp_path: Path, rotate: int) -> None:
    page = Page(lines_of("Valve torque.\nCheck it.\nThird line.", x=172), (100, 50, 712, 842), rotate=rotate)
    extracted = read(tmp_path, [page])
    assert extracted.text == "Valve torque.\nCheck it.\nThird line."
    turned = rotate % 180 == 90
    assert (extracted.pages[0].width, extracted.pages[0].height) == ((792, 612) if turned else (612, 792))


@pytest.mark.parametrize(("angle", "step"), [(90, (20, 0)), (180, (0, 20)), (270, (-20, 0))])
def test_turned_text_reads_from_its_own_top(tmp_path: Path, angle: int, step: tuple[int, int]) -> None:
    lines = [
        Words(300 + row * step[0], 400 + row * step[1], text, angle=angle)
        for row, text in enumerate(("Turned text here", "and a second line", "and a third"))
    ]
    assert (
        " ".join(read(tmp_path, [Page(lines)]).text.split())
        == "Turned text here and a second line and a third"
    )


def test_what_lies_outside_the_displayed_page_is_left_out(tmp_path: Path) -> None:
    page = Page(
        [Words(72, 700, "Seen by readers"), Words(72, 820, "Printer's mark")], A4, crop_box=(0, 0, 595, 800)
    )
    assert read(tmp_path, [page]).text == "Seen by readers"


def test_right_to_left_text_is_in_the_order_of_reading(tmp_path: Path) -> None:
    extracted = read(tmp_path, [Page([Words(72, 700, "متن این دنیا سلام"[::-1])])])
    assert extracted.text == "متن این دنیا سلام"
    assert extracted.language == "fa"


def test_persian_rows_begin_at_the_right(tmp_path: Path) -> None:
    rows = [
        words
        for row, (label, value) in enumerate((("تاریخ پذیرش", "1403/10/04"), ("شماره جلسه", "436")))
        for words in (Words(72, 700 - 20 * row, value), Words(300, 700 - 20 * row, label[::-1]))
    ]
    assert read(tmp_path, [Page(rows)]).text == "تاریخ پذیرش\t1403/10/04\nشماره جلسه\t436"


def test_the_title_is_the_stated_one_or_the_files_name(tmp_path: Path) -> None:
    page = text_page("Words.")
    assert read(tmp_path, [page], title="Annual Report (2024)").title == "Annual Report (2024)"
    assert read(tmp_path, [page], "plan.pdf", title="Microsoft Word - draft.docx").title == "plan"


def test_the_outline_gives_headings_where_its_words_stand_alone(tmp_path: Path) -> None:
    pages = [
        text_page("Contents of scope\n\n1 Scope\nThe scope is wide."),
        text_page("Costs\nCosts are low."),
    ]
    extracted = read(tmp_path, pages, outline=[("Scope", 0), ("Costs", 1), ("Not there", 1)])
    assert [(h.text, extracted.text[h.start : h.end]) for h in extracted.headings] == [
        ("Scope", "1 Scope"),
        ("Costs", "Costs"),
    ]


def test_pages_without_text_are_named(tmp_path: Path) -> None:
    extracted = read(tmp_path, [text_page("Words here."), Page(picture=A4), text_page("More words.")])
    assert extracted.warnings == ("Page 2 has no text; what stands there can't be found or cited.",)
    assert [page.number for page in extracted.pages if page.end > page.start] == [1, 3]


def test_a_scan_has_no_text(tmp_path: Path) -> None:
    assert refusal(tmp_path, make_pdf([Page(picture=A4)])) == FailureReason.NO_TEXT
    assert refusal(tmp_path, make_pdf([Page()])) == FailureReason.NO_TEXT


def test_the_same_stamp_on_every_scan_is_no_text(tmp_path: Path) -> None:
    stamped = Page([Words(500, 20, "ScanApp")], picture=A4)
    assert refusal(tmp_path, make_pdf([stamped, stamped])) == FailureReason.NO_TEXT


def test_a_damaged_text_layer_is_said(tmp_path: Path) -> None:
    extracted = read(
        tmp_path, [text_page("Signs \ue012 \ue013 between words."), text_page("Good words on this page.")]
    )
    assert extracted.warnings == ("Page 1 has a damaged text layer; words there may be wrong.",)


def test_a_text_layer_that_means_nothing_is_said_and_not_indexed(tmp_path: Path) -> None:
    extracted = read(
        tmp_path, [text_page("\ue012\ue013\ue014 \ue015\ue012 \ue016"), text_page("Good words.")]
    )
    assert extracted.text == "Good words."
    assert extracted.warnings == (
        "Page 1 has a text layer that can't be read; what stands there can't be found or cited.",
    )


def shifted(text: str) -> str:
    """Glyph numbers as Word embeds them, a constant away from the letters."""
    return "".join(chr(ord(letter) - 29) for letter in text if letter != " ")


def test_a_font_that_names_no_characters_is_not_read_as_if_it_did(tmp_path: Path) -> None:
    # The wide font of tests.files, which a character beyond Latin-1 brings in, has a table of meanings.
    page = Page([Words(72, 700, shifted("thequickbrownfoxjumpsoverthelazydogandruns") + "\u2603")])
    without_table = make_pdf([page]).replace(b"/ToUnicode", b"/NoUnicode")
    assert refusal(tmp_path, without_table) == FailureReason.NO_TEXT


def test_characters_that_are_guessed_right_are_kept(tmp_path: Path) -> None:
    page = Page([Words(72, 700, "The quick brown fox jumps over the lazy dog \u2603")])
    path = tmp_path / "upload"
    path.write_bytes(make_pdf([page]).replace(b"/ToUnicode", b"/NoUnicode"))
    assert read_file(path, "x.pdf", lambda done, total: None).text.startswith("The quick brown fox")


def test_blank_pages_are_no_scans(tmp_path: Path) -> None:
    assert read(tmp_path, [text_page("One."), Page(), text_page("Three.")]).warnings == ()


def test_broken_files_are_corrupt(tmp_path: Path) -> None:
    whole = make_pdf([text_page("Words.")])
    assert refusal(tmp_path, whole[: len(whole) // 3]) == FailureReason.CORRUPT
    assert refusal(tmp_path, b"%PDF-1.7") == FailureReason.CORRUPT


def test_progress_counts_pages(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_bytes(make_pdf([text_page("One."), text_page("Two.")]))
    seen: list[tuple[int, int]] = []
    read_file(path, "upload.pdf", lambda done, total: seen.append((done, total)))
    assert seen == [(0, 2), (1, 2), (2, 2)]


def test_a_long_file_is_read_by_two_processes_as_by_one(tmp_path: Path) -> None:
    numbers = range(1, WORTH_SHARING + 8)
    pages = [text_page(f"The code of room {number} is {number * 7919}.") for number in numbers]
    path = tmp_path / "upload"
    path.write_bytes(make_pdf(pages, labels="0 << /S /r >>"))
    seen: list[tuple[int, int]] = []
    extracted = read_file(path, "x.pdf", lambda done, total: seen.append((done, total)))
    assert [extracted.text[page.start : page.end] for page in extracted.pages] == [
        f"The code of room {number} is {number * 7919}." for number in numbers
    ]
    with open_pdf(path) as document:
        alone = [read_page(document, number - 1) for number in numbers]
    assert [page.boxes for page in alone] == [page.boxes for page in extracted.pages]
    assert (extracted.pages[-1].label, seen == sorted(seen)) == ("ccvii", True)


def test_what_the_file_says_about_itself(tmp_path: Path) -> None:
    data = make_pdf([text_page("Words.")], title="House Rules")
    said = b"/Title (House Rules) /Author (Ada Byron) /CreationDate (D:19990502080000Z)"
    path = tmp_path / "upload"
    path.write_bytes(data.replace(b"/Title (House Rules)", said))
    extracted = read_file(path, "x.pdf", lambda done, total: None)
    assert (extracted.title, extracted.author, extracted.year) == ("House Rules", "Ada Byron", "1999")


def test_every_character_of_a_crowded_page_has_pdfiums_own_box(tmp_path: Path) -> None:
    lines = "\n".join(f"{row} " + "abcdefghij klmnopqrst " * 6 for row in range(90))
    path = tmp_path / "crowded.pdf"
    path.write_bytes(make_pdf([Page(lines_of(lines, size=5, leading=1.4))]))
    with open_pdf(path) as document:
        text_page = document[0].get_textpage()
        characters = read_characters(text_page)
        drawn = [at for at, char in enumerate(characters.text) if not char.isspace()]
        assert len(drawn) > 9_000
        for at in drawn:
            left, bottom, right, top = text_page.get_charbox(at)
            assert characters.boxes[at].tolist() == [left, right, bottom, top]
