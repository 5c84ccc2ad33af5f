"""HTML comes out as a browser shows it; no markup, no script, no hidden text survives."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.core.extract import Extracted, ExtractionError
from sources.core.extract.canonical import CanonicalText
from sources.core.extract.html import write_html
from tests.extracting import extract, headings


def read(folder: Path, body: str, head: str = "") -> Extracted:
    return extract(folder, f"<!doctype html><html><head>{head}</head><body>{body}</body></html>".encode())


def test_headings_paragraphs_and_line_breaks(tmp_path: Path) -> None:
    extracted = read(
        tmp_path, "<h1>House <i>rules</i></h1><p>No\n smoking.<br>No dogs.</p><h2>Fees</h2>Nine <b>euro</b>."
    )
    assert extracted.text == "House rules\n\nNo smoking.\nNo dogs.\n\nFees\n\nNine euro."
    assert headings(extracted) == [(1, "House rules"), (2, "Fees")]


def test_lists_keep_their_marks_numbers_and_depth(tmp_path: Path) -> None:
    body = '<ol start="3"><li>three<ul><li>dot</li></ul></li><li>four</li></ol>'
    assert read(tmp_path, body).text == "3. three\n  - dot\n4. four"


def test_each_row_of_a_table_names_its_columns(tmp_path: Path) -> None:
    rows = "<tr><th>Room<th>Fee</tr><tr><td>Hall<td>90 €</tr><tr><td>Cellar<td></tr>"
    extracted = read(tmp_path, f"<table><caption>Fees</caption>{rows}</table>after")
    assert extracted.text == "Fees\n\nRoom | Fee\nRoom: Hall | Fee: 90 €\nRoom: Cellar\n\nafter"


def test_merged_cells_are_said_where_they_belong(tmp_path: Path) -> None:
    head = "<tr><th rowspan=2>Room</th><th colspan=2>Fee</th></tr><tr><th>day</th><th>week</th></tr>"
    body = "<tr><td rowspan=2>Hall</td><td>9</td><td>50</td></tr><tr><td>8</td><td>45</td></tr>"
    assert read(tmp_path, f"<table>{head}{body}</table>").text.split("\n")[2:] == [
        "Room: Hall | Fee / day: 9 | Fee / week: 50",
        "Room: Hall | Fee / day: 8 | Fee / week: 45",
    ]


def test_a_table_that_only_arranges_the_page_is_text(tmp_path: Path) -> None:
    extracted = read(tmp_path, "<table><tr><td><h2>Left</h2>words</td><td><p>right</p></td></tr></table>")
    assert (extracted.text, extracted.tables) == ("Left\n\nwords\n\nright", ())


def test_code_keeps_its_lines_and_blanks(tmp_path: Path) -> None:
    assert read(tmp_path, "<p>Run:</p><pre>if x:\n    go()</pre>").text == "Run:\n\nif x:\n    go()"


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>secret()</script>",
        "<style>secret</style>",
        "<template>secret</template>",
        "<noscript>secret</noscript>",
        "<!-- secret -->",
        '<p style="color:red; DISPLAY : none">secret</p>',
        '<p style="visibility:hidden">secret</p>',
        '<p style="font-size:0px">secret</p>',
        '<p style="opacity:0">secret</p>',
        "<p hidden>secret</p>",
        '<div aria-hidden="true"><p>secret</p></div>',
        '<iframe srcdoc="secret"></iframe>',
        '<img alt="" src="http://127.0.0.1:9/secret">',
        '<input value="secret">',
        "<nav>secret</nav>",
        "<svg><script>secret</script></svg>",
    ],
)
def test_what_is_not_seen_is_left_out(tmp_path: Path, hidden: str) -> None:
    assert (
        read(tmp_path, f"<p>Open at 10.</p>{hidden}<p>Closed at 6.</p>").text == "Open at 10.\n\nClosed at 6."
    )


@pytest.mark.parametrize("style", ["font-size:0.9em", "opacity:0.5", "display:block"])
def test_small_and_pale_text_is_seen(tmp_path: Path, style: str) -> None:
    assert read(tmp_path, f'<p style="{style}">seen</p>').text == "seen"


def test_the_title_stands_above_unless_the_first_heading_says_it(tmp_path: Path) -> None:
    assert read(tmp_path, "<h1>Rules</h1>Text.", "<title>Rules</title>").text == "Rules\n\nText."
    extracted = read(tmp_path, "<h1>Rules</h1>Text.", "<title>Rules | House</title>")
    assert (extracted.text, extracted.title) == ("Rules | House\n\nRules\n\nText.", "Rules | House")


def test_what_the_page_says_about_itself(tmp_path: Path) -> None:
    head = (
        '<meta name="author" content="Ada Byron"><meta name="citation_author" content="Carl Gauß">'
        '<meta property="article:published_time" content="1999-05-02T10:00Z">'
        '<meta name="DC.identifier" content="HR-7"><link rel="canonical" href="https://example.org/rules">'
    )
    page = f'<!doctype html><html lang="en-GB"><head>{head}</head><body>Text.</body></html>'
    extracted = extract(tmp_path, page.encode())
    assert (extracted.author, extracted.year) == ("Ada Byron; Carl Gauß", "1999")
    assert (extracted.reference, extracted.url) == ("HR-7", "https://example.org/rules")
    assert extracted.language == "en"


def test_an_address_that_runs_is_no_canonical_address(tmp_path: Path) -> None:
    assert read(tmp_path, "Text.", '<link rel="canonical" href="javascript:alert(1)">').url == ""


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ('<html><meta charset="windows-1256"><p>سلام'.encode("cp1256"), "سلام"),
        ('<html><meta charset="iso-8859-1"><p>15 €'.encode("cp1252"), "15 €"),
        ('<html><meta charset="shift_jis"><p>押金'.encode("cp932"), "押金"),
        ('<html><meta charset="utf-8"><p>caf\xe9, na\xefve'.encode("cp1252"), "café, naïve"),
        ("\ufeff<html><p>BOM é".encode(), "BOM é"),
        ("<html><p>wide é".encode("utf-16"), "wide é"),
    ],
    ids=["stated", "as browsers read it", "japanese", "wrongly stated", "marked", "wide"],
)
def test_encodings(tmp_path: Path, data: bytes, text: str) -> None:
    assert extract(tmp_path, data).text == text


def test_thousands_of_levels_are_no_trouble(tmp_path: Path) -> None:
    assert read(tmp_path, "<div>" * 5000 + "deep").text == "deep"


def test_a_drawing_gives_its_words_and_nothing_that_runs(tmp_path: Path) -> None:
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" onload="steal()"><title>Crane</title><script>steal()</script>'
        "<foreignObject><p>no</p></foreignObject><g><text>Load is <tspan>4 tonnes</tspan></text></g></svg>"
    )
    extracted = extract(tmp_path, drawing.encode())
    assert (extracted.text, extracted.title) == ("Load is 4 tonnes", "Crane")


TAGS = ("p", "b", "h2", "pre", "table", "tr", "td", "ul", "li", "script", "div")
PIECES = [
    *(f"<{tag}>" for tag in TAGS),
    *(f"</{tag}>" for tag in TAGS),
    "<th rowspan=2>",
    "<!--",
    "-->",
    "word ",
    "ü",
    "|",
    "\n",
]
MARKUP = st.lists(st.sampled_from(PIECES), max_size=40)


@given(MARKUP)
def test_no_markup_breaks_it(pieces: list[str]) -> None:
    canonical = CanonicalText()
    write_html(canonical, "".join(pieces))
    try:
        extracted = canonical.extracted("text/html", "x")
    except ExtractionError:
        return
    assert "<script>" not in extracted.text
    assert all(extracted.text[one.start : one.end] == one.text for one in extracted.headings)
