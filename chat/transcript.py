"""Collects the events of one answer: for its viewers at once, for the database as it ends."""

import asyncio
import logging

from django.db import DatabaseError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat import store
from chat.answering import AnswerEvent, Asked, Heard, Offered, Timing
from chat.citation_rows import citation_row
from chat.live import LiveTurn
from chat.models import Citation, TurnState
from chat.providers.base import EndReason
from chat.reading import Cited, Ended, Raw, Refused, Said, Settled, Used, Withdrawn
from chat.rereading import Inputs, passage_as_json
from chat.turn_view import chip_of, shows_citations
from citeweb.threads import in_thread
from sources.core.passages import Passage

logger = logging.getLogger(__name__)


class Transcript:
    """What has come of an answer so far."""

    def __init__(self, asked: Asked, live: LiveTurn) -> None:
        self._asked = asked
        self._live = live
        self._cited = shows_citations(user=asked.user, tenant=asked.tenant)
        self._raw: list[str] = []
        self._raw_length = 0
        self._inputs = Inputs()
        self._text: list[str] = []
        self._citations: list[Citation] = []
        self._rejections: list[dict[str, object]] = []
        self._offered: list[dict[str, object]] = []
        self._settings: dict[str, object] = {}
        self._usage: dict[str, object] = {}
        self._timings: dict[str, object] = {}
        self._passages: tuple[Passage, ...] = ()
        self._reason: EndReason | None = None
        self._noting: asyncio.Task[None] | None = None

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The rows of its citations so far, in the order of their places."""
        return tuple(self._citations)

    @property
    def offered(self) -> tuple[Passage, ...]:
        """The passages that the model was offered."""
        return self._passages

    @property
    def usage(self) -> dict[str, object]:
        """The tokens of the model, as far as it told."""
        return self._usage

    @property
    def raw(self) -> str:
        """The model's output as it came."""
        return "".join(self._raw)

    @property
    def inputs(self) -> dict[str, object]:
        """What reading the raw output again takes."""
        return self._inputs.as_json()

    @property
    def text(self) -> str:
        """The clean answer."""
        return "".join(self._text)

    async def take(self, event: AnswerEvent) -> None:
        """Take in one event."""
        match event:
            case Said():
                self._text.append(event.text)
                self._live.append(event.text)
            case Raw():
                self._raw.append(event.text)
                self._raw_length += len(event.text)
            case Cited():
                await self._cite(event)
            case Refused():
                self._rejections.append(event.rejection.as_json())
            case Offered():
                await self._offer(event)
            case Heard():
                self._inputs.note_event(self._raw_length, event.event, event.source)
            case Withdrawn():
                self._inputs.note_withdrawal(self._raw_length)
                await self._withdraw()
            case Settled():
                await self._settle(event)
            case Used():
                self._usage = {
                    "input_tokens": event.usage.input_tokens,
                    "output_tokens": event.usage.output_tokens,
                }
            case Timing():
                self._timings[event.step] = round(event.seconds, 4)
            case Ended():
                self._reason = event.reason
                self._settings["end_reason"] = str(event.reason)

    async def _cite(self, event: Cited) -> None:
        row = self._row(event, ordinal=len(self._citations) + 1)
        # Stored first: a chip may be clicked as soon as it is seen.
        await in_thread(store.add_citations, [row])
        self._citations.append(row)
        self._show(row)

    def _show(self, row: Citation) -> None:
        if self._cited:
            self._live.place(chip_of(row, available=True))

    async def _settle(self, event: Settled) -> None:
        rows = [self._row(cited, ordinal=ordinal) for ordinal, cited in enumerate(event.cited, start=1)]
        await in_thread(store.replace_citations, self._asked.turn_id, rows, raw=self.raw, text=event.text)
        same = event.text == self.text and list(map(_shown, rows)) == list(map(_shown, self._citations))
        self._text, self._citations = [event.text], rows
        self._rejections = [rejection.as_json() for rejection in event.rejections]
        if same:
            return
        self._live.withdraw()
        self._live.append(event.text)
        for row in rows:
            self._show(row)

    def _row(self, cited: Cited, *, ordinal: int) -> Citation:
        asked = self._asked
        return citation_row(cited, tenant_id=asked.tenant.pk, turn_id=asked.turn_id, ordinal=ordinal)

    async def _offer(self, event: Offered) -> None:
        prompt, model = event.prompt, self._asked.model
        self._passages = prompt.offered
        self._offered = [passage_as_json(passage) for passage in prompt.offered]
        self._inputs = Inputs(numbered=event.numbered, withdrawn=event.withdrawn)
        self._settings = {
            "api": str(model.api),
            "upstream_name": model.upstream_name,
            "marker_style": str(model.marker_style),
            "temperature": model.temperature,
            "max_output_tokens": model.max_output_tokens,
            "line_numbers": model.line_numbers,
            "query": event.query,
            "messages": [[str(message.role), message.content] for message in prompt.messages],
            "left_out_turns": prompt.left_out_turns,
            "left_out_passages": prompt.left_out_passages,
            "cut_passages": prompt.cut_passages,
        }
        self._noting = asyncio.create_task(self._note_offer())
        count = len(prompt.offered)
        self._live.set_status(
            ngettext("Reading %(count)s passage…", "Reading %(count)s passages…", count) % {"count": count}
        )

    async def _note_offer(self) -> None:
        try:
            await in_thread(
                store.note_offer,
                self._asked.turn_id,
                offered=self._offered,
                settings=self._settings,
                reading=self._inputs.as_json(),
            )
        except DatabaseError:
            logger.warning("turn %s: what was offered could not be stored yet", self._asked.turn_id)

    async def noted(self) -> None:
        """Wait until what the model was shown is stored, which goes on while it is being asked; the end has it too."""
        if self._noting is not None:
            await self._noting

    async def _withdraw(self) -> None:
        await in_thread(store.remove_citations, self._asked.turn_id)
        self._text.clear()
        self._citations.clear()
        self._rejections.clear()
        self._live.withdraw()

    def end(self) -> store.Outcome:
        """Return the outcome of a model that came to an end of its own."""
        match self._reason:
            case EndReason.STOP if self.text.strip():
                return self.outcome(TurnState.COMPLETE)
            case EndReason.LENGTH if self.text.strip():
                return self.outcome(TurnState.CUT)
            case EndReason.CONTENT_FILTER:
                error = _("The model's provider withheld the rest of this answer.")
            case EndReason.REFUSAL:
                error = _("The model declined to answer this question.")
            case EndReason.OTHER:
                error = _("The model ended this answer for a reason of its own; it may be incomplete.")
            case _:
                error = _("The model gave no answer. Please try again or choose another model.")
        return self.outcome(TurnState.FAILED, error=error)

    def outcome(self, state: TurnState, *, error: str = "", detail: str = "") -> store.Outcome:
        """Return all that is stored of the answer with its end."""
        return store.Outcome(
            state=state,
            raw=self.raw,
            text=self.text,
            error=error,
            error_detail=detail,
            rejections=self._rejections,
            offered=self._offered,
            usage=self._usage,
            timings=self._timings,
            settings=self._settings,
            reading=self.inputs,
        )


def _shown(row: Citation) -> tuple[object, ...]:
    return row.pk, row.position, row.number
