"""Which markers are citations, how they are numbered, and where they stand."""

from dataclasses import replace
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.core.citations import Annotated, CitationCollector, Rejection, RejectReason, WebSource, located
from chat.core.markers import Cite, Dropped, DropReason, MarkerParser, Ref, Repair, Text
from chat.core.positions import from_utf16, to_utf16, utf16_length
from sources.core.passages import LineRange, Passage

VERSION = (
    "Pricing Policy\r\n"
    "Alerts are sent at 80% and 100%.\r\n"
    "Enterprise customers may ask for others.\r\n"
    "\r\n"
    "قیمت‌ها ماهانه‌اند.\r\n"
    "End 🎉 of page."
)


def passage(block_id: str, first: int, last: int, **fields: object) -> Passage:
    """Return lines `first` to `last` of VERSION as an offered block."""
    lines = VERSION.split("\r\n")
    starts = [0, *accumulate(len(line) + 2 for line in lines)]
    start, end = starts[first - 1], starts[last - 1] + len(lines[last - 1])
    known = Passage(
        block_id=block_id,
        document_id="d1",
        version_id="v1",
        title="Pricing Policy",
        text=VERSION[start:end],
        start=start,
        end=end,
        lines=LineRange(first, last),
        sha256="0" * 64,
    )
    return replace(known, **fields)  # type: ignore[arg-type]  # the fields are the dataclass's own


ALERTS, PRICES = passage("block_a7", 2, 3), passage("block_b8", 5, 6)


def collector(*passages: Passage, **options: object) -> CitationCollector:
    return CitationCollector(passages or (ALERTS, PRICES), lambda index: f"c{index}", **options)  # type: ignore[arg-type]


def read(raw: str, *passages: Passage, **options: object) -> CitationCollector:
    """Return what a whole answer collects."""
    offered = passages or (ALERTS, PRICES)
    parser, found = MarkerParser([p.block_id for p in offered]), collector(*offered, **options)
    found.take(parser.feed(raw) + parser.flush())
    return found


def marker(*fields: str) -> str:
    return "\ue200cite\ue202" + "\ue202".join(fields) + "\ue201"


def test_it_works() -> None:
    found = read(f"Alerts come twice. {marker('block_a7')} Prices are monthly {marker('block_b8')}.")
    assert found.text == "Alerts come twice. Prices are monthly."
    assert [(c.citation_id, c.number, c.position) for c in found.citations] == [("c0", 1, 18), ("c1", 2, 37)]
    assert found.citations[0].passage is ALERTS
    assert (
        found.citations[0].quote == ALERTS.text == VERSION[found.citations[0].start : found.citations[0].end]
    )
    assert found.rejections == ()


def test_numbers_follow_the_first_appearance_and_stay() -> None:
    found = read(f"B{marker('block_b8')} a{marker('block_a7')} b{marker('block_b8')}")
    assert [c.number for c in found.citations] == [1, 2, 1]
    assert [c.citation_id for c in found.citations] == ["c0", "c1", "c2"]
    assert found.numbers == {"block_b8": 1, "block_a7": 2}


def test_an_uncited_block_gets_no_number() -> None:
    assert read(f"A{marker('block_b8')}.").numbers == {"block_b8": 1}


def test_two_files_of_one_name_stay_two_sources() -> None:
    twin = passage("block_c9", 2, 3, document_id="d2")
    found = read(f"A{marker('block_a7', 'block_c9')}.", ALERTS, twin)
    assert [(c.number, c.source) for c in found.citations] == [(1, ALERTS), (2, twin)]


def test_the_same_block_twice_at_one_place_is_one_citation() -> None:
    found = read(f"A{marker('block_a7')}{marker('block_a7')} b{marker('block_a7')}.")
    assert [c.position for c in found.citations] == [1, 3]
    assert [r.reason for r in found.rejections] == [RejectReason.REPEATED_HERE]


def test_two_places_in_one_block_are_two_citations() -> None:
    found = read(f"A{marker('block_a7', 'L2', 'L3')}.")
    assert [(c.number, str(c.lines)) for c in found.citations] == [(1, "L2"), (1, "L3")]


def test_lines_inside_the_block_narrow_the_quote() -> None:
    (citation,) = read(f"A{marker('block_a7', 'L3')}.").citations
    assert citation.quote == "Enterprise customers may ask for others."
    assert VERSION[citation.start : citation.end] == citation.quote
    assert citation.lines == LineRange(3, 3)


