"""What answers are worth on a set of questions: cited, holding the answer in the cited span, borne out by it."""

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chat.core.citations import Citation
from chat.core.quoting import answer_pieces, choose_quotes
from chat.core.support import Verdict
from chat.providers.base import End, EndReason, TextDelta
from chat.reading import Cited, Reading, Refused
from sources.core.evaluation import Question
from sources.core.normalise import fold
from sources.core.passages import Passage


@dataclass(frozen=True, slots=True)
class AnswerQuality:
    """Counts over the built-in model's answers, which go through the same reading as any model's.

    `with_answer` questions name their answer; `right` of them have it inside a cited span. `cited_anyway` counts
    unanswerable questions that were answered with a citation all the same.
    """

    asked: int
    cited: int
    with_answer: int
    right: int
    unanswerable: int
    cited_anyway: int
    rejected_markers: int
    verdicts: dict[str, int]

    def citation_json(self) -> dict[str, object]:
        """Return the figures about citations."""
        return {
            "cited": _share(self.cited, self.asked),
            "right": _share(self.right, self.with_answer),
            "with_answer": self.with_answer,
            "cited_anyway": _share(self.cited_anyway, self.unanswerable),
            "rejected_markers": self.rejected_markers,
        }

    def support_json(self) -> dict[str, object]:
        """Return the share of citations with each verdict."""
        citations = sum(self.verdicts.values())
        shares = {str(verdict): _share(self.verdicts.get(verdict, 0), citations) for verdict in Verdict}
        return {"citations": citations, **shares}


def measure_answers(found: Iterable[tuple[Question, Sequence[Passage]]]) -> AnswerQuality:
    """Let the quoting model answer each question from its passages and count."""
    counts: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    for question, passages in found:
        cited, rejected = _answered(question.text, tuple(passages))
        counts["rejected"] += rejected
        verdicts.update(str(event.support.verdict) for event in cited if event.support)
        if not question.answerable:
            counts["unanswerable"] += 1
            counts["cited_anyway"] += bool(cited)
            continue
        counts["asked"] += 1
        counts["cited"] += bool(cited)
        counts["with_answer"] += bool(question.answers)
        counts["right"] += _holds(question.answers, [event.citation for event in cited])
    return AnswerQuality(
        asked=counts["asked"],
        cited=counts["cited"],
        with_answer=counts["with_answer"],
        right=counts["right"],
        unanswerable=counts["unanswerable"],
        cited_anyway=counts["cited_anyway"],
        rejected_markers=counts["rejected"],
        verdicts=dict(verdicts),
    )


def _answered(question: str, passages: tuple[Passage, ...]) -> tuple[list[Cited], int]:
    reading = Reading(turn_id=uuid.uuid4(), question=question, offered=passages)
    pieces = answer_pieces(question, choose_quotes(question, passages))
    events = [event for piece in pieces for event in reading.take(TextDelta(piece))]
    events += reading.take(End(EndReason.STOP))
    return [e for e in events if isinstance(e, Cited)], sum(isinstance(e, Refused) for e in events)


def _holds(answers: Sequence[str], citations: Sequence[Citation]) -> bool:
    quotes = [fold(citation.quote) for citation in citations]
    return any(fold(answer) in quote for answer in answers for quote in quotes)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
