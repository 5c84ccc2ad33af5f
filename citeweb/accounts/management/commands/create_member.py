"""`manage.py create_member --tenant SLUG --email … --role … [--password …]`."""

import secrets
from argparse import ArgumentParser

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email
from django.db import transaction

from citeweb.accounts.models import Role, Tenant, User
from citeweb.accounts.operator import OperatorCommand
from citeweb.accounts.people import give_role_as_system


class Command(OperatorCommand):
    """Makes a user where there is none, and gives them a role in a tenant."""

    help = "Give a user a role in a tenant; run it again for another role or another tenant."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take tenant, person and role."""
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--email", required=True)
        parser.add_argument("--role", required=True, choices=Role.values)
        parser.add_argument("--password", help="for a new user; without it one is made and printed once")
        parser.add_argument("--name", default="", help="the full name, for a new user")

    @transaction.atomic
    def handle(
        self, *, tenant: str, email: str, role: str, password: str | None, name: str, **_: object
    ) -> None:
        """Create what is missing."""
        found = Tenant.objects.filter(slug=tenant).first()
        if found is None:
            raise CommandError(f"There is no tenant {tenant}.")
        user = User.objects.filter(email__iexact=email).first() or self._new_user(email, password, name)
        made = give_role_as_system(tenant=found, user=user, role=role)
        verb = "is now" if made else "already was"
        self.stdout.write(f"{user.email} {verb} {role} of {tenant}.")

    def _new_user(self, email: str, password: str | None, name: str) -> User:
        try:
            validate_email(email)
        except ValidationError as exc:
            raise CommandError(f"{email} is no e-mail address.") from exc
        if password is None:
            password = secrets.token_urlsafe(12)
            self.stdout.write(f"Password of {email}: {password}")
        first, _, last = name.partition(" ")
        return User.objects.create_user(email, password, first_name=first, last_name=last)
