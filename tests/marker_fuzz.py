"""Random answers made of marker fragments, and what must hold for each; bench/fuzz_markers.py reads many more."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chat.core.citations import Annotated, Citation, CitationCollector, Rejection, WebSource
from chat.core.marker_spellings import SPELLED
from chat.core.markers import Event, MarkerParser, Text
from chat.core.positions import utf16_length
from sources.core.passages import LineRange, Passage

IDS = ("block_1", "block_2", "block_12", "turn0file1", "b3f9c2d1-7a10-4a55-9f6e-2f0c1d9e8a77", "doc7.p3")
HOSTED = ("turn0search0", "turn0search2", "turn1view0")
SOURCES = [WebSource(name, f"https://{name}.example/1", name) for name in (*HOSTED, "a", "b")]
RESERVED = re.compile("[\ue200-\ue206]")
CODE_OR_LINK = re.compile(r"[`<(]|~~|    |\t|\[\[")
PROVIDER_MARK = re.compile(r"\(\[[^]]*\]\([^)]*\)\)|\[\[\d\]\]\([^)]*\)|\[(?:\^|doc)?\d\]|【[^】]*】")
HELD_LIMIT = 512
PIECES: Sequence[str] = (
    *"\ue200\ue200\ue201\ue201\ue202\ue202\ue203\ue204\ue206\uf8ff\ufffd",
    *" \n\n\r\t`~[]()【】〖〗［］†<>*_|:.,;\\&{}$^-#1۲３abzé是🎉\u200c\u200b",
    *IDS, "block_9", "turn1view2", "cite", "Cite", "filecite", "navlist", "entity", "L8-L13", "L3", "L9-2", "L۳",
    "\ue200cite\ue202", "\ue202block_1\ue201", "\\ue200", "\\\\ue202", "\\ue201", "\\u{e200}", "U+E200", "&#xE200;",
    "&#57857;", "{CITATION_START}", "{CITATION_DELIMITER}", "{CITATION_STOP}", "```", "````", "~~~", "``", "\n```\n",
    "\n~~~py\n", "- ", "> ", "1. ", "    ", "\n\n", "\r\n", "  ", "<cite>", "</cite>", '<cite id="block_1">',
    "<cite id='x'/>", "<co: 0,1>", "</co: 0,1>", '(cite index="1-0">', "<br>", "<a href='", "[1]", "[2, 3]", "[1-3]",
    "[^1]", "[^block_2]", "[^9]: ", "\n[^1]: x\n", "[[block_1]]", "[[block_2 L3-L4]]", "[[", "]]", "[doc 2]", "](",
    "(source 1)", "【4:0†source】", "【block_1†L2】", "【重要】", "citeturn0file1", "citeturn0search2turn1view0",
    "arr[0]",
    "turn0search0", "turn0search2", "turn1view0", "\ue202turn0search2\ue201",
    "\ue200filecite\ue202turn0file1\ue202L1-L3\ue201",
    "\ue200cite\ue202turn0search0\ue202turn0search2\ue201", "[doc1]", "[doc 3]", "([a.example](https://a.example/1))",
    "[[1]](https://a.example/1)", "[turn0search2]", "【turn1view0】", "citeblock_12", "[۱]", "［2］", "(منبع ۱)",
    "[2019] UKSC 41", "[x](http://a.b/c)", "[1](block_1)", "(#block_2)", "(cite:block_1)",
    "[see block_2]", "[**block_1**]", "A plain sentence of prose. ", "x" * 90, "a b " * 40,
)  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """A raw answer and what surrounds it; `late` are ids that are offered when so much of it has come.

    `spans` are half-open spans of the raw answer with a source that a provider's tool attached to them.
    """

    text: str
    ids: tuple[str, ...] = IDS
    numbered: bool = True
    late: tuple[tuple[int, str], ...] = ()
    spans: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What came of an answer: its joined events, and then its text and citations with what was attached."""

    events: Sequence[Event]
    own: tuple[Citation, ...]
    text: str
    citations: tuple[Citation, ...]
    rejections: tuple[Rejection, ...]

    @property
    def shown(self) -> str:
        """The clean text before anything was attached."""
        return "".join(event.text for event in self.events if isinstance(event, Text))


def run(answer: Answer, cuts: Sequence[int] = ()) -> Outcome:
    """Read an answer in the pieces between the cuts, and check what is held on the way."""
    parser = MarkerParser(answer.ids, numbered=answer.numbered)
    collector = CitationCollector(map(_passage, answer.ids), str)
    events: list[Event] = []
    edges = sorted({0, len(answer.text), *cuts, *(at for at, _ in answer.late)})
    for begin, end in pairwise(edges):
        for source_id in [source_id for at, source_id in answer.late if at == begin]:
            parser.offer(source_id)
            collector.offer(source_id, SOURCES[HOSTED.index(source_id)])
        events += parser.feed(answer.text[begin:end])
        assert parser.held <= HELD_LIMIT, parser.held
    events += parser.flush()
    collector.take(events)
    own, rejections = collector.citations, collector.rejections
    collector.attach(
        Annotated(SOURCES[source], parser.clean_offset(start), parser.clean_offset(end))
        for start, end, source in answer.spans
    )
    return Outcome(joined(events), own, collector.text, collector.citations, rejections)


def _passage(block_id: str) -> Passage:
    return Passage(block_id, "d", "v", "Title", "one\ntwo\nthree", 5, 18, LineRange(2, 4), "0" * 64)


