"""`manage.py api_key --tenant SLUG --email …`."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from citeweb.accounts.models import ApiKey, Membership


class Command(BaseCommand):
    """Makes an API key and prints it, once."""

    help = "Issue an API key for a member. It is printed once and can't be read again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take tenant and member."""
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--email", required=True)

    def handle(self, *, tenant: str, email: str, **_: object) -> None:
        """Issue the key."""
        membership = (
            Membership.objects.select_related("tenant", "user")
            .filter(tenant__slug=tenant, user__email__iexact=email, user__is_active=True)
            .first()
        )
        if membership is None:
            raise CommandError(f"{email} is no member of {tenant}.")
        _key, text = ApiKey.issue(tenant=membership.tenant, user=membership.user)
        self.stdout.write(text)
