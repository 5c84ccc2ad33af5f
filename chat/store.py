"""Conversations and turns in the database. Synchronous and short: no transaction is open while tokens flow."""

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Max
from django.utils import timezone

from chat import audit
from chat.audit.columns import TURN
from chat.audit.turns import turn_record, without_words
from chat.models import Citation, CitationKind, Conversation, Turn, TurnState
from chat.settling import settled
from citeweb.accounts.models import Tenant, User
from citeweb.accounts.row_security import acting_as_system, acting_for
from citeweb.accounts.tenancy import in_whichever_tenant, place_in
from sources.permissions import purged_documents_as_system

TITLE_CHARACTERS = 80


class Refused(Exception):
    """The conversation is not this user's, or does not exist; nobody is told which."""


class Busy(Exception):
    """An answer of this conversation is still being written."""


@dataclass(frozen=True, slots=True)
class NewTurn:
    """What a reader sends to ask."""

    conversation_id: uuid.UUID
    client_id: uuid.UUID
    question: str
    model: str
    request_id: str
    via: str = "page"


@dataclass(frozen=True, slots=True)
class ProgramTurn:
    """What a program sends to ask: a turn of a new thread, or of the one that it goes on with."""

    question: str
    model: str
    request_id: str
    request: dict[str, object]
    conversation_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """What has come of an answer that is being written, and what reading its raw output again takes."""

    turn_id: uuid.UUID
    raw: str
    text: str
    reading: dict[str, object]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a turn ended, and everything its audit record keeps besides the question."""

    state: TurnState
    raw: str
    text: str
    error: str = ""
    error_detail: str = ""
    rejections: Sequence[dict[str, object]] = ()
    offered: Sequence[dict[str, object]] = ()
    usage: dict[str, object] = field(default_factory=dict)
    timings: dict[str, object] = field(default_factory=dict)
    settings: dict[str, object] = field(default_factory=dict)
    reading: dict[str, object] = field(default_factory=dict)


def conversations_of(*, user: User, tenant: Tenant, limit: int = 50) -> list[Conversation]:
    """Return the user's conversations in the tenant, newest first."""
    return list(
        Conversation.objects.filter(user=user, tenant=tenant, by_api=False).order_by("-updated_at")[:limit]
    )


def conversation_for(conversation_id: uuid.UUID, *, user: User) -> Conversation:
    """Return a conversation of the user's, in a tenant they still belong to, and go on there. Raises Refused."""
    mine = Conversation.objects.select_related("tenant").filter(pk=conversation_id, user=user)
    conversation = in_whichever_tenant(user, lambda tenant: mine.filter(tenant=tenant).first())
    if conversation is None or place_in(user, conversation.tenant) is None:
        raise Refused
    return conversation


def turns_of(conversation: Conversation) -> list[Turn]:
    """Return the turns in order, with their citations fetched."""
    return list(conversation.turns.order_by("ordinal").prefetch_related("citations"))


def turns_in(conversation_id: uuid.UUID, *, user: User) -> list[Turn]:
    """Return the turns of one of the user's conversations; none if it isn't stored yet."""
    conversation = Conversation.objects.filter(pk=conversation_id, user=user).first()
    return turns_of(conversation) if conversation else []


def mark_of(turns: Sequence[Turn]) -> str:
    """Return a short word for what a page with these turns shows; a page that shows less has another word."""
    if not turns:
        return ""
    last = turns[-1]
    return f"{last.pk}.{last.state}"


def turn_for(turn_id: uuid.UUID, *, user: User) -> Turn:
    """Return a turn of one of the user's conversations. Raises Refused."""
    turn = Turn.objects.select_related("conversation").filter(pk=turn_id, conversation__user=user).first()
    if turn is None:
        raise Refused
    conversation_for(turn.conversation_id, user=user)
    return turn


@transaction.atomic
def begin_turn(new: NewTurn, *, user: User, tenant: Tenant) -> tuple[Turn, bool]:
    """Store the question before any model is called; the same client id again returns the same turn.

    Returns the turn and whether it is new. Raises Refused for another user's conversation, Busy while
    an answer is being written.
    """
    conversation = _own_conversation(new, user=user, tenant=tenant)
    known = Turn.objects.filter(conversation=conversation, client_id=new.client_id).first()
    if known is not None:
        return known, False
    if conversation.turns.filter(state=TurnState.RUNNING).exists():
        raise Busy
    last = conversation.turns.aggregate(last=Max("ordinal"))["last"] or 0
    turn = Turn.objects.create(
        tenant=tenant,
        conversation=conversation,
        ordinal=last + 1,
        client_id=new.client_id,
        question=new.question,
        model=new.model,
        request_id=new.request_id,
        via=new.via,
    )
    conversation.save(update_fields=["updated_at"])
    return turn, True


