"""Commands of whoever runs this machine, and how a command finds the member that it acts as."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from citeweb.accounts.models import Membership
from citeweb.accounts.row_security import acting_as_system
from citeweb.accounts.tenancy import Place, place_in


class OperatorCommand(BaseCommand):
    """A command that is bound to no tenant."""

    def execute(self, *args: Any, **options: Any) -> str | None:  # as Django's
        """Run as the system."""
        with acting_as_system(type(self).__module__):
            return super().execute(*args, **options)


def member(tenant: str, email: str) -> Place:
    """Return an active member's place in the tenant of that slug. Raises CommandError."""
    with acting_as_system("find a member"):
        memberships = Membership.objects.select_related("tenant", "user")
        found = memberships.filter(tenant__slug=tenant, user__email__iexact=email).first()
        place = place_in(found.user, found.tenant) if found else None
    if place is None:
        raise CommandError(f"{email} is no member of {tenant}.")
    return place
