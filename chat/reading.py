"""Reads a model's events into answer events: parse, validate, check support."""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from chat.core.citations import (
    Annotated,
    Citation,
    CitationCollector,
    Rejection,
    RejectReason,
    Source,
)
from chat.core.claims import LONGEST_CLAIM, claim_before
from chat.core.markers import Event, MarkerParser
from chat.core.support import NO_SHARED_LANGUAGE, Support, check_support
from chat.providers.base import (
    Annotation,
    End,
    EndReason,
    HostedSource,
    ModelEvent,
    TextDelta,
    TextWithdrawn,
    Usage,
)
from sources.core.passages import Passage


@dataclass(frozen=True, slots=True)
class Raw:
    """Model output as it came, for the audit record only: never shown."""

    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """Clean answer text, without any marker."""

    text: str


@dataclass(frozen=True, slots=True)
class Cited:
    """A validated citation, the sentence that it stands for, and whether its passage supports that.

    `support` is None where there is no passage, and where nobody wanted it checked.
    """

    citation: Citation
    claim: str
    support: Support | None

    @property
    def incomparable(self) -> bool:
        """Whether claim and passage have no language in common, so that only vectors could compare them."""
        return self.support is not None and NO_SHARED_LANGUAGE in self.support.reasons

    def compared(self, similarity: float | None) -> "Cited":
        """Return the citation with the verdict that the claim's likeness to the passage, 0 to 1, adds to."""
        return replace(self, support=_support(self.citation, self.claim, similarity))


@dataclass(frozen=True, slots=True)
class Refused:
    """A marker, a part of one, or an annotation that is no citation."""

    rejection: Rejection


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Everything said so far was the model's thinking; forget it."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The whole answer anew, in place of all that was said and cited: its end told more about its sources."""

    text: str
    cited: tuple[Cited, ...]
    rejections: tuple[Rejection, ...]


@dataclass(frozen=True, slots=True)
class Used:
    """The tokens of the model."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Ended:
    """The model came to an end of its own; only STOP is a whole answer."""

    reason: EndReason


ReadEvent = Raw | Said | Cited | Refused | Withdrawn | Settled | Used | Ended


def citation_id(turn_id: uuid.UUID, index: int) -> str:
    """Return the id of a turn's n-th citation, counted from 0: the same for a repeated attempt to store it."""
    return str(uuid.uuid5(turn_id, f"citation {index}"))


class Reading:
    """The state of one answer between two model events.

    `withdrawn` are blocks that earlier turns cited and that the asker may no longer see. `numbered=False` says
    that the provider's [n] are its own sources. `checks=False` leaves `support` of citations None, where nobody
    wants to know: nearly all of the time goes into it.
    """

    def __init__(
        self,
        *,
        turn_id: uuid.UUID,
        question: str,
        offered: tuple[Passage, ...],
        withdrawn: Iterable[str] = (),
        numbered: bool = True,
        checks: bool = True,
    ) -> None:
        self._turn_id = turn_id
        self._question = question
        self._offered = offered
        self._withdrawn = frozenset(withdrawn)
        self._numbered = numbered
        self._checks = checks
        self._hosted: dict[str, Source] = {}
        self._minted = 0
        self._begin()

    def _begin(self) -> None:
        self._raw: list[str] = []
        self._annotations: list[tuple[Annotation, Source | None]] = []
        self._begin_parsing()

    def _begin_parsing(self) -> None:
        self._parser = MarkerParser([p.block_id for p in self._offered], numbered=self._numbered)
        self._collector = CitationCollector(
            self._offered,
            self._mint,
            user_texts=(self._question,),
            withdrawn=self._withdrawn,
        )
        for source_id, source in self._hosted.items():
            self._accept(source_id, source)

    def _mint(self, _index: int) -> str:
        # Counted on when the answer is read a second time: an id never means two citations.
        self._minted += 1
        return citation_id(self._turn_id, self._minted - 1)

    def _accept(self, source_id: str, source: Source) -> None:
        self._parser.offer(source_id)
        self._collector.offer(source_id, source)

    def take(self, event: ModelEvent) -> Iterator[ReadEvent]:
        """Yield what one model event means for the reader and for the record."""
        match event:
            case TextDelta():
                self._raw.append(event.text)
                yield Raw(event.text)
                yield from self._read(self._parser.feed(event.text))
            case TextWithdrawn():
                self._begin()
                yield Withdrawn()
            case Usage():
                yield Used(event)
            case End():
                yield from self.finish()
                yield Ended(event.reason)

    def take_hosted(self, event: Annotation | HostedSource, source: Source | None) -> None:
        """Note what a provider's tool found; `source` is what the asker may see of it, None if nothing."""
        if isinstance(event, Annotation):
            self._annotations.append((event, source))
        if event.source_id and source is not None and event.source_id not in self._hosted:
            self._hosted[event.source_id] = source
            self._accept(event.source_id, source)

    def finish(self) -> Iterator[ReadEvent]:
        """Yield what the parser still held back, and the answer anew if its sources were named late."""
        yield from self._read(self._parser.flush())
        late = any(self._came_late(rejection) for rejection in self._collector.rejections)
        if late:
            self._begin_parsing()
            self._collector.take(self._parser.feed("".join(self._raw)))
            self._collector.take(self._parser.flush())
        if late or self._annotations:
            yield self._settled()

    def _came_late(self, rejection: Rejection) -> bool:
        unknown = rejection.reason in (RejectReason.HOSTED_ID_OF_OTHER_RESPONSE, RejectReason.UNKNOWN_ID)
        return unknown and rejection.source_id in self._hosted

    def _settled(self) -> Settled:
        length = len("".join(self._raw))
        refused = [self._refused(annotation) for annotation, source in self._annotations if source is None]
        self._collector.attach(
            Annotated(
                source,
                self._parser.clean_offset(length if annotation.start is None else annotation.start),
                self._parser.clean_offset(length if annotation.end is None else annotation.end),
            )
            for annotation, source in self._annotations
            if source is not None
        )
        cited = tuple(map(self._cited, self._collector.citations))
        return Settled(self._collector.text, cited, (*self._collector.rejections, *refused))

    def _refused(self, annotation: Annotation) -> Rejection:
        position = self._parser.clean_offset(annotation.end or 0)
        return Rejection(
            f"{annotation.kind} {annotation.file_id} {annotation.filename}".strip(),
            RejectReason.HOSTED_FILE_NOT_OURS,
            position,
            annotation.source_id,
        )

    def _read(self, events: Iterable[Event]) -> Iterator[ReadEvent]:
        for event in events:
            # One at a time, so that a citation follows exactly the words before it.
            collected = self._collector.take([event])
            if collected.text:
                yield Said(collected.text)
            for rejection in collected.rejections:
                yield Refused(rejection)
            for citation in collected.citations:
                yield self._cited(citation)

    def _cited(self, citation: Citation) -> Cited:
        claim = claim_before(self._collector.before(citation.position, LONGEST_CLAIM))
        return Cited(citation, claim, _support(citation, claim) if self._checks else None)


def _support(citation: Citation, claim: str, similarity: float | None = None) -> Support | None:
    passage = citation.passage
    if passage is None:
        return None
    # A name or number that the claim takes from the title is no fault.
    context = "\n".join((passage.title, *passage.heading_path))
    return check_support(claim, citation.quote, similarity=similarity, context=context)
