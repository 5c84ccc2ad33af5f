"""The incremental pieces under the clients: events from bytes, thinking from content, places of annotations."""

import contextlib
import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.core.hosted import Place, clean_url, insertion_point, resolve_span
from chat.providers.base import ReasoningDelta, ReasoningTags, TextDelta, TextWithdrawn
from chat.providers.chat_completions import ChatReader
from chat.providers.errors import ModelError
from chat.providers.mending import TextMender
from chat.providers.responses import ResponsesReader
from chat.providers.sse import EventDecoder, EventTooLong, ServerEvent
from chat.providers.thinking import ThinkEvent, ThinkFilter


def slices(text: Sequence[object], cuts: list[int]) -> list[tuple[int, int]]:
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return list(pairwise(places))


def decode(pieces: list[bytes]) -> list[ServerEvent]:
    decoder = EventDecoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return [*events, *decoder.flush()]


STREAM = (
    b"\xef\xbb\xbf: hello\n\nevent: a\ndata: one\ndata: two\n\ndata:x\r\n\r\nid: 7\r\rdata:\n\n"
    b"data: \xd8\xa7\xf0\x9f\x8c\xa7\r\n\nretry: 3\n\nevent: b\n\nnonsense\ndata: last"
)


def test_events_of_every_form() -> None:
    assert decode([STREAM]) == [
        ServerEvent("a", "one\ntwo"),
        ServerEvent("", "x"),
        ServerEvent("", "ا🌧"),
        ServerEvent("", "last"),
    ]


@given(st.lists(st.integers(0, len(STREAM)), max_size=6))
def test_any_slicing_gives_the_same_events(cuts: list[int]) -> None:
    assert decode([STREAM[a:b] for a, b in slices(STREAM, cuts)]) == decode([STREAM])


def test_an_endless_event_is_refused() -> None:
    with pytest.raises(EventTooLong):
        decode([b"x" * 1024 * 1024] * 40)


def think(pieces: list[str], mode: ReasoningTags = ReasoningTags.AUTO) -> tuple[str, str, bool]:
    """Return the answer, the thinking and whether text was withdrawn."""
    filtering = ThinkFilter(mode)
    events: list[ThinkEvent] = [event for piece in pieces for event in filtering.feed(piece)]
    events += filtering.flush()
    withdrawn = TextWithdrawn() in events
    if withdrawn:
        place = events.index(TextWithdrawn())
        events = [*(event for event in events[:place] if not isinstance(event, TextDelta)), *events[place:]]
    answer = "".join(event.text for event in events if isinstance(event, TextDelta))
    thinking = "".join(event.text for event in events if isinstance(event, ReasoningDelta))
    return answer, thinking, withdrawn


THINKING = [
    ("Plain answer.", "Plain answer.", ""),
    ("<think>Hm.</think>\n\nAnswer.", "Answer.", "Hm."),
    ("\n<think>\nHm.\n</think>Answer.", "\nAnswer.", "\nHm.\n"),
    ("<THINK>Hm.</THINK>Answer.", "Answer.", "Hm."),
    ("<thinking>Hm.</thinking>Answer.", "Answer.", "Hm."),
    ("[THINK]Hm.[/THINK]Answer.", "Answer.", "Hm."),
    ("<think></think>Answer.", "Answer.", ""),
    ("<think>only reasoning", "", "only reasoning"),
    ("<think>a <think> b</think>Answer.", "Answer.", "a <think> b"),
    ("First.\n<think>Hm.</think>\nSecond.", "First.\nSecond.", "Hm."),
    ("One <think>Hm.</think> two.", "One two.", "Hm."),
    ("Use the <think> tag.", "Use the <think> tag.", ""),
    ("Use `<think>` and `</think>` tags.", "Use `<think>` and `</think>` tags.", ""),
    ("```\n</think>\n```\n", "```\n</think>\n```\n", ""),
    ("a < b and <thin air", "a < b and <thin air", ""),
    ("I reason.\n</think>\n\nAnswer.", "Answer.", "I reason.\n"),
    ("I reason</think>Answer.", "Answer.", "I reason"),
    ("</think>\n\nAnswer.", "Answer.", ""),
    ("<think>a</think>Answer with a stray </think> tag.", "Answer with a stray  tag.", "a"),
]


@pytest.mark.parametrize(("content", "answer", "thinking"), THINKING)
def test_thinking_is_told_from_the_answer(content: str, answer: str, thinking: str) -> None:
    assert think([content])[:2] == (answer, thinking)


