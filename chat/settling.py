"""Making text, citations and rejections of a turn that was broken off fit its raw output again.

A stop or a failure may come between two steps: words that the parser held back, a citation stored a moment before its
text. What is kept is what reading all of the raw output gives.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from chat.citation_rows import citation_row
from chat.models import Citation, Turn, TurnState
from chat.reading import Cited
from chat.rereading import passage_from, reread

if TYPE_CHECKING:
    from chat.store import Outcome

BROKEN_OFF = frozenset({TurnState.STOPPED, TurnState.INTERRUPTED, TurnState.FAILED})


def settled(turn: Turn, outcome: "Outcome") -> "Outcome":
    """Return the outcome as its raw output says, and store its citations; inside the finishing transaction."""
    if outcome.state not in BROKEN_OFF or not outcome.reading:
        return outcome
    again = reread(
        turn_id=turn.pk,
        question=turn.question,
        offered=map(passage_from, outcome.offered),
        inputs=outcome.reading,
        raw=outcome.raw,
    )
    _store(turn, again.cited)
    rejections = [rejection.as_json() for rejection in again.rejections]
    return replace(outcome, text=again.text, rejections=rejections)


def _store(turn: Turn, read: Sequence[Cited]) -> None:
    """Keep the stored rows that are right, with the verdicts they have, and put the others straight."""
    rows = [_row(turn, cited, ordinal) for ordinal, cited in enumerate(read, start=1)]
    known = {_place(row) for row in turn.citations.all()}
    right = known & {_place(row) for row in rows}
    turn.citations.exclude(pk__in=[place[0] for place in right]).delete()
    Citation.objects.bulk_create(
        _row(turn, cited.compared(None), row.ordinal)
        for cited, row in zip(read, rows, strict=True)
        if _place(row) not in right
    )


def _row(turn: Turn, cited: Cited, ordinal: int) -> Citation:
    return citation_row(cited, tenant_id=turn.tenant_id, turn_id=turn.pk, ordinal=ordinal)


def _place(row: Citation) -> tuple[object, ...]:
    return row.pk, row.ordinal, row.number, row.position, row.start, row.end
