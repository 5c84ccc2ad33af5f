"""What the marker parser makes of each form: tests/cases/markers has the rows, docs/citations.md the rules."""

import re
from pathlib import Path

import pytest

from chat.core.markers import Cite, Dropped, DropReason, MarkerParser, Ref, Repair, Text
from sources.core.passages import LineRange
from tests.marker_reading import Case, cases, events_of, parse

CANONICAL = cases("canonical")
REPAIRS = cases("repairs")
DROPPED = cases("dropped")
KEPT = cases("kept")
CODE = cases("code")
ALL = [*CANONICAL, *REPAIRS, *DROPPED, *KEPT, *CODE]
DOCUMENT = Path(__file__).parent.parent / "docs" / "citations.md"


# What models were seen to write, collected from providers' guides and public reports, with the cases that show
# what becomes of it; tests/test_attaching.py has the links that providers write for their own sources.
SEEN = {
    "several ids, lines after each id": ("several ids", "lines at the end", "lines after each id"),
    "other families": ("filecite with lines", "navlist with a title", "another family", "upper-case family"),
    "spelled-out delimiters": (
        "backslash escapes",
        "doubled backslashes",
        "braced escapes",
        "the characters' names",
        "HTML entities",
        "the guide's placeholders",
    ),
    "delimiters lost": (
        "delimiters stripped",
        "delimiters stripped, with lines",
        "stripped delimiters around a known and an unknown id",
    ),
    "not closed, closed wrongly, no delimiter, no family": (
        "no closing character",
        "a separator in place of the closing character",
        "no separator after the family at all",
        "no family",
    ),
    "anchors": (
        "a separator alone before an id",
        "LibreChat's anchors in a highlighted span",
        "other reserved characters",
    ),
    "Assistants": (
        "an Assistants mark that names nothing offered",
        "Assistants form that names an offered id",
    ),
    "gpt-oss": ("gpt-oss cursor, from 0",),
    "lenticular brackets": (
        "id in lenticular brackets",
        "number in white lenticular brackets",
        "lenticular brackets in prose",
    ),
    "footnotes": (
        "footnote by number",
        "Bing's footnote",
        "footnote by id",
        "a footnote with a tool call's id",
        "a footnote's definition",
        "a footnote that names nothing",
    ),
    "numbers": (
        "number",
        "numbers",
        "range",
        "Persian digits and comma",
        "full-width brackets and digit",
        "a list that does not wholly resolve",
        "a link",
        "an index",
        "a code span",
    ),
    "labels": (
        "doc and number without a space",
        "Source in parentheses",
        "RAGFlow's own number, whose base nobody knows",
    ),
    "links": ("a link around a bracket",),
    "elements": ("cite element around a claim", "a leaked Anthropic element"),
    "Cohere": ("Cohere's element, from 0",),
    "ids in brackets": (
        "id in brackets",
        "id in parentheses",
        "an id in prose",
        "an unknown id in brackets",
    ),
    "invented ids": ("an unknown id", "a hosted id of another response"),
    "in code or a link": ("in a fence", "in a code span", "in a link's target", "in the text of a link"),
    "stray characters": ("a stray closing character", "replacement characters"),
    "spaces and repetition": ("between words", "adjacent markers", "the same id twice"),
}


def named(case: Case) -> str:
    return case.name


def test_it_works() -> None:
    assert events_of(["Open at nine. \ue200cite\ue202block_k7m2\ue202L8-L13\ue201 Closed on Monday."]) == [
        Text("Open at nine."),
        Cite(
            (Ref("block_k7m2", LineRange(8, 13)),),
            None,
            "\ue200cite\ue202block_k7m2\ue202L8-L13\ue201",
            LineRange(8, 13),
        ),
        Text(" Closed on Monday."),
    ]


@pytest.mark.parametrize("case", ALL, ids=named)
def test_a_form_gives_its_clean_text_and_its_citations(case: Case) -> None:
    result = parse(case.raw)
    assert result.clean == case.clean
    assert result.places == case.places


@pytest.mark.parametrize("case", CANONICAL, ids=named)
def test_a_canonical_marker_is_not_called_repaired(case: Case) -> None:
    assert {cite.repaired_from for cite in parse(case.raw).cites} == {None}


@pytest.mark.parametrize("case", REPAIRS, ids=named)
def test_a_repair_is_named(case: Case) -> None:
    assert parse(case.raw).cites[0].repaired_from == case.repair


