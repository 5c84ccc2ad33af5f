"""`manage.py create_tenant SLUG --name …`."""

from argparse import ArgumentParser

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from citeweb.accounts.models import Tenant
from citeweb.accounts.operator import OperatorCommand


class Command(OperatorCommand):
    """Makes a tenant."""

    help = "Create a tenant (an organisation)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the slug and the name."""
        parser.add_argument("slug")
        parser.add_argument("--name", required=True)

    def handle(self, *, slug: str, name: str, **_: object) -> None:
        """Create it, or say what is wrong."""
        tenant = Tenant(slug=slug, name=name)
        try:
            tenant.full_clean()
        except ValidationError as exc:
            raise CommandError("; ".join(exc.messages)) from exc
        tenant.save()
        self.stdout.write(f"Created tenant {slug}.")
