"""Footnote marks in the text that programs get."""

from hypothesis import given
from hypothesis import strategies as st

from chat.core.footnotes import FootnoteWriter, Place, Style, footnoted, sign

TEXT = "First. 🚀 Second. Third."
PLACES = [Place(6, 30, "a", "https://a.example/x"), Place(16, 4, "b"), Place(16, 30, "a")]


def test_it_works() -> None:
    answer = footnoted(TEXT, PLACES)
    assert answer.text == "First.[^1] 🚀 Second.[^2][^1] Third."
    assert [answer.text[mark.start : mark.end] for mark in answer.marks] == ["[^1]", "[^2]", "[^1]"]
    assert [(mark.index, mark.number) for mark in answer.marks] == [(0, 1), (1, 2), (2, 1)]


def test_utf16_ranges_count_as_javascript_does() -> None:
    units = footnoted(TEXT, PLACES).text.encode("utf-16-le")
    for start, end in footnoted(TEXT, PLACES).utf16_ranges:
        assert units[2 * start : 2 * end].decode("utf-16-le").startswith("[^")


def test_each_style_has_its_sign() -> None:
    assert [sign(style, 2, "https://a.example/x (y)") for style in Style] == [
        "[^2]",
        "[2]",
        "[2](https://a.example/x%20%28y%29)",
        "",
    ]


def test_without_signs_ranges_are_empty() -> None:
    answer = footnoted(TEXT, PLACES, Style.NONE)
    assert answer.text == TEXT
    assert [(mark.start, mark.end) for mark in answer.marks] == [(6, 6), (16, 16), (16, 16)]


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 4)), max_size=6))
def test_marks_taken_out_leave_the_text(text: str, places: list[tuple[int, int]]) -> None:
    sorted_places = [Place(min(at, len(text)), number, str(number)) for at, number in sorted(places)]
    answer = footnoted(text, sorted_places)
    kept, done = "", 0
    for mark in answer.marks:
        kept += answer.text[done : mark.start]
        assert len(kept) == sorted_places[mark.index].position
        done = mark.end
    assert kept + answer.text[done:] == text
    numbers = list(dict.fromkeys(mark.number for mark in answer.marks))
    assert numbers == list(range(1, len(numbers) + 1))


def sent(*pieces: str, places: dict[int, Place]) -> FootnoteWriter:
    writer = FootnoteWriter()
    for index, piece in enumerate(pieces):
        writer.say(piece)
        if index in places:
            writer.cite(index, places[index])
    return writer


def test_an_answer_that_goes_on_is_settled_by_its_rest() -> None:
    writer = sent("First.", places={0: Place(6, 1, "a")})
    assert writer.settle("First. Second.", [Place(6, 1, "a"), Place(14, 2, "b")]) == " Second.[^2]"
    assert writer.footnoted == footnoted("First. Second.", [Place(6, 1, "a"), Place(14, 2, "b")])


def test_what_was_sent_stays_and_late_sources_are_marked_at_the_end() -> None:
    writer = sent("First ([x](y)).", " Second.", places={1: Place(23, 1, "a")})
    settled = [Place(6, 1, "web"), Place(14, 2, "a")]
    assert writer.settle("First. Second.", settled) == "[^2]"
    answer = writer.footnoted
    assert answer.text == "First ([x](y)). Second.[^1][^2]"
    assert [(mark.index, mark.number) for mark in answer.marks] == [(1, 1), (0, 2)]


def test_a_mark_whose_source_is_gone_means_nothing() -> None:
    writer = sent("First.", places={0: Place(6, 1, "a")})
    assert writer.settle("Other.", []) == ""
    assert writer.footnoted.marks == ()