@pytest.mark.parametrize("case", DROPPED, ids=named)
def test_what_is_dropped_has_its_reason(case: Case) -> None:
    assert case.reason in {dropped.reason.value for dropped in parse(case.raw).dropped}


@pytest.mark.parametrize("case", KEPT, ids=named)
def test_what_only_looks_like_a_citation_is_not_touched(case: Case) -> None:
    assert events_of([case.raw]) == [Text(case.raw)]


def test_every_repair_and_reason_has_a_case() -> None:
    assert {case.repair for case in REPAIRS} == {repair.value for repair in Repair}
    assert {case.reason for case in DROPPED} == {reason.value for reason in DropReason}


@pytest.mark.parametrize("form", SEEN)
def test_every_form_that_was_seen_has_its_cases(form: str) -> None:
    assert set(SEEN[form]) <= {case.name for case in ALL}


def test_the_documentation_names_every_repair_reason_and_kept_form() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    missing = [str(name) for name in (*Repair, *DropReason) if f"`{name}`" not in text]
    missing += [case.name for case in (*REPAIRS, *KEPT) if case.name not in text]
    assert missing == []


def test_the_raw_marker_is_kept_for_the_audit() -> None:
    assert [cite.raw for cite in parse("A [1, L2] and 【block_p9q4】.").cites] == [
        "[1, L2]",
        "【block_p9q4】",
    ]
    assert parse("A\ue200cite\ue202block_zzzz\ue201.").dropped == (
        Dropped("\ue200cite\ue202block_zzzz\ue201", DropReason.UNKNOWN_ID, "block_zzzz"),
    )


def test_the_last_locator_is_the_marker_s_own() -> None:
    (cite,) = parse("A\ue200cite\ue202block_k7m2\ue202block_p9q4\ue202L3\ue201.").cites
    assert cite.locator == LineRange(3, 3)
    assert cite.refs == (Ref("block_k7m2"), Ref("block_p9q4", LineRange(3, 3)))
    assert cite.ids == ("block_k7m2", "block_p9q4")


def test_lines_after_an_unknown_id_are_not_given_to_its_neighbour() -> None:
    (cite,) = parse("A\ue200cite\ue202block_k7m2\ue202block_zzzz\ue202L3\ue201.").cites
    assert cite.refs == (Ref("block_k7m2"),)


def test_a_number_means_the_order_of_the_offered_blocks() -> None:
    assert parse("A [2].", ids=("x1", "x2")).cites[0].ids == ("x2",)
    assert parse("A [2].", ids=("x1",)).clean == "A [2]."
    assert parse("A [1].", ids=()).clean == "A [1]."


def test_an_id_wins_over_a_number() -> None:
    assert parse("A [2].", ids=("2", "7")).cites[0].ids == ("2",)


def test_no_soft_form_counts_without_offered_blocks() -> None:
    text = "[1] [^a] [doc 2] arr[0] [block_k7m2] (source 1) 【1】 <b>"
    assert parse(text, ids=()).clean == text


def test_a_hosted_id_counts_once_its_tool_has_returned_it() -> None:
    parser = MarkerParser(("block_k7m2",))
    before = parser.feed("A\ue200cite\ue202turn0search2\ue201 b")
    parser.offer("turn0search2")
    after = parser.feed(" c\ue200cite\ue202turn0search2\ue201 d [2]") + parser.flush()
    assert [event.reason for event in before if isinstance(event, Dropped)] == ["hosted_id_of_other_response"]
    assert [event.ids for event in after if isinstance(event, Cite)] == [("turn0search2",)]
    assert "".join(event.text for event in after if isinstance(event, Text)).endswith("[2]")


def test_fifty_ids_in_one_marker() -> None:
    ids = [f"block_{number:04d}" for number in range(50)]
    result = parse("A\ue200cite\ue202" + "\ue202".join(ids) + "\ue201.", ids=ids)
    assert result.clean == "A."
    assert result.cites[0].ids == tuple(ids)


def test_a_removed_marker_does_not_make_a_new_one_of_its_neighbours() -> None:
    result = parse("A &#xE2[[block_k7m2]]00; b \\ue2[[block_k7m2]]01 c")
    assert not re.search("e20[0-6]", result.clean, re.IGNORECASE)


def test_an_element_that_cites_twice_keeps_both_places() -> None:
    text = "<cite id='block_k7m2'>One</cite> and <cite id='block_p9q4'>two</cite>."
    assert parse(text).clean == "One and two."
    assert [at for at, _ in parse(text).places] == [3, 11]
