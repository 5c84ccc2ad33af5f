"""E-books: the chapters in reading order, each an HTML page of its own."""

from collections.abc import Callable
from pathlib import Path

from sources.core.extract.about import authors, language_code, web_address, year_of
from sources.core.extract.archive import Archive, open_archive, resolved
from sources.core.extract.canonical import CanonicalText
from sources.core.extract.containers import EPUB
from sources.core.extract.html import write_html
from sources.core.extract.markup_encoding import decode_markup
from sources.core.extract.types import Extracted, ExtractionError, FailureReason
from sources.core.extract.xml_reading import (
    Element,
    attribute,
    child,
    children,
    descendants,
    local,
    parse_xml,
)

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# Fonts are scrambled with these in books that everybody can read.
_OF_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PAGES = {"application/xhtml+xml", "text/html", "application/xml"}


def read_epub(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a book. Raises ExtractionError."""
    canonical = CanonicalText()
    with open_archive(path) as archive:
        _refuse_locked(archive)
        package_part = _package(archive)
        package = parse_xml(archive.read(package_part))
        chapters = _chapters(package, package_part, archive)
        for number, part in enumerate(chapters, 1):
            write_html(canonical, decode_markup(archive.read(part)).text, with_title=False)
            progress(number, len(chapters))
        return canonical.extracted(EPUB, file_name, **_about(package))


def _refuse_locked(archive: Archive) -> None:
    data = archive.find(_ENCRYPTION)
    methods = (
        [attribute(one, "Algorithm") for one in descendants(parse_xml(data), "EncryptionMethod")]
        if data
        else []
    )
    if any(not method.startswith(_OF_FONTS) for method in methods):
        raise ExtractionError(FailureReason.ENCRYPTED, "The book has copy protection.")


def _package(archive: Archive) -> str:
    roots = descendants(parse_xml(archive.read(_CONTAINER)), "rootfile")
    found = next((attribute(one, "full-path") for one in roots), "")
    if found not in archive.names:
        raise ExtractionError(FailureReason.CORRUPT, "the book has no package")
    return found


def _chapters(package: Element, package_part: str, archive: Archive) -> list[str]:
    """The parts of the spine, without the table of contents, which says everything twice."""
    items = {attribute(one, "id"): one for one in children(child(package, "manifest"), "item")}
    chapters = []
    for entry in children(child(package, "spine"), "itemref"):
        item = items.get(attribute(entry, "idref"))
        if item is None or attribute(item, "media-type") not in _PAGES:
            continue
        part = resolved(package_part, attribute(item, "href"))
        if part in archive.names and "nav" not in attribute(item, "properties").split():
            chapters.append(part)
    return chapters


def _about(package: Element) -> dict[str, str]:
    said: dict[str, list[str]] = {}
    for one in child(package, "metadata") or ():
        said.setdefault(local(one), []).append("".join(one.itertext()).strip())
    return {
        "title": next(iter(said.get("title", ())), ""),
        "author": authors(said.get("creator", ())),
        "year": year_of(next(iter(said.get("date", ())), "")),
        "language": language_code(next(iter(said.get("language", ())), "")),
        "reference": next(iter(said.get("identifier", ())), ""),
        "url": next(filter(None, map(web_address, said.get("source", ()))), ""),
    }
