"""Numbered lines with their marks, the layer of selectable words, and names made safe to show."""

import pytest

from sources.core.geometry import TextRun
from sources.core.line_view import LONGEST_LINE, Hit, LineView, Marks, NumberedLine, Span
from sources.core.lines import line_starts
from sources.core.names import plain_name
from sources.core.text_layer import layer_lines
from sources.page_view import unbroken

TEXT = "# Fees\n\nThe fee is ten euro.\nIt is due in May.\r\nسلام دنیا\n"


def span_of(text: str, words: str) -> Span:
    start = text.find(words)
    return start, start + len(words)


def marked(text: str, cited: str = "", chunk: str = "", *hits: str, current: int = 0) -> list[NumberedLine]:
    spans = [span_of(text, words) for words in hits]
    marks = Marks(
        cited=span_of(text, cited),
        chunk=span_of(text, chunk),
        hits=tuple(Hit(number, *span) for number, span in enumerate(spans, 1)),
        current=current,
    )
    starts = line_starts(text)
    return LineView(text, starts).lines(range(1, len(starts) + 1), marks)


def test_lines_come_with_their_numbers_and_without_their_ends() -> None:
    lines = marked(TEXT)
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
    line = marked(TEXT, "ten euro")[2]
    assert [(part.text, part.cited) for part in line.parts] == [
        ("The fee is ", False),
        ("ten euro", True),
        (".", False),
    ]


def test_a_span_over_a_line_end_marks_its_part_of_each_line() -> None:
    lines = marked(TEXT, "ten euro.\nIt is")
    assert [part.text for line in lines for part in line.parts if part.cited] == ["ten euro.", "It is"]


def test_the_chunk_is_marked_lightly_around_the_cited_line() -> None:
    lines = marked(TEXT, "ten euro", "The fee is ten euro.\nIt is due in May.")
    assert [(line.number, line.cited) for line in lines if line.in_chunk] == [(3, True), (4, False)]


def test_an_empty_line_inside_a_passage_belongs_to_it() -> None:
    lines = marked(TEXT, "# Fees\n\nThe fee", "# Fees\n\nThe fee is ten euro.")
    assert [line.number for line in lines if line.in_chunk] == [1, 2, 3]
    assert [line.number for line in lines if line.cited] == [1, 2, 3]


def test_without_marks_nothing_is_marked() -> None:
    assert not any(line.in_chunk or line.cited for line in marked(TEXT))


def test_hits_are_marked_with_their_numbers() -> None:
    line = marked(TEXT, "", "", "fee", "euro", current=2)[2]
    assert [(part.text, part.hit, part.current) for part in line.parts if part.hit] == [
        ("fee", 1, False),
        ("euro", 2, True),
    ]


def test_a_hit_that_reaches_into_the_cited_words_keeps_both_marks() -> None:
    line = marked(TEXT, "ten euro", "", "is ten")[2]
    assert [(part.text, part.cited, part.hit) for part in line.parts] == [
        ("The fee ", False, 0),
        ("is ", False, 1),
        ("ten", True, 1),
        (" euro", True, 0),
        (".", False, 0),
    ]


def test_headings_and_pages_are_named_where_they_begin() -> None:
    starts = line_starts(TEXT)
    view = LineView(TEXT, starts, headings={0: 2}, pages={0: "i", TEXT.index("It is"): "ii"})
    lines = view.lines(range(1, 6), Marks())
    assert [line.heading for line in lines] == [2, 0, 0, 0, 0]
    assert [line.page for line in lines] == ["i", "", "", "ii", ""]


def test_of_a_huge_line_the_part_around_the_mark_is_shown() -> None:
    (line,) = marked("a " * 50_000 + "needle" + " b" * 50_000, "needle")
    assert line.cut
    assert sum(len(part.text) for part in line.parts) == LONGEST_LINE
    assert [part.text for part in line.parts if part.cited] == ["needle"]


def test_of_a_huge_line_the_current_hit_comes_before_the_citation() -> None:
    text = "needle" + " a" * 50_000 + " pin"
    (line,) = marked(text, "needle", "", "pin", current=1)
    assert [part.text for part in line.parts if part.current] == ["pin"]


def run(text: str, x: float, y: float, width: float = 20, height: float = 10, turn: int = 0) -> TextRun:
    return TextRun(text, x, y, width, height, turn)


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
    ("turn", "first", "second"), [(90, (100, 50), (100, 75)), (-90, (100, 75), (100, 50))]
)
def test_words_that_are_read_along_a_side_are_one_turned_line(
    turn: int, first: tuple[float, float], second: tuple[float, float]
) -> None:
    (line,) = layer_lines([run("one", *first, 10, 20, turn), run("two", *second, 10, 20, turn)])
    assert line.turn == turn
    assert line.size == 10
    one, two = line.words
    assert (one.width, one.height) == (20, 10)
    assert two.x - one.x == 25


def test_a_turned_word_does_not_continue_an_upright_line() -> None:
    assert len(layer_lines([run("one", 0, 0), run("two", 25, 0, 10, 20, 90)])) == 2


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
