"""The picture of a page with what lies over it: marks, selectable words, and its text for who hears it read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from sources.core.extract.types import PageLayout
from sources.core.geometry import Rect, rectangles_of, text_runs
from sources.core.line_view import Marks
from sources.core.text_layer import LayerLine, in_one_piece, layer_lines
from sources.models import Page, Version
from sources.page_images import SCALES

_BROKEN_WORD = re.compile(r"(?<=\w)-[ \t]*\r?\n\s*(?=\w)")
# A printed page has some hundred words, a page of a newspaper 3,000. On posters, plans and sheets with more, words
# are selected by the line; above so many lines or characters only the picture and the marks are there.
_MOST_WORDS = 4_000
_MOST_CHARACTERS = 100_000
# CSS pixels a point at 100 %.
CSS_PIXELS = 96 / 72


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
    """A line of the text layer; a word's `x` is where it begins, in a line written to the left its right edge.

    A line with a `turn` (degrees) is measured on the page turned back by it.
    """

    baseline: str
    size: str
    words: tuple[Box, ...]
    right_to_left: bool
    turn: int


@dataclass(frozen=True, slots=True)
class HitBoxes:
    """Where a search hit stands on the page."""

    number: int
    current: bool
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class ReadAloud:
    """A piece of the page's text as it is read aloud; a cited passage is one piece."""

    text: str
    cited: bool


@dataclass(frozen=True, slots=True)
class PageView:
    """A page as it is shown. `width` and `height` are points, `pixels_wide` and `pixels_high` CSS pixels.

    `source_set` names the pictures by their width in pixels. `begins_cited` says that the cited passage begins here.
    """

    number: int
    label: str
    source: str
    source_set: str
    width: str
    height: str
    pixels_wide: int
    pixels_high: int
    chunk: tuple[Box, ...]
    cited: tuple[Box, ...]
    begins_cited: bool
    hits: tuple[HitBoxes, ...]
    text: tuple[TextLine, ...]
    aloud: tuple[ReadAloud, ...]


def page_view(version: Version, page: Page, marks: Marks, zoom: int = 100) -> PageView:
    """Return a page with its marks; `zoom` is in percent."""
    layout = PageLayout(
        page.number, page.label, page.start, page.end, page.width, page.height, bytes(page.boxes)
    )
    hits = list(marks.hits_in(page.start, page.end))
    cited, chunk, *found = rectangles_of(
        layout, [marks.cited, marks.chunk, *((hit.start, hit.end) for hit in hits)]
    )
    sources = picture_sources(version, page.number)
    return PageView(
        number=page.number,
        label=page.label or str(page.number),
        source=sources[1],
        source_set=", ".join(f"{url} {round(scale * page.width)}w" for scale, url in sources.items()),
        width=_points(page.width),
        height=_points(page.height),
        pixels_wide=round(page.width * CSS_PIXELS * zoom / 100),
        pixels_high=round(page.height * CSS_PIXELS * zoom / 100),
        chunk=_boxes(chunk) if marks.chunk != marks.cited else (),
        cited=_boxes(cited),
        begins_cited=page.start <= marks.cited[0] < min(page.end, marks.cited[1]),
        hits=tuple(
            HitBoxes(hit.number, hit.number == marks.current, _boxes(rects))
            for hit, rects in zip(hits, found, strict=True)
        ),
        text=_text_layer(layout, version.text[page.start : page.end]),
        aloud=tuple(_aloud(version.text, page, marks)),
    )


def picture_sources(version: Version, number: int) -> dict[int, str]:
    """Return the addresses of a page's pictures by their pixels a point."""
    address = picture_address(version, number)
    return {scale: f"{address}&scale={scale}" for scale in SCALES}


def picture_address(version: Version, number: int) -> str:
    """Return the address of a page's picture, to which `&scale=` is added."""
    return f"{reverse('sources:page_image', args=[version.document_id, number])}?v={version.pk}"


def unbroken(quote: str) -> str:
    """Return text of a printed page as one line; the halves of a word that is broken over two lines stay joined."""
    return " ".join(_BROKEN_WORD.sub("-", quote).split())


def _aloud(text: str, page: Page, marks: Marks) -> Sequence[ReadAloud]:
    first, last = (min(max(edge, page.start), page.end) for edge in marks.cited)
    # Of a sheet that holds a book, what stands around the passage; the text view has all of it.
    begin, end = max(page.start, first - _MOST_CHARACTERS // 2), min(page.end, last + _MOST_CHARACTERS // 2)
    pieces = ((begin, first, False), (first, last, True), (last, end, False))
    spoken = (
        (unbroken(text[start:end]) if cited else text[start:end], cited) for start, end, cited in pieces
    )
    return [ReadAloud(words, cited) for words, cited in spoken if words.strip()]


def _text_layer(layout: PageLayout, page_text: str) -> tuple[TextLine, ...]:
    if len(page_text) > _MOST_CHARACTERS:
        return ()
    try:
        runs = text_runs(layout, page_text)
    except ValueError:
        # Text and boxes of different lengths: no layer is better than a shifted one.
        return ()
    lines = layer_lines(runs)
    if len(runs) > _MOST_WORDS:
        lines = [in_one_piece(line) for line in lines] if len(lines) <= _MOST_WORDS else []
    return tuple(map(_text_line, lines))


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
    return TextLine(_points(line.baseline), _points(line.size), tuple(words), line.right_to_left, line.turn)


def _boxes(rects: Sequence[Rect]) -> tuple[Box, ...]:
    return tuple(
        Box(_points(rect.x), _points(rect.y), _points(rect.width), _points(rect.height)) for rect in rects
    )


def _points(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
