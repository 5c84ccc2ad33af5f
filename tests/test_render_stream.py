"""A stream shows what a reload will show, whatever the pieces and the moments of the frames."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.core.render import Chip, StreamRenderer, render_markdown
from tests.render_reading import marked

TEXTS = [
    "Fees are monthly.¤ They rose in 2021.¤¤\n\n## Rates¤\n\n- one¤\n- two\n\n  more¤\n- ¤three\n\nEnd.¤",
    "| a¤ | b |\n|---|--:|\n| 1 | `x|y` |¤\n| ¤2 \\| 3 |\nAfter.¤\n\n> quote¤\nlazy\n\n```py\nx = 1¤\n```¤\n¤\nend",
    "Title¤\n===\n\n1. one\n2) other¤\n\n    code¤\n\n    more\n\n***\n¤\n$$\na_b¤\n$$\ntext ¤ [l¤](https://a.b/c)¤\n",
    "متن فارسی.¤\r\n\r\n- ۱۲ **درصد.**¤\r\n- VPN¤\r\n\r\nپایان¤",
    "~~~\nopen fence¤\n\nstill\n",
    "para\n| not | table |\n| a | b |\n|---|---|\n| c |¤\n---\n- x\n-\n\n  y¤\n+ z\n10. w\n",
    "\n\n ¤\n  lead¤\n\t- tab¤\n> > deep¤\n> - li\n>\n> x¤\n\n\\[\nz\\\\\n\\]¤ <b>no</b> ¤",
]


def joined(frames: Sequence[tuple[str, ...] | str]) -> str:
    return "".join(part if isinstance(part, str) else "".join(part) for part in frames)


def stream(text: str, chips: list[Chip], cuts: Sequence[int], frame_at: Sequence[bool]) -> str:
    """Send the text cut at `cuts`, with a frame after each piece for which `frame_at` says so."""
    renderer = StreamRenderer()
    shown: list[str] = []
    waiting = sorted(chips, key=lambda chip: chip.position)
    edges = sorted({0, len(text), *cuts, *(chip.position for chip in chips)})
    for order, (begin, end) in enumerate(zip(edges, [*edges[1:], len(text)], strict=True)):
        while waiting and waiting[0].position <= begin:
            renderer.place(waiting.pop(0))
        renderer.append(text[begin:end])
        if frame_at and frame_at[order % len(frame_at)]:
            frame = renderer.frame()
            assert not frame.restart
            shown.extend(frame.closed)
    for chip in waiting:
        renderer.place(chip)
    last = renderer.finish()
    assert not last.restart
    return "".join((*shown, *last.closed, last.open_html))


@pytest.mark.parametrize("source", TEXTS)
def test_every_two_part_slicing(source: str) -> None:
    text, chips = marked(source)
    whole = "".join(render_markdown(text, chips))
    for cut in range(len(text) + 1):
        assert stream(text, chips, [cut], [True]) == whole


@pytest.mark.parametrize("source", TEXTS)
def test_a_frame_after_every_character(source: str) -> None:
    text, chips = marked(source)
    assert stream(text, chips, range(len(text)), [True]) == "".join(render_markdown(text, chips))


@pytest.mark.parametrize("source", TEXTS[1:2] + TEXTS[4:])
def test_every_three_part_slicing(source: str) -> None:
    text, chips = marked(source)
    whole = "".join(render_markdown(text, chips))
    for first in range(0, len(text), 3):
        for second in range(first, len(text) + 1):
            assert stream(text, chips, [first, second], [True]) == whole


PIECES = st.sampled_from(
    [*"ab .-*_`#>|~$\\[]()!:1+=\n\t ", "\n\n", "\n- ", "\n1. ", "\n> ", "```", "\n```\n", "**", "$$", "¤", "¤",
     "\n| a | b |\n|---|---|\n", "[x](http://a.b)", "\r\n", "\r", "سلام", "\n    ", "\n===\n", "\ue200", "\0", "<b>"]
)  # fmt: skip


@given(
    st.lists(PIECES, max_size=60),
    st.lists(st.integers(0, 200), max_size=12),
    st.lists(st.booleans(), min_size=1, max_size=5),
)
def test_any_text_in_any_slicing(pieces: list[str], cuts: list[int], frame_at: list[bool]) -> None:
    text, chips = marked("".join(pieces))
    whole = "".join(render_markdown(text, chips))
    assert stream(text, chips, [cut for cut in cuts if cut < len(text)], frame_at) == whole
    for number in range(1, len(chips) + 1):
        assert whole.count(f'data-citation="citation-{number}"') == 1
