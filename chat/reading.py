"""Reads a model's events into answer events: parse, validate, check support."""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from chat.core.citations import Citation, CitationCollector, Rejection
from chat.core.claims import claim_before
from chat.core.markers import Event, MarkerParser
from chat.core.support import Support, check_support
from chat.providers.base import End, EndReason, ModelEvent, TextDelta, TextWithdrawn, Usage
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
    """A validated citation at the present end of the text, and whether its passage supports the sentence."""

    citation: Citation
    support: Support


@dataclass(frozen=True, slots=True)
class Refused:
    """A marker, or a part of one, that is no citation."""

    rejection: Rejection


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Everything said so far was the model's thinking; forget it."""


@dataclass(frozen=True, slots=True)
class Used:
    """The tokens of the model."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Ended:
    """The model came to an end of its own; only STOP is a whole answer."""

    reason: EndReason


ReadEvent = Raw | Said | Cited | Refused | Withdrawn | Used | Ended


def citation_id(turn_id: uuid.UUID, index: int) -> str:
    """Return the id of a turn's n-th citation, counted from 0: the same for a repeated attempt to store it."""
    return str(uuid.uuid5(turn_id, f"citation {index}"))


class Reading:
    """The state of one answer between two model events."""

    def __init__(self, *, turn_id: uuid.UUID, question: str, offered: tuple[Passage, ...]) -> None:
        self._turn_id = turn_id
        self._question = question
        self._offered = offered
        self._begin()

    def _begin(self) -> None:
        self._parser = MarkerParser([passage.block_id for passage in self._offered])
        self._collector = CitationCollector(
            self._offered,
            lambda index: citation_id(self._turn_id, index),
            user_texts=(self._question,),
        )

    def take(self, event: ModelEvent) -> Iterator[ReadEvent]:
        """Yield what one model event means for the reader and for the record."""
        match event:
            case TextDelta():
                yield Raw(event.text)
                yield from self._read(self._parser.feed(event.text))
            case TextWithdrawn():
                self._begin()
                yield Withdrawn()
            case Usage():
                yield Used(event)
            case End():
                yield from self.flush()
                yield Ended(event.reason)

    def flush(self) -> Iterator[ReadEvent]:
        """Yield what the parser still held back."""
        yield from self._read(self._parser.flush())

    def _read(self, events: Iterable[Event]) -> Iterator[ReadEvent]:
        for event in events:
            # One at a time, so that a citation follows exactly the words before it.
            collected = self._collector.take([event])
            if collected.text:
                yield Said(collected.text)
            for rejection in collected.rejections:
                yield Refused(rejection)
            for citation in collected.citations:
                yield Cited(citation, self._support(citation))

    def _support(self, citation: Citation) -> Support:
        passage = citation.passage
        # A name or number that the claim takes from the title is no fault.
        context = "\n".join((passage.title, *passage.heading_path))
        return check_support(claim_before(self._collector.text), citation.quote, context=context)
