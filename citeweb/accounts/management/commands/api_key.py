"""`manage.py api_key --tenant SLUG --email …`."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from citeweb.accounts.api_keys import issue
from citeweb.accounts.models import Scope
from citeweb.accounts.operator import OperatorCommand, member


class Command(OperatorCommand):
    """Makes an API key and prints it, once."""

    help = "Issue an API key for a member. It is printed once and can't be read again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take tenant and member."""
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--email", required=True)
        parser.add_argument("--name", default="", help="what the key is for")
        parser.add_argument("--scopes", default=",".join(Scope.values), help="comma-separated")
        parser.add_argument("--days", type=int, help="expires after so many days; without it, never")
        parser.add_argument("--requests-per-minute", type=int, default=600)

    def handle(self, *, tenant: str, email: str, scopes: str, days: int | None, **options: Any) -> None:
        """Issue the key."""
        wanted = [name.strip() for name in scopes.split(",")]
        if unknown := set(wanted).difference(Scope.values):
            raise CommandError(f"No such scope: {', '.join(sorted(unknown))}.")
        place = member(tenant, email)
        _key, text = issue(
            tenant=place.tenant,
            user=place.user,
            name=options["name"],
            scopes=wanted,
            expires_at=timezone.now() + timedelta(days=days) if days else None,
            requests_per_minute=max(1, options["requests_per_minute"]),
        )
        self.stdout.write(text)
