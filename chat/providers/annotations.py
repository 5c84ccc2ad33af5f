"""Read annotations from any provider's JSON, and place them in the answer."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from chat.core.hosted import (
    Annotation,
    AnnotationKind,
    Place,
    clean_url,
    fit,
    insertion_point,
    resolve_span,
)
from chat.providers.fields import JsonObject, number_of, object_of, text_of
from sources.core.sentences import sentence_spans

_TURN_ID = re.compile(r"turn\d+[a-z_]+\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RawAnnotation:
    """An annotation as it was sent, its indices relative to one text part.

    `ahead` says that it came without indices before the words that it is about: at `start` they begin.
    """

    kind: AnnotationKind
    start: int | None
    end: int | None
    url: str = ""
    file_id: str = ""
    container_id: str = ""
    ahead: bool = False
    title: str = field(default="", compare=False)
    filename: str = field(default="", compare=False)
    quote: str = field(default="", compare=False)
    source_id: str = field(default="", compare=False)


def raw_annotation(payload: JsonObject) -> RawAnnotation | None:
    """Return the annotation in `payload`, flat (Responses) or nested (Chat), or None if it is no known kind."""
    given = text_of(payload, "type") or ("url_citation" if "url_citation" in payload else "")
    try:
        kind = AnnotationKind(given)
    except ValueError:
        return None
    body: JsonObject = {**payload, **object_of(payload, kind.value)}
    by_index = kind in (AnnotationKind.FILE, AnnotationKind.FILE_PATH)
    start = number_of(body, "index", "start_index") if by_index else number_of(body, "start_index")
    return RawAnnotation(
        kind=kind,
        start=start,
        end=start if by_index else number_of(body, "end_index"),
        url=text_of(body, "url"),
        title=text_of(body, "title"),
        file_id=text_of(body, "file_id"),
        filename=text_of(body, "filename"),
        container_id=text_of(body, "container_id"),
        quote=text_of(body, "quote", "cited_text", "content"),
        source_id=named_id(body),
    )


def named_id(payload: JsonObject) -> str:
    """Return the id that the provider gives a source and that a marker may name, or ""."""
    named = text_of(payload, "source_id", "ref_id", "citation_id")
    plain = text_of(payload, "id")
    return named or (plain if _TURN_ID.fullmatch(plain) else "")


class Part:
    """One text part of an answer: its base in the joined text and the annotations that belong to it."""

    def __init__(self, base: int) -> None:
        self.base = base
        self._pieces: list[str] = []
        self._seen: set[RawAnnotation] = set()
        self._waiting: list[RawAnnotation] = []

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    def append(self, piece: str) -> None:
        """Add the next piece of text."""
        self._pieces.append(piece)

    def clear(self) -> None:
        """Forget the text: it was no part of the answer."""
        self.base = 0
        self._pieces.clear()

    def annotate(self, raw: RawAnnotation) -> Iterator[Annotation]:
        """Yield the annotation if its place is certain now; else keep it for `finish`."""
        if raw in self._seen:
            return
        self._seen.add(raw)
        placed = self._place_now(raw)
        if placed is None:
            self._waiting.append(raw)
        else:
            yield placed

    def finish(self) -> Iterator[Annotation]:
        """Yield the annotations that had to wait for the whole text."""
        text = self.text
        for raw in self._waiting:
            yield self._made(raw, _final_place(text, raw))
        self._waiting.clear()

    def _place_now(self, raw: RawAnnotation) -> Annotation | None:
        if not _has_place(raw):
            return self._made(raw, None)
        if raw.kind is AnnotationKind.FILE or raw.ahead or raw.start is None or raw.end is None:
            return None
        piece = self.text[raw.start : raw.end]
        certain = len(piece) == raw.end - raw.start and fit(piece, _expected(raw)) > 2

        return self._made(raw, Place(raw.start, raw.end, approximate=False)) if certain else None

    def _made(self, raw: RawAnnotation, place: Place | None) -> Annotation:
        return Annotation(
            kind=raw.kind,
            start=None if place is None else place.start + self.base,
            end=None if place is None else place.end + self.base,
            approximate=place is not None and place.approximate,
            url=clean_url(raw.url),
            title=raw.title,
            file_id=raw.file_id,
            filename=raw.filename,
            container_id=raw.container_id,
            quote=raw.quote,
            source_id=raw.source_id,
        )


def _has_place(raw: RawAnnotation) -> bool:
    if raw.ahead:
        return True
    if raw.kind is AnnotationKind.FILE_PATH:
        return False  # its index is the place in a list of files
    if raw.kind is AnnotationKind.FILE:
        return raw.start is not None
    return raw.start is not None and raw.end is not None and 0 <= raw.start < raw.end


def _final_place(text: str, raw: RawAnnotation) -> Place | None:
    if raw.start is None or raw.end is None:
        return None
    if raw.ahead:
        return _sentence_from(text, raw.start)
    if raw.kind is AnnotationKind.FILE:
        return insertion_point(text, raw.start)
    return resolve_span(text, raw.start, raw.end, expected=_expected(raw))


def _sentence_from(text: str, start: int) -> Place:
    """Return the sentence that begins at a place, or the place if nothing follows."""
    spans = sentence_spans(text[start:])
    begin, end = spans[0] if spans else (0, 0)
    return Place(start + begin, start + end, approximate=True)


def _expected(raw: RawAnnotation) -> tuple[str, ...]:
    try:
        host = (urlsplit(raw.url).hostname or "").removeprefix("www.")
    except ValueError:
        host = ""
    return tuple(word for word in (raw.url, host, raw.filename) if word)
