"""Opening a PDF with PDFium, and its outline."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from sources.core.extract.types import ExtractionError, FailureReason, Heading, PageLayout

_MOST_ENTRIES = 5000
_NUMBER = r"(?:[\divxlcIVXLC]{1,6}(?:\.\d+)*[.)]?\s+)?"


@contextmanager
def open_pdf(path: Path) -> Iterator[pdfium.PdfDocument]:
    """Open a PDF. Raises ExtractionError with ENCRYPTED or CORRUPT."""
    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError as exc:
        locked = pdfium_c.FPDF_GetLastError() == pdfium_c.FPDF_ERR_PASSWORD or "assword" in str(exc)
        raise ExtractionError(FailureReason.ENCRYPTED if locked else FailureReason.CORRUPT, str(exc)) from exc
    try:
        yield document
    finally:
        document.close()


def outline_entries(document: pdfium.PdfDocument) -> list[tuple[str, int, int]]:
    """Return title, level (from 1) and page index of the outline's entries that point to a page."""
    entries = []
    for bookmark in islice(document.get_toc(), _MOST_ENTRIES):
        destination = bookmark.get_dest()
        index = destination.get_index() if destination else None
        if index is not None:
            entries.append((" ".join(bookmark.get_title().split()), bookmark.level + 1, index))
    return entries


def outline_headings(
    entries: Sequence[tuple[str, int, int]], text: str, pages: Sequence[PageLayout]
) -> tuple[Heading, ...]:
    """Find the outline's entries in the text: as a whole line of their page, after the entry before.

    An entry that stands nowhere as a line of its own gives no heading; none is put at a guessed place.
    """
    headings: list[Heading] = []
    for title, level, index in entries:
        if not title or not 0 <= index < len(pages):
            continue
        words = r"\s+".join(map(re.escape, title.split()))
        line = re.compile(rf"^{_NUMBER}{words}[ \t]*$", re.MULTILINE | re.IGNORECASE)
        after = max(pages[index].start, headings[-1].end if headings else 0)
        # endpos, not a slice: `^` would match at the start of a slice.
        found = line.search(text, after, max(pages[index].end, after))
        if found:
            headings.append(Heading(found.start(), found.start() + len(found[0].rstrip()), level, title))
    return tuple(headings)
