"""A program's view of an answer while it is written: pieces of marked text, each sent once and never taken back."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from chat.answering import AnswerEvent, Asked
from chat.api.citation_objects import Json
from chat.api.completion import finish_reason
from chat.api.errors import ApiError, failed_answer
from chat.api.evidence import CitedAnswer, evidence_of, place_of
from chat.api.related import related_questions
from chat.api.search_results import found_results
from chat.api.wishes import Wishes
from chat.core.footnotes import FootnoteWriter, Mark, Style
from chat.generation import Generation, Generations
from chat.models import Citation, CitationKind
from chat.providers.base import ModelSettings
from chat.reading import Cited, Said, Settled, Withdrawn
from chat.store import Outcome
from chat.transcript import Transcript
from chat.turn_view import shows_citations
from citeweb.accounts.row_security import acting_for
from citeweb.threads import in_thread

# So long an error may still become the response's status; then the stream begins, that heartbeats can keep open.
BEGIN_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Piece:
    """The next piece of an answer's text, with the marks in it."""

    text: str
    marks: tuple[Mark, ...] = ()


def is_held(model: ModelSettings) -> bool:
    """Tell whether a model's own tools may change its text at the end, so that none of it can be sent before."""
    return bool(model.hosted_tools) or model.numbered_sources


