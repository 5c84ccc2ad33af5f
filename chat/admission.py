"""Who may open which conversation's socket, asked again at each frame."""

import uuid
from contextlib import AbstractContextManager
from dataclasses import dataclass

from django.contrib.sessions.backends.base import SessionBase
from django.core import signing

from chat.models import Conversation
from chat.store import Refused, conversation_for
from citeweb.accounts.models import Tenant, User
from citeweb.accounts.row_security import acting_for
from citeweb.accounts.tenancy import place_in

SALT = "chat.new-conversation"
NEW_CONVERSATION_SECONDS = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Admission:
    """A user who may read and ask in a conversation of a tenant."""

    user: User
    tenant: Tenant
    conversation_id: uuid.UUID
    via: str = "page"

    def acting(self) -> AbstractContextManager[None]:
        """Return the scope for all that is done for this reader here."""
        return acting_for(tenant=self.tenant, user=self.user)


def token_for(conversation_id: uuid.UUID, *, user: User, tenant: Tenant) -> str:
    """Return a signed word for a conversation that isn't stored yet.

    With it, an id that was never minted for this reader is as unknown as another reader's.
    """
    return signing.dumps([str(conversation_id), user.pk, str(tenant.pk)], salt=SALT)


def admit(*, user_id: int, session: SessionBase, conversation_id: uuid.UUID, token: str) -> Admission:
    """Admit the reader of a session. Raises Refused, whatever the reason."""
    user = _signed_in_user(user_id, session)
    with acting_for(user=user):
        try:
            conversation = conversation_for(conversation_id, user=user)
        except Refused:
            return _admit_to_new(user, conversation_id, token)
    return Admission(user, conversation.tenant, conversation_id)


def is_still_admitted(admission: Admission) -> bool:
    """Tell in one query whether the conversation and its reader's place in the tenant are still there."""
    mine = Conversation.objects.filter(
        pk=admission.conversation_id, user=admission.user, user__is_active=True
    )
    return mine.filter(user__memberships__tenant=admission.tenant).exists()


def _signed_in_user(user_id: int, session: SessionBase) -> User:
    user = User.objects.filter(pk=user_id, is_active=True).first()
    # A socket outlives a sign-out in another tab; its session does not.
    if user is None or not session.session_key or not session.exists(session.session_key):
        raise Refused
    return user


def _admit_to_new(user: User, conversation_id: uuid.UUID, token: str) -> Admission:
    try:
        minted = signing.loads(token, salt=SALT, max_age=NEW_CONVERSATION_SECONDS)
    except signing.BadSignature as exc:
        raise Refused from exc
    if minted[:2] != [str(conversation_id), user.pk]:
        raise Refused
    tenant = Tenant.objects.filter(pk=minted[2]).first()
    if tenant is None or place_in(user, tenant) is None:
        raise Refused
    return Admission(user, tenant, conversation_id)
