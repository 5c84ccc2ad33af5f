"""SVG drawings: the words in them, in the order of the file; nothing that runs and nothing from elsewhere."""

from collections.abc import Callable, Iterator
from pathlib import Path

from sources.core.extract.canonical import CanonicalText
from sources.core.extract.types import Extracted
from sources.core.extract.xml_reading import Element, children, local, parse_xml

SVG = "image/svg+xml"
_UNSEEN = {"script", "style", "foreignObject", "metadata", "defs", "symbol", "title", "desc"}


def read_svg(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a drawing. Raises ExtractionError."""
    root = parse_xml(path.read_bytes())
    canonical = CanonicalText()
    for text in _texts(root):
        canonical.paragraph(" ".join("".join(text.itertext()).split()))
    progress(1, 1)
    title = next(("".join(one.itertext()) for one in children(root, "title")), "")
    return canonical.extracted(SVG, file_name, title=title)


def _texts(element: Element) -> Iterator[Element]:
    for one in element:
        if local(one) == "text":
            yield one
        elif local(one) not in _UNSEEN:
            yield from _texts(one)
