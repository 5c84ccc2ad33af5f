"""The table of readers. A new format is one module with such a function and one line here."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from sources.core.extract.detect import PDF, detect_bytes
from sources.core.extract.types import Extracted

_HEAD = 4096
# Media type told by the content → module and function. Loaded when needed: a text file should not wait for PDFium.
_READERS: dict[str, tuple[str, str]] = {
    PDF: ("sources.core.extract.pdf", "read_pdf"),
}
_TEXT_READER = ("sources.core.extract.plain", "read_text")


class Reader(Protocol):
    def __call__(self, path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted: ...


def read_file(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a file of any known type in this very process; hostile files belong into `extract_in_child`.

    Raises ExtractionError.
    """
    with path.open("rb") as file:
        media_type = detect_bytes(file.read(_HEAD))
    module, function = _READERS[media_type] if media_type else _TEXT_READER
    reader = cast(Reader, getattr(import_module(module), function))
    return reader(path, file_name, progress)
