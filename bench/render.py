"""Cost of a long answer while it streams: `python -m bench.render [TEXT …]`.

Sends answers of 30,000 and 60,000 characters with 100 and 200 markers in pieces of 20 characters: parses them,
checks the citations and renders, with a frame after every second piece and after every piece. A model that sends
50 pieces a second gives the first at one frame per 40 ms, as chat/viewing.py takes them; the second is that of one
which sends 25. Prints CPU milliseconds (the least of three runs) for each step, the ratio for twice the length
(2 is linear), the longest single frame, and what a viewer was sent.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chat.core.citations import Citation, CitationCollector
from chat.core.markers import MarkerParser
from chat.core.render import Chip, StreamRenderer, render_markdown
from sources.core.passages import LineRange, Passage

PIECE = 20
RUNS = 3
IDS = [f"block_k{number:03d}" for number in range(40)]
SENTENCE = "The **monthly** fee rose by 3.5 % in `2021`, see [the act](https://law.example/act?y=2021). "
SECTION = (
    "## Section heading\n\n"
    + SENTENCE * 3
    + "\n\n- first point of a list\n- second *point*\n  - nested point\n\n"
    "| name | rate | note |\n|---|--:|---|\n" + "| a row | 12.5 | some words in a cell |\n" * 8 + "\n"
    "```python\ndef fee(month: int) -> int:\n    return 100 * month\n```\n\n"
    + "متن فارسی با عدد ۱۲ در میان. " * 4
    + "\n\n"
)


@dataclass(frozen=True)
class Cost:
    """CPU seconds for the steps of a whole stream and for its longest frame, and the characters that were sent."""

    parse: float
    check: float
    render: float
    longest: float
    sent: int

    @property
    def whole(self) -> float:
        return self.parse + self.check + self.render


def repeat(unit: str) -> Callable[[int], str]:
    """Return a maker of texts of a given length from one unit."""
    return lambda length: (unit * (length // len(unit) + 1))[:length]


TEXTS: dict[str, Callable[[int], str]] = {
    "mixed answer": repeat(SECTION),
    "prose": repeat(SENTENCE * 4 + "\n\n"),
    "plain prose": repeat("The monthly fee rose by three and a half per cent in that year. " * 6 + "\n\n"),
    "Persian prose": repeat("متن فارسی با عدد ۱۲ و نام VPN در میان، که چند جمله دارد. " * 6 + "\n\n"),
    "Persian list": repeat("- موردی با **واژه‌های** پررنگ و نام VPN در میان\n"),
    "one code fence": lambda length: (
        "```python\n" + repeat("value = compute(first, second)  # note\n")(length)
    ),
    "one list": repeat("- a point with **bold** words and some more text to read\n"),
    "one loose list": repeat("1. a point with **bold** words\n\n   and a second paragraph\n\n"),
    "one nested list": repeat("- a point with **bold** words\n  - and one below\n    - and below that\n"),
    "one table": lambda length: (
        "| a | b |\n|---|---|\n" + repeat("| a cell with words | and **another** |\n")(length)
    ),
    "one quote": repeat("> a quoted line with **bold** words and some more\n"),
    "one paragraph": repeat(SENTENCE),
    "one paragraph of lines": repeat("a line with **bold** words and some more text\n"),
}


def with_markers(text: str, count: int) -> str:
    """Return a text with markers behind words, spread evenly, cut to the text's own length."""
    step = len(text) // (count + 1)
    parts, done = [], 0
    for number in range(count):
        at = text.find(" ", (number + 1) * step)
        at = at if at >= 0 else len(text)
        parts += [text[done:at], f"\ue200cite\ue202{IDS[number % len(IDS)]}\ue201"]
        done = at
    return "".join([*parts, text[done:]])[: len(text)]


def passages() -> list[Passage]:
    """Return what was offered."""
    text = "The monthly fee rose in 2021."
    lines = LineRange(1, 1)
    return [
        Passage(one, "document", "version", "The act", text, 0, len(text), lines, "0" * 64) for one in IDS
    ]


def chip(citation: Citation) -> Chip:
    """Return a citation's chip as the page has it."""
    key = citation.citation_id
    return Chip(citation.position, citation.number, key, f"Source {citation.number}", f"/cite/{key}/")


def pieces(text: str) -> Iterator[str]:
    """Cut a text as a model sends it."""
    return (text[begin : begin + PIECE] for begin in range(0, len(text), PIECE))


def cost(raw: str, every: int) -> Cost:
    """Stream an answer with a frame after `every` pieces; check the result against the whole."""
    parser = MarkerParser(IDS)
    collector = CitationCollector(passages(), lambda index: f"c{index}")
    renderer = StreamRenderer()
    shown: list[str] = []
    spent, longest, sent, open_html = [0.0, 0.0, 0.0], 0.0, 0, ""
    clock = time.process_time

    for order, piece in enumerate([*pieces(raw), ""]):
        begin = clock()
        events = parser.feed(piece) if piece else parser.flush()
        parsed = clock()
        found = collector.take(events)
        checked = clock()
        renderer.append(found.text)
        for citation in found.citations:
            renderer.place(chip(citation))
        if order % every == 0:
            frame = renderer.frame()
            longest = max(longest, clock() - checked)
            shown.extend(frame.closed)
            sent += sum(map(len, frame.closed)) + len(frame.open_html) * (frame.open_html != open_html)
            open_html = frame.open_html
        spent = [
            a + b for a, b in zip(spent, (parsed - begin, checked - parsed, clock() - checked), strict=True)
        ]
    begin = clock()
    last = renderer.finish()
    spent[2] += clock() - begin
    chips = [chip(citation) for citation in collector.citations]
    if "".join((*shown, *last.closed)) != "".join(render_markdown(collector.text, chips)):
        raise AssertionError("the stream differs from the whole")
    return Cost(spent[0], spent[1], spent[2], longest, sent)


def best(raw: str, every: int) -> Cost:
    """Return the cheapest of a few runs: the machine has other work."""
    return min((cost(raw, every) for _ in range(RUNS)), key=lambda one: one.whole)


def main(names: list[str]) -> None:
    """Print one line a text."""
    print(
        "CPU ms            a frame every 2 pieces                        a frame every piece       all at once"
    )
    print(f"{'text':24}{'parse':>6}{'check':>6}{'render':>7}{'all':>6}{'ratio':>6}{'longest':>8}"
          f"{'all':>8}{'ratio':>6}{'longest':>8}{'sent MB':>8}{'whole':>8}")  # fmt: skip
    for name in names or TEXTS:
        half, full = (with_markers(TEXTS[name](length), length // 300) for length in (30_000, 60_000))
        row = f"{name:24}"
        for every in (2, 1):
            short, long = best(half, every), best(full, every)
            if every == 2:
                row += f"{long.parse * 1e3:6.0f}{long.check * 1e3:6.0f}{long.render * 1e3:7.0f}"
            row += f"{long.whole * 1e3:{4 + 2 * (3 - every)}.0f}"
            row += f"{long.whole / short.whole:6.2f}{long.longest * 1e3:8.1f}"
        clean = TEXTS[name](60_000)
        begin = time.process_time()
        render_markdown(clean, [])
        print(f"{row}{long.sent / 1e6:8.1f}{(time.process_time() - begin) * 1e3:8.0f}")


if __name__ == "__main__":
    main(sys.argv[1:])
