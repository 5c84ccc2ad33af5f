"""What OpenDocument formats have in common: protection, properties, hidden styles, and the text of a paragraph."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sources.core.extract.about import authors, language_code, year_of
from sources.core.extract.archive import Archive
from sources.core.extract.types import ExtractionError, FailureReason
from sources.core.extract.xml_reading import (
    Element,
    attribute,
    child,
    descendants,
    local,
    parse_xml,
)

CONTENT = "content.xml"
# What is no part of the text as it is read: comments, changes that were deleted, the phonetic guide over a word.
_UNSEEN = {
    "annotation",
    "annotation-end",
    "tracked-changes",
    "ruby-text",
    "bookmark",
    "sequence-decls",
    "title",
    "desc",
}
_MOST_SPACES = 100


@dataclass(slots=True)
class Line:
    """The text of a paragraph, the notes that it refers to, the frames beside it and whether some of it is hidden."""

    parts: list[str] = field(default_factory=list)
    notes: list[Element] = field(default_factory=list)
    frames: list[Element] = field(default_factory=list)
    has_hidden_text: bool = False

    @property
    def text(self) -> str:
        return "".join(self.parts)


def refuse_protected(archive: Archive) -> None:
    """Raise ExtractionError(ENCRYPTED) for a file that asks for a password."""
    manifest = archive.find("META-INF/manifest.xml") or b""
    if b"encryption-data" in manifest or b"encrypted-package" in manifest:
        raise ExtractionError(FailureReason.ENCRYPTED, "The OpenDocument file asks for a password.")


def odf_properties(archive: Archive) -> dict[str, str]:
    """Return what meta.xml says: title, author, year and language."""
    data = archive.find("meta.xml")
    try:
        meta = child(parse_xml(data), "meta") if data else None
    except ExtractionError:
        meta = None
    said = {local(one): one.text or "" for one in meta} if meta is not None else {}
    author = authors([said.get("initial-creator") or said.get("creator")])
    return {
        "title": said.get("title", ""),
        "author": author,
        "year": year_of(said.get("creation-date") or said.get("date")) if author else "",
        "language": language_code(said.get("language")),
    }


def hidden_styles(styles: Element) -> set[str]:
    """Return the names of styles whose text or table isn't displayed."""
    hidden = set()
    for style in descendants(styles, "style"):
        of_text, of_table = child(style, "text-properties"), child(style, "table-properties")
        text_hidden = of_text is not None and attribute(of_text, "display") == "none"
        table_hidden = of_table is not None and attribute(of_table, "display") == "false"
        if text_hidden or table_hidden:
            hidden.add(attribute(style, "name"))
    return hidden


def read_line(paragraph: Element, hidden: set[str]) -> Line:
    """Read a paragraph or heading."""
    line = Line()
    _read(paragraph, line, hidden)
    return line


def _read(element: Element, line: Line, hidden: set[str]) -> None:
    line.parts.append(element.text or "")
    for one in element:
        name = local(one)
        if name in {"span", "p", "h"} and attribute(one, "style-name") in hidden:
            line.has_hidden_text = True
        elif name == "s":
            count = attribute(one, "c", "1")
            line.parts.append(" " * min(int(count) if count.isdigit() else 1, _MOST_SPACES))
        elif name in {"tab", "line-break"}:
            line.parts.append("\t" if name == "tab" else "\n")
        elif name == "note":
            line.notes.append(one)
        elif name in {"frame", "custom-shape", "g", "rect"}:
            line.frames.append(one)
        elif name in {"hidden-text", "hidden-paragraph"}:
            line.has_hidden_text = True
        elif name not in _UNSEEN:
            _read(one, line, hidden)
        line.parts.append(one.tail or "")


def text_of(element: Element, hidden: set[str]) -> str:
    """Return the paragraphs below an element in one line."""
    lines = (read_line(one, hidden).text for one in paragraphs(element))
    return " ".join(line for line in lines if line.strip())


def paragraphs(element: Element) -> Iterator[Element]:
    """Yield the outermost paragraphs and headings below an element."""
    for one in element:
        name = local(one)
        if name in {"p", "h"}:
            yield one
        elif name not in _UNSEEN:
            yield from paragraphs(one)


def repeated(element: Element, name: str, most: int) -> int:
    """Return how often a row or cell stands there, at most `most` times."""
    stated = attribute(element, name, "1")
    return min(int(stated), most) if stated.isdigit() and len(stated) < 10 else 1
