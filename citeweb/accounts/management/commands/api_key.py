"""`manage.py api_key --tenant SLUG --email …`."""

from argparse import ArgumentParser

from citeweb.accounts.models import ApiKey
from citeweb.accounts.operator import OperatorCommand, member


class Command(OperatorCommand):
    """Makes an API key and prints it, once."""

    help = "Issue an API key for a member. It is printed once and can't be read again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take tenant and member."""
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--email", required=True)

    def handle(self, *, tenant: str, email: str, **_: object) -> None:
        """Issue the key."""
        place = member(tenant, email)
        _key, text = ApiKey.issue(tenant=place.tenant, user=place.user)
        self.stdout.write(text)
