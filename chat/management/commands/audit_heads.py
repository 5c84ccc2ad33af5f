"""`manage.py audit_heads [--tenant SLUG]`."""

from argparse import ArgumentParser

from chat.audit.heads import heads
from chat.management.commands.verify_audit import chains
from citeweb.accounts.operator import OperatorCommand


class Command(OperatorCommand):
    """Prints what to keep outside of the database."""

    help = "Print the newest record of each audit chain as JSON lines, to be kept elsewhere (verify_audit --heads)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take one tenant, or none for all."""
        parser.add_argument("--tenant", metavar="SLUG")

    def handle(self, *, tenant: str | None, **_: object) -> None:
        """Print."""
        for head in heads(chains(tenant)):
            self.stdout.write(head.as_json())
