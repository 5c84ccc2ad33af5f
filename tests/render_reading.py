"""Reads rendered HTML with a parser, so that tests speak of elements, not of substrings."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from chat.core.render import Chip

VOID = {"br", "hr", "img", "input", "meta", "link"}


@dataclass
class Element:
    """An element with its attributes and its children, elements and text in order."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)

    def walk(self) -> Iterator["Element"]:
        """Yield this element and everything in it, in document order."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, tag: str) -> list["Element"]:
        """Return the elements of that name inside this one."""
        return [element for element in self.walk() if element.tag == tag and element is not self]

    def one(self, tag: str) -> "Element":
        """Return the only element of that name inside this one."""
        (element,) = self.all(tag)
        return element

    def text(self) -> str:
        """Return the text with each chip as ⟦n⟧ and without the joiner before it."""
        parts = [child if isinstance(child, str) else child.text() for child in self.children]
        text = "".join(parts)
        if "chip" in (self.attributes.get("class") or "").split():
            return f"⟦{text}⟧"
        return text.replace("\u2060", "")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("root")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        assert len(element.attributes) == len(attrs), f"an attribute stands twice in <{tag}>"
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data!r}")

    def finished(self) -> Element:
        assert self._open == [self.root], f"<{self._open[-1].tag}> is not closed"
        return self.root


def read(html: str) -> Element:
    """Parse HTML; fail if an element isn't closed in order."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.finished()


def chip(position: int, number: int = 1) -> Chip:
    """Return a chip as the collector would make it."""
    return Chip(position, number, f"citation-{number}", f"Source {number}", f"/cite/citation-{number}/")


def marked(text: str) -> tuple[str, list[Chip]]:
    """Read `¤` as a chip's place and return the clean text and the chips, numbered in order."""
    clean = ""
    chips: list[Chip] = []
    for char in text:
        if char == "¤":
            chips.append(chip(len(clean), len(chips) + 1))
        else:
            clean += char
    return clean, chips
