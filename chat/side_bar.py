"""The list of conversations beside the chat."""

import uuid

from chat.store import conversations_of
from citeweb.accounts.models import Tenant, User


def side_bar(*, user: User, tenant: Tenant, current: uuid.UUID | None) -> list[dict[str, object]]:
    """Return the reader's conversations of a tenant, newest first, as the template shows them."""
    return [
        {
            "id": known.pk,
            "title": known.title,
            "updated_at": known.updated_at,
            "is_current": known.pk == current,
        }
        for known in conversations_of(user=user, tenant=tenant)
    ]