@pytest.mark.parametrize(("content", "answer", "thinking"), THINKING)
def test_any_cut_tells_the_same(content: str, answer: str, thinking: str) -> None:
    for first in range(len(content) + 1):
        for second in range(first, len(content) + 1):
            pieces = [content[:first], content[first:second], content[second:]]
            assert think(pieces)[:2] == (answer, thinking)


def test_implied_thinking_begins_without_a_tag() -> None:
    assert think(["I reason</th", "ink>Answer."], ReasoningTags.IMPLIED) == ("Answer.", "I reason", False)
    assert think(["only reasoning"], ReasoningTags.IMPLIED) == ("", "only reasoning", False)


def test_tags_are_text_when_the_filter_is_off() -> None:
    assert think(["<think>x</think>"], ReasoningTags.OFF) == ("<think>x</think>", "", False)


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "`", "\n", "a", "<", "th", "ink>", " "]), max_size=14),
    st.lists(st.integers(0, 60)),
)
def test_no_slicing_changes_what_is_thinking(parts: list[str], cuts: list[int]) -> None:
    content = "".join(parts)
    assert think([content[a:b] for a, b in slices(content, cuts)]) == think([content])


@given(st.text(alphabet=st.characters(codec=None), max_size=20), st.lists(st.integers(0, 20)))
def test_mended_text_can_always_be_stored(text: str, cuts: list[int]) -> None:
    mender = TextMender()
    mended = "".join(mender.feed(text[a:b]) for a, b in slices(text, cuts)) + mender.flush()
    mended.encode("utf-8")
    assert "\0" not in mended


URL = "https://example.org/a"


@pytest.mark.parametrize(
    ("text", "start", "end", "place"),
    [
        (f"See {URL}.", 4, 25, Place(4, 25, False)),
        (f"🌧 See {URL}.", 7, 28, Place(6, 27, False)),
        (f"از {URL}.", 5, 26, Place(3, 24, False)),
        (f"See {URL} there.", 9, 12, Place(4, 25, True)),
        ("The claim itself. Next.", 0, 17, Place(0, 17, True)),
        ("Short.", 3, 99, Place(3, 6, True)),
        ("Short.", 50, 99, Place(6, 6, True)),
        ("Short.", 0, 0, None),
        ("Short.", 5, 2, None),
        ("Short.", -3, 2, None),
    ],
)
def test_spans_are_read_in_any_unit_or_repaired(text: str, start: int, end: int, place: Place | None) -> None:
    assert resolve_span(text, start, end, expected=(URL, "example.org")) == place


@pytest.mark.parametrize(
    ("text", "index", "at"),
    [
        ("Rain fell . Then", 9, 11),
        ("Rain fell. Then", 9, 10),
        ("Rain fell", 9, 9),
        ("Rain", 99, 4),
        ("باران؟ بعد", 5, 6),
    ],
)
def test_an_insertion_point_moves_behind_the_punctuation(text: str, index: int, at: int) -> None:
    place = insertion_point(text, index)
    assert (place.start, place.end) == (at, at)


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://example.org/a?utm_source=openai", "https://example.org/a"),
        ("https://example.org/a?b=1&utm_source=openai#c", "https://example.org/a?b=1#c"),
        ("https://example.org/a?b=%20x&c", "https://example.org/a?b=%20x&c"),
        ("HTTP://example.org", "HTTP://example.org"),
        ("javascript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("//example.org/a", ""),
        ("https://", ""),
        ("https://exa mple.org/", ""),
        ("https://[broken", ""),
        ("", ""),
    ],
)
def test_only_web_addresses_are_addresses(url: str, clean: str) -> None:
    assert clean_url(url) == clean


KEYS = re.findall(
    r"\w+",
    """
    annotation annotations choices citations code content content_index delta end_index error file_id
    finish_reason id incomplete_details index item message object output output_index reason reasoning refusal
    response results search_results sources start_index status text thinking type url url_citation usage
    """,
)
KINDS = [
    "response.output_text.delta",
    "response.completed",
    "response.output_item.done",
    "url_citation",
    "message",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(KINDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)


@pytest.mark.parametrize("make", [ChatReader, ResponsesReader])
@given(payloads=st.lists(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=8), max_size=5))
def test_no_json_breaks_a_reader(
    make: type[ChatReader] | type[ResponsesReader], payloads: list[dict[str, object]]
) -> None:
    reader = make()
    said: list[str] = []
    with contextlib.suppress(ModelError):
        for payload in payloads:
            said += [event.text for event in reader.feed(payload) if isinstance(event, TextDelta)]
        said += [event.text for event in reader.finish() if isinstance(event, TextDelta)]
    "".join(said).encode("utf-8")
