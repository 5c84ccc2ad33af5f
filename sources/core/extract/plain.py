"""Plain text and Markdown files."""

from collections.abc import Callable
from pathlib import Path

from sources.core.extract.decoding import decode
from sources.core.extract.detect import MARKDOWN, detect_text
from sources.core.extract.markdown import front_title, markdown_headings
from sources.core.extract.titles import file_title
from sources.core.extract.types import Extracted, ExtractionError, FailureReason
from sources.core.language import guess_language


def read_text(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a text file in whatever encoding; the lines of the canonical text are the lines of the file."""
    decoded = decode(path.read_bytes())
    if not decoded.text.strip():
        raise ExtractionError(FailureReason.NO_TEXT, "The file holds white space only.")
    media_type = detect_text(decoded.text, file_name)
    headings = markdown_headings(decoded.text) if media_type == MARKDOWN else ()
    progress(1, 1)
    return Extracted(
        text=decoded.text,
        media_type=media_type,
        headings=headings,
        title=front_title(decoded.text) or (headings[0].text if headings else "") or file_title(file_name),
        language=guess_language(decoded.text),
        warnings=(decoded.warning,) if decoded.warning else (),
    )
