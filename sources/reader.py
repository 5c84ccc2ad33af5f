"""The reader: one version of a document with its place, its search, its strip of pages, and the ways to all of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from django.urls import reverse

from sources.core.direction import is_right_to_left
from sources.core.find import Found
from sources.core.line_view import Marks, Span
from sources.core.lines import line_at, line_starts
from sources.finding import FoundView, following_hit, found_view, hits_of, numbered, page_at
from sources.models import Version
from sources.page_table import are_drawn, pages_of, sizes_text
from sources.reader_state import FIT, ZOOMS, ReaderState
from sources.strip import Thumbnail, strip_around, thumbnails
from sources.viewer import PAGES_AT_ONCE, Body, lines_around, lines_from, lines_up_to, pages_body

_MOST_PAGES_A_PART = 12
_MOST_THUMBNAILS_A_PART = 120
_FULL = 100
# Characters in which the first letter is looked for.
_BEGINNING = 4000


@dataclass(frozen=True, slots=True)
class Opened:
    """A version as it is opened: how, and what is marked in it.

    `page` and `line` are where the place was said to stand, for when nothing is marked; `cited` are all spans
    that the answer cites of this version.
    """

    version: Version
    state: ReaderState
    marks: Marks = field(default_factory=Marks)
    page: int = 1
    line: int = 1
    cited: Sequence[Span] = ()


@dataclass(frozen=True, slots=True)
class Controls:
    """Addresses of what the reader's controls do; "" where there is nothing to do."""

    as_pages: str
    as_text: str
    fit: str
    full: str
    larger: str
    smaller: str
    before: str
    after: str
    strip: str
    link: str


