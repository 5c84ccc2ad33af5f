"""The table of readers. A new format is one module with such a function and one line here."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from sources.core.extract.containers import EPUB, ODP, ODS, ODT, refuse_ole, zip_type
from sources.core.extract.detect import HTML, MAIL, OLE, PDF, RTF, SVG, ZIP, detect_bytes
from sources.core.extract.office import DOCX, PPTX, XLSX
from sources.core.extract.types import Extracted

_HEAD = 4096
_HERE = "sources.core.extract."
# Media type told by the content → module and function. Loaded when needed: a text file should not wait for PDFium.
_READERS: dict[str, tuple[str, str]] = {
    PDF: ("pdf", "read_pdf"),
    DOCX: ("docx", "read_docx"),
    PPTX: ("pptx", "read_pptx"),
    XLSX: ("xlsx", "read_xlsx"),
    ODT: ("odf_text", "read_odf_text"),
    ODP: ("odf_text", "read_odf_text"),
    ODS: ("ods", "read_ods"),
    EPUB: ("epub", "read_epub"),
    HTML: ("html", "read_html"),
    SVG: ("svg", "read_svg"),
    RTF: ("rtf", "read_rtf"),
    MAIL: ("mail", "read_mail"),
}
_TEXT_READER = ("plain", "read_text")


class Reader(Protocol):
    def __call__(self, path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted: ...


def read_file(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a file of any known type in this very process; hostile files belong into `extract_in_child`.

    Raises ExtractionError.
    """
    module, function = _READERS.get(_type_of(path), _TEXT_READER)
    reader = cast(Reader, getattr(import_module(_HERE + module), function))
    return reader(path, file_name, progress)


def _type_of(path: Path) -> str:
    """The media type that the content tells; "" for what may be text."""
    with path.open("rb") as file:
        media_type = detect_bytes(file.read(_HEAD))
    if media_type == OLE:
        refuse_ole(path)
    return zip_type(path) if media_type == ZIP else media_type or ""
