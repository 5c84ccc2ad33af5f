"""Links under which others of the tenant read a conversation: made, listed, revoked, opened.

The reader sees the answers; what they rest on opens only for who may read it, as everywhere.
"""

import uuid
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from chat import audit, store
from chat.models import Conversation, Share, Turn, TurnState
from citeweb.accounts.models import User
from citeweb.accounts.tenancy import in_whichever_tenant, place_in


class Revoked(Exception):
    """The link was valid once, and this person could have read it."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What a link shows."""

    share: Share
    conversation: Conversation
    turns: list[Turn]


def shares_of(conversation: Conversation) -> list[Share]:
    """Return the links of a conversation that still work, the newest first."""
    return list(conversation.shares.filter(revoked_at=None).order_by("-created_at"))


@transaction.atomic
def share(conversation: Conversation, *, user: User, later_turns: bool) -> Share:
    """Make a new link to one of the user's conversations. Raises chat.store.Refused.

    It shows the turns so far, or with `later_turns` also those that follow.
    """
    store.conversation_for(conversation.pk, user=user)
    last = conversation.turns.order_by("-ordinal").values_list("ordinal", flat=True).first() or 0
    made = Share.objects.create(
        tenant=conversation.tenant, conversation=conversation, last_ordinal=None if later_turns else last
    )
    _record("conversation_shared", made, user)
    return made


@transaction.atomic
def revoke(share_id: int, *, user: User) -> None:
    """End a link of one of the user's conversations; ended twice is ended. Raises chat.store.Refused."""
    found = Share.objects.select_for_update().filter(pk=share_id, conversation__user=user).first()
    if found is None:
        raise store.Refused
    if found.revoked_at is None:
        found.revoked_at = timezone.now()
        found.save(update_fields=["revoked_at"])
        _record("share_revoked", found, user)


@transaction.atomic
def open_share(token: str, *, user: User) -> Shared:
    """Return what the link shows the user, and record that they read it.

    Raises chat.store.Refused for an unknown link and for people outside its tenant, Revoked for a link that
    was ended, or whose maker left.
    """
    shares = Share.objects.select_related("conversation__user", "tenant").filter(token=token)
    found = in_whichever_tenant(user, lambda tenant: shares.filter(tenant=tenant).first())
    if found is None or place_in(user, found.tenant) is None:
        raise store.Refused
    if not _stands(found):
        raise Revoked
    _record("share_read", found, user)
    return Shared(found, found.conversation, _turns(found))


def is_shared_with(turn: Turn, user: User) -> bool:
    """Tell whether a link that works shows the turn to the user."""
    links = Share.objects.filter(conversation=turn.conversation_id, revoked_at=None)
    links = links.select_related("conversation__user", "tenant")
    return any(_shows(link, turn) and place_in(user, link.tenant) and _stands(link) for link in links)


def _shows(link: Share, turn: Turn) -> bool:
    return link.last_ordinal is None or turn.ordinal <= link.last_ordinal


def _stands(link: Share) -> bool:
    return link.revoked_at is None and place_in(link.conversation.user, link.tenant) is not None


def _turns(link: Share) -> list[Turn]:
    turns = store.turns_of(link.conversation)
    return [turn for turn in turns if turn.state != TurnState.RUNNING and _shows(link, turn)]


def _record(kind: str, link: Share, user: User) -> None:
    # The link's number, not its token: a record must not open anything.
    body: dict[str, object] = {
        "share_id": link.pk,
        "conversation_id": str(link.conversation_id),
        "last_ordinal": link.last_ordinal,
        "actor_id": user.pk,
        "actor_email": user.email,
    }
    audit.append(tenant_id=link.tenant_id, kind=kind, body=body)


@transaction.atomic
def delete_conversation(conversation_id: uuid.UUID, *, user: User) -> None:
    """Delete one of the user's conversations with its links; the audit keeps its proofs. Raises Refused."""
    conversation = store.conversation_for(conversation_id, user=user)
    for running in conversation.turns.filter(state=TurnState.RUNNING):
        # What was asked and shown so far is proved too; the process that writes it finds the turn ended.
        store.end_unfinished(running, TurnState.STOPPED)
    body: dict[str, object] = {
        "conversation_id": str(conversation.pk),
        "turn_ids": [str(pk) for pk in conversation.turns.order_by("ordinal").values_list("pk", flat=True)],
        "actor_id": user.pk,
        "actor_email": user.email,
    }
    audit.append(tenant_id=conversation.tenant_id, kind="conversation_deleted", body=body)
    conversation.delete()
