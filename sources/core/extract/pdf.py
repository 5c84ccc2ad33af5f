"""PDF: text, character boxes, page labels and title, read with PDFium."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from sources.core.extract.about import authors, year_of
from sources.core.extract.decoding import clean_text
from sources.core.extract.detect import PDF
from sources.core.extract.pdf_document import open_pdf, outline_entries, outline_headings
from sources.core.extract.pdf_half import read_pages
from sources.core.extract.pdf_read_page import ReadPage
from sources.core.extract.pdf_tables import pdf_tables
from sources.core.extract.titles import file_title, stated_title
from sources.core.extract.types import Extracted, ExtractionError, FailureReason, PageLayout
from sources.core.language import guess_language

PAGE_BREAK = "\n\n"
_PAGES_NAMED = 20


def read_pdf(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a PDF page by page.

    Raises ExtractionError: ENCRYPTED, CORRUPT, or NO_TEXT when every page is blank or a bare picture.
    """
    with open_pdf(path) as document:
        total = len(document)
        progress(0, total)
        pages = read_pages(path, document, progress)
        title = stated_title(document.get_metadata_value("Title")) or file_title(file_name)
        author = authors(clean_text(document.get_metadata_value("Author")).split(";"))
        # Without an author's name, the date is likely that of a scan or a conversion.
        year = year_of(document.get_metadata_value("CreationDate").removeprefix("D:")[:4]) if author else ""
        entries = outline_entries(document)
    extracted = replace(_extracted(pages, title), author=author, year=year)
    return replace(extracted, headings=outline_headings(entries, extracted.text, extracted.pages))


def _extracted(pages: list[ReadPage], title: str) -> Extracted:
    if not any(page.width for page in pages):
        raise ExtractionError(FailureReason.CORRUPT, f"none of {len(pages)} pages can be read")
    if _is_scanned(pages):
        unreadable = "; its fonts don't say which characters they show" * any(
            one.is_unreadable for one in pages
        )
        raise ExtractionError(
            FailureReason.NO_TEXT, f"none of {len(pages)} pages has a text layer{unreadable}"
        )
    text, layouts = _joined(pages)
    return Extracted(
        text=text,
        media_type=PDF,
        pages=layouts,
        tables=pdf_tables(text, layouts),
        title=title,
        language=guess_language(text),
        warnings=tuple(_warnings(pages)),
    )


def _joined(pages: list[ReadPage]) -> tuple[str, tuple[PageLayout, ...]]:
    """The pages' texts with a page break between those that have any; a blank page is an empty span."""
    parts: list[str] = []
    layouts = []
    offset = 0
    for number, page in enumerate(pages, 1):
        if page.text and offset:
            parts.append(PAGE_BREAK)
            offset += len(PAGE_BREAK)
        end = offset + len(page.text)
        layouts.append(PageLayout(number, page.label, offset, end, page.width, page.height, page.boxes))
        parts.append(page.text)
        offset = end
    return "".join(parts), tuple(layouts)


def _is_scanned(pages: list[ReadPage]) -> bool:
    """Whether all text is the same stamp beside a picture on every page; on a single page it may be more."""
    stamps = {page.text for page in pages if page.text}
    return not stamps or (len(pages) > 1 and len(stamps) == 1 and all(page.is_scan for page in pages))


def _warnings(pages: list[ReadPage]) -> Iterator[str]:
    bare = [number for number, page in enumerate(pages, 1) if page.is_scan]
    if bare:
        yield f"{_named(bare)} no text; what stands there can't be found or cited."
    unreadable = [number for number, page in enumerate(pages, 1) if page.is_unreadable]
    if unreadable:
        yield f"{_named(unreadable)} a text layer that can't be read; what stands there can't be found or cited."
    broken = [number for number, page in enumerate(pages, 1) if page.is_garbled]
    if broken:
        yield f"{_named(broken)} a damaged text layer; words there may be wrong."


def _named(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:_PAGES_NAMED]))
    more = f" and {len(numbers) - _PAGES_NAMED} more" if len(numbers) > _PAGES_NAMED else ""
    return f"Page {shown} has" if len(numbers) == 1 else f"Pages {shown}{more} have"
