"""Answers, titles and labels are hostile: nothing of them becomes markup, a handler, or a request."""

import re

import nh3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.core.export import Reference, to_html
from chat.core.render import Chip, StreamRenderer, render_markdown
from tests.render_reading import Element, marked, read
from tests.test_render_stream import PIECES, TEXTS

ALLOWED: dict[str, set[str]] = {
    "p": {"dir", "class"},
    **{f"h{level}": {"dir"} for level in range(1, 7)},
    "ul": {"dir", "class"},
    "ol": {"dir", "class", "start"},
    "li": {"dir"},
    "blockquote": {"dir"},
    "div": {"class", "dir"},
    "table": set(),
    "thead": set(),
    "tbody": set(),
    "tr": set(),
    "th": {"class", "dir"},
    "td": {"class", "dir"},
    "strong": set(),
    "em": set(),
    "s": set(),
    "br": set(),
    "hr": set(),
    "pre": set(),
    "code": {"class", "dir"},
    "span": {"class", "dir"},
    "a": {"href", "target", "rel"},
    "button": {
        "type", "class", "data-citation", "data-copy", "hx-get", "hx-target", "hx-swap", "aria-label", "title",
    },
}  # fmt: skip

HOSTILE = [
    '"><img src=z onerror=window.__hit=1>',
    "<svg/onload=window.__hit=1>",
    "<script>window.__hit=1</script>",
    '<iframe srcdoc="<script>parent.__hit=1</script>"></iframe>',
    "<a href='javascript:__hit()'>x</a>",
    "</p></div><style>*{display:none}</style>",
    "<!-- open comment",
    "[press](javascript:window.__hit=1)",
    "[press](JaVaScRiPt:&#58;window.__hit=1)",
    "[press](java\nscript:window.__hit=1)",
    "[press](&#x6a;avascript:window.__hit=1)",
    "[press](vbscript:x) [press](data:text/html,<script>1</script>) [press](file:///etc/passwd)",
    "[press](//evil.example/x) [press](/cite/other/) [press](mailto:a@b.example) [press](https:evil)",
    "[press](http://evil.example/\"onmouseover='__hit=1')",
    '[press](http://evil.example/ "title\\" onmouseover=__hit=1")',
    "[press](<http://evil.example/ onmouseover=__hit=1>)",
    "<javascript:window.__hit=1>",
    "<https://evil.example/\"onclick=__hit>",
    "![pixel](data:text/html,<script>1</script>)",
    '![" onload="__hit=1](http://127.0.0.1:9/p.png?d=secret)',
    "![a ![b](http://127.0.0.1:9/i.png)](http://127.0.0.1:9/o.png)",
    "[![in a link](http://127.0.0.1:9/p.png)](http://evil.example/)",
    "```\"><script>__hit=1</script>\n</code></pre><script>__hit=1</script>\n```",
    "``` x\" onclick=\"__hit=1\ncode\n```",
    "`</code><script>__hit=1</script>`",
    "| <b>a</b> | x |\n|:-:|---|\n| <img src=x> | <td onclick=__hit> |",
    "$</span><script>__hit=1</script>$\n\n$$\n</div><script>__hit=1</script>\n$$",
    "&lt;script&gt;__hit=1&lt;/script&gt; &#60;img src=x onerror=__hit=1&#62;",
    "[ref]: javascript:__hit=1\n\n[ref]",
    "<button class=chip data-citation=forged hx-get=/cite/forged/>1</button>",
    '<span class="chips">⟦1⟧</span>\ue200cite\ue202forged\ue201 \u2060',
    "# <h1 onclick=__hit>",
    "- <li onclick=__hit>\n  1. <ol start=javascript:1>",
    "999999999. <x>",
]  # fmt: skip


def assert_safe(html: str) -> Element:
    """Every element and attribute is one that we write; every address is one that may be opened."""
    root = read(html)
    for element in root.walk():
        if element is root:
            continue
        assert set(element.attributes) <= ALLOWED[element.tag], element
        if element.tag == "a":
            assert re.match(r"https?://[^/]", element.attributes["href"] or "")
            assert element.attributes["rel"] == "noopener noreferrer nofollow"
            assert element.attributes["target"] == "_blank"
            assert not [
                inner for inner in element.walk() if inner.tag in ("a", "button") and inner is not element
            ]
    return root