def test_lines_of_a_block_with_persian_and_emoji() -> None:
    found = read(f"A{marker('block_b8', 'L5')} b{marker('block_b8', 'L6')}.")
    assert [c.quote for c in found.citations] == ["قیمت‌ها ماهانه‌اند.", "End 🎉 of page."]
    assert [VERSION[c.start : c.end] for c in found.citations] == [c.quote for c in found.citations]


@pytest.mark.parametrize("lines", ["L1", "L4", "L1-L2", "L3-L4", "L900-L901"])
def test_lines_outside_the_block_are_dropped_and_the_block_kept(lines: str) -> None:
    found = read(f"A{marker('block_a7', lines)}.")
    assert [(c.lines, c.quote) for c in found.citations] == [(None, ALERTS.text)]
    assert [r.reason for r in found.rejections] == [RejectReason.LOCATOR_OUTSIDE_BLOCK]


def test_blank_lines_are_no_evidence() -> None:
    assert located(passage("block_x1", 3, 5), LineRange(4, 4)) is None


def test_a_block_that_starts_in_mid_line_keeps_its_line_numbers() -> None:
    part = replace(ALERTS, text=ALERTS.text[7:], start=ALERTS.start + 7)
    assert located(part, LineRange(2, 2)) == (part.start, part.start + 25, "are sent at 80% and 100%.")


@pytest.mark.parametrize(
    ("raw", "options", "reason"),
    [
        (marker("block_zz"), {}, RejectReason.UNKNOWN_ID),
        (marker("turn3search1"), {}, RejectReason.HOSTED_ID_OF_OTHER_RESPONSE),
        (marker("block_zz"), {"withdrawn": ["block_zz"]}, RejectReason.NO_LONGER_PERMITTED),
        (marker("block_zz"), {"user_texts": ["please cite block_zz"]}, RejectReason.FORGED_BY_USER),
        (marker("customers"), {}, RejectReason.FORGED_IN_DOCUMENT),
        (marker("block_a7", "Lx"), {}, RejectReason.LOCATOR_UNUSABLE),
        ("\ue200cite\ue202block_a7", {}, RejectReason.CUT_OFF),
        ("\ue200entity\ue202x\ue201", {}, RejectReason.UNKNOWN_FAMILY),
        ("\ue200cite\ue202\ue201", {}, RejectReason.MALFORMED),
        ("\ue201", {}, RejectReason.STRAY_DELIMITER),
    ],
)
def test_what_is_rejected_says_why(raw: str, options: dict[str, object], reason: RejectReason) -> None:
    found = read(f"Alerts {raw}", ALERTS, PRICES, **options)
    assert found.text == "Alerts"
    assert [rejection.reason for rejection in found.rejections] == [reason]
    assert found.rejections[0].position == 6


def test_every_reason_of_the_parser_is_a_reason_here() -> None:
    assert {reason.value for reason in DropReason} <= {reason.value for reason in RejectReason}


def test_a_rejection_keeps_the_raw_marker_and_the_id() -> None:
    assert read(f"A{marker('block_zz')}.").rejections == (
        Rejection(marker("block_zz"), RejectReason.UNKNOWN_ID, 1, "block_zz"),
    )


def test_a_citation_that_was_not_offered_is_refused_even_if_the_parser_let_it_pass() -> None:
    found = collector()
    found.take([Text("A"), Cite((Ref("block_zz"),), None, "raw")])
    assert found.citations == ()
    assert [r.reason for r in found.rejections] == [RejectReason.UNKNOWN_ID]


def test_a_repair_is_told() -> None:
    assert read("Alerts [1].").citations[0].repaired_from == Repair.NUMBER


def test_a_batch_tells_what_it_added() -> None:
    found = collector()
    found.take([Text("One")])
    added = found.take(
        [Cite((Ref("block_a7"),), None, "m"), Text(" two"), Dropped("x", DropReason.MALFORMED)]
    )
    assert added.text == " two"
    assert [c.position for c in added.citations] == [3]
    assert [r.position for r in added.rejections] == [7]


def test_places_are_counted_in_code_points_and_in_utf16_units() -> None:
    found = read(f"🎉 جشن{marker('block_a7')} 👩‍🔬 done{marker('block_b8')}")
    for citation in found.citations:
        before = found.text[: citation.position]
        assert citation.position_utf16 == len(before.encode("utf-16-le")) // 2
    assert [c.position_utf16 - c.position for c in found.citations] == [1, 3]


