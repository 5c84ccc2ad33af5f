"""Good first questions for an empty conversation."""

from django.utils.translation import gettext as _

from citeweb.accounts.models import Tenant, User
from sources.demo.documents import first_questions
from sources.permissions import visible_documents

LIMIT = 4


def suggestions_for(*, user: User, tenant: Tenant) -> list[str]:
    """Return the demo's own questions, or questions about documents that this reader may open."""
    if demo := first_questions(tenant.slug):
        return list(demo[:LIMIT])
    newest = visible_documents(user=user, tenant=tenant).filter(current_version__isnull=False)
    titles = newest.order_by("-created_at").values_list("title", flat=True)[:LIMIT]
    return [_("What does “%(title)s” say?") % {"title": title} for title in titles]
