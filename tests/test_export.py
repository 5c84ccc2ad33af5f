"""What a person takes away: readable references, no internal ids, no private-use characters."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.core.export import Reference, to_html, to_markdown, to_plain_text
from chat.core.render import render_markdown
from tests.render_reading import chip, marked, read
from tests.test_render_stream import PIECES, TEXTS

REFERENCES = [
    Reference(1, "Fees Act", "p. 4", "https://law.example/fees_act?y=2021"),
    Reference(2, "Tariff *draft*", "lines 8–13", "/cite/5f0c/", note="weakly supported"),
]


def words(html: str) -> str:
    """Return the words of some HTML, with `[n]` for a chip, without regard to space."""
    text = "".join(child if isinstance(child, str) else child.text() for child in read(html).children)
    return re.sub(r"[\s\u2060]+", "", re.sub(r"⟦(\d+)⟧", r"[\1]", text).replace("Copy", ""))


def test_plain_text() -> None:
    text, chips = marked("**Fees** rose.¤\n\n- one¤\n- two")
    assert to_plain_text(text, chips, REFERENCES) == (
        "Fees rose.[1]\n\n- one[2]\n- two\n\n"
        "[1] Fees Act, p. 4, https://law.example/fees_act?y=2021\n"
        "[2] Tariff *draft*, lines 8–13 (weakly supported)\n"
    )


def test_markdown() -> None:
    text, chips = marked("**Fees** rose.¤\n\n- one¤\n- two")
    assert to_markdown(text, chips, REFERENCES) == (
        "**Fees** rose.[1]\n\n- one[2]\n- two\n\n"
        "[1] Fees Act, p. 4, <https://law.example/fees_act?y=2021>  \n"
        "[2] Tariff \\*draft\\*, lines 8–13 (weakly supported)\n"
    )


def test_html_fragment() -> None:
    text, chips = marked("**Fees** rose.¤")
    article = read(to_html(text, chips, REFERENCES)).one("article")
    assert article.one("p").text() == "Fees rose.[1]"
    assert [item.text() for item in article.one("ul").all("li")] == [
        "[1] Fees Act, p. 4",
        "[2] Tariff *draft*, lines 8–13 (weakly supported)",
    ]
    assert [link.attributes["href"] for link in article.all("a")] == ["https://law.example/fees_act?y=2021"]
    assert article.all("button") == []


def test_html_document_loads_and_runs_nothing() -> None:
    html = to_html("x", [], [], title="A <b>title</b>")
    document = html.removeprefix("<!DOCTYPE html>")
    assert document != html
    root = read(document)
    assert root.one("title").text() == "A <b>title</b>"
    assert {element.tag for element in root.walk()} == {
        "root", "html", "head", "meta", "title", "body", "article", "p",
    }  # fmt: skip


@pytest.mark.parametrize("export", [to_plain_text, to_markdown, to_html])
def test_no_internal_id_and_no_private_use_character(export) -> None:  # type: ignore[no-untyped-def]
    text, chips = marked("a \ue200cite\ue202b\ue201¤ &#xE200; \U000f0000")
    out = export(text, chips, [Reference(1, "T\ue201itle", "p\ue202", "https://a.example/", "n\uf8ff")])
    assert not re.search("[\ue000-\uf8ff\U000f0000-\U0010ffff]", out.replace("&#xE200;", ""))
    assert "citation-1" not in out
    assert "/cite/" not in out


def test_copy_without_references() -> None:
    assert to_plain_text("**Fees** rose.", [], []) == "Fees rose.\n"
    assert to_markdown("**Fees** rose.", [], []) == "**Fees** rose.\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("[a link](https://a.example)¤ end", "a link (https://a.example)[1] end"),
        ("<https://a.example/x>", "https://a.example/x"),
        ("| a | b |\n|---|---|\n| | 2¤ |", "a | b\n | 2[1]"),
        ("> quoted\n> > twice¤", "> quoted\n>\n> > twice[1]"),
        ("3. three\n4. four\n   - nested", "3. three\n4. four\n   - nested"),
        ("```py\nif x:\n\n    y()\n```¤", "if x:\n\n    y()\n\n[1]"),
        ("a  \nb\nc", "a\nb\nc"),
        ("- a\n\n  b\n- c", "- a\n\n  b\n- c"),
        ("one\n\n---\n\ntwo", "one\n\n* * *\n\ntwo"),
        ("$a_b$ and\n\n$$\nc_d\n$$", "$a_b$ and\n\n$$\nc_d\n$$"),
        ("- \n- x", "-\n- x"),
        ("¤", "[1]"),
        ("", ""),
    ],
)
def test_plain_text_of(source: str, expected: str) -> None:
    assert to_plain_text(*marked(source), []) == expected + "\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("**Bold.¤** x", "**Bold.**[1] x"),
        ("**¤Bold**", "[1]**Bold**"),
        ("[te¤xt](https://a.example) y", "[text](https://a.example)[1] y"),
        ("`co¤de` y", "`code`[1] y"),
        ("Fees¤(2021)", r"Fees\[1](2021)"),
        ("- x\n  ```\n  a¤\n  ```\n- y", "- x\n  ```\n  a\n  ```\n  \n  [1]\n  \n- y"),
        ("~~~\nopen¤", "~~~\nopen\n~~~\n\n[1]"),
        ("| a \\|¤ b |\n|---|", "| a \\|[1] b |\n|---|"),
        ("| \\|¤| b |\n|---|---|", "| \\|[1]| b |\n|---|---|"),
        ("x ¤ \ny", "x[1]  \ny"),
        ("---¤\nend", "---\n\n[1]\n\nend"),
        ("¤", "[1]"),
    ],
)
def test_markdown_of(source: str, expected: str) -> None:
    assert to_markdown(*marked(source), []) == expected + "\n"


@pytest.mark.parametrize("source", TEXTS)
def test_markdown_renders_to_the_same_words(source: str) -> None:
    text, chips = marked(source)
    again = "".join(render_markdown(to_markdown(text, chips, []), []))
    assert words(again) == words("".join(render_markdown(text, chips)))


@given(st.lists(PIECES, max_size=40))
def test_every_number_comes_out_once(pieces: list[str]) -> None:
    text, _ = marked("".join(pieces).replace("[", "(").replace("]", ")"))
    chips = [chip(position, 1000 + position) for position in range(0, len(text) + 1, 3)]
    for export in (to_plain_text, to_html):
        numbers = re.findall(r"\[(\d{4})\]", export(text, chips, []))
        assert sorted(map(int, numbers)) == [one.number for one in chips]
    numbers = re.findall(r"\[(\d{4})\\?\]", to_markdown(text, chips, []))
    assert sorted(map(int, numbers)) == [one.number for one in chips]