class Following:
    """Runs one answer for one program and hands on what comes of it.

    `taken_back` says that words which were sent turned out to be no part of the answer.
    """

    def __init__(self, asked: Asked, wishes: Wishes, generations: Generations) -> None:
        self.asked = asked
        self.wishes = wishes
        self._generations = generations
        self._cited = wishes.citations and shows_citations(user=asked.user, tenant=asked.tenant)
        self._held = is_held(asked.model)
        self._writer = FootnoteWriter(wishes.style)
        self._pending: list[Piece] = []
        self._sent = False
        self._claims = True
        self._wake = asyncio.Event()
        self._beats = False
        self.taken_back = False
        self.generation = Generation(asked, hear=self._hear)
        self._task = generations.begin(self.generation)
        self._task.add_done_callback(lambda _task: self._wake.set())

    def stop(self) -> None:
        """End an answer that nobody waits for any more, and the model's work on it."""
        if not self._task.done():
            self._generations.stop(self.asked.turn_id)

    @property
    def outcome(self) -> Outcome:
        """How the answer ended. Raises ApiError if the server could not even store that."""
        if self.generation.outcome is None:
            message = "The answer could not be stored."
            raise ApiError(500, message, kind="server_error", code="internal_error")
        return self.generation.outcome

    @property
    def failure(self) -> ApiError | None:
        """Why the answer isn't whole, unless it is or its finish_reason says it all."""
        outcome = self.outcome
        if finish_reason(outcome.state, outcome.settings) != "error":
            return None
        return failed_answer(outcome, self.generation.failure)

    async def finished(self) -> Outcome:
        """Wait for the end; whoever stops waiting stops the answer."""
        try:
            await asyncio.shield(self._task)
        except asyncio.CancelledError:
            self.stop()
            raise
        return self.outcome

    async def begun(self) -> None:
        """Wait until there is something to send, the answer has ended, or it takes too long.

        Raises ApiError for an answer that failed without a word.
        """
        try:
            async with asyncio.timeout(BEGIN_SECONDS):
                await self._wake.wait()
        except TimeoutError:
            return
        except asyncio.CancelledError:
            self.stop()
            raise
        if self._task.done() and not self._pending and self.failure is not None:
            raise self.failure

    async def pieces(self) -> AsyncGenerator[Piece | None]:
        """Yield the pieces as they come, joined where they come faster than they are read; None now and then."""
        loop = asyncio.get_running_loop()
        beat = loop.call_later(settings.API_HEARTBEAT_SECONDS, self._beat)
        try:
            while not self.taken_back:
                # Asked first: what comes after this look is looked for once more.
                ended = self._task.done()
                if piece := self._next_piece(ended):
                    yield piece
                    continue
                if ended:
                    return
                await self._wake.wait()
                self._wake.clear()
                if self._beats:
                    self._beats = False
                    beat = loop.call_later(settings.API_HEARTBEAT_SECONDS, self._beat)
                    yield None
        finally:
            beat.cancel()

    def _beat(self) -> None:
        # Not told by the clock: a timer may fire a little before its time.
        self._beats = True
        self._wake.set()

    def _next_piece(self, ended: bool) -> Piece | None:
        if not self._pending or (self._held and not ended):
            return None
        pieces, self._pending = self._pending, []
        self._sent = True
        return Piece(
            "".join(piece.text for piece in pieces), tuple(m for piece in pieces for m in piece.marks)
        )

    def answer(self) -> CitedAnswer:
        """Return what was sent with its evidence; one that was forbidden meanwhile is blank. Reads the database."""
        rows = self.generation.transcript.citations if self._cited else ()
        evidence = evidence_of(rows, user=self.asked.user, tenant=self.asked.tenant)
        return CitedAnswer(self._writer.footnoted, evidence, claims=self._claims)

    async def ended_answer(self) -> CitedAnswer:
        """Return `answer` without holding up other streams, in the asker's scope: the request's is gone by now."""
        with acting_for(tenant=self.asked.tenant, user=self.asked.user):
            return await in_thread(self.answer)

    async def results(self) -> list[Json] | None:
        """Return what was found, if the program wants to see it."""
        if not self.wishes.results:
            return None
        outcome, asked = self.outcome, self.asked
        with acting_for(tenant=asked.tenant, user=asked.user):
            return await in_thread(found_results, outcome.offered, user=asked.user, tenant=asked.tenant)

    async def related(self, answer: CitedAnswer) -> list[str] | None:
        """Return the questions that lead on, if the program wants them."""
        if not self.wishes.related:
            return None
        asked, cited = self.asked, {one.row.block_id for one in answer.evidence}
        with acting_for(tenant=asked.tenant, user=asked.user):
            return await in_thread(
                related_questions,
                self.outcome.offered,
                cited,
                question=asked.question,
                user=asked.user,
                tenant=asked.tenant,
            )

    def _hear(self, event: AnswerEvent, transcript: Transcript) -> None:
        match event:
            case Said():
                self._add(self._writer.say(event.text))
            case Cited() if self._cited:
                rows = transcript.citations
                self._cite(len(rows) - 1, rows[-1])
            case Settled():
                self._settle(event.text, transcript.citations if self._cited else ())
            case Withdrawn():
                self._withdraw()
            case _:
                return
        self._wake.set()

    def _add(self, text: str, marks: tuple[Mark, ...] = ()) -> None:
        if text or marks:
            self._pending.append(Piece(text, marks))

    def _cite(self, index: int, row: Citation) -> None:
        written = self._writer.cite(index, place_of(row, self._url(row)))
        self._add(written, (self._writer.last_mark,))

    def _url(self, row: Citation) -> str:
        if self.wishes.style is not Style.MARKDOWN_LINK:
            return ""
        if row.kind == CitationKind.WEB and row.url:
            return row.url
        return str(settings.PUBLIC_URL) + reverse("cite", args=[row.pk])

    def _settle(self, text: str, rows: tuple[Citation, ...]) -> None:
        places = [place_of(row, self._url(row)) for row in rows]
        if not self._sent:
            self._writer, self._pending = FootnoteWriter(self.wishes.style), []
        before = len(self._writer.footnoted.text)
        rest = self._writer.settle(text, places)
        answer = self._writer.footnoted
        self._claims = _without_marks(answer.text, answer.marks) == text
        self._add(rest, tuple(mark for mark in answer.marks if mark.start >= before))

    def _withdraw(self) -> None:
        self.taken_back = self._sent
        self._writer, self._pending = FootnoteWriter(self.wishes.style), []


def _without_marks(text: str, marks: tuple[Mark, ...]) -> str:
    parts: list[str] = []
    done = 0
    for mark in marks:
        parts.append(text[done : mark.start])
        done = mark.end
    return "".join((*parts, text[done:]))
