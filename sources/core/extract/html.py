"""HTML as text: headings, paragraphs, lists, tables as a browser shows them; no markup and no script survives."""

import re
from collections.abc import Callable
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from sources.core.extract.about import authors, language_code, web_address, year_of
from sources.core.extract.canonical import CanonicalText
from sources.core.extract.html_tables import is_layout, table_grid
from sources.core.extract.html_walk import seen_text, walk
from sources.core.extract.markup_encoding import decode_markup
from sources.core.extract.types import Extracted

HTML = "text/html"
_HEADING = re.compile(r"h([1-6])$")
_BLOCKS_NAMES = (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset "
    "figcaption figure footer form header hr legend main ol p section summary table tbody td text "
    "tfoot th thead tr ul"
)
_BLOCKS = frozenset(_BLOCKS_NAMES.split())
_SPACE = re.compile(r"[ \t\n\r\f]+")
_AUTHORS = ("author", "citation_author", "dc.creator", "dcterms.creator", "article:author")
_DATES = (
    "citation_publication_date",
    "citation_date",
    "dc.date",
    "dcterms.issued",
    "dcterms.date",
    "article:published_time",
    "date",
)
_REFERENCES = ("citation_doi", "dc.identifier", "dcterms.identifier", "prism.doi")


def read_html(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a page. Raises ExtractionError."""
    decoded = decode_markup(path.read_bytes())
    canonical = CanonicalText()
    if decoded.warning:
        canonical.warn(decoded.warning)
    about = write_html(canonical, decoded.text)
    progress(1, 1)
    return canonical.extracted(HTML, file_name, **about)


def write_html(canonical: CanonicalText, markup: str, *, with_title: bool = True) -> dict[str, str]:
    """Write a page's blocks and return what it says about itself.

    Its title stands above them, as in a browser's tab, unless the first heading says the same.
    """
    page = LexborHTMLParser(markup)
    root = page.root
    about = _about(page)
    if root is None:
        return about
    first = page.css_first("h1")
    if with_title and about["title"] and (first is None or seen_text(first) != about["title"]):
        canonical.paragraph(about["title"])
    _Page(canonical).write(root)
    return about


class _Page:
    """Collects the text of a block until the next one begins."""

    def __init__(self, canonical: CanonicalText) -> None:
        self._canonical = canonical
        self._text: list[str] = []
        self._level = 0
        self._verbatim = 0
        # The open lists: None for one with bullets, else the number of the next item.
        self._lists: list[int | None] = []
        self._mark = ""

    def write(self, root: LexborNode) -> None:
        """Write all that is seen below a node."""
        inside_table = ""
        for opens, node in walk(root):
            tag = node.tag or ""
            if inside_table:
                inside_table = (
                    "" if not opens and tag == "table" and str(node.mem_id) == inside_table else inside_table
                )
            elif node.is_text_node:
                text = node.text_content or ""
                self._text.append(text if self._verbatim else _SPACE.sub(" ", text))
            elif opens and tag == "table" and not is_layout(node):
                self._flush()
                self._table(node)
                inside_table = str(node.mem_id)
            elif opens:
                self._open(tag, node)
            else:
                self._close(tag)
        self._flush()

    def _open(self, tag: str, node: LexborNode) -> None:
        heading = _HEADING.match(tag)
        if tag == "br":
            self._text.append("\n")
        elif heading:
            self._flush()
            self._level = int(heading[1])
        elif tag == "pre":
            self._flush()
            self._verbatim += 1
        elif tag == "li":
            self._flush()
            self._mark = self._next_mark()
        elif tag in _BLOCKS:
            self._flush()
            if tag in {"ul", "ol"}:
                start = node.attributes.get("start") or "1"
                number = int(start) if start.isascii() and start.isdigit() and len(start) < 7 else 1
                self._lists.append(number if tag == "ol" else None)

    def _close(self, tag: str) -> None:
        if tag in {"pre", "li"} or tag in _BLOCKS or _HEADING.match(tag):
            self._flush()
        if tag == "pre":
            self._verbatim = max(self._verbatim - 1, 0)
        elif tag in {"ul", "ol"} and self._lists:
            self._lists.pop()
        elif tag == "li":
            self._mark = ""
        elif _HEADING.match(tag):
            self._level = 0

    def _table(self, table: LexborNode) -> None:
        caption = table.css_first("caption")
        if caption is not None:
            self._canonical.paragraph(seen_text(caption))
        grid, header_rows = table_grid(table)
        self._canonical.table(grid, header_rows=header_rows)

    def _next_mark(self) -> str:
        if not self._lists or self._lists[-1] is None:
            return "-"
        number = self._lists[-1]
        self._lists[-1] = number + 1
        return f"{number}."

    def _flush(self) -> None:
        text, self._text = "".join(self._text), []
        if not text.strip():
            return
        if self._level:
            self._canonical.heading(text, self._level)
        elif self._verbatim:
            self._canonical.verbatim(text)
        elif self._mark:
            self._canonical.item(text, mark=self._mark, depth=max(len(self._lists) - 1, 0))
            self._mark = ""
        else:
            self._canonical.paragraph(text)


def _about(page: LexborHTMLParser) -> dict[str, str]:
    said: dict[str, list[str]] = {}
    for meta in page.css("meta"):
        name = (meta.attributes.get("name") or meta.attributes.get("property") or "").lower()
        said.setdefault(name, []).append(meta.attributes.get("content") or "")
    title = page.css_first("head title")
    html = page.css_first("html")
    links = [one.attributes.get("href") for one in page.css('link[rel="canonical"]')]
    return {
        "title": " ".join((title.text() if title else "").split()) or _first(said, ("og:title",)),
        "author": authors(name for key in _AUTHORS for name in said.get(key, ()) if not web_address(name)),
        "year": year_of(_first(said, _DATES)),
        "language": language_code(html.attributes.get("lang") if html else ""),
        "reference": _first(said, _REFERENCES),
        "url": next(filter(None, map(web_address, [*links, *said.get("og:url", ())])), ""),
    }


def _first(said: dict[str, list[str]], names: tuple[str, ...]) -> str:
    return next((value for name in names for value in said.get(name, ()) if value.strip()), "")
