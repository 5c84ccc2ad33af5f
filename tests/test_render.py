"""Where a chip comes out, and what Markdown becomes. `¤` marks a chip's place, ⟦n⟧ the chip."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.core.render import Chip, render_markdown
from chat.core.render_parse import LIST_PART
from tests.render_reading import Element, chip, marked, read
from tests.test_render_stream import PIECES, TEXTS

KEPT = {"href", "start", "class", "dir"}


def outline(element: Element) -> str:
    """Write an element shortly: tag names, chips as ⟦n⟧, without dir, chips' groups and their joiner."""
    inner = "".join(
        child.replace("\u2060", "") if isinstance(child, str) else outline(child)
        for child in element.children
    )
    css = element.attributes.get("class")
    if element.tag == "root" or css == "chips":
        return inner
    if element.tag == "button" and "chip" in (css or ""):
        return f"⟦{inner}⟧"
    if element.tag in ("br", "hr"):
        return f"<{element.tag}>"
    return f"<{element.tag}>{inner}</{element.tag}>"


def rendered(source: str) -> str:
    return outline(read("".join(render_markdown(*marked(source)))))


def test_it_works() -> None:
    text, chips = marked("Fees are **monthly**.¤ See below.")
    assert render_markdown(text, chips) == [
        '<p dir="auto">Fees are <strong>monthly</strong>.<span class="chips">\u2060'
        '<button type="button" class="chip" data-citation="citation-1" hx-get="/cite/citation-1/"'
        ' hx-target="#passage-panel" hx-swap="innerHTML" aria-label="Source 1" title="Source 1">1</button>'
        "</span> See below.</p>"
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("**Bold.**¤ x", "<p><strong>Bold.</strong>⟦1⟧ x</p>"),
        ("**Bold.¤** x", "<p><strong>Bold.⟦1⟧</strong> x</p>"),
        ("**Bold.**¤x", "<p>**Bold.**⟦1⟧x</p>"),
        ("x **Bold** ¤y", "<p>x <strong>Bold</strong>⟦1⟧ y</p>"),
        ("*it¤alic* _a¤_", "<p><em>it⟦1⟧alic</em> <em>a⟦2⟧</em></p>"),
        ("***both¤***", "<p><em><strong>both⟦1⟧</strong></em></p>"),
        ("*¤*bold**", "<p><strong>⟦1⟧bold</strong></p>"),
        ("一**粗体。**¤文字**“引”**。", "<p>一<strong>粗体。</strong>⟦1⟧文字<strong>“引”</strong>。</p>"),
        ("~~gone¤~~", "<p><s>gone⟦1⟧</s></p>"),
        ("## Head¤ ##", "<h2>Head⟦1⟧</h2>"),
        ("## Head ##¤", "<h2>Head⟦1⟧</h2>"),
        ("#¤ Head", "<h1>⟦1⟧Head</h1>"),
        ("Head¤\n====¤\nx", "<h1>Head⟦1⟧⟦2⟧</h1><p>x</p>"),
        ("- one¤\n- ¤two\n-¤ three", "<ul><li>one⟦1⟧</li><li>⟦2⟧two</li><li>⟦3⟧three</li></ul>"),
        ("- one\n\n  two¤\n- x", "<ul><li><p>one</p><p>two⟦1⟧</p></li><li><p>x</p></li></ul>"),
        ("3. a¤\n4. b", "<ol><li>a⟦1⟧</li><li>b</li></ol>"),
        ("> quote¤\nlazy¤", "<blockquote><p>quote⟦1⟧\nlazy⟦2⟧</p></blockquote>"),
        ("> - deep¤\n> ¤\n> x", "<blockquote><ul><li>deep⟦1⟧⟦2⟧</li></ul><p>x</p></blockquote>"),
    ],
)  # fmt: skip
def test_the_element_stays_what_it_is(source: str, expected: str) -> None:
    assert rendered(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("| a¤ | b |\n|---|---|\n| 1 | 2¤ |", "a⟦1⟧ b / 1 2⟦2⟧"),
        ("| a | b |¤\n|---|---|\n| 1 | 2 |¤\n| 3 | 4 |", "a b⟦1⟧ / 1 2⟦2⟧ / 3 4"),
        ("| a | b |\n|---|---|¤\n| 1 | 2 |\n¤", "a b⟦1⟧ / 1 2⟦2⟧"),
        ("| a | b |\n|---|---|\n| ¤1 |¤ 2 |", "a b / ⟦1⟧1 ⟦2⟧2"),
        ("| a | b |\n|---|---|\n| 1 | ¤ |", "a b / 1 ⟦1⟧"),
        ("| a | b |\n|---|---|\n| 1¤", "a b / 1⟦1⟧ "),
        ("| a | b |\n|---|---|\n| 1 | 2 | 3¤ |", "a b / 1 2⟦1⟧"),
        ("| a | b |\n|---|---|\n| x \\|¤ y | `p`¤ |", "a b / x |⟦1⟧ y p⟦2⟧"),
        ("| **a**¤ | b |\n|:--|--:|\n| ¤**c** | d |", "a⟦1⟧ b / ⟦2⟧c d"),
    ],
)
def test_in_a_table(source: str, expected: str) -> None:
    table = read("".join(render_markdown(*marked(source)))).one("table")
    rows = [[cell.text() for cell in row.all("th") + row.all("td")] for row in table.all("tr")]
    assert " / ".join(" ".join(row) for row in rows) == expected


