"""Reads HTML for tests: the elements with their attributes, and the text between them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class Element:
    """An element; `text` is all that stands in it."""

    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass
class Page:
    """What a parser sees of a page."""

    elements: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def by_id(self, name: str) -> Element:
        """Return the one element with this id."""
        (found,) = [element for element in self.elements if element.attributes.get("id") == name]
        return found

    def with_class(self, name: str) -> list[Element]:
        """Return the elements of a class, in order."""
        return [element for element in self.elements if name in element.attributes.get("class", "").split()]

    def values_of(self, attribute: str) -> list[str]:
        """Return an attribute's values, in order."""
        return [element.attributes[attribute] for element in self.elements if attribute in element.attributes]

    def fields(self) -> list[tuple[str, str]]:
        """Return the names and values of all inputs."""
        return [
            (element.attributes.get("name", ""), element.attributes.get("value", ""))
            for element in self.elements
            if element.tag == "input"
        ]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self._open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.page.elements.append(element)
        self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        # Elements that have no end tag stand above the one that ends.
        last = max((n for n, element in enumerate(self._open) if element.tag == tag), default=len(self._open))
        del self._open[last:]

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data
        if data.strip():
            self.page.texts.append(data.strip())


def read(html: str) -> Page:
    """Parse HTML, whole or in part."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.page
