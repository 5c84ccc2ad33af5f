"""Answers with citations for tests, as an answered question leaves them."""

import uuid

from django.utils import timezone

from chat.models import Citation, Conversation, Turn, TurnState
from citeweb.accounts.tenancy import Place
from sources.core.lines import line_at, line_starts
from sources.models import Document, Version


def answered(asker: Place) -> Turn:
    """Store a complete turn of a conversation of its own."""
    conversation = Conversation.objects.create(tenant=asker.tenant, user=asker.user, title="A question")
    return Turn.objects.create(
        tenant=asker.tenant,
        conversation=conversation,
        ordinal=1,
        client_id=uuid.uuid4(),
        question="A question?",
        model="citeweb-quote",
        state=TurnState.COMPLETE,
        finished_at=timezone.now(),
        request_id="r",
    )


def cite(turn: Turn, document: Document, sentence: str, *, around: str = "", **fields: object) -> Citation:
    """Cite a sentence of a document's current version; `around` is the longer text that was offered with it."""
    version = document.current_version
    assert version is not None
    start, end = _span(version, around or sentence)
    best_start, best_end = _span(version, sentence)
    starts = line_starts(version.text)
    page = version.page_layouts.filter(start__lte=start, end__gt=start).first()
    number = turn.citations.count() + 1
    values: dict[str, object] = {
        "start": start,
        "end": end,
        "quote": version.text[start:end],
        "best_start": best_start,
        "best_end": best_end,
        "first_line": line_at(starts, start),
        "last_line": line_at(starts, end - 1),
        "page": page.number if page else None,
        "verdict": "supported",
        "position": 0,
        "position_utf16": 0,
        **fields,
    }
    return Citation.objects.create(
        tenant=turn.tenant,
        turn=turn,
        ordinal=number,
        number=number,
        block_id=f"block_{number}",
        document_id=document.pk,
        version_id=version.pk,
        title=document.title,
        **values,
    )


def _span(version: Version, words: str) -> tuple[int, int]:
    start = version.text.index(words)
    return start, start + len(words)
