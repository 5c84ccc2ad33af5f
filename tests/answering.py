"""Answered turns as the product leaves them, with their audit records, without a model and a server."""

import json
import uuid
from dataclasses import dataclass
from typing import Any

from chat import store
from chat.citation_rows import citation_row
from chat.models import AuditRecord, Turn, TurnState
from chat.rereading import Inputs, passage_as_json, reread
from citeweb.accounts.tenancy import Place
from sources.core.lines import line_at, line_starts
from sources.core.passages import LineRange, Passage
from sources.models import Document


@dataclass(frozen=True)
class Answered:
    """A turn and its record."""

    turn: Turn
    record: AuditRecord

    @property
    def body(self) -> dict[str, Any]:
        """The record's body."""
        body: dict[str, Any] = json.loads(self.record.body)
        return body


def answered_turn(
    asker: Place,
    document: Document,
    question: str,
    answer: str,
    *,
    model: str = "some-model",
    verdict: str = "",
    state: TurnState = TurnState.COMPLETE,
) -> Answered:
    """Ask, offer the whole document as one block, and answer; `^` cites it. `verdict` overrules the check's."""
    new = store.NewTurn(uuid.uuid4(), uuid.uuid4(), question, model, f"req-{uuid.uuid4().hex[:8]}")
    turn, _made = store.begin_turn(new, user=asker.user, tenant=asker.tenant)
    block = block_of(document)
    raw = answer.replace("^", f"\ue200cite\ue202{block.block_id}\ue201")
    inputs = Inputs().as_json()
    again = reread(turn_id=turn.pk, question=question, offered=[block], inputs=inputs, raw=raw)
    rows = [
        citation_row(cited.compared(None), tenant_id=asker.tenant.pk, turn_id=turn.pk, ordinal=ordinal)
        for ordinal, cited in enumerate(again.cited, start=1)
    ]
    for row in rows:
        row.verdict = verdict or row.verdict
    store.add_citations(rows)
    store.finish_turn(
        turn.pk,
        store.Outcome(
            state=state,
            raw=raw,
            text=again.text,
            offered=[passage_as_json(block)],
            rejections=[rejection.as_json() for rejection in again.rejections],
            usage={"input_tokens": 120, "output_tokens": 20},
            timings={"retrieval": 0.02, "first_text": 0.3, "generation": 0.8, "total": 0.9},
            settings={"api": "chat", "messages": [["developer", "The rules."]]},
            reading=inputs,
        ),
    )
    turn.refresh_from_db()
    return Answered(turn, AuditRecord.objects.get(turn_id=turn.pk))


def block_of(document: Document) -> Passage:
    """Return the whole current version as one block."""
    version = document.current_version
    assert version is not None
    chunk = version.chunks.order_by("ordinal").first()
    assert chunk is not None
    starts = line_starts(version.text)
    return Passage(
        block_id=chunk.block_id,
        document_id=str(document.pk),
        version_id=str(version.pk),
        title=document.title,
        text=version.text,
        start=0,
        end=len(version.text),
        lines=LineRange(1, line_at(starts, len(version.text) - 1)),
        sha256=version.sha256,
        score=1.25,
        rank=1,
    )
