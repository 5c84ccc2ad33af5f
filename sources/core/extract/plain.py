"""Text files: plain, Markdown, and tables such as CSV."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sources.core.extract.decoding import decode
from sources.core.extract.delimited import delimiter_of, read_delimited
from sources.core.extract.detect import MARKDOWN, PLAIN, detect_text
from sources.core.extract.json_text import JSON, in_lines, is_json
from sources.core.extract.markdown import front_title, markdown_headings, markdown_tables
from sources.core.extract.titles import file_title
from sources.core.extract.types import Extracted, ExtractionError, FailureReason
from sources.core.language import guess_language


def read_text(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a text file in whatever encoding; the lines of the canonical text are the lines of the file."""
    decoded = decode(path.read_bytes())
    if not decoded.text.strip():
        raise ExtractionError(FailureReason.NO_TEXT, "The file holds white space only.")
    media_type = detect_text(decoded.text, file_name)
    if media_type == PLAIN and is_json(decoded.text):
        decoded, media_type = replace(decoded, text=in_lines(decoded.text)), JSON
    if media_type == PLAIN and (delimiter := delimiter_of(decoded.text, file_name)):
        return read_delimited(decoded.text, delimiter, file_name, decoded.warning, progress)
    headings = markdown_headings(decoded.text) if media_type == MARKDOWN else ()
    progress(1, 1)
    return Extracted(
        text=decoded.text,
        media_type=media_type,
        headings=headings,
        tables=markdown_tables(decoded.text) if media_type == MARKDOWN else (),
        title=front_title(decoded.text) or (headings[0].text if headings else "") or file_title(file_name),
        language=guess_language(decoded.text),
        warnings=(decoded.warning,) if decoded.warning else (),
    )
