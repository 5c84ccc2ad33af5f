"""What the chat's templates promise to the scripts and to the frames of the socket."""

import uuid
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe

from tests.page_reading import Page, read

TURN = uuid.UUID("11111111-2222-4333-8444-555555555555")
PARTS = [f"turn-{TURN}-{part}" for part in ("blocks", "open", "status", "sources")]


def reference(**fields: object) -> SimpleNamespace:
    given = {"number": 1, "title": "Pricing Policy", "place": "page 3", "href": "/cite/1/", "available": True}
    return SimpleNamespace(**{**given, "verdict": "supported", "verdict_text": "", **fields})


def turn(**fields: object) -> SimpleNamespace:
    given: dict[str, object] = {
        "id": TURN,
        "conversation_id": TURN,
        "question": "When?",
        "state": "complete",
        "state_text": "",
        "blocks": [mark_safe("<p>At 80%.</p>")],
        "open_html": mark_safe(""),
        "references": [],
        "status_text": "",
        "model_label": "Quoting model",
        "can_retry": False,
        "can_stop": False,
    }
    return SimpleNamespace(**{**given, **fields})


def shown(one: SimpleNamespace) -> Page:
    return read(render_to_string("chat/turn.html", {"turn": one}))


def frame(name: str, **context: object) -> Page:
    return read(render_to_string(f"chat/frames/{name}.html", {"sequence": 7, **context}))


def swaps(page: Page) -> list[tuple[str, str]]:
    """Return what htmx does with a frame: the swap and the element that it names or is."""
    return [
        (element.attributes["hx-swap-oob"], element.attributes.get("id", ""))
        for element in page.elements
        if "hx-swap-oob" in element.attributes
    ]


def labels(page: Page) -> Sequence[str]:
    return [text for text in page.texts if text in ("Stop", "Copy", "Copy without references", "Retry")]


def test_a_turn_has_the_parts_that_frames_replace() -> None:
    page = shown(turn())
    assert [page.by_id(name).tag for name in PARTS] == ["div", "div", "div", "section"]
    assert page.by_id(f"turn-{TURN}").tag == "article"
    assert swaps(page) == []


def test_question_and_answer_find_their_own_direction() -> None:
    page = shown(turn())
    names = [f"turn-{TURN}-question", *PARTS[:2]]
    assert [page.by_id(name).attributes["dir"] for name in names] == ["auto", "auto", "auto"]


def test_a_hostile_question_stays_text() -> None:
    page = shown(turn(question="<script>alert(1)</script>"))
    assert "script" not in [element.tag for element in page.elements]
    assert "<script>alert(1)</script>" in page.texts


def test_a_running_turn_can_be_stopped_and_not_copied() -> None:
    page = shown(turn(state="running", status_text="Searching…", can_stop=True, blocks=[]))
    assert labels(page) == ["Stop"]
    assert page.fields() == [("action", "stop"), ("turn", str(TURN))]
    assert "Searching…" in page.texts


def test_a_complete_turn_can_be_copied_with_and_without_its_references() -> None:
    page = shown(turn(references=[reference()]))
    assert labels(page) == ["Copy", "Copy without references"]
    assert page.values_of("data-copy-turn") == [str(TURN), str(TURN)]
    assert page.values_of("data-copy-query") == ["?references=0"]


def test_a_failed_turn_says_why_and_can_be_asked_again() -> None:
    page = shown(turn(state="failed", state_text="The model is busy.", blocks=[], can_retry=True))
    assert labels(page) == ["Retry"]
    assert page.fields() == [("action", "retry"), ("turn", str(TURN))]
    assert "The model is busy." in page.texts


def test_a_reference_opens_in_the_panel_and_without_script_as_a_page() -> None:
    (link,) = shown(turn(references=[reference()])).with_class("reference")
    assert (link.tag, link.attributes["href"], link.attributes["hx-get"]) == (
        "a",
        "/cite/1/#cited",
        "/cite/1/",
    )
    assert link.attributes["hx-target"] == "#passage-panel"


def test_a_web_reference_opens_elsewhere_and_tells_nothing_of_us() -> None:
    (link,) = shown(turn(references=[reference(href="https://example.com/")])).with_class("reference")
    assert link.attributes["rel"] == "noopener noreferrer nofollow"
    assert "hx-get" not in link.attributes


def test_a_reference_that_may_not_be_read_is_no_link() -> None:
    page = shown(turn(references=[reference(title="Not available to you", available=False)]))
    (line,) = page.with_class("reference")
    assert (line.tag, "href" in line.attributes) == ("span", False)
    assert page.values_of("hx-get") == []


def test_only_doubt_about_a_reference_is_said() -> None:
    doubtful = reference(verdict="weak", verdict_text="Only in part")
    sure = reference(verdict_text="Fully")
    assert "Only in part" in shown(turn(references=[doubtful])).texts
    assert "Fully" not in shown(turn(references=[sure])).texts


def test_a_delta_appends_what_closed_and_replaces_what_is_open() -> None:
    closed = [mark_safe("<p>One.</p>"), mark_safe("<p>Two.</p>")]
    page = frame("answer_delta", turn=turn(), closed=closed, open_html=mark_safe("<p>Thr</p>"))
    assert swaps(page) == [(f"beforeend:#{PARTS[0]}", ""), ("true", PARTS[1])]
    assert page.texts == ["One.", "Two.", "Thr"]


def test_a_delta_without_closed_blocks_only_replaces_the_open_one() -> None:
    page = frame("answer_delta", turn=turn(), closed=[], open_html=mark_safe("<p>Thr</p>"))
    assert swaps(page) == [("true", PARTS[1])]


def test_the_end_of_an_answer_leaves_its_closed_blocks_alone() -> None:
    page = frame("answer_finished", turn=turn(), closed=[], open_html=mark_safe(""))
    assert swaps(page) == [("true", name) for name in PARTS[1:]]


@pytest.mark.parametrize(
    ("name", "swap", "swapped"),
    [
        ("turn_added", "beforeend:#turns", ""),
        ("turn_replaced", "true", f"turn-{TURN}"),
        ("answer_status", "true", PARTS[2]),
    ],
)
def test_a_frame_about_a_turn_swaps_one_place(name: str, swap: str, swapped: str) -> None:
    page = frame(name, turn=turn())
    assert swaps(page) == [(swap, swapped)]
    assert page.values_of("hx-swap-oob") == [swap]


def test_an_error_is_a_toast_that_is_read_out_and_can_be_dismissed() -> None:
    page = frame("error", message="Please write a <b>question</b> first.")
    assert swaps(page) == [("beforeend:#notices", "")]
    assert [element.attributes["role"] for element in page.with_class("toast")] == ["alert"]
    assert "Please write a <b>question</b> first." in page.texts
    assert page.values_of("data-dismiss") == [""]


@pytest.mark.parametrize(
    "name", ["turn_added", "turn_replaced", "answer_delta", "answer_finished", "answer_status"]
)
def test_every_frame_has_its_number(name: str) -> None:
    page = frame(name, turn=turn(), closed=[], open_html=mark_safe(""))
    assert "7" in page.values_of("data-sequence")