@pytest.mark.parametrize(
    "source",
    ["[¤the act](https://a.example) x", "[the¤ act](https://a.example) x", "[the act¤](https://a.example) x",
     "[the act](https://a.¤example) x", "[the act](https://a.example¤) x", "[the act](https://a.example)¤ x"],
)  # fmt: skip
def test_in_a_link_the_chip_stands_behind_it(source: str) -> None:
    assert rendered(source) == "<p><a>the act</a>⟦1⟧ x</p>"


def test_in_bold_in_a_link() -> None:
    assert rendered("[a **b¤** c](https://a.example) d") == "<p><a>a <strong>b</strong> c</a>⟦1⟧ d</p>"


@pytest.mark.parametrize("source", ["`c¤ode` x", "`code¤` x", "`code`¤ x", "``co¤de`` x"])
def test_in_a_code_span_the_chip_stands_behind_it(source: str) -> None:
    assert rendered(source) == "<p><code>code</code>⟦1⟧ x</p>"


@pytest.mark.parametrize(
    "source",
    ["```py¤\nx\n```\ny", "```py\n¤x\n```\ny", "```py\nx¤\n```\ny", "```py\nx\n```¤\ny", "```py\nx\n``¤`\ny",
     "```py\nx\n```\n¤\ny"],
)  # fmt: skip
def test_in_a_fence_the_chip_stands_behind_it(source: str) -> None:
    code, line, after = read("".join(render_markdown(*marked(source)))).children
    assert isinstance(code, Element)
    assert isinstance(line, Element)
    assert isinstance(after, Element)
    assert code.one("pre").text() == "x\n"
    assert (line.text(), after.text()) == ("⟦1⟧", "y")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("One.\n\n¤\n\nTwo.", "<p>One.⟦1⟧</p><p>Two.</p>"),
        ("One.\n¤\n", "<p>One.⟦1⟧</p>"),
        ("One.\n\n¤Two.", "<p>One.⟦1⟧</p><p>Two.</p>"),
        ("One\n¤two", "<p>One⟦1⟧\ntwo</p>"),
        ("One  \n¤two", "<p>One⟦1⟧<br>two</p>"),
        ("One\\\n¤two", "<p>One⟦1⟧<br>two</p>"),
        ("¤One", "<p>⟦1⟧One</p>"),
        ("\n\n¤\n\nOne", "<p>⟦1⟧One</p>"),
        ("- a\n\n¤\n\nx", "<ul><li>a⟦1⟧</li></ul><p>x</p>"),
        ("---¤\nx", "<hr><p>⟦1⟧</p><p>x</p>"),
        ("-¤", "<ul><li></li></ul><p>⟦1⟧</p>"),
        ("¤¤", "<p>⟦1⟧⟦2⟧</p>"),
        (
            "    code¤",
            "<div><div><span></span><button>Copy</button></div><pre><code>code\n</code></pre></div><p>⟦1⟧</p>",
        ),
        ("$$\nx¤\n$$", "<div>$$<br>x<br>$$</div><p>⟦1⟧</p>"),
    ],
)
def test_between_and_beside_blocks(source: str, expected: str) -> None:
    assert rendered(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a ¤ b", "<p>a⟦1⟧  b</p>"),
        ("&am¤p; x", "<p>&⟦1⟧ x</p>"),
        ("\\¤* x", "<p>*⟦1⟧ x</p>"),
        ("<https://a.ex¤ample> x", "<p><a>https://a.example</a>⟦1⟧ x</p>"),
        ("![p](https://a.example/¤x) y", "<p><a>p (https://a.example/x)</a>⟦1⟧ y</p>"),
        ("$a_¤b$ y", "<p><span>$a_b$</span>⟦1⟧ y</p>"),
        ("x^¤2", "<p>x^⟦1⟧2</p>"),
        ("\tx\r\n\r\ny¤ z\r\n", None),
        ("آ¤ب 👩‍👩‍👧¤.", "<p>آ⟦1⟧ب 👩‍👩‍👧⟦2⟧.</p>"),
    ],
)
def test_inside_words_and_signs(source: str, expected: str | None) -> None:
    if expected is None:
        assert rendered(source).endswith("<p>y⟦1⟧ z</p>")
    else:
        assert rendered(source) == expected


