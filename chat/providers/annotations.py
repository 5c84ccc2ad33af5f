"""Read annotations and sources from any provider's JSON, and place them in the answer."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from chat.core.hosted import (
    Annotation,
    AnnotationKind,
    HostedSource,
    Place,
    clean_url,
    fit,
    insertion_point,
    resolve_span,
)
from chat.providers.fields import JsonObject, items_of, number_of, object_of, objects_of, share_of, text_of

_TURN_ID = re.compile(r"turn\d+[a-z_]+\d+", re.IGNORECASE)
_NUMBERED = re.compile(r"\[\[(\d{1,3})\]\]\([^()\s]*\)|\[\^?(\d{1,3})\](?!\()")
_CODE = re.compile(r"(`+).*?\1", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RawAnnotation:
    """An annotation as it was sent, its indices relative to one text part."""

    kind: AnnotationKind
    start: int | None
    end: int | None
    url: str = ""
    file_id: str = ""
    container_id: str = ""
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
        source_id=_source_id(body),
    )


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
        if raw.kind is AnnotationKind.FILE or raw.start is None or raw.end is None:
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
    if raw.kind is AnnotationKind.FILE_PATH:
        return False  # its index is the place in a list of files
    if raw.kind is AnnotationKind.FILE:
        return raw.start is not None
    return raw.start is not None and raw.end is not None and 0 <= raw.start < raw.end


def _final_place(text: str, raw: RawAnnotation) -> Place | None:
    if raw.start is None or raw.end is None:
        return None
    if raw.kind is AnnotationKind.FILE:
        return insertion_point(text, raw.start)
    return resolve_span(text, raw.start, raw.end, expected=_expected(raw))


def _expected(raw: RawAnnotation) -> tuple[str, ...]:
    try:
        host = (urlsplit(raw.url).hostname or "").removeprefix("www.")
    except ValueError:
        host = ""
    return tuple(word for word in (raw.url, host, raw.filename) if word)


def source_from(payload: JsonObject, number: int = 0) -> HostedSource:
    """Return the source in a search result or citation object of any provider."""
    index = number_of(payload, "document_index")
    return HostedSource(
        source_id=_source_id(payload),
        number=number if index is None else index + 1,
        url=clean_url(text_of(payload, "url", "source_url", "link", "uri")),
        title=text_of(payload, "title", "document_title", "name"),
        file_id=text_of(payload, "file_id"),
        filename=text_of(payload, "filename", "file_name"),
        text=text_of(payload, "text", "cited_text", "snippet", "content"),
        score=share_of(payload, "score"),
    )


def numbered_sources(citations: object, results: object) -> list[HostedSource]:
    """Return the sources of top-level `citations` (addresses or objects) and `search_results`, merged."""
    listed: list[HostedSource] = []
    for number, item in enumerate(items_of({"x": citations}, "x"), start=1):
        if isinstance(item, str):
            listed.append(HostedSource(number=number, url=clean_url(item)))
        elif isinstance(item, dict):
            listed.append(source_from(item, number))
    found = [
        source_from(item, number) for number, item in enumerate(objects_of({"x": results}, "x"), start=1)
    ]
    if not listed:
        return found
    by_url = {source.url: source for source in reversed(found) if source.url}
    return [_with_details(source, by_url.get(source.url)) for source in listed]


def numbered_annotations(text: str, sources: Iterable[HostedSource]) -> Iterator[Annotation]:
    """Yield an annotation over each [n], [^n] or [[n]](url) that names one of the provider's sources."""
    by_number = {source.number: source for source in sources if source.number}
    code = [match.span() for match in _CODE.finditer(text)]
    for mark in _NUMBERED.finditer(text):
        source = by_number.get(int(mark[1] or mark[2]))
        if source is not None and not any(start <= mark.start() < end for start, end in code):
            yield Annotation(
                kind=AnnotationKind.URL,
                start=mark.start(),
                end=mark.end(),
                url=source.url,
                title=source.title,
                quote=source.text,
                source_id=source.source_id,
            )


def _with_details(source: HostedSource, found: HostedSource | None) -> HostedSource:
    if found is None or source.title:
        return source
    return HostedSource(
        number=source.number, url=source.url, title=found.title, text=found.text, score=found.score
    )


def _source_id(payload: JsonObject) -> str:
    named = text_of(payload, "source_id", "ref_id", "citation_id")
    plain = text_of(payload, "id")
    return named or (plain if _TURN_ID.fullmatch(plain) else "")
