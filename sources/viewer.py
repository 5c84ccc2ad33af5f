"""What the reader shows of a version: pictures of some of its pages, or some of its numbered lines.

A place is marked only if the canonical text there is the stored quote, never where something merely looks like it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from django.db.models import F
from django.utils.translation import gettext as _

from sources.core.direction import is_right_to_left
from sources.core.extract.detect import PDF as _PDF
from sources.core.extract.types import Table
from sources.core.line_view import LineView, Marks, NumberedLine, Span
from sources.core.line_window import MOST_CHARACTERS, first_of, last_of
from sources.models import Page, Version
from sources.page_view import PageView, page_view

PAGES_AT_ONCE = 3
# Lines before the place that one came for, and characters that they may take.
LINES_BEFORE = 20
_ROOM_BEFORE = MOST_CHARACTERS // 4


@dataclass(frozen=True, slots=True)
class Place:
    """A cited place: `chunk` as offered with its text `quote`, and `cited`, the sentence in it."""

    chunk: Span
    cited: Span
    quote: str


@dataclass(frozen=True, slots=True)
class LineGroup:
    """Lines that follow each other: all of them cited, which are read aloud as one passage, or none.

    `begins` says that the cited passage begins here.
    """

    cited: bool
    lines: tuple[NumberedLine, ...]

    @property
    def begins(self) -> bool:
        return any(line.begins_cited for line in self.lines)


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a table, or of none. Of a table, `head` is the line that names its columns, else `names` has them.

    Its columns stand as its own words are read, whatever the language of the page around it.
    """

    is_table: bool
    groups: tuple[LineGroup, ...]
    head: NumberedLine | None = None
    names: tuple[str, ...] = ()

    @property
    def right_to_left(self) -> bool:
        """Whether the first letter of the columns' names, or else of the rows, is of a script written to the left."""
        rows = (line for group in self.groups for line in group.lines)
        return is_right_to_left((*self.names, *(part.text for line in rows for part in line.parts)))


@dataclass(frozen=True, slots=True)
class Body:
    """What is shown of a version: pages, or lines. `first` and `last` are their numbers, of `total`.

    `before` is where the part of the document before this one begins; 0 if this is the beginning.
    """

    pages: tuple[PageView, ...] = ()
    lines: tuple[NumberedLine, ...] = ()
    tables: tuple[Table, ...] = ()
    first: int = 1
    last: int = 1
    total: int = 1
    before: int = 0

    @property
    def blocks(self) -> list[Block]:
        """The lines, with those of a table together and those of a passage together."""
        return [
            self._table(index, tuple(lines)) if index >= 0 else Block(False, _groups(lines))
            for index, lines in groupby(self.lines, key=lambda line: line.table)
        ]

    def _table(self, index: int, lines: tuple[NumberedLine, ...]) -> Block:
        names = self.tables[index].columns
        head = lines[0] if names and lines[0].begins_table else None
        rows = [line for line in lines[1 if head else 0 :] if line.cells]
        return Block(True, _groups(rows), head, names if any(names) else ())

    @property
    def after(self) -> int:
        """Where the next part of the document begins; 0 if this is the end."""
        return self.last + 1 if self.last < self.total else 0


def _groups(lines: Iterable[NumberedLine]) -> tuple[LineGroup, ...]:
    grouped = groupby(lines, key=lambda line: line.cited)
    return tuple(LineGroup(cited, tuple(some)) for cited, some in grouped)


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
    before = max(1, first - PAGES_AT_ONCE) if first > 1 else 0
    return Body(pages=views, first=first, last=last, total=total, before=before)


def lines_around(version: Version, starts: list[int], line: int, marks: Marks) -> Body:
    """Return as many numbered lines as are shown at once, a few of them before `line`."""
    line = min(max(line, 1), len(starts))
    length = len(version.text)
    first = first_of(starts, length, line, most=LINES_BEFORE + 1, room=_ROOM_BEFORE)
    return _lines_body(version, starts, first, last_of(starts, length, first), marks)


def lines_from(version: Version, starts: list[int], first: int, marks: Marks) -> Body:
    """Return as many numbered lines as are shown at once, from `first` on."""
    first = min(max(first, 1), len(starts))
    return _lines_body(version, starts, first, last_of(starts, len(version.text), first), marks)


def lines_up_to(version: Version, starts: list[int], last: int, marks: Marks) -> Body:
    """Return as many numbered lines as are shown at once, up to `last`."""
    last = min(max(last, 1), len(starts))
    return _lines_body(version, starts, first_of(starts, len(version.text), last), last, marks)


def _lines_body(version: Version, starts: list[int], first: int, last: int, marks: Marks) -> Body:
    headings = {int(start): int(level) for start, _end, level, *_ in version.headings}
    # A PDF's rows stand as they were read: not every cell is parted from the next.
    stored = version.tables if version.media_type != _PDF else ()
    tables = tuple(Table(start, end, tuple(names), named) for start, end, names, named in stored)
    view = LineView(version.text, starts, headings=headings, pages=_page_names(version), tables=tables)
    lines = tuple(view.lines(range(first, last + 1), marks))
    before = first_of(starts, len(version.text), first - 1) if first > 1 else 0
    return Body(lines=lines, tables=tables, first=first, last=last, total=len(starts), before=before)


def _page_names(version: Version) -> dict[int, str]:
    """Return what a page is called by the place where it begins; of several at one place, the first that has text."""
    names: dict[int, str] = {}
    rows = version.page_layouts.filter(end__gt=F("start")) if version.pages else version.page_layouts.none()
    for number, label, start in rows.values_list("number", "label", "start"):
        # Sheets have names; anything else is a page with what is printed on it.
        named = label and not label.isdigit() and version.media_type != _PDF
        names[start] = label if named else _("Page %(label)s") % {"label": label or number}
    return names
