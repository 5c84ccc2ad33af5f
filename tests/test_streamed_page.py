"""From the model's pieces to what a person sees at each moment: parser, citations and renderer together."""

import itertools
import random
import re
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.core.citations import Citation, CitationCollector
from chat.core.export import Reference, to_html, to_markdown, to_plain_text
from chat.core.markers import MarkerParser
from chat.core.render import Chip, StreamRenderer, render_markdown
from sources.core.passages import LineRange, Passage
from tests import marker_fuzz
from tests.marker_reading import IDS, Case, cases
from tests.render_reading import read

EVERY = [*itertools.chain(*map(cases, ("canonical", "repairs", "dropped", "kept", "code")))]
RESERVED = re.compile("[\ue200-\ue206]")
# What only markers hold; a case whose clean text holds one has it as words of the answer.
FRAGMENTS = re.compile(r"ue20|E20|CITATION|†|block_|turn\d|filecite|navlist|xee|&#", re.IGNORECASE)
WORDS = "words that nobody ever closes "


def passage(block_id: str) -> Passage:
    return Passage(
        block_id, "d", "v", "Title", "one\ntwo\nthree", 0, 13, LineRange(1, 3), sha256="0" * 64, page=4
    )


def chip_of(citation: Citation) -> Chip:
    key = f"citation-{citation.citation_id}"
    return Chip(citation.position, citation.number, key, f"Source {citation.number}", f"/cite/{key}/")


class Page:
    """What a viewer's page shows while an answer comes in."""

    def __init__(self, ids: Sequence[str] = IDS) -> None:
        self._parser = MarkerParser(ids)
        self._renderer = StreamRenderer()
        self._collector = CitationCollector(map(passage, ids), str)
        self._closed: list[str] = []

    def take(self, piece: str | None) -> str:
        """Take a piece, or the end, and return all that is shown now."""
        events = self._parser.flush() if piece is None else self._parser.feed(piece)
        found = self._collector.take(events)
        self._renderer.append(found.text)
        for citation in found.citations:
            self._renderer.place(chip_of(citation))
        frame = self._renderer.frame() if piece is not None else self._renderer.finish()
        assert not frame.restart
        self._closed.extend(frame.closed)
        return "".join((*self._closed, frame.open_html))

    @property
    def text(self) -> str:
        return self._collector.text

    @property
    def chips(self) -> list[Chip]:
        return [chip_of(citation) for citation in self._collector.citations]


def moments(pieces: Sequence[str]) -> Iterator[tuple[str, Page]]:
    """Yield what is shown after each piece and at the end."""
    page = Page()
    for piece in (*pieces, None):
        yield page.take(piece), page


def seen(html: str) -> str:
    """Return the words on a page."""
    return "".join(child if isinstance(child, str) else child.text() for child in read(html).children)


def exports(page: Page) -> tuple[str, ...]:
    references = [Reference(chip.number, chip.label) for chip in page.chips]
    return tuple(
        export(page.text, page.chips, references) for export in (to_plain_text, to_markdown, to_html)
    )


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.name)
def test_no_moment_shows_a_part_of_a_marker(case: Case) -> None:
    shown = ""
    for html, page in moments(list(case.raw)):
        shown = html
        assert not RESERVED.search(html)
        assert case.clean.startswith(page.text)
        if not FRAGMENTS.search(case.clean):
            assert not FRAGMENTS.search(seen(html)), html
    assert page.text == case.clean
    assert shown == "".join(render_markdown(page.text, page.chips))


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.name)
def test_cuts_into_two_and_three_give_the_same_page_and_exports(case: Case) -> None:
    raw = case.raw
    *_, (whole, page) = moments([raw])
    thirds = random.Random(case.name).sample(
        [*itertools.combinations(range(len(raw)), 2)], k=min(30, len(raw))
    )
    for first, second in [*((cut, len(raw)) for cut in range(len(raw))), *thirds]:
        *_, (html, cut_page) = moments([raw[:first], raw[first:second], raw[second:]])
        assert html == whole
        assert cut_page.chips == page.chips
        assert exports(cut_page) == exports(page)


@given(seed=st.integers(0, 2**32))
def test_an_answer_gives_the_same_page_and_exports_in_any_pieces(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(marker_fuzz.random_string(chance) for _ in range(4)).replace("block_1", IDS[0])
    *_, (whole, page) = moments([text])
    for pieces in (
        list(text),
        marker_fuzz.random_slices(text, chance),
        marker_fuzz.random_slices(text, chance),
    ):
        *before, (html, sliced) = moments(pieces)
        assert not any(RESERVED.search(moment) for moment, _ in before)
        assert html == whole
        assert sliced.chips == page.chips
        assert exports(sliced) == exports(page)
    assert not any(RESERVED.search(export) for export in exports(page))


@pytest.mark.parametrize(
    "opener",
    [
        "\ue200",
        "\ue200cite",
        "\ue200cite\ue202",
        "\ue200cite\ue202block_k7m2\ue202L3 ",
        "\ue200entity\ue202",
        "\\ue200cite\\ue202",
        "{CITATION_START",
        "\ufffdcite\ufffd",
        "[[block_k7m2",
        "【4:0†",
        "<cite id=",
        "<cite>",
    ],
)
def test_an_opener_that_never_closes_shows_its_text_meanwhile(opener: str) -> None:
    """20,000 characters after it: at most 512 are held, and the page lags by its own sixteenth at most."""
    text = f"An answer. {opener}{WORDS * 667}"
    for end, (html, _) in zip(range(7, len(text) + 7, 7), moments(chunks(text, 7)), strict=False):
        words = seen(html)
        assert not RESERVED.search(html)
        assert len(words) >= end * 15 / 16 - 512 - 7 - len(opener)
        if "\ue200" in opener or "\\" in opener:
            assert not re.search(r"cite|block_|entity|ue20", words), words


def chunks(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]