@given(text=st.text(), data=st.data())
def test_utf16_places_convert_there_and_back(text: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(text)))
    units = to_utf16(text, position)
    assert units == len(text[:position].encode("utf-16-le", "surrogatepass")) // 2
    assert from_utf16(text, units) == position
    assert from_utf16(text, utf16_length(text) + 5) == len(text)
    assert from_utf16(text, -1) == 0


def test_a_place_inside_a_surrogate_pair_is_that_of_its_character() -> None:
    assert [from_utf16("a🎉b", units) for units in range(5)] == [0, 1, 1, 2, 3]


# Hosted sources: what a provider's own tools returned.

PAGE = WebSource("turn0search2", "https://example.org/a", "A page")
OTHER = WebSource("", "https://example.org/b", "Another page")


def test_a_hosted_id_counts_after_its_tool_returned_it() -> None:
    parser, found = MarkerParser(["block_a7"]), collector(ALERTS)
    found.offer(PAGE.source_id, PAGE)
    parser.offer(PAGE.source_id)
    found.take(parser.feed(f"Web{marker('turn0search2')} own{marker('block_a7')}.") + parser.flush())
    assert [(c.number, c.source) for c in found.citations] == [(1, PAGE), (2, ALERTS)]
    assert [c.passage for c in found.citations] == [None, ALERTS]


def test_annotations_and_markers_are_numbered_together_by_place() -> None:
    found = read(f"Own words{marker('block_a7')}. Web words. More own{marker('block_b8')}.")
    citations = found.attach([Annotated(OTHER, 11, 20), Annotated(PAGE, 0, 3)])
    assert [(c.number, c.position, c.covers) for c in citations] == [
        (1, 3, (0, 3)),
        (2, 9, None),
        (3, 20, (11, 20)),
        (4, 30, None),
    ]
    assert sorted(c.citation_id for c in citations) == ["c0", "c1", "c2", "c3"]
    assert citations[1].citation_id == "c0"
    assert found.numbers == {PAGE.url: 1, "block_a7": 2, OTHER.url: 3, "block_b8": 4}


def test_one_page_by_two_ids_is_one_source() -> None:
    twin = WebSource("turn1view0", PAGE.url, "The same page")
    found = read("Some words of the web.")
    assert [c.number for c in found.attach([Annotated(PAGE, 0, 4), Annotated(twin, 5, 10)])] == [1, 1]


def test_spans_out_of_range_or_overlapping_are_repaired() -> None:
    found = read("Ten chars.")
    citations = found.attach([Annotated(PAGE, -5, 6), Annotated(OTHER, 4, 900), Annotated(OTHER, 8, 7)])
    assert [c.covers for c in citations] == [(0, 6), (6, 10)]


def test_an_annotation_that_comes_twice_is_one_citation() -> None:
    found = read("Some words.")
    assert len(found.attach([Annotated(PAGE, 0, 4), Annotated(PAGE, 0, 4)])) == 1


@given(spans=st.lists(st.tuples(st.integers(-20, 60), st.integers(-20, 60)), max_size=8))
def test_repaired_spans_lie_in_the_text_and_do_not_overlap(spans: list[tuple[int, int]]) -> None:
    found = read(f"Some words of an answer{marker('block_a7')} with 🎉 in it.")
    sources = [replace(PAGE, url=f"https://example.org/{index}") for index in range(len(spans))]
    citations = found.attach(Annotated(s, *span) for s, span in zip(sources, spans, strict=True))
    covered = sorted(c.covers for c in citations if c.covers)
    assert all(0 <= start <= end <= len(found.text) for start, end in covered)
    assert all(before[1] <= after[0] for before, after in pairwise(covered))
    assert [c.position for c in citations] == sorted(c.position for c in citations)
    assert list(dict.fromkeys(c.number for c in citations)) == list(range(1, len(found.numbers) + 1))


@given(st.lists(st.text(alphabet="abc", max_size=5), max_size=8), st.integers(0, 40), st.integers(1, 12))
def test_the_words_before_a_place_are_the_end_of_the_answer_so_far(
    pieces: list[str], place: int, most: int
) -> None:
    reading = collector()
    reading.take(map(Text, pieces))
    position = min(place, len("".join(pieces)))
    assert reading.before(position, most) == "".join(pieces)[:position][-most:]
