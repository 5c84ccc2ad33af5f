"""Decide which markers are citations, and number them.

A citation exists only if its source was offered in this same request, or returned by a hosted tool in this
same response. Everything else is a rejection with a reason, for the audit record.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from chat.core.attaching import attached
from chat.core.cited import (
    Annotated,
    Citation,
    DocumentSource,
    Rejection,
    RejectReason,
    Source,
    WebSource,
    source_key,
)
from chat.core.marker_events import Cite, Dropped, Event, Ref, Text
from chat.core.positions import utf16_length
from sources.core.lines import line_span, line_starts
from sources.core.passages import LineRange, Passage

__all__ = [
    "Annotated",
    "Citation",
    "CitationCollector",
    "Collected",
    "DocumentSource",
    "RejectReason",
    "Rejection",
    "Source",
    "WebSource",
    "located",
]


@dataclass(frozen=True, slots=True)
class Collected:
    """What one batch of parser events added to the answer."""

    text: str
    citations: tuple[Citation, ...]
    rejections: tuple[Rejection, ...]


class CitationCollector:
    """Turn parser events into clean text, numbered citations and rejections.

    Numbers count from 1 by first appearance; the same source keeps its number and each place its own citation.
    `mint_id` gives the id of the citation with a 0-based index. `withdrawn` are ids that earlier turns offered
    and that the user may no longer see. `user_texts` are the question and what else the user wrote.
    """

    def __init__(
        self,
        passages: Iterable[Passage],
        mint_id: Callable[[int], str],
        *,
        user_texts: Sequence[str] = (),
        withdrawn: Iterable[str] = (),
    ) -> None:
        self._sources: dict[str, Source] = {passage.block_id: passage for passage in passages}
        self._documents = tuple(p.text for p in self._sources.values() if isinstance(p, Passage))
        self._mint_id = mint_id
        self._user_texts = tuple(user_texts)
        self._withdrawn = frozenset(withdrawn)
        self._pieces: list[str] = []
        self._length = 0
        self._length_utf16 = 0
        self._citations: list[Citation] = []
        self._rejections: list[Rejection] = []
        self._numbers: dict[str, int] = {}

    @property
    def text(self) -> str:
        """The clean answer so far."""
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def before(self, position: int, most: int) -> str:
        """Return up to `most` code points of the clean answer before a position; in time that `most` bounds."""
        start, at, near = max(position - most, 0), self._length, list[str]()
        for piece in reversed(self._pieces):
            at -= len(piece)
            near.append(piece)
            if at <= start:
                break
        return "".join(reversed(near))[start - at : position - at]

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All citations so far, in the order of their places."""
        return tuple(self._citations)

    @property
    def rejections(self) -> tuple[Rejection, ...]:
        """All rejections so far."""
        return tuple(self._rejections)

    @property
    def numbers(self) -> Mapping[str, int]:
        """The footnote number of each cited source, by block id or web address, in order."""
        return dict(self._numbers)

    def offer(self, source_id: str, source: Source) -> None:
        """Accept a source that a hosted tool returned under this id in this same response."""
        self._sources.setdefault(source_id, source)

    def take(self, events: Iterable[Event]) -> Collected:
        """Take parser events in order and return what they added."""
        before = len(self._pieces), len(self._citations), len(self._rejections)
        for event in events:
            if isinstance(event, Text):
                self._write(event.text)
            elif isinstance(event, Cite):
                self._cite(event)
            else:
                self._reject(event.raw, self._reason(event), event.source_id)
        return Collected(
            "".join(self._pieces[before[0] :]),
            tuple(self._citations[before[1] :]),
            tuple(self._rejections[before[2] :]),
        )

    def attach(self, annotations: Iterable[Annotated]) -> tuple[Citation, ...]:
        """Add a finished answer's annotations and return all its citations, numbered together by place.

        What the provider wrote into the text as its own mark, such as ([host](address)) or [1], is lifted out
        of it; `text` and the places change with it. Spans outside the text are clamped and overlapping ones
        cut; a source that is at its place already is not added again. Numbers may change, ids do not.
        """
        text, citations = attached(self.text, self._citations, annotations, self._mint_id)
        self._pieces, self._length, self._length_utf16 = [text], len(text), utf16_length(text)
        self._numbers.clear()
        self._citations = [replace(c, number=self._number(c.source)) for c in citations]
        return self.citations

    def _number(self, source: Source) -> int:
        return self._numbers.setdefault(source_key(source), len(self._numbers) + 1)

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
        self._length_utf16 += utf16_length(text)

    def _reject(self, raw: str, reason: RejectReason, source_id: str = "") -> None:
        self._rejections.append(Rejection(raw, reason, self._length, source_id))

    def _reason(self, event: Dropped) -> RejectReason:
        """Return the parser's reason, or a sharper one for an id that came from somewhere else."""
        name = event.source_id
        if name in self._withdrawn:
            return RejectReason.NO_LONGER_PERMITTED
        if len(name) > 3 and event.reason.value == RejectReason.UNKNOWN_ID:
            if any(name in text for text in self._documents):
                return RejectReason.FORGED_IN_DOCUMENT
            if any(name in text for text in self._user_texts):
                return RejectReason.FORGED_BY_USER
        return RejectReason(event.reason.value)

    def _cite(self, event: Cite) -> None:
        for ref in event.refs:
            source = self._sources.get(ref.source_id)
            if source is None:
                self._reject(event.raw, RejectReason.UNKNOWN_ID, ref.source_id)
            else:
                self._add(event, ref, source)

    def _add(self, event: Cite, ref: Ref, source: Source) -> None:
        lines, start, end, quote = self._evidence(event, ref, source)
        if self._stands_here(source, start, end):
            self._reject(event.raw, RejectReason.REPEATED_HERE, ref.source_id)
            return
        self._citations.append(
            Citation(
                citation_id=self._mint_id(len(self._citations)),
                number=self._number(source),
                position=self._length,
                position_utf16=self._length_utf16,
                source=source,
                lines=lines,
                start=start,
                end=end,
                quote=quote,
                repaired_from=event.repaired_from,
            )
        )

    def _stands_here(self, source: Source, start: int, end: int) -> bool:
        """Say whether the source is cited at this very place already, by the same lines or more or fewer."""
        return any(
            c.position == self._length
            and source_key(c.source) == source_key(source)
            and (c.start <= start <= end <= c.end or start <= c.start <= c.end <= end)
            for c in self._citations[-20:]
        )

    def _evidence(self, event: Cite, ref: Ref, source: Source) -> tuple[LineRange | None, int, int, str]:
        if not isinstance(source, Passage):
            return None, 0, 0, source.text
        assert source.end - source.start == len(source.text)
        whole = None, source.start, source.end, source.text
        if ref.lines is None:
            return whole
        span = located(source, ref.lines)
        if span is None:
            self._reject(event.raw, RejectReason.LOCATOR_OUTSIDE_BLOCK, ref.source_id)
            return whole
        return ref.lines, *span


def located(passage: Passage, lines: LineRange) -> tuple[int, int, str] | None:
    """Return the span of the version's `lines` within the passage, and its text; None if they are outside it.

    The span is half-open, in code points of the canonical text. Lines that the passage's ends cut are cut.
    """
    first, last = lines.first - passage.lines.first + 1, lines.last - passage.lines.first + 1
    try:
        start, end = line_span(passage.text, line_starts(passage.text), first, last)
    except ValueError:
        return None
    quote = passage.text[start:end]
    if not quote.strip():
        return None
    start, end = passage.start + start, passage.start + end
    assert passage.text[start - passage.start : end - passage.start] == quote
    return start, end, quote
