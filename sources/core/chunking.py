"""Cutting canonical text into chunks: whole sentences, rows and paragraphs where they fit, never across a section.

A chunk is a span; its text is exactly that slice. Chunks don't overlap, and every character that is not white
space stands in exactly one.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sources.core.extract.types import Extracted, Heading, PageLayout
from sources.core.lines import line_at, line_starts
from sources.core.packing import MOST, TARGET, Span, packed
from sources.core.sentences import sentence_spans
from sources.core.table_context import TableContext

# A section shorter than this is put together with its neighbour under the same heading.
LEAST = 250

# What may stand between the words of a Markdown heading and its text: closing marks, an underline.
_HEADING_MARKS = "#=- \t\n"

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """`[start, end)` of the canonical text, in code points, with its place in words: lines and pages from 1.

    The heading path of a part of a table that doesn't name its columns itself ends with their names.
    """

    start: int
    end: int
    heading_path: Path
    first_line: int
    last_line: int
    first_page: int | None = None
    last_page: int | None = None


@dataclass(frozen=True, slots=True)
class _Section:
    start: int
    end: int
    path: Path
    # The level of the heading it begins with, 0 before the first heading, and whether there is nothing else in it.
    level: int
    is_bare: bool


def chunk_spans(extracted: Extracted, *, target: int = TARGET, most: int = MOST) -> list[ChunkSpan]:
    """Cut an extracted text into chunks of about the size `target` and at most `most`, in reading order.

    Sizes are those of `sources.core.packing`. A page ends a chunk, unless a sentence clearly goes on overleaf.
    """
    text = extracted.text
    sentences = sentence_spans(text)
    starts = line_starts(text)
    pages = [page for page in extracted.pages if page.end > page.start]
    page_starts = [page.start for page in pages]
    cuts = [after.start for before, after in pairwise(pages) if not _goes_on(text, before, after)]
    columns = TableContext(text, extracted.tables)
    chunks = []
    sections = list(_sections(text, extracted.headings))
    for section in _merged(sections, _top_level(extracted.headings), frozenset(cuts)):
        for part in _parts(section, cuts):
            for start, end in packed(text, _within(text, sentences, part), target, most):
                lines = line_at(starts, start), line_at(starts, end - 1)
                path = (*section.path, *columns.at(start))
                chunks.append(ChunkSpan(start, end, path, *lines, *_pages(pages, page_starts, start, end)))
    _assert_whole(text, chunks)
    return chunks


def _sections(text: str, headings: Sequence[Heading]) -> Iterator[_Section]:
    """The text from the line of each heading to the next one's, with the path of headings above it."""
    starts = [text.rfind("\n", 0, heading.start) + 1 for heading in headings]
    first = starts[0] if starts else len(text)
    yield _Section(0, first, (), 0, is_bare=not text[:first].strip())
    above: list[Heading] = []
    for heading, start, end in zip(headings, starts, [*starts, len(text)][1:], strict=True):
        above = [*(higher for higher in above if higher.level < heading.level), heading]
        is_bare = not text[heading.end : end].strip(_HEADING_MARKS)
        yield _Section(start, end, tuple(higher.text for higher in above), heading.level, is_bare)


def _top_level(headings: Sequence[Heading]) -> int:
    """The level whose headings part the document: the outermost that is used more than once."""
    levels = [heading.level for heading in headings]
    return min((level for level in levels if levels.count(level) > 1), default=min(levels, default=1))


def _merged(sections: list[_Section], top: int, cuts: frozenset[int]) -> Iterator[_Section]:
    """Put short sections together with what follows, but not over the start of a page that ends a chunk.

    Nor over a top-level heading where text stands before it.
    """
    current = sections[0]
    for section in sections[1:]:
        is_short = current.end - current.start < LEAST and section.level > top
        if section.start not in cuts and (current.is_bare or is_short):
            path = _shared(current.path, section.path)
            current = _Section(current.start, section.end, path, section.level, section.is_bare)
        else:
            yield current
            current = section
    yield current


def _shared(one: Path, two: Path) -> Path:
    if two[: len(one)] == one:
        return two
    return tuple(name for name, other in zip(one, two, strict=False) if name == other)


def _parts(section: _Section, cuts: Sequence[int]) -> Iterator[Span]:
    """Cut a section at the page starts that end a chunk."""
    inside = cuts[bisect_right(cuts, section.start) : bisect_left(cuts, section.end)]
    return pairwise([section.start, *inside, section.end])


def _goes_on(text: str, before: PageLayout, after: PageLayout) -> bool:
    last, first = text[before.start : before.end].rstrip()[-1:], text[after.start : after.end].lstrip()[:1]
    return (last.isalpha() or last in ",-–—،") and first.islower()


def _within(text: str, sentences: list[Span], part: Span) -> Iterator[Span]:
    """The sentences of a part; one that runs over a heading or a page that ends it is cut there."""
    first = bisect_right(sentences, (part[0], 0))
    if first and sentences[first - 1][1] > part[0]:
        first -= 1
    for start, end in sentences[first : bisect_left(sentences, (part[1], 0))]:
        words = text[max(start, part[0]) : min(end, part[1])]
        if words.strip():
            lead = max(start, part[0]) + len(words) - len(words.lstrip())
            yield lead, lead + len(words.strip())


def _pages(
    pages: Sequence[PageLayout], page_starts: Sequence[int], start: int, end: int
) -> tuple[int | None, int | None]:
    """The numbers of the first and last page of a span; `pages` are those with text."""
    if not pages:
        return None, None
    first, last = bisect_right(page_starts, start) - 1, bisect_right(page_starts, end - 1) - 1
    return pages[first].number, pages[last].number


def _assert_whole(text: str, chunks: Sequence[ChunkSpan]) -> None:
    """Every chunk begins and ends with a character that is drawn, and only white space lies between chunks."""
    bounds = [0, *(bound for chunk in chunks for bound in (chunk.start, chunk.end)), len(text)]
    if bounds != sorted(bounds):
        raise AssertionError("chunks overlap")
    for start, end in zip(bounds[::2], bounds[1::2], strict=True):
        if text[start:end].strip():
            raise AssertionError(f"characters {start} to {end} are in no chunk")
    if any(text[chunk.start : chunk.end] != text[chunk.start : chunk.end].strip() for chunk in chunks):
        raise AssertionError("a chunk begins or ends with white space")
