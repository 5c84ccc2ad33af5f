"""What the reader shows of a version: pictures of some of its pages, or some of its numbered lines.

A place is marked only if the canonical text there is the stored quote, never where something merely looks like it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from django.db.models import F
from django.utils.translation import gettext as _

from sources.core.extract.detect import PDF as _PDF
from sources.core.extract.types import Table
from sources.core.line_view import LineView, Marks, NumberedLine, Span
from sources.models import Page, Version
from sources.page_view import PageView, page_view

PAGES_AT_ONCE = 3
LINES_AT_ONCE = 400
# Lines before the place that one came for.
LINES_BEFORE = 20


@dataclass(frozen=True, slots=True)
class Place:
    """A cited place: `chunk` as offered with its text `quote`, and `cited`, the sentence in it."""

    chunk: Span
    cited: Span
    quote: str


@dataclass(frozen=True, slots=True)
class LineGroup:
    """Lines that follow each other: all of them cited, which are read aloud as one passage, or none."""

    cited: bool
    lines: tuple[NumberedLine, ...]


@dataclass(frozen=True, slots=True)
class Body:
    """What is shown of a version: pages, or lines. `first` and `last` are their numbers, of `total`."""

    pages: tuple[PageView, ...] = ()
    lines: tuple[NumberedLine, ...] = ()
    first: int = 1
    last: int = 1
    total: int = 1

    @property
    def groups(self) -> list[LineGroup]:
        """The lines, with those of a passage together."""
        grouped = groupby(self.lines, key=lambda line: line.cited)
        return [LineGroup(cited, tuple(lines)) for cited, lines in grouped]

    @property
    def before(self) -> int:
        """Where the part of the document before this one begins; 0 if this is the beginning."""
        step = PAGES_AT_ONCE if self.pages else LINES_AT_ONCE
        return max(1, self.first - step) if self.first > 1 else 0

    @property
    def after(self) -> int:
        """Where the next part of the document begins; 0 if this is the end."""
        return self.last + 1 if self.last < self.total else 0


def marks_of(version: Version, place: Place) -> Marks:
    """Return the marks of a cited place; none unless the text there is what was quoted."""
    start, end = place.chunk
    if not place.quote or version.text[start:end] != place.quote:
        return Marks()
    return Marks(cited=place.cited, chunk=place.chunk)


def pages_body(version: Version, first: int, last: int, marks: Marks, zoom: int = 100) -> Body:
    """Return drawn pages, from `first` to `last` as far as there are any; at least one."""
    total = version.pages or 1
    first = min(max(first, 1), total)
    last = min(max(last, first), total)
    pages: Iterable[Page] = version.page_layouts.filter(number__gte=first, number__lte=last).order_by(
        "number"
    )
    views = tuple(page_view(version, page, marks, zoom) for page in pages)
    return Body(pages=views, first=first, last=last, total=total)


def lines_body(version: Version, starts: list[int], first: int, last: int, marks: Marks) -> Body:
    """Return numbered lines, from `first` to `last` as far as there are any; at least one."""
    total = len(starts)
    first = min(max(first, 1), total)
    last = min(max(last, first), total)
    headings = {int(start): int(level) for start, _end, level, *_ in version.headings}
    tables = [Table(start, end, tuple(columns), named) for start, end, columns, named in version.tables]
    view = LineView(version.text, starts, headings=headings, pages=_page_names(version), tables=tables)
    return Body(lines=tuple(view.lines(range(first, last + 1), marks)), first=first, last=last, total=total)


def _page_names(version: Version) -> dict[int, str]:
    """Return what a page is called by the place where it begins; of several at one place, the first that has text."""
    names: dict[int, str] = {}
    rows = version.page_layouts.filter(end__gt=F("start")) if version.pages else version.page_layouts.none()
    for number, label, start in rows.values_list("number", "label", "start"):
        # Sheets have names; anything else is a page with what is printed on it.
        named = label and not label.isdigit() and version.media_type != _PDF
        names[start] = label if named else _("Page %(label)s") % {"label": label or number}
    return names
