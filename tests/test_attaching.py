"""What a provider wrote into the text as its own citation marks leaves it, and every place moves with the text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.core.citations import Annotated, CitationCollector, WebSource
from chat.core.markers import Text
from chat.core.positions import utf16_length

PAGE = WebSource("", "https://example.org/a", "A page")
OTHER = WebSource("", "https://example.org/b", "Another page")


def attach(text: str, *places: tuple[WebSource, str]) -> CitationCollector:
    """Return what comes of a text in which each source is annotated over the given words."""
    found = CitationCollector((), str)
    found.take([Text(text)])
    found.attach(
        Annotated(source, text.index(words), text.index(words) + len(words)) for source, words in places
    )
    return found


def test_it_works() -> None:
    found = attach(
        "Fees rose ([example.org](https://example.org/a)). Then fell.",
        (PAGE, "([example.org](https://example.org/a))"),
    )
    assert found.text == "Fees rose. Then fell."
    assert [(c.number, c.position, c.covers) for c in found.citations] == [(1, 10, (9, 9))]


@pytest.mark.parametrize(
    "mark",
    [
        "[1]",
        "[^1]",
        "[doc1]",
        "[[1]](https://example.org/a)",
        "([example.org](https://example.org/a_(b)))",
        "([a](https://example.org/a), [b](https://example.org/b))",
        "\u30104:0\u2020source\u3011",
    ],
)
def test_a_mark_is_lifted_with_the_space_before_it(mark: str) -> None:
    assert attach(f"Fees rose {mark}.", (PAGE, mark)).text == "Fees rose."
    assert attach(f"Fees rose {mark} again.", (PAGE, mark)).text == "Fees rose again."
    assert attach(f"Fees rose.{mark}", (PAGE, mark)).text == "Fees rose."
    assert attach(f"Fees rose {mark}\r\nThen fell.", (PAGE, mark)).text == "Fees rose\r\nThen fell."


@pytest.mark.parametrize(
    "words", ["Fees rose", "[the report](https://example.org/a)", "arr[0]", "(see above)"]
)
def test_words_of_the_answer_stay(words: str) -> None:
    text = f"It says: {words}, and more."
    found = attach(text, (PAGE, words))
    assert found.text == text
    (citation,) = found.citations
    assert citation.covers is not None
    assert text[slice(*citation.covers)] == words


def test_marks_side_by_side_leave_one_place_with_two_sources() -> None:
    found = attach("Fees rose [1][2].", (PAGE, "[1]"), (OTHER, "[2]"))
    assert found.text == "Fees rose."
    assert [(c.number, c.position, c.source) for c in found.citations] == [(1, 10, PAGE), (2, 10, OTHER)]


def test_utf16_places_count_what_is_left() -> None:
    (citation,) = attach("🎉 [1] Fees rose [2].", (PAGE, "[1]"), (OTHER, "[2]")).citations[1:]
    assert (citation.position, citation.position_utf16) == (12, 13)


@given(
    pieces=st.lists(
        st.sampled_from(
            ["Fees rose", " ", ".", "🎉", "\n", "[1]", "[2]", "([x](https://example.org/x))", "قیمت‌ها"]
        ),
        max_size=14,
    ),
    spans=st.lists(st.tuples(st.integers(-3, 90), st.integers(-3, 90)), max_size=5),
)
def test_places_stay_in_order_and_inside(pieces: list[str], spans: list[tuple[int, int]]) -> None:
    text = "".join(pieces)
    found = CitationCollector((), str)
    found.take([Text(text)])
    sources = [WebSource("", f"https://example.org/{index}", "") for index in range(len(spans))]
    citations = found.attach(Annotated(s, *span) for s, span in zip(sources, spans, strict=True))
    assert all(0 <= c.position <= len(found.text) for c in citations)
    assert all(c.position_utf16 == utf16_length(found.text[: c.position]) for c in citations)
    assert all(a.position <= b.position for a, b in pairwise(citations))
    assert sorted({c.number for c in citations}) == list(range(1, len({c.number for c in citations}) + 1))