def chips_of(root: Element) -> list[str | None]:
    return [
        button.attributes["data-citation"]
        for button in root.all("button")
        if "data-citation" in button.attributes
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_answer_is_text(text: str) -> None:
    chips = [Chip(len(text) // 2, 1, "real", "Label", "/cite/real/")]
    root = assert_safe("".join(render_markdown(text, chips)))
    assert chips_of(root) == ["real"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_answer_is_text_at_every_moment(text: str) -> None:
    renderer = StreamRenderer()
    for char in text:
        renderer.append(char)
        frame = renderer.frame()
        for part in (*frame.closed, frame.open_html):
            assert_safe(part)


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_label_is_an_attribute(value: str) -> None:
    chip = Chip(1, 1, value, value, value)
    root = assert_safe("".join(render_markdown("ab", [chip])))
    button = root.one("button")
    assert button.attributes["title"] == button.attributes["aria-label"]
    assert button.text() == "⟦1⟧"
    assert "hx-get" not in button.attributes


@pytest.mark.parametrize(
    ("href", "opens"),
    [
        ("/cite/5f/", True),
        ("https://a.example/x?y=1&z=2#f", True),
        ("HTTP://a.example", True),
        ("//a.example/", False),
        ("/\\a.example/", False),
        ("javascript:x", False),
        (" https://a.example", False),
        ("https:///x", False),
        ("", False),
    ],
)
def test_a_chip_opens_own_pages_and_web_pages_only(href: str, opens: bool) -> None:
    (html,) = render_markdown("a", [Chip(1, 1, "c", "Label", href)])
    assert read(html).one("button").attributes.get("hx-get") == (href if opens else None)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_title_in_an_export(text: str) -> None:
    root = read(to_html(text, [], [Reference(1, text, text, text, text)]))
    known = {*ALLOWED, "root", "article", "bdi", "sup"}
    for element in root.walk():
        assert element.tag in known
        assert not [name for name in element.attributes if name.startswith("on")]


@pytest.mark.parametrize(
    ("text", "shown", "address"),
    [
        ("![s](http://127.0.0.1:9777/p.png?d=secret)", "s (http://127.0.0.1:9777/p.png?d=secret)",
         "http://127.0.0.1:9777/p.png?d=secret"),
        ("![](https://a.example/p.png)", "https://a.example/p.png", "https://a.example/p.png"),
        ('![a *b*](https://a.example/ "t")', "a *b* (https://a.example/)", "https://a.example/"),
    ],
)  # fmt: skip
def test_a_picture_is_a_link_with_its_address(text: str, shown: str, address: str) -> None:
    (html,) = render_markdown(text, [])
    link = read(html).one("a")
    assert (link.text(), link.attributes["href"]) == (shown, address)


@pytest.mark.parametrize(
    "text", ["![c](data:image/png;base64,AA)", "[a](mailto:x@y.example)", "<x@y.example>"]
)
def test_any_other_address_stays_text(text: str) -> None:
    (html,) = render_markdown(text, [])
    assert (read(html).text(), read(html).all("a")) == (text, [])


def test_no_private_use_character_comes_out() -> None:
    text = "a\ue200cite\ue202x\ue201 `\ue200` &#xE200; <https://a.example/\ue201>\n\n```\n\ue201\n```"
    html = "".join(render_markdown(text, [Chip(1, 1, "\ue200", "\uf8ff\U000f0000", "/cite/\ue200")]))
    assert not re.search("[\ue000-\uf8ff\U000f0000-\U0010ffff]", html)


def test_deep_nesting_is_survived() -> None:
    for unit in (
        "> ",
        "- ",
        "[",
        "![",
        "**",
        "*a ",
        "~~",
        "`",
        "$",
        "\\(",
        "<",
        "&",
        "[a](",
        "![a](http://b.c/",
    ):
        text = unit * 5000
        assert_safe("".join(render_markdown(text, [Chip(len(text), 1, "c", "L", "/cite/c/")])))


@pytest.mark.parametrize("unit", ["> ", "- ", "1. ", "> - "])
def test_no_text_is_lost_however_deep(unit: str) -> None:
    text = unit * 200 + "words\n\nafter"
    root = assert_safe("".join(render_markdown(text, [Chip(len(unit) * 200 + 5, 1, "c", "L", "/cite/c/")])))
    assert "words⟦1⟧" in root.text()
    assert root.text().endswith("after")


def second_wall(html: str) -> str:
    """Clean HTML with a sanitiser that knows only what we write."""
    return nh3.clean(
        html,
        tags=set(ALLOWED),
        attributes={tag: names - {"rel"} for tag, names in ALLOWED.items()},
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer nofollow",
        strip_comments=False,
    )


def same(element: Element) -> tuple[object, ...]:
    """An element as a comparable value; a bare attribute equals an empty one."""
    children = [same(child) if isinstance(child, Element) else child for child in element.children]
    return element.tag, sorted((name, value or "") for name, value in element.attributes.items()), children


@pytest.mark.parametrize("text", HOSTILE + TEXTS)
def test_a_sanitiser_finds_nothing_to_remove(text: str) -> None:
    html = "".join(render_markdown(*marked(text)))
    assert same(read(second_wall(html))) == same(read(html))


@given(st.lists(st.one_of(PIECES, st.sampled_from(HOSTILE), st.text(max_size=6)), max_size=25))
def test_a_sanitiser_finds_nothing_to_remove_from_any_text(pieces: list[str]) -> None:
    html = "".join(render_markdown(*marked("".join(pieces))))
    assert_safe(html)
    assert same(read(second_wall(html))) == same(read(html))
