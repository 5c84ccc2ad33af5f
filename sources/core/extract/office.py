"""What DOCX, PPTX and XLSX have in common: relationships between parts, and the properties of the document."""

from dataclasses import dataclass

from sources.core.extract.about import authors, language_code, year_of
from sources.core.extract.archive import Archive, resolved
from sources.core.extract.types import ExtractionError, FailureReason
from sources.core.extract.xml_reading import Element, attribute, local, parse_xml

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

_ROOTS = (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX))


@dataclass(frozen=True, slots=True)
class Relationship:
    """A link from one part to another: the last word of its type, and the part; links out of the file are left out."""

    kind: str
    target: str


def office_type(archive: Archive) -> str | None:
    """Return the media type of an Office file, or None when the archive is none that can be read."""
    if "[Content_Types].xml" not in archive.names:
        return None
    main = main_part(archive)
    return next((kind for folder, kind in _ROOTS if main.startswith(folder) and main.endswith(".xml")), None)


def main_part(archive: Archive) -> str:
    """Return the name of the part that everything hangs on, "" when it isn't said."""
    links = relationships(archive, "").values()
    return next((link.target for link in links if link.kind == "officeDocument"), "")


def relationships(archive: Archive, part: str) -> dict[str, Relationship]:
    """Return a part's links to parts that are there, by id; a damaged list gives none."""
    folder, _, name = part.rpartition("/")
    data = archive.find(f"{folder}/_rels/{name}.rels".lstrip("/"))
    if data is None:
        return {}
    try:
        links = parse_xml(data)
    except ExtractionError:
        return {}
    found = {}
    for link in links:
        target = resolved(part, link.get("Target", ""))
        if link.get("TargetMode") != "External" and target in archive.names:
            kind = link.get("Type", "").rpartition("/")[2]
            found[link.get("Id", "")] = Relationship(kind, target)
    return found


def required(archive: Archive) -> str:
    """Return the main part. Raises ExtractionError(CORRUPT) when it isn't there."""
    if main := main_part(archive):
        return main
    raise ExtractionError(FailureReason.CORRUPT, "the archive has no main part")


def linked(archive: Archive, part: str, kind: str) -> str:
    """Return the first part that `part` links to as `kind`, or ""."""
    links = relationships(archive, part).values()
    return next((link.target for link in links if link.kind == kind), "")


def properties(archive: Archive) -> dict[str, str]:
    """Return what docProps/core.xml says: title, author, year, language and reference."""
    data = archive.find(linked(archive, "", "core-properties") or "docProps/core.xml")
    if data is None:
        return {}
    try:
        said = {local(one): (one.text or "").strip() for one in parse_xml(data)}
    except ExtractionError:
        return {}
    author = authors(said.get("creator", "").split(";"))
    return {
        "title": said.get("title", ""),
        "author": author,
        # Without an author's name, the date may be that of the template of the program that wrote the file.
        "year": year_of(said.get("created") or said.get("modified")) if author else "",
        "language": language_code(said.get("language")),
        "reference": said.get("identifier", ""),
    }


def is_on(element: Element | None) -> bool:
    """Whether an on/off element is there and not switched off."""
    return element is not None and attribute(element, "val", "1") not in {"0", "false", "off", "none"}
