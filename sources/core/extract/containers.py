"""Telling apart the formats that come in a ZIP or an OLE container."""

from pathlib import Path

from sources.core.extract.archive import Archive, open_archive
from sources.core.extract.office import office_type
from sources.core.extract.types import ExtractionError, FailureReason

ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
EPUB = "application/epub+zip"

_STATED = {ODT, ODS, ODP, EPUB}
_TEMPLATE = "-template"
# The names of streams in an OLE container, as its directory spells them.
_PROTECTED = "EncryptedPackage".encode("utf-16-le")
_OLDER = (
    ("WordDocument", "an older Word document (.doc): save it as .docx"),
    ("Workbook", "an older Excel workbook (.xls): save it as .xlsx"),
    ("PowerPoint Document", "an older PowerPoint presentation (.ppt): save it as .pptx"),
    ("__substg1.0_", "an Outlook message (.msg): save it as .eml"),
)


def zip_type(path: Path) -> str:
    """Return the media type of what a ZIP file holds. Raises ExtractionError."""
    with open_archive(path) as archive:
        found = office_type(archive) or _stated_type(archive)
    if found:
        return found
    raise ExtractionError(
        FailureReason.UNSUPPORTED_TYPE,
        "The content is a ZIP archive: unpack it and upload the files.",
    )


def refuse_ole(path: Path) -> None:
    """Raise the ExtractionError that fits: a protected Office file, or one of the time before 2007."""
    data = path.read_bytes()
    if _PROTECTED in data:
        raise ExtractionError(FailureReason.ENCRYPTED, "The Office file asks for a password.")
    words = next(
        (words for name, words in _OLDER if name.encode("utf-16-le") in data), "an older Office file"
    )
    raise ExtractionError(FailureReason.UNSUPPORTED_TYPE, f"The content is {words}.")


def _stated_type(archive: Archive) -> str | None:
    stated = (
        (archive.find("mimetype") or b"")[:100].decode("ascii", "replace").strip().removesuffix(_TEMPLATE)
    )
    return stated if stated in _STATED else None
