"""Cost of rendering a long answer while it streams: `python -m bench.render`.

Sends texts of 30,000 and 60,000 characters in pieces of 20 with a frame every two pieces, and prints
CPU seconds, the ratio for twice the length (2 is linear), and the longest single frame.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chat.core.render import Chip, StreamRenderer, render_markdown

PIECE = 20
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
    """CPU seconds for a whole stream and for its longest frame, and the characters of the frames that changed."""

    seconds: float
    longest: float
    sent: int


def repeat(unit: str) -> Callable[[int], str]:
    """Return a maker of texts of a given length from one unit."""
    return lambda length: (unit * (length // len(unit) + 1))[:length]


TEXTS: dict[str, Callable[[int], str]] = {
    "mixed answer": repeat(SECTION),
    "prose": repeat(SENTENCE * 4 + "\n\n"),
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


def chips_for(text: str, count: int) -> list[Chip]:
    """Spread chips evenly over a text."""
    step = max(1, len(text) // (count + 1))
    return [
        Chip((number + 1) * step, number + 1, f"c{number}", f"Source {number}", f"/cite/c{number}/")
        for number in range(count)
    ]


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text as a model sends it."""
    for begin in range(0, len(text), PIECE):
        yield begin, text[begin : begin + PIECE]


def cost(text: str, chips: list[Chip]) -> Cost:
    """Stream a text with its chips; check the result against the whole."""
    renderer, waiting = StreamRenderer(), list(chips)
    shown: list[str] = []
    longest, sent, open_html = 0.0, 0, ""
    started = time.process_time()
    for order, (begin, piece) in enumerate(pieces(text)):
        renderer.append(piece)
        while waiting and waiting[0].position <= begin + len(piece):
            renderer.place(waiting.pop(0))
        if order % 2:
            before = time.process_time()
            frame = renderer.frame()
            longest = max(longest, time.process_time() - before)
            shown.extend(frame.closed)
            sent += sum(map(len, frame.closed)) + len(frame.open_html) * (frame.open_html != open_html)
            open_html = frame.open_html
    last = renderer.finish()
    seconds = time.process_time() - started
    if "".join((*shown, *last.closed, last.open_html)) != "".join(render_markdown(text, chips)):
        raise AssertionError("the stream differs from the whole")
    return Cost(seconds, longest, sent)


def main() -> None:
    """Print one line a text."""
    print(f"{'text':24}{'30k s':>8}{'60k s':>8}{'ratio':>7}{'whole s':>9}{'longest ms':>12}{'sent MB':>9}")
    for name, make in TEXTS.items():
        half, full = (cost(text, chips_for(text, len(text) // 300)) for text in (make(30_000), make(60_000)))
        whole = make(60_000)
        started = time.process_time()
        render_markdown(whole, chips_for(whole, 200))
        at_once = time.process_time() - started
        print(
            f"{name:24}{half.seconds:8.2f}{full.seconds:8.2f}{full.seconds / half.seconds:7.2f}"
            f"{at_once:9.3f}{full.longest * 1000:12.1f}{full.sent / 1e6:9.1f}"
        )


if __name__ == "__main__":
    main()