@transaction.atomic
def begin_program_turn(new: ProgramTurn, *, user: User, tenant: Tenant) -> Turn:
    """Store a program's question before any model is called. Raises Refused for another user's thread.

    Unlike people, programs may ask several questions of one thread at once: each names the turn it goes on from.
    """
    conversation, last = _program_thread(new, user=user, tenant=tenant)
    turn_id = uuid.uuid4()
    return Turn.objects.create(
        pk=turn_id,
        tenant=tenant,
        conversation=conversation,
        ordinal=last + 1,
        client_id=turn_id,
        question=new.question,
        model=new.model,
        request_id=new.request_id,
        request=new.request,
        via="api",
    )


def _program_thread(new: ProgramTurn, *, user: User, tenant: Tenant) -> tuple[Conversation, int]:
    if new.conversation_id is None:
        title = title_from(new.question)
        return Conversation.objects.create(tenant=tenant, user=user, title=title, by_api=True), 0
    mine = Conversation.objects.select_for_update().filter(user=user, tenant=tenant, by_api=True)
    conversation = mine.filter(pk=new.conversation_id).first()
    if conversation is None:
        raise Refused
    return conversation, conversation.turns.aggregate(last=Max("ordinal"))["last"] or 0


def delete_program_turn(turn: Turn) -> None:
    """Take away an ended turn that a program asked, and its thread with the last one; the audit record stays."""
    with transaction.atomic():
        conversation = Conversation.objects.select_for_update().get(pk=turn.conversation_id)
        Turn.objects.filter(pk=turn.pk).delete()
        if not conversation.turns.exists():
            conversation.delete()


def _own_conversation(new: NewTurn, *, user: User, tenant: Tenant) -> Conversation:
    defaults = {"tenant": tenant, "user": user, "title": title_from(new.question)}
    try:
        Conversation.objects.get_or_create(pk=new.conversation_id, defaults=defaults)
    except IntegrityError as exc:
        # The id is taken in another tenant, which is out of sight here.
        raise Refused from exc
    # The lock makes two questions of one conversation follow each other, so that ordinals and client ids hold.
    conversation = Conversation.objects.select_for_update().get(pk=new.conversation_id)
    if conversation.user_id != user.pk or conversation.tenant_id != tenant.pk:
        raise Refused
    return conversation


def title_from(question: str) -> str:
    """Return the first question as a title: one line, cut at a word."""
    line = " ".join(question.split())
    if len(line) <= TITLE_CHARACTERS:
        return line
    return line[:TITLE_CHARACTERS].rsplit(" ", 1)[0] + "…"


# Nobody waits for the disk: the next save follows in half a second, and the end is stored as safely as the question.
_SAVE = """
WITH hurried AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
UPDATE chat_turn SET raw = come.raw, text = come.text, reading = come.reading, heartbeat_at = now()
FROM hurried, unnest(%s::uuid[], %s::text[], %s::text[], %s::jsonb[]) AS come(id, raw, text, reading)
WHERE chat_turn.id = come.id AND state = 'running' RETURNING chat_turn.id, stop_requested
"""


def save_progress(progress: Sequence[Progress]) -> set[uuid.UUID]:
    """Save what has come so far as a sign of life, of turns of one tenant; return those that should go on."""
    columns = [[getattr(one, name) for one in progress] for name in ("turn_id", "raw", "text")]
    with connection.cursor() as cursor:
        cursor.execute(_SAVE, [*columns, [json.dumps(one.reading) for one in progress]])
        return {turn_id for turn_id, stop_requested in cursor.fetchall() if not stop_requested}


def add_citations(citations: Iterable[Citation]) -> None:
    """Store citations before their chips are shown, so that a click finds them."""
    Citation.objects.bulk_create(citations, ignore_conflicts=True)


@transaction.atomic
def replace_citations(turn_id: uuid.UUID, citations: Sequence[Citation], *, raw: str, text: str) -> None:
    """Take text and citations of a running turn anew, together: a place means nothing in another text."""
    running = Turn.objects.select_for_update().filter(pk=turn_id, state=TurnState.RUNNING)
    if running.exists():
        Citation.objects.filter(turn_id=turn_id).delete()
        Citation.objects.bulk_create(citations)
        running.update(raw=raw, text=text, heartbeat_at=timezone.now())