def test_neighbours_share_a_group() -> None:
    text, chips = marked("One.¤¤ **Two.¤**¤ ¤x")
    groups = read("".join(render_markdown(text, chips))).all("span")
    assert [group.text() for group in groups] == ["⟦1⟧⟦2⟧", "⟦3⟧", "⟦4⟧⟦5⟧"]


def test_what_a_chip_says() -> None:
    made = [
        Chip(1, 1, "a", 'Title "x" <b>', "/cite/a/", verdict="weak"),
        Chip(1, 2, "b", "B", "/cite/b/", verdict="unsupported", available=False),
        Chip(1, 3, "c", "C", "/cite/c/", verdict="supported"),
        Chip(1, 4, "d", "D", "/cite/d/", verdict='"><x'),
    ]
    buttons = read("".join(render_markdown("x", made))).all("button")
    assert [button.attributes["class"] for button in buttons] == [
        "chip chip--weak",
        "chip chip--unsupported chip--gone",
        "chip",
        "chip",
    ]
    assert buttons[0].attributes["title"] == 'Title "x" <b>'


def without_chips(html: str) -> str:
    group = '<span class="chips">.*?</span>'
    return re.sub(group, "", re.sub(f'<p class="chips-line">{group}</p>', "", html))


@given(st.lists(PIECES, max_size=50), st.lists(st.integers(0, 150), max_size=10))
def test_chips_never_change_the_structure_and_are_never_lost(pieces: list[str], places: list[int]) -> None:
    text, _ = marked("".join(pieces).replace("\u2060", ""))
    chips = [chip(min(place, len(text)), number) for number, place in enumerate(sorted(places), 1)]
    html = "".join(render_markdown(text, chips))
    assert without_chips(html) == "".join(render_markdown(text, []))
    found = [
        int(button.text().strip("⟦⟧"))
        for button in read(html).all("button")
        if "data-citation" in button.attributes
    ]
    assert sorted(found) == [one.number for one in chips]


@pytest.mark.parametrize("source", TEXTS)
def test_the_order_of_chips_is_their_order_in_the_text(source: str) -> None:
    text, chips = marked(source)
    found = re.findall(r"⟦(\d+)⟧", read("".join(render_markdown(text, chips))).text())
    assert found == [str(one.number) for one in chips]


