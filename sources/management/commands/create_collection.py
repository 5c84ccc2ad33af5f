"""`manage.py create_collection --tenant SLUG --name … [--restricted]`."""

from argparse import ArgumentParser

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from citeweb.accounts.models import Tenant
from citeweb.accounts.operator import OperatorCommand
from sources.shelves import create_collection_as_system


class Command(OperatorCommand):
    """Makes a collection."""

    help = "Create a collection; a restricted one is read by those it is granted to."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the tenant and the name."""
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--name", required=True)
        parser.add_argument("--restricted", action="store_true")

    def handle(self, *, tenant: str, name: str, restricted: bool, **_: object) -> None:
        """Create it, or say what is wrong."""
        found = Tenant.objects.filter(slug=tenant).first()
        if found is None:
            raise CommandError(f"There is no tenant {tenant}.")
        try:
            collection = create_collection_as_system(tenant=found, name=name, restricted=restricted)
        except ValidationError as exc:
            raise CommandError("; ".join(exc.messages)) from exc
        self.stdout.write(f"Created collection {collection.name} in {tenant}.")