def cited_before(turn: Turn, *, limit: int) -> list[str]:
    """Return the blocks that the turns before this one cited, the newest first, each once."""
    earlier = Citation.objects.filter(turn__conversation=turn.conversation_id, turn__ordinal__lt=turn.ordinal)
    passages = earlier.filter(kind=CitationKind.PASSAGE).order_by("-turn__ordinal", "ordinal")
    return list(dict.fromkeys(passages.values_list("block_id", flat=True)[: 10 * limit]))[:limit]


def remove_citations(turn_id: uuid.UUID) -> None:
    """Take back the citations of a running turn whose text was withdrawn."""
    Citation.objects.filter(turn_id=turn_id, turn__state=TurnState.RUNNING).delete()


def request_stop(turn_id: uuid.UUID) -> None:
    """Ask the process that generates this turn to stop; it looks at every save."""
    Turn.objects.filter(pk=turn_id, state=TurnState.RUNNING).update(stop_requested=True)


@transaction.atomic
def finish_turn(turn_id: uuid.UUID, outcome: Outcome) -> bool:
    """End a running turn and write its audit record in the same transaction.

    Returns False if somebody else ended or deleted it before: a turn ends once.
    """
    known = Turn.objects.select_related("conversation__user").filter(pk=turn_id)
    turn = known.select_for_update(of=("self",)).first()
    if turn is None or turn.state != TurnState.RUNNING:
        return False
    outcome = settled(turn, outcome)
    turn.state, turn.raw, turn.text = outcome.state, outcome.raw, outcome.text
    turn.error, turn.error_detail = outcome.error, outcome.error_detail
    turn.rejections, turn.offered = list(outcome.rejections), list(outcome.offered)
    turn.usage, turn.timings, turn.settings = outcome.usage, outcome.timings, outcome.settings
    turn.reading, turn.finished_at = outcome.reading, timezone.now()
    body, words = turn_record(turn, list(turn.citations.order_by("ordinal")))
    audit.append(tenant_id=turn.tenant_id, kind=TURN, body=body, turn_id=turn.pk, words=words)
    _leave_out_purged(turn)
    _leave_words_to_the_record(turn)
    turn.save()
    return True


def _leave_out_purged(turn: Turn) -> None:
    """Take their words out of citations of documents that were purged while the turn ran.

    After the record is appended: a purge that is not done yet waits for the chain, and finds these citations.
    """
    cited = turn.citations.filter(document_id__isnull=False)
    purged = purged_documents_as_system({pk for pk in cited.values_list("document_id", flat=True) if pk})
    cited.filter(document_id__in=purged).update(title="", quote="", heading_path=[])


def _leave_words_to_the_record(turn: Turn) -> None:
    """Take out of an ended turn the documents' words that only writing the answer needed."""
    turn.offered = without_words(turn.offered)
    turn.settings = {key: value for key, value in turn.settings.items() if key != "messages"}
    turn.reading = {}


def interrupt_silent_turns() -> int:
    """End the turns of all tenants whose process gives no more signs of life; return how many."""
    limit = timezone.now() - timedelta(seconds=settings.TURN_SILENCE_SECONDS)
    with acting_as_system("find silent turns"):
        silent = list(Turn.objects.filter(state=TurnState.RUNNING, heartbeat_at__lt=limit))
    return sum(_interrupt(turn) for turn in silent)


def _interrupt(turn: Turn) -> bool:
    with acting_for(tenant=turn.tenant_id):
        return end_unfinished(turn, TurnState.INTERRUPTED)


def end_unfinished(turn: Turn, state: TurnState) -> bool:
    """End a running turn in place of the process that writes it, with what it has stored so far."""
    outcome = Outcome(
        state=state,
        raw=turn.raw,
        text=turn.text,
        offered=turn.offered,
        rejections=turn.rejections,
        settings=turn.settings,
        reading=turn.reading,
    )
    return finish_turn(turn.pk, outcome)


def note_offer(
    turn_id: uuid.UUID,
    *,
    offered: Sequence[dict[str, object]],
    settings: dict[str, object],
    reading: dict[str, object],
) -> None:
    """Record what the model is shown, before any of its words; an ended turn has it already."""
    running = Turn.objects.filter(pk=turn_id, state=TurnState.RUNNING)
    running.update(offered=list(offered), settings=settings, reading=reading)