@dataclass(frozen=True, slots=True)
class Grow:
    """The ways to more lines before and after those shown: as a page, and as a part; "" where there are none."""

    before: str = ""
    after: str = ""
    part_before: str = ""
    part_after: str = ""


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader as the template shows it. `page` is the current one, of `pages`; both 0 without pages.

    `drawn` says that there are pictures of the pages, `as_text` that lines are shown all the same. `sizes` are
    those of all drawn pages; see `sources.page_table.sizes_text`. `marked` says that the cited place is marked.
    `reveal` is what to bring into view, as a selector; "" for the beginning of the current page.
    """

    version: Version
    state: ReaderState
    body: Body
    drawn: bool
    as_text: bool
    page: int
    pages: int
    label: str
    marked: bool
    reveal: str
    found: FoundView | None
    strip: tuple[Thumbnail, ...]
    sizes: str
    controls: Controls

    @property
    def right_to_left(self) -> bool:
        """Whether the text begins in a script written to the left; its lines then stand so on pages of any language."""
        return is_right_to_left([self.version.text[:_BEGINNING]])

    @property
    def part_address(self) -> str:
        """The address to which a script adds the part that it wants."""
        return self.state.address(page=0, line=0, strip=False)

    @property
    def grow(self) -> Grow:
        """The ways to more lines, on both sides."""
        return grow_of(self.state, self.body)

    @property
    def kept_fields(self) -> list[tuple[str, str]]:
        """What a form for another page hands on."""
        return replace(self.state, page=0, line=0, hit=0).fields()

    @property
    def search_fields(self) -> list[tuple[str, str]]:
        """What a form for another search hands on."""
        return replace(self.state, page=0, line=0, query="", hit=0).fields()


def grow_of(state: ReaderState, body: Body) -> Grow:
    """Return the ways from lines that are shown to those around them."""
    part = state.address(page=0, line=0, strip=False)
    mark = "&" if "?" in part else "?"
    before, after = body.before, body.after
    return Grow(
        before=state.at_line(before) if before else "",
        after=state.at_line(after) if after else "",
        part_before=f"{part}{mark}part=earlier&last={body.first - 1}" if before else "",
        part_after=f"{part}{mark}part=later&first={after}" if after else "",
    )


class Reading:
    """What is known of an opened version before any part of it is chosen."""

    def __init__(self, opened: Opened) -> None:
        self.version = opened.version
        self.state = opened.state
        self.opened = opened
        self.pages = pages_of(opened.version)
        self.starts = line_starts(opened.version.text)
        self.drawn = are_drawn(self.pages)
        self.as_text = opened.state.as_text or not self.drawn
        self.found: Found = hits_of(opened.version, opened.state.query)
        marks = self._marks()
        self.following = following_hit(self.found, self._named(marks))
        self.hit = self._hit()
        self.marks = replace(marks, hits=numbered(self.found), current=self.hit)

    def reader(self) -> Reader:
        """Return the reader at the place that the address names, or at the marks."""
        offset = self.found.spans[self.hit - 1][0] if self.hit else self._named(self.marks)
        page = self._page(offset)
        body = self._lines(offset) if self.as_text else self._pages(page)
        found = self._found() if self.state.query else None
        return Reader(
            version=self.version,
            state=self.state,
            body=body,
            drawn=self.drawn,
            as_text=self.as_text,
            page=page,
            pages=len(self.pages),
            label=self.pages[page - 1].label if page else "",
            marked=self._is_marked(body),
            reveal=self._reveal(offset),
            found=found,
            strip=self._strip(page) if self._has_strip() else (),
            sizes=sizes_text(self.pages) if self.drawn else "",
            controls=self._controls(body, page, offset),
        )

    def page_part(self, first: int, last: int) -> Body:
        """Return some more drawn pages."""
        last = min(last, first + _MOST_PAGES_A_PART - 1)
        return pages_body(self.version, first, last, self.marks, self.state.zoom or _FULL)

    def later_lines(self, first: int) -> Body:
        """Return some more lines, from `first` on."""
        return lines_from(self.version, self.starts, first, self.marks)

    def earlier_lines(self, last: int) -> Body:
        """Return some more lines, up to `last`."""
        return lines_up_to(self.version, self.starts, last, self.marks)

    def strip_part(self, first: int, last: int) -> tuple[Thumbnail, ...]:
        """Return some more small pictures."""
        numbers = range(first, min(last, first + _MOST_THUMBNAILS_A_PART - 1) + 1)
        return thumbnails(self.version, self.pages, self.state, numbers, self.state.page, self._cited_pages())

    def _marks(self) -> Marks:
        start, end = self.state.mark
        if self.opened.marks.cited[1] or not start < end <= len(self.version.text):
            return self.opened.marks
        return Marks(cited=(start, end), chunk=(start, end))

    def _is_marked(self, body: Body) -> bool:
        """Tell whether the cited place is marked; on drawn pages words without any ink can't be."""
        elsewhere = bool(self.hit or self.state.page or self.state.line)
        return self.marks.cited[1] > 0 and (
            not body.pages or elsewhere or any(page.cited for page in body.pages)
        )

    def _reveal(self, offset: int) -> str:
        if self.hit:
            return ".hit--current"
        if self.marks.cited[1] and not (self.state.page or self.state.line):
            return ".mark--cited, .cited"
        line = line_at(self.starts, offset)
        return f"#L{line}" if self.as_text and line > 1 else ""

    def _named(self, marks: Marks) -> int:
        """Return the place in the text that the address names, else that of the marks, else where it was said to be."""
        if self.state.page or self.state.line:
            return self._offset_of(self.state.page, self.state.line)
        return marks.cited[0] if marks.cited[1] else self._offset_of(self.opened.page, self.opened.line)

    def _offset_of(self, page: int, line: int) -> int:
        if page and self.pages:
            return self.pages[min(page, len(self.pages)) - 1].start
        return self.starts[min(max(line, 1), len(self.starts)) - 1]

    def _hit(self) -> int:
        """Return the number of the hit to show; none where the address names another place."""
        if self.state.hit:
            return min(self.state.hit, len(self.found.spans))
        return 0 if self.state.page or self.state.line else self.following

    def _page(self, offset: int) -> int:
        """Return the current page; one without text shares its place in the text with its neighbours."""
        unmarked = not self.hit and not self.state.line and not self.marks.cited[1]
        named = 0 if self.hit else self.state.page or (self.opened.page if unmarked else 0)
        page = page_at(self.pages, offset)
        return min(named, len(self.pages)) or (page.number if page else 0)

    def _pages(self, page: int) -> Body:
        last = page + PAGES_AT_ONCE - 1
        return pages_body(self.version, page, last, self.marks, self.state.zoom or _FULL)

    def _lines(self, offset: int) -> Body:
        return lines_around(self.version, self.starts, line_at(self.starts, offset), self.marks)

    def _found(self) -> FoundView:
        return found_view(
            self.version,
            self.state,
            self.found,
            (self.hit, self.following),
            starts=self.starts,
            pages=self.pages,
        )

    def _cited_pages(self) -> set[int]:
        spans = (*self.opened.cited, self.marks.cited)
        touched = (
            page_at(self.pages, offset) for start, end in spans if start < end for offset in (start, end - 1)
        )
        return {page.number for page in touched if page}

    def _has_strip(self) -> bool:
        """Tell whether the strip is shown; the hits of a search take its place."""
        return self.state.strip and not self.as_text and not self.state.query

    def _strip_address(self, page: int) -> str:
        return self.state.address(strip=not self._has_strip(), page=page, line=0, query="", hit=0)

    def _strip(self, current: int) -> tuple[Thumbnail, ...]:
        return strip_around(self.version, self.pages, self.state, current, self._cited_pages())

    def _controls(self, body: Body, page: int, offset: int) -> Controls:
        state = self.state
        to = state.at_page if body.pages else state.at_line
        zoom = state.zoom or _FULL
        return Controls(
            as_pages=state.address(as_text=False, line=0, page=page) if self.drawn and self.as_text else "",
            as_text=state.address(as_text=True, page=page) if not self.as_text else "",
            fit=state.address(zoom=FIT),
            full=state.address(zoom=_FULL),
            larger=next((state.address(zoom=step) for step in ZOOMS if step > zoom), ""),
            smaller=next((state.address(zoom=step) for step in reversed(ZOOMS) if step < zoom), ""),
            before=to(body.before) if body.before else "",
            after=to(body.after) if body.after else "",
            strip=self._strip_address(page) if not self.as_text else "",
            link=self._link(page, offset),
        )

    def _link(self, page: int, offset: int) -> str:
        """Return an address of this place that works for whoever may read the document."""
        start, end = self.marks.cited
        state = ReaderState(
            path=reverse("sources:document", args=[self.version.document_id]),
            version=str(self.version.pk),
            page=page,
            line=0 if page or end else line_at(self.starts, offset),
            mark=(start, end),
        )
        return state.address()