def joined(events: Sequence[Event]) -> list[Event]:
    """Join adjacent texts."""
    out: list[Event] = []
    for event in events:
        if isinstance(event, Text) and out and isinstance(out[-1], Text):
            out[-1] = Text(out[-1].text + event.text)
        else:
            out.append(event)
    return out


def random_string(chance: random.Random) -> str:
    """Return a string of random fragments, some of them cut."""
    parts = []
    for _ in range(chance.randint(1, 14)):
        part = chance.choice(PIECES)
        parts.append(part[: chance.randint(1, len(part))] if chance.random() < 0.15 else part)
    return "".join(parts)


def random_answer(chance: random.Random) -> Answer:
    """Return a random string with some ids, some of them late, and some spans, many of them at a mark."""
    text = random_string(chance)
    ids = tuple(one for one in IDS if chance.random() < 0.8)
    late = tuple((chance.randint(0, len(text)), one) for one in HOSTED if chance.random() < 0.5)
    spans = [
        (*sorted(chance.randint(0, len(text) + 3) for _ in range(2)), one)
        for one in range(chance.randint(0, 2))
    ]
    spans += [
        (*mark.span(), chance.randrange(5)) for mark in PROVIDER_MARK.finditer(text) if chance.random() < 0.7
    ]
    chance.shuffle(spans)
    return Answer(
        text, ids, chance.random() < 0.7, late, tuple((start, end, one) for start, end, one in spans)
    )


def random_cuts(text: str, chance: random.Random) -> list[int]:
    """Return random places in a text."""
    return [chance.randint(0, len(text)) for _ in range(chance.randint(1, 8))]


def random_slices(text: str, chance: random.Random) -> list[str]:
    """Return the text in random pieces."""
    cuts = sorted(random_cuts(text, chance))
    return [text[start:end] for start, end in pairwise([0, *cuts, len(text)])]


def is_subsequence(part: str, whole: str) -> bool:
    """Say whether `part` is `whole` with characters taken out."""
    rest = iter(whole)
    return all(char in rest for char in part)


def leaks_spelling(shown: str) -> bool:
    """Say whether a spelled-out reserved character is left, other than the name U+E200 in so many words."""
    return any("u+" not in found.group().lower() for found in SPELLED.finditer(shown))


def check_offsets(answer: Answer, shown: str) -> None:
    """Raise AssertionError unless each kept character is found again at its clean offset."""
    text = answer.text
    parser = MarkerParser(answer.ids, numbered=answer.numbered)
    parser.feed(text)
    parser.flush()
    places = [parser.clean_offset(offset) for offset in range(len(text) + 1)]
    assert places[0] == 0, ("offsets", text, places)
    assert places[-1] == len(shown), ("offsets", text, places)
    for offset, char in enumerate(text):
        step = places[offset + 1] - places[offset]
        assert step in (0, 1), ("offsets", text, places)
        assert not step or shown[places[offset]] == char, ("offsets", text, places)


def check_citations(found: Outcome) -> None:
    """Raise AssertionError unless numbers and places are as they must be, also after attaching."""
    text, citations = found.text, found.citations
    places = [citation.position for citation in citations]
    assert places == sorted(places), ("order", places)
    assert not places or 0 <= places[0] <= places[-1] <= len(text), ("place", places)
    assert [c.position_utf16 for c in citations] == [utf16_length(text[:at]) for at in places], (
        "utf-16",
        text,
    )
    assert list(dict.fromkeys(c.number for c in citations)) == list(
        range(1, len({c.number for c in citations}) + 1)
    )
    assert len({c.citation_id for c in citations}) == len(citations), "an id stands for two citations"
    order = [c.citation_id for c in citations]
    kept = [order.index(citation.citation_id) for citation in found.own]
    assert kept == sorted(kept), ("own citations in another order", kept)
    for citation in citations:
        passage = citation.passage
        if passage:
            begin = citation.start - passage.start
            assert passage.text[begin : begin + len(citation.quote)] == citation.quote
    _check_spans(citations)


def _check_spans(citations: Sequence[Citation]) -> None:
    spans = sorted(citation.covers for citation in citations if citation.covers)
    assert all(start <= end for start, end in spans), spans
    assert all(left[1] <= right[0] for left, right in pairwise(spans)), spans


def slicings(answer: Answer, chance: random.Random) -> Iterator[Sequence[int]]:
    """Yield ways to cut an answer."""
    yield range(len(answer.text))
    yield random_cuts(answer.text, chance)
    yield random_cuts(answer.text, chance)


def check(answer: Answer, chance: random.Random) -> None:
    """Raise AssertionError if an answer is not read as it must be."""
    text, whole = answer.text, run(answer)
    assert not RESERVED.search(whole.shown + whole.text), ("leak", text, whole.shown)
    assert is_subsequence(whole.shown, text), ("invented", text, whole.shown)
    assert is_subsequence(whole.text, whole.shown), ("invented by attaching", text, whole.text)
    assert CODE_OR_LINK.search(text) or not leaks_spelling(whole.shown), (
        "spelled-out leak",
        text,
        whole.shown,
    )
    check_citations(whole)
    if not answer.late:
        check_offsets(answer, whole.shown)
    for cuts in slicings(answer, chance):
        assert run(answer, cuts) == whole, ("slicing", text, cuts, whole, run(answer, cuts))
