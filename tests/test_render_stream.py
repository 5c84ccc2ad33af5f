"""A stream shows what a reload will show, whatever the pieces and the moments of the frames."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.core.render import Chip, Frame, StreamRenderer, render_markdown
from chat.core.render_inline import LINK_ATTRIBUTES
from tests.render_reading import chip, marked, read

TEXTS = [
    "Fees are monthly.¤ They rose in 2021.¤¤\n\n## Rates¤\n\n- one¤\n- two\n\n  more¤\n- ¤three\n\nEnd.¤",
    "| a¤ | b |\n|---|--:|\n| 1 | `x|y` |¤\n| ¤2 \\| 3 |\nAfter.¤\n\n> quote¤\nlazy\n\n```py\nx = 1¤\n```¤\n¤\nend",
    "Title¤\n===\n\n1. one\n2) other¤\n\n    code¤\n\n    more\n\n***\n¤\n$$\na_b¤\n$$\ntext ¤ [l¤](https://a.b/c)¤\n",
    "متن فارسی.¤\r\n\r\n- ۱۲ **درصد.**¤\r\n- VPN¤\r\n\r\nپایان¤",
    "~~~\nopen fence¤\n\nstill\n",
    "para\n| not | table |\n| a | b |\n|---|---|\n| c |¤\n---\n- x\n-\n\n  y¤\n+ z\n10. w\n",
    "\n\n ¤\n  lead¤\n\t- tab¤\n> > deep¤\n> - li\n>\n> x¤\n\n\\[\nz\\\\\n\\]¤ <b>no</b> ¤",
]


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
    for late in waiting:
        renderer.place(late)
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


def at_once(text: str, chips: list[Chip]) -> str:
    """Return all that is shown of a text that came in one piece."""
    renderer = StreamRenderer()
    renderer.append(text)
    for one in chips:
        renderer.place(one)
    frame = renderer.frame()
    return "".join((*frame.closed, frame.open_html))


def check_every_frame(text: str, chips: list[Chip], step: int) -> None:
    """Compare each frame of a text that comes in pieces with what it shows when it comes at once."""
    renderer = StreamRenderer()
    closed = ""
    for end in range(step, len(text) + step, step):
        begin = end - step
        renderer.append(text[begin:end])
        for one in chips:
            if begin < one.position <= end or one.position == begin == 0:
                renderer.place(one)
        frame = renderer.frame()
        closed += "".join(frame.closed)
        assert not frame.restart
        seen = [one for one in chips if one.position <= end]
        assert closed + frame.open_html == at_once(text[:end], seen), text[:end]


GROWING = [
    *TEXTS,
    "A *b* and `c` and [a link](https://a.b/c) with words, **more and\nmore** words¤ and words. And 2 * 3, a_b_c,"
    " $5 and [2019] UKSC 41¤ and \\(x_1\\) and <https://a.b/c> and on and on it goes, 100 % &amp; R&D, a ~ b.\n",
    "- one **word** and more words of it¤ and on\n- two¤\n  - nested *item*\n    more\n\n  loose¤\n- three\n1. other",
    "| a | b |\n|:-:|---|\n| one **w** | two¤ |\n| three \\| x | `y` | z |\n| four¤\n|\n| five | six |\n\nEnd.\n",
    "متن **فارسی** با VPN و متن.¤\n\n- English words only¤\n- فارسی `code` و\n- ۱۲\n\n| a | ب |\n"
    "|---|---|\n| 12 | x¤ |\n| سلام | y |\n\nEnglish first, سپس فارسی و باز هم فارسی.\nو خط دیگر¤ و a.\n",
    "| کد ` | ب |\n|---|---|\n| `x | و VPN |\n| سلام y` | z |\n| a | b |\n\n- `یک\n- دو` و\n- three and four\n",
    "\n- ¤\n- سلام\n- ¤a\n",
    "| a | b |\n|---|---|\n$$\\[$$\n| $$x |$$\n| c | d |\n",
    "| head | two |\n|---|:-:|\n| a | b |\n| سلام | VPN |\n| سلام | VPN |\n|| سلام | VPN |\n| سلام | VPN |\n",
    "| a | b |\n|---|---|\n| x | `z|` |\n| x | `z|` |\n| سلام | VPN |\n| `x | y` |\n",
    "1. ``a``\n2. ```b`\n3. $$x$$ y\n4. # h #¤\n5. #|\n\n# Title # and #¤ ##\ntext\nwith lines\n"
    "   indented\n        deeper\n--\n",
]


@pytest.mark.parametrize("source", GROWING)
@pytest.mark.parametrize("step", [1, 2, 3, 7, 31])
def test_a_frame_looks_the_same_however_it_was_reached(source: str, step: int) -> None:
    check_every_frame(*marked(source), step)


@given(st.lists(PIECES, max_size=60), st.integers(1, 9))
def test_a_frame_of_any_text_looks_the_same_however_it_was_reached(pieces: list[str], step: int) -> None:
    text, chips = marked("".join(pieces))
    check_every_frame(text, chips, step)


ROWS = st.sampled_from(
    ["| a | b |\n", "| one **w** | two¤ |\n", "|\n", "||\n", "| |\n", "| x \\| y¤ | `z|` | more |\n", "|¤ c\n",
     "| سلام | VPN¤ |\n", "plain | cell¤\n", "  | indented |\n", "    | code |\n", "\n", " \n", "- item\n", "> | q |\n",
     "|", " w", "¤", "$$", "\\[", "\\", "|---|\n", "`", "```\n", "=\n"]
)  # fmt: skip


@given(st.lists(ROWS, max_size=30), st.integers(1, 60))
def test_a_frame_of_any_table_looks_the_same_however_many_rows_came_since_the_last(
    rows: list[str], step: int
) -> None:
    text, chips = marked("| head | ¤two |\n|---|:-:|\n" + "".join(rows))
    check_every_frame(text, chips, step)


def shown_after(text: str) -> str:
    """Return the words of the open end after a text came character by character."""
    renderer = StreamRenderer()
    for char in text:
        renderer.append(char)
        frame = renderer.frame()
    return frame.open_html


def test_it_works() -> None:
    renderer = StreamRenderer()
    renderer.append("One.\n\nTwo")
    assert renderer.frame() == Frame((), '<p dir="auto">One.</p><p dir="auto">Two</p>')
    renderer.append(" more.\n")
    assert renderer.frame() == Frame(('<p dir="auto">One.</p>',), '<p dir="auto">Two more.</p>')
    assert renderer.finish() == Frame(('<p dir="auto">Two more.</p>',), "")


def test_a_partial_last_line_closes_nothing() -> None:
    renderer = StreamRenderer()
    renderer.append("- one\n\ntext")
    assert renderer.frame().closed == ()
    renderer.append("\n")
    assert len(renderer.frame().closed) == 1


def test_a_frame_without_news_repeats_the_open_end() -> None:
    renderer = StreamRenderer()
    renderer.append("a\n\nb\n")
    first = renderer.frame()
    assert renderer.frame() == Frame((), first.open_html)


def test_a_chip_in_time_stays_with_the_closed_block() -> None:
    renderer = StreamRenderer()
    renderer.append("One.\n\n")
    assert renderer.frame().closed == ()
    renderer.place(chip(6))
    renderer.append("Two.\n")
    frame = renderer.frame()
    assert [read(html).text() for html in frame.closed] == ["One.⟦1⟧"]


def test_a_late_chip_starts_over() -> None:
    renderer = StreamRenderer()
    renderer.append("One.\n\nTwo.\n\nThree.\n\nFour")
    closed = renderer.frame().closed
    assert len(closed) == 2
    renderer.place(chip(4))
    frame = renderer.frame()
    assert frame.restart
    assert [read(html).text() for html in frame.closed] == ["One.⟦1⟧", "Two."]
    assert not renderer.frame().restart
    last = renderer.finish()
    assert [*frame.closed, *last.closed] == render_markdown("One.\n\nTwo.\n\nThree.\n\nFour", [chip(4)])


def test_a_late_chip_at_the_end_starts_over() -> None:
    renderer = StreamRenderer()
    renderer.append("One.\n\nTwo.\n\n")
    assert renderer.frame().closed
    renderer.place(chip(2))
    frame = renderer.finish()
    assert frame.restart
    assert list(frame.closed) == render_markdown("One.\n\nTwo.\n\n", [chip(2)])


def test_a_growing_list_closes_in_parts() -> None:
    text = "".join(f"{number}. item {number} with **words**¤\n" for number in range(1, 200))
    clean, chips = marked(text)
    renderer = StreamRenderer()
    closed: list[str] = []
    for begin in range(0, len(clean), 50):
        for one in [one for one in chips if begin < one.position <= begin + 50]:
            renderer.place(one)
        renderer.append(clean[begin : begin + 50])
        frame = renderer.frame()
        closed += frame.closed
        assert len(frame.open_html) < 30_000
    assert len(closed) >= 2
    assert [*closed, *renderer.finish().closed] == render_markdown(clean, chips)


@pytest.mark.parametrize("unit", ["a **word** and more ", "| a | b |\n", "x = 1\n", "> quoted\n", "line\n"])
def test_a_giant_block_is_not_rendered_at_every_frame(unit: str) -> None:
    head = {"| a | b |\n": "| a | b |\n|---|---|\n", "x = 1\n": "```\n"}.get(unit, "")
    renderer = StreamRenderer()
    renderer.append(head)
    looks: set[str] = set()
    for _ in range(400):
        renderer.append(unit * 5)
        looks.add(renderer.frame().open_html)
    assert len(looks) < 200
    assert "".join(renderer.finish().closed) == "".join(render_markdown(head + unit * 2_000, []))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("a **bold", "a <strong>bold</strong>"),
        ("a **bold*", "a <strong>bold</strong>"),
        ("a **bold *and it", "a <strong>bold <em>and it</em></strong>"),
        ("a *", "a"),
        ("a `co", 'a <code dir="ltr">co</code>'),
        ("a `co_de **", 'a <code dir="ltr">co_de</code>'),
        ("a ~~go", "a <s>go</s>"),
        ("a [link](https://exa", "a link"),
        ("a ![picture](https://exa", "a picture"),
        ("a <https://exa", "a "),
        ("a snake_case b", "a snake_case b"),
        ("2 * 3", "2 * 3"),
        ("see [2019]", "see [2019]"),
        (
            "<https://a.b/c> and a *word",
            f'<a href="https://a.b/c" {LINK_ATTRIBUTES}>https://a.b/c</a> and a <em>word</em>',
        ),
        ("text\n-", "text"),
        ("text\n=", "text"),
        ("text\n1.", "text"),
        ("text\n| a | b |", "text"),
        ("text\n| a | b |\n|--", "text"),
    ],
)
def test_half_typed_marks_look_calm(typed: str, expected: str) -> None:
    assert shown_after(typed).strip() == f'<p dir="auto">{expected}</p>'


@pytest.mark.parametrize("typed", ["#", "## ", "-", "- ", "1", "12.", "> ", "``", "---", "***", "|"])
def test_a_line_that_may_become_anything_waits(typed: str) -> None:
    assert shown_after(f"done\n\n{typed}") == '<p dir="auto">done</p>'


def test_a_closing_fence_being_typed_is_not_code() -> None:
    assert read(shown_after("```\nx\n``")).one("pre").text() == "x\n"
