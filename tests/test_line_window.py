"""How many lines are shown at once, by their number and by their length."""

from hypothesis import given
from hypothesis import strategies as st

from sources.core.line_window import MOST_CHARACTERS, MOST_LINES, first_of, last_of
from sources.core.lines import line_starts


def test_it_works() -> None:
    text = "one\n" * 1000
    starts = line_starts(text)
    assert last_of(starts, len(text), 1) == MOST_LINES
    assert first_of(starts, len(text), 1000) == 1000 - MOST_LINES + 1


def test_short_texts_are_shown_whole() -> None:
    assert (last_of([0, 4, 8], 9, 1), first_of([0, 4, 8], 9, 3)) == (3, 1)
    assert (last_of([0], 0, 1), first_of([0], 0, 1)) == (1, 1)


def test_long_lines_are_fewer() -> None:
    text = ("x" * 999 + "\n") * 300
    starts = line_starts(text)
    assert last_of(starts, len(text), 11) == 10 + MOST_CHARACTERS // 1000
    assert first_of(starts, len(text), 300) == 301 - MOST_CHARACTERS // 1000


def test_of_a_line_counts_what_is_shown_of_it() -> None:
    text = "x" * 10_000_000 + "\none\ntwo"
    starts = line_starts(text)
    assert last_of(starts, len(text), 1) == 3


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=60), st.data())
def test_a_window_holds_its_end_and_no_more_than_there_is_room_for(
    lengths: list[int], data: st.DataObject
) -> None:
    text = "\n".join("x" * length for length in lengths)
    starts = line_starts(text)
    line = data.draw(st.integers(1, len(starts)))
    first, last = first_of(starts, len(text), line), last_of(starts, len(text), line)
    assert 1 <= first <= line <= last <= len(starts)
    for window in (range(first, line + 1), range(line, last + 1)):
        shown = sum(min(lengths[number - 1], 4000) for number in window)
        assert shown <= MOST_CHARACTERS or len(window) == 1
