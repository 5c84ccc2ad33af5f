"""Sources that a service lists beside an answer, and the marks in the text that name them by number."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape

from chat.core.hosted import Annotation, AnnotationKind, HostedSource, clean_url
from chat.providers.annotations import RawAnnotation, named_id
from chat.providers.fields import JsonObject, items_of, number_of, objects_of, share_of, text_of

_MARK = re.compile(r"\[\[(\d{1,3})\]\]\(([^()\s]*)\)|\[(?:\^|doc)?(\d{1,3})\](?!\()")
_CODE = re.compile(r"(`+).*?\1", re.DOTALL)


def source_from(payload: JsonObject, number: int = 0) -> HostedSource:
    """Return the source in a search result or citation object of any provider."""
    index = number_of(payload, "document_index")
    return HostedSource(
        source_id=named_id(payload),
        number=number if index is None else index + 1,
        url=clean_url(text_of(payload, "url", "source_url", "link", "uri")),
        title=text_of(payload, "title", "document_title", "name", "filepath"),
        file_id=text_of(payload, "file_id"),
        filename=text_of(payload, "filename", "file_name"),
        text=text_of(payload, "text", "cited_text", "snippet", "content"),
        score=share_of(payload, "score"),
    )


def numbered_sources(citations: object, results: object) -> list[HostedSource]:
    """Return the sources of a list of `citations` (addresses or objects) and of `search_results`, merged."""
    listed: list[HostedSource] = []
    for number, item in enumerate(items_of({"x": citations}, "x"), start=1):
        if isinstance(item, str):
            listed.append(HostedSource(number=number, url=clean_url(item)))
        elif isinstance(item, dict):
            listed.append(source_from(item, number))
    found = [
        source_from(item, number) for number, item in enumerate(objects_of({"x": results}, "x"), start=1)
    ]
    by_url = {source.url: source for source in reversed(found) if source.url}
    merged = [_with_details(source, by_url.get(source.url)) for source in listed] or found
    return [_with_id(source) for source in merged]


def _with_details(source: HostedSource, found: HostedSource | None) -> HostedSource:
    if found is None or source.title:
        return source
    return HostedSource(
        number=source.number, url=source.url, title=found.title, text=found.text, score=found.score
    )


def _with_id(source: HostedSource) -> HostedSource:
    """Two sources without an address are not one: what the service calls them tells them apart."""
    known = source.url or source.source_id or source.file_id
    return source if known else replace(source, source_id=f"doc{source.number}")


def numbered_annotations(
    text: str, sources: Sequence[HostedSource], *, own_numbers: bool
) -> Iterator[Annotation]:
    """Yield an annotation over each mark that names one of the provider's sources.

    A link `[[n]](url)` names its address: xAI's numbers are not places in its list. `[n]`, `[^n]` and `[docn]`
    count only if the provider's `own_numbers` are meant, and then a link may also name a page that is not listed.
    """
    by_number = {source.number: source for source in sources if source.number}
    by_url = {source.url: source for source in reversed(sources) if source.url}
    code = [match.span() for match in _CODE.finditer(text)]
    for mark in _MARK.finditer(text):
        url = clean_url(mark[2] or "")
        source = by_url.get(url)
        if source is None and own_numbers:
            source = HostedSource(url=url) if url else by_number.get(int(mark[1] or mark[3]))
        if source is not None and not any(start <= mark.start() < end for start, end in code):
            yield _annotation(source, *mark.span())


def _annotation(source: HostedSource, start: int, end: int) -> Annotation:
    return Annotation(
        kind=AnnotationKind.URL,
        start=start,
        end=end,
        url=source.url,
        title=source.title,
        quote=source.text,
        source_id=source.source_id,
    )


def claude_annotations(citations: object, start: int | None) -> Iterator[RawAnnotation]:
    """Yield the annotations in a citation object of Anthropic, or a list of such or of lists of such (LiteLLM).

    In a stream each comes before the words that it is about, which begin at `start`; None says that nobody knows.
    """
    if isinstance(citations, list):
        for item in citations:
            yield from claude_annotations(item, start)
    elif isinstance(citations, dict) and text_of(citations, "type").endswith("_location"):
        yield _claude_annotation(citations, start)


def _claude_annotation(citation: JsonObject, start: int | None) -> RawAnnotation:
    index = number_of(citation, "document_index", "search_result_index")
    url = text_of(citation, "url", "source")
    return RawAnnotation(
        kind=AnnotationKind.URL,
        start=start,
        end=start,
        url=url,
        ahead=start is not None,
        title=unescape(text_of(citation, "title", "document_title")),
        quote=unescape(text_of(citation, "cited_text")),
        source_id=named_id(citation) or ("" if clean_url(url) or index is None else f"doc{index + 1}"),
    )
