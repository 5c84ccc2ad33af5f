"""What a provider's own tools attach to an answer, and where in the answer it belongs.

Providers disagree about units: OpenAI's indices are characters and half-open although its docstrings say
otherwise, others count UTF-16 units or UTF-8 bytes, and some send 0, 0 for "no place". Everything is turned
into half-open code-point spans here, once (WIRE.md section 1.4).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

_CLOSING = re.compile(r"[ \t]?[.!?…。！？؟۔]+[\"'”»)\]]*")


class AnnotationKind(StrEnum):
    """The four kinds of the OpenAI APIs."""

    URL = "url_citation"
    FILE = "file_citation"
    CONTAINER_FILE = "container_file_citation"
    FILE_PATH = "file_path"


@dataclass(frozen=True, slots=True)
class Annotation:
    """One place of an answer that a provider's tool backs with a source.

    `start` and `end` are code points, half-open, in the joined text deltas of the same stream (the raw text,
    before markers are lifted). `start == end` is an insertion point; None is a source of the whole message.
    `approximate` means that the given indices did not fit and the place was repaired. `url` is "" unless
    it is an http(s) address. `source_id` is an id such as turn0search2 that the provider itself returned.
    """

    kind: AnnotationKind
    start: int | None = None
    end: int | None = None
    approximate: bool = False
    url: str = ""
    title: str = ""
    file_id: str = ""
    filename: str = ""
    container_id: str = ""
    quote: str = ""
    source_id: str = ""


@dataclass(frozen=True, slots=True)
class HostedSource:
    """A page or file that a provider's tool looked at; only annotations say that it was cited.

    `number` is its 1-based place in the provider's own list (0: none), which is what [n] in the text of
    Perplexity and its like refers to. `score` is the provider's, 0 to 1.
    """

    source_id: str = ""
    number: int = 0
    url: str = ""
    title: str = ""
    file_id: str = ""
    filename: str = ""
    text: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class WebSource:
    """A page or file that a hosted tool of the provider returned; `url` is http(s), or "" if it has none.

    `source_id` is what a marker may name, such as turn0search2, or "" if the provider gave none. `text` is what
    the provider quoted of it, if anything.
    """

    source_id: str
    url: str
    title: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """A document of ours, readable to the asker, that a hosted file search named without a place we can find.

    `text` is what the provider's search quoted of its own copy, "" if nothing; it may differ from our text.
    """

    document_id: str
    version_id: str
    title: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A half-open code-point span, and whether it had to be guessed."""

    start: int
    end: int
    approximate: bool


def clean_url(url: str) -> str:
    """Return the address without OpenAI's utm_source mark, or "" if it is not plain http(s)."""
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return ""
    if not usable or re.search(r"[\s\x00-\x1f\x7f]", url.strip()):
        return ""
    if "utm_source=openai" not in parts.query:
        return url.strip()
    pairs = [
        pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair != ("utm_source", "openai")
    ]
    return urlunsplit(parts._replace(query=urlencode(pairs)))


def resolve_span(text: str, start: int, end: int, *, expected: tuple[str, ...]) -> Place | None:
    """Return the place that a provider meant by `start` and `end`, or None if it gave none.

    `expected` are strings of which the slice should hold one, the surest first (address, host). The
    indices are tried as code points, UTF-16 units and UTF-8 bytes; then the expected string nearest to
    `start` is looked for; then the reading is taken that cuts no word, since some annotate the claim; else the span
    is clamped into the text. All but the first are called approximate.
    """
    if end <= start or start < 0:
        return None
    wanted = tuple(word for word in expected if word)
    readings = [(fit(text[a:b], wanted), (a, b)) for a, b in _readings(text, start, end)]
    best = max(readings, key=lambda reading: reading[0], default=(0, (0, 0)))
    if best[0]:
        return Place(*best[1], approximate=False)
    found = _nearest(text, wanted, start)
    if found is not None:
        return Place(*found, approximate=True)
    whole = next((span for _, span in readings if _cuts_no_word(text, *span)), None)
    if whole is not None:
        return Place(*whole, approximate=bool(wanted) or whole != (start, end))
    if start >= len(text):
        return Place(len(text), len(text), approximate=True)
    return Place(start, min(end, len(text)), approximate=bool(wanted) or end > len(text))


def insertion_point(text: str, index: int) -> Place:
    """Return where a file citation at `index` belongs: after the punctuation that it was set before."""
    at = min(max(index, 0), len(text))
    closing = _CLOSING.match(text, at)
    return Place(closing.end() if closing else at, closing.end() if closing else at, approximate=at != index)


def _readings(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if end <= len(text):
        yield start, end
    units: tuple[Callable[[str], int], ...] = (
        lambda char: 2 if ord(char) > 0xFFFF else 1,
        lambda char: len(char.encode("utf-8", "surrogatepass")),
    )
    for size in units:
        span = _from_units(text, start, end, size)
        if span is not None:
            yield span


def _from_units(text: str, start: int, end: int, size: Callable[[str], int]) -> tuple[int, int] | None:
    position, first = 0, -1
    for index, char in enumerate(text):
        if position == start:
            first = index
        if position == end and first >= 0:
            return first, index
        position += size(char)
    return (first, len(text)) if position == end and first >= 0 else None


def fit(piece: str, wanted: tuple[str, ...]) -> int:
    """Return how well a slice is what an annotation means: 0 not at all, 3 or 4 from edge to edge."""
    if not ("](" in piece or any(word in piece for word in wanted)):
        return 0
    whole = piece in wanted or (piece[0] in "([" and piece[-1] in ")]")
    return 1 + any(word in piece for word in wanted[:1]) + 2 * whole


def _cuts_no_word(text: str, start: int, end: int) -> bool:
    return not any(text[at - 1 : at].isalnum() and text[at : at + 1].isalnum() for at in (start, end))


def _nearest(text: str, wanted: tuple[str, ...], start: int) -> tuple[int, int] | None:
    for word in wanted:
        spans = [match.span() for match in re.finditer(re.escape(word), text)]
        if spans:
            return min(spans, key=lambda span: abs(span[0] - start))
    return None
