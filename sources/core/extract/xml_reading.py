"""XML with the standard library's parser: it opens no address and no file, and limits what entities grow to.

Elements go by their local names, since the strict and the transitional form of one format differ in namespaces only.
"""

from collections.abc import Iterator
from typing import IO
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from sources.core.extract.types import ExtractionError, FailureReason

__all__ = ["Element", "attribute", "child", "children", "descendants", "local", "parse_xml", "stream_xml"]

# The C code that takes a tree apart calls itself for each level.
_DEEPEST = 400


def parse_xml(data: bytes) -> Element:
    """Parse a part. Raises ExtractionError(CORRUPT)."""
    try:
        return ElementTree.fromstring(data)
    except (ElementTree.ParseError, LookupError, ValueError) as exc:
        raise ExtractionError(FailureReason.CORRUPT, f"not well-formed XML: {exc}") from exc


def stream_xml(stream: IO[bytes]) -> Iterator[tuple[str, Element, int]]:
    """Yield ("start" | "end", element, depth) as the parser reads; the root has depth 1.

    Whoever iterates clears what it has used up. Raises ExtractionError(CORRUPT).
    """
    depth = 0
    try:
        for event, element in ElementTree.iterparse(stream, events=("start", "end")):
            depth += event == "start"
            if depth > _DEEPEST:
                raise ExtractionError(FailureReason.CORRUPT, "nested too deeply")
            yield event, element, depth
            depth -= event == "end"
    except (ElementTree.ParseError, LookupError, ValueError) as exc:
        raise ExtractionError(FailureReason.CORRUPT, f"not well-formed XML: {exc}") from exc


def local(element: Element) -> str:
    """Return an element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def attribute(element: Element, name: str, default: str = "") -> str:
    """Return an attribute by its local name."""
    found = element.get(name)
    if found is not None:
        return found
    ending = "}" + name
    return next((value for key, value in element.items() if key.endswith(ending)), default)


def child(element: Element | None, *path: str) -> Element | None:
    """Return the first child under a path of local names."""
    for name in path:
        element = next((one for one in element if local(one) == name), None) if element is not None else None
    return element


def children(element: Element | None, name: str) -> list[Element]:
    """Return the children of that local name."""
    return [one for one in element if local(one) == name] if element is not None else []


def descendants(element: Element, name: str) -> Iterator[Element]:
    """Yield all elements below (and the element itself) of that local name, in document order."""
    ending = "}" + name
    return (one for one in element.iter() if one.tag == name or one.tag.endswith(ending))