@pytest.mark.parametrize(
    "text",
    [
        r"$a_1 * b_2 \\ c$",
        r"\(x_i^{*}\) and \(y_j\)",
        r"$$\sum_{i}^{*} a_i$$",
        "$$\na_1 \\\\\n- b_2\n# c\n$$",
        "\\[\nx_1 * y_2\n\\]",
        "It costs $5 and $10.",
    ],
)
def test_maths_and_money_stay_as_written(text: str) -> None:
    html = "".join(render_markdown(text, []))
    shown = re.sub(r"<br>", "\n", html)
    assert read(shown).text() == text
    assert "<em>" not in html


def test_a_stray_maths_sign_takes_no_more_than_its_paragraph() -> None:
    assert rendered("$$\nhalf *open*\n\n*next*").endswith("<p><em>next</em></p>")


def test_a_code_block() -> None:
    (html,) = render_markdown('```python title="x"\nif a < b:\n    pass\n```', [])
    assert html == (
        '<div class="code" dir="ltr"><div class="code__bar"><span class="code__lang">python</span>'
        '<button type="button" class="code__copy" data-copy>Copy</button></div>'
        '<pre><code class="language-python">if a &lt; b:\n    pass\n</code></pre></div>'
    )


def test_a_link_opens_outside_and_tells_nothing() -> None:
    (html,) = render_markdown("[the act](https://a.example/x?a=1&b=2 'title')", [])
    assert read(html).one("a").attributes == {
        "href": "https://a.example/x?a=1&b=2",
        "target": "_blank",
        "rel": "noopener noreferrer nofollow",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[x][ref]\n\n[ref]: https://a.example", "<p>[x][ref]</p><p>[ref]: https://a.example</p>"),
        ("- [ ] open\n- [x] done", "<ul><li>[ ] open</li><li>[x] done</li></ul>"),
        ("[](https://a.example/)", "<p><a>https://a.example/</a></p>"),
        ("[text]()", "<p>text</p>"),
        ("arr[0] and [2019] UKSC 41", "<p>arr[0] and [2019] UKSC 41</p>"),
    ],
)
def test_what_stays_text(text: str, expected: str) -> None:
    assert rendered(text) == expected


def directions(text: str) -> list[tuple[str, str | None]]:
    return [
        (element.tag, element.attributes["dir"])
        for element in read("".join(render_markdown(text, []))).walk()
        if "dir" in element.attributes
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("متن فارسی با عدد ۱۲.", [("p", "auto")]),
        ("VPN شرکت برای همه است.", [("p", "rtl")]),
        ("The word سلام means peace.", [("p", "auto")]),
        ("- یک\n- دو VPN\n- VPN سه", [("ul", "auto")]),
        ("- یک مورد\n- Only English.", [("ul", "auto"), ("li", "auto")]),
        ("- One item\n- سلام", [("ul", "auto"), ("li", "auto")]),
        ("> نقل قول", [("blockquote", "auto")]),
        ("# عنوان", [("h1", "auto")]),
        ("| نام | مقدار |\n|---|---|\n| VPN | -5 |", [("div", "auto"), ("td", "auto"), ("td", "auto")]),
        ("متن `code()` است", [("p", "auto"), ("code", "ltr")]),
    ],
)
def test_direction(text: str, expected: list[tuple[str, str]]) -> None:
    assert directions(text) == expected


def test_a_long_list_comes_in_parts_that_count_on() -> None:
    items = [f"{number}. item {number} {'word ' * 20}" for number in range(7, 57)]
    assert len("\n".join(items)) > 2 * LIST_PART
    blocks = render_markdown("\n".join(items), [])
    assert len(blocks) > 1
    lists = [read(block).one("ol") for block in blocks]
    counted = [
        int(part.attributes["start"] or 0) + index for part in lists for index in range(len(part.all("li")))
    ]
    assert counted == list(range(7, 57))
    assert [part.attributes.get("class") for part in lists] == [None] + ["list--more"] * (len(lists) - 1)


def test_positions_count_code_points_of_the_given_text() -> None:
    text = "a\r\n\r\n\ue200😀b c"
    (first, second) = render_markdown(text, [chip(text.index(" "))])
    assert read(first).text() == "a"
    assert read(second).text() == "😀b⟦1⟧ c"
