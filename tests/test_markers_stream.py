"""The marker parser while the answer streams: slicing, holding back, leaking, cost."""

import itertools
import random
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.core.markers import MarkerParser, Text
from tests import marker_fuzz
from tests.marker_reading import IDS, Case, cases, events_of, parse

EVERY = [*itertools.chain(*map(cases, ("canonical", "repairs", "dropped", "kept", "code")))]
RESERVED = re.compile("[\ue200-\ue206]")
FRAGMENTS = st.sampled_from([*marker_fuzz.PIECES, *(case.raw for case in EVERY)])
ANSWERS = st.lists(FRAGMENTS | st.text(max_size=12), max_size=8).map("".join)


def answer(markers: int, length: int) -> str:
    """Return a Markdown answer of about `length` characters with `markers` markers."""
    prose = (
        "The museum opens at ten, and the *fee* is [twelve](https://example.org/fees) euros for all of us. "
    )
    parts = []
    for index in range(markers):
        body = (prose * 20)[: length // markers - 30]
        extra = (
            "\n\n| a | b |\n|---|---|\n| 1 | `x[1]` |\n\n```py\nx = a[0]\n```\n\n" if index % 9 == 0 else ""
        )
        parts.append(f"{body} \ue200cite\ue202{IDS[index % 4]}\ue201.{extra} ")
    return "".join(parts)


def cpu_seconds(text: str, pieces: int) -> float:
    """Return the least CPU time of five runs over the text in pieces."""
    size = -(-len(text) // pieces)
    best = float("inf")
    for _ in range(5):
        parser = MarkerParser(IDS)
        start = time.process_time()
        for at in range(0, len(text), size):
            parser.feed(text[at : at + size])
        parser.flush()
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.name)
def test_every_cut_into_two_and_three_gives_the_same_events(case: Case) -> None:
    raw, whole = case.raw, events_of([case.raw])
    for first, second in itertools.combinations_with_replacement(range(len(raw) + 1), 2):
        assert events_of([raw[:first], raw[first:second], raw[second:]]) == whole
    assert events_of(list(raw)) == whole


@given(text=ANSWERS, seed=st.integers(0, 2**32))
@settings(max_examples=300, deadline=None)
def test_any_slicing_gives_the_same_events(text: str, seed: int) -> None:
    pieces = marker_fuzz.random_slices(text, random.Random(seed))
    assert events_of(pieces) == events_of([text]) == events_of(list(text))


@given(text=ANSWERS | st.text(alphabet="\ue200\ue201\ue202\ue203\\ue20cite[]`~ \nL1", max_size=60))
@settings(max_examples=500, deadline=None)
def test_no_reserved_character_is_ever_shown_and_nothing_is_made_up(text: str) -> None:
    shown = ""
    parser = MarkerParser(IDS)
    for char in text:
        shown += "".join(event.text for event in parser.feed(char) if isinstance(event, Text))
        assert not RESERVED.search(shown)
        assert parser.held <= 512
    shown += "".join(event.text for event in parser.flush() if isinstance(event, Text))
    assert not RESERVED.search(shown)
    assert marker_fuzz.is_subsequence(shown, text)


def test_random_answers_of_fragments() -> None:
    """The same that bench/fuzz_markers.py does 200,000 times."""
    chance = random.Random(20)
    for _ in range(1_500):
        marker_fuzz.check(marker_fuzz.random_answer(chance), chance)


@given(
    text=st.text(
        alphabet=st.characters(exclude_characters="\ue200\ue201\ue202\ue203\ue204\ue205\ue206"), max_size=80
    )
)
@settings(max_examples=300, deadline=None)
def test_without_offered_blocks_plain_words_pass_unchanged(text: str) -> None:
    plain = re.sub(r"[\[<\\&{【〖(]|cite|navlist|\ufffd", "", text, flags=re.IGNORECASE)
    assert parse(plain, ids=()).clean == plain


@pytest.mark.parametrize(
    "opener",
    ["\ue200", "\ue200cite\ue202", "\ue200cite\ue202block_k7m2 ", "\ue200entity\ue202", "\\ue200cite", "`", "[", "【",
     "<cite id=", "<cite>", "```", "{CITATION_START", "[[block_k7m2", "\ufffdcite\ufffd", "(source ", "[^1]: "],
)  # fmt: skip
def test_an_opener_that_never_closes_shows_its_text_meanwhile(opener: str) -> None:
    words = "words that nobody ever closes " * 667
    parser, shown = MarkerParser(IDS), ""
    for at in range(0, len(words), 7):
        piece = (opener if at == 0 else "") + words[at : at + 7]
        shown += "".join(event.text for event in parser.feed(piece) if isinstance(event, Text))
        assert parser.held <= 512
        assert len(shown) >= at - 512
    shown += "".join(event.text for event in parser.flush() if isinstance(event, Text))
    assert shown.endswith(words[200:].rstrip(" ")) or shown.endswith(words[200:])


def test_an_endless_id_is_swallowed_up_to_a_limit() -> None:
    result = parse("A\ue200cite\ue202" + "x" * 3_000 + " and on.")
    assert result.clean == "A and on."
    assert "x" * 1_000 in parse("A\ue200cite\ue202" + "x" * 20_000).clean


def test_a_citation_comes_as_soon_as_its_marker_is_whole() -> None:
    parser = MarkerParser(IDS)
    events = parser.feed("Open at nine.\ue200cite\ue202block_k7m2\ue201")
    assert [type(event).__name__ for event in events] == ["Text", "Cite"]
    assert parser.feed(" So ") == [Text(" So")]


def test_a_citation_behind_a_space_waits_for_what_follows() -> None:
    parser = MarkerParser(IDS)
    assert parser.feed("Open at nine \ue200cite\ue202block_k7m2\ue201") == [Text("Open at nine")]
    assert [type(event).__name__ for event in parser.feed(". S")] == ["Cite", "Text"]


def test_a_long_answer_is_cheap_and_the_cost_linear() -> None:
    once, twice = answer(200, 60_000), answer(400, 120_000)
    cost = cpu_seconds(once, 3_000)
    assert cost < 0.3
    assert cpu_seconds(twice, 6_000) <= 2.2 * cost


@pytest.mark.parametrize(
    "unit",
    ["\ue200cite\ue202", "\ue202block_k7m2", "[", "[[", "`", "` ", "(a", "<a ", "【a", "\\", "cite", "citeturn0a0",
     "\\ue20", "- ", "> ", "1. ", "```\n", "&#x", "{CITATION_", "\ufffdcite", "[1†", "<cite>", "[a](", " ", "\n", "1-"],
)  # fmt: skip
def test_no_input_is_slow(unit: str) -> None:
    text = unit * (20_000 // len(unit))
    assert cpu_seconds(text, 1_000) < 0.5
    assert parse(text) == parse(*[text[at : at + 999] for at in range(0, len(text), 999)])


def test_a_raw_place_is_found_in_the_clean_text() -> None:
    raw = "Open 🎉 at nine \ue200cite\ue202block_k7m2\ue201. See ([host](https://example.org)) [1]."
    parser = MarkerParser(IDS)
    clean = "".join(event.text for event in parser.feed(raw) + parser.flush() if isinstance(event, Text))
    start = raw.index("([host]")
    end = start + len("([host](https://example.org))")
    assert clean[parser.clean_offset(start) : parser.clean_offset(end)] == raw[start:end]
    assert parser.clean_offset(raw.index("cite")) == clean.index("nine") + len("nine")
