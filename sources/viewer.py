"""What a viewer page shows of a version: pictures of its pages, or its numbered lines, with the cited place marked.

A place is marked only if the canonical text there is the stored quote, never where something merely looks like it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.urls import reverse

from sources.core.extract.detect import PDF
from sources.core.extract.types import PageLayout
from sources.core.geometry import Rect, rectangles, text_runs
from sources.core.line_view import Marks, NumberedLine, Span, lines_of_span, numbered_lines
from sources.core.lines import line_starts
from sources.core.text_layer import LayerLine, layer_lines
from sources.models import Page, Version
from sources.page_images import SCALES

# Lines around the cited chunk, in the panel and on a page of its own.
NEAR_LINES = 6
WIDE_LINES = 200
PAGES_AT_ONCE = 5
LINES_AT_ONCE = 400
_BROKEN_WORD = re.compile(r"(?<=\w)-[ \t]*\r?\n\s*(?=\w)")


@dataclass(frozen=True, slots=True)
class Place:
    """A cited place: `chunk` as offered, `cited` the sentence in it, and where it was said to stand."""

    chunk: Span
    cited: Span
    quote: str
    page: int | None = None
    line: int = 1


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of an overlay in points of the page, written as SVG wants it in any language."""

    x: str
    y: str
    width: str
    height: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of the text layer; a word's `x` is where it begins, in a line written to the left its right edge."""

    baseline: str
    size: str
    words: tuple[Box, ...]
    right_to_left: bool


@dataclass(frozen=True, slots=True)
class PageView:
    """The picture of a page, and what lies over it. `width` and `height` are points."""

    number: int
    label: str
    source: str
    source_set: str
    width: str
    height: str
    chunk: tuple[Box, ...]
    cited: tuple[Box, ...]
    text: tuple[TextLine, ...]


@dataclass(frozen=True, slots=True)
class Body:
    """What is shown of a version: pages, or lines. `located` says that the place is marked.

    `first` and `last` are the page or line numbers shown, of `total`.
    """

    pages: tuple[PageView, ...] = ()
    lines: tuple[NumberedLine, ...] = ()
    located: bool = False
    first: int = 1
    last: int = 1
    total: int = 1

    @property
    def before(self) -> int:
        """Where the part of a document before this one begins."""
        return max(1, self.first - (PAGES_AT_ONCE if self.pages else LINES_AT_ONCE))

    @property
    def after(self) -> int:
        """Where the next part of a document begins."""
        return self.last + 1


def passage_body(version: Version, place: Place, *, wide: bool) -> Body:
    """Return the pages or lines around a cited place; `wide` shows more of the document around it."""
    start, end = place.chunk
    located = bool(place.quote) and version.text[start:end] == place.quote
    marks = Marks(cited=place.cited, chunk=place.chunk) if located else Marks()
    if is_drawn(version):
        return _passage_pages(version, place, marks, wide=wide)
    starts = line_starts(version.text)
    first, last = lines_of_span(starts, place.chunk) if located else (place.line, place.line)
    around = WIDE_LINES if wide else NEAR_LINES
    return _lines(version, starts, first - around, last + around, marks, located=located)


def is_drawn(version: Version) -> bool:
    """Whether there are pictures of its pages; slides and sheets are shown as lines."""
    return bool(version.pages) and version.media_type == PDF


def unbroken(quote: str) -> str:
    """Return text of a printed page as one line; the halves of a word that is broken over two lines stay joined."""
    return " ".join(_BROKEN_WORD.sub("-", quote).split())


def document_pages(version: Version, first: int) -> Body:
    """Return a few pages of a paged version from page `first` on."""
    layouts = version.page_layouts.filter(number__gte=first).order_by("number")[:PAGES_AT_ONCE]
    return _pages(version, layouts, Marks())


def document_lines(version: Version, first: int) -> Body:
    """Return some hundred lines of a version from line `first` on."""
    return _lines(
        version, line_starts(version.text), first, first + LINES_AT_ONCE - 1, Marks(), located=False
    )


def _passage_pages(version: Version, place: Place, marks: Marks, *, wide: bool) -> Body:
    """Return the pages that the chunk stands on; if it can't be located, the page that was cited, unmarked."""
    start, end = marks.chunk
    all_pages = version.page_layouts.order_by("number")
    touched = list(all_pages.filter(start__lt=end, end__gt=start)) if end else []
    touched = touched or list(all_pages.filter(number=place.page or 1))
    if wide and touched:
        first, last = touched[0].number - 1, touched[-1].number + 1
        touched = list(all_pages.filter(number__gte=first, number__lte=last))
    return _pages(version, touched, marks)


def _pages(version: Version, pages: Iterable[Page], marks: Marks) -> Body:
    views = tuple(_page(version, page, marks) for page in pages)
    first, last = (views[0].number, views[-1].number) if views else (1, 1)
    located = any(page.cited for page in views)
    return Body(pages=views, located=located, first=first, last=last, total=version.pages or 1)


def _page(version: Version, page: Page, marks: Marks) -> PageView:
    layout = PageLayout(
        page.number, page.label, page.start, page.end, page.width, page.height, bytes(page.boxes)
    )
    address = reverse("sources:page_image", args=[version.document_id, page.number])
    sources = {scale: f"{address}?v={version.pk}&scale={scale}" for scale in SCALES}
    return PageView(
        number=page.number,
        label=page.label or str(page.number),
        source=sources[1],
        source_set=", ".join(f"{url} {round(scale * page.width)}w" for scale, url in sources.items()),
        width=_points(page.width),
        height=_points(page.height),
        chunk=tuple(map(_box, rectangles(layout, *marks.chunk))) if marks.chunk != marks.cited else (),
        cited=tuple(map(_box, rectangles(layout, *marks.cited))),
        text=_text_layer(layout, version.text[page.start : page.end]),
    )


def _text_layer(layout: PageLayout, page_text: str) -> tuple[TextLine, ...]:
    try:
        runs = text_runs(layout, page_text)
    except ValueError:
        # Text and boxes of different lengths: no layer is better than a shifted one.
        return ()
    return tuple(map(_text_line, layer_lines(runs)))


def _text_line(line: LayerLine) -> TextLine:
    words = (
        Box(
            _points(word.x + word.width if line.right_to_left else word.x),
            _points(word.y),
            _points(word.width),
            _points(word.height),
            word.text,
        )
        for word in line.words
    )
    return TextLine(_points(line.baseline), _points(line.size), tuple(words), line.right_to_left)


def _box(rect: Rect) -> Box:
    return Box(_points(rect.x), _points(rect.y), _points(rect.width), _points(rect.height))


def _points(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _lines(
    version: Version, starts: list[int], first: int, last: int, marks: Marks, *, located: bool
) -> Body:
    total = len(starts)
    first = min(max(first, 1), total)
    last = min(max(last, first), total)
    headings = _heading_starts(version)
    shown = numbered_lines(version.text, starts, range(first, last + 1), marks=marks, headings=headings)
    return Body(lines=tuple(shown), located=located, first=first, last=last, total=total)


def _heading_starts(version: Version) -> Sequence[int]:
    return [int(heading[0]) for heading in version.headings]
