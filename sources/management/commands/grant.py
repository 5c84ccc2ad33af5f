"""`manage.py grant --collection … --user|--group … [--tenant SLUG] [--revoke]`."""

from argparse import ArgumentParser

from django.core.management.base import CommandError

from citeweb.accounts.models import Group, User
from citeweb.accounts.operator import OperatorCommand
from sources.models import Collection
from sources.shelves import collections_named, grant, revoke


class Command(OperatorCommand):
    """Lets a member or a group of the collection's tenant read it, or no longer."""

    help = "Grant a collection to a user or a group."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the collection and to whom it is granted."""
        parser.add_argument("--collection", required=True, metavar="NAME")
        parser.add_argument(
            "--tenant", default="", metavar="SLUG", help="needed when several tenants use the name"
        )
        reader = parser.add_mutually_exclusive_group(required=True)
        reader.add_argument("--user", metavar="EMAIL")
        reader.add_argument("--group", metavar="NAME")
        parser.add_argument("--revoke", action="store_true", help="take the grant back")

    def handle(
        self, *, collection: str, tenant: str, user: str | None, group: str | None, revoke: bool, **_: object
    ) -> None:
        """Grant or revoke, or say what is wrong."""
        shelf = _collection(collection, tenant)
        member = _member(shelf, user) if user else None
        team = _group(shelf, group) if group else None
        if revoke:
            self._revoke(shelf, member, team)
            return
        made = grant(shelf, user=member, group=team)
        self.stdout.write(f"{user or group} {'may now' if made else 'already could'} read {collection}.")

    def _revoke(self, shelf: Collection, member: User | None, team: Group | None) -> None:
        taken = revoke(shelf, user=member, group=team)
        who = member.email if member else team
        self.stdout.write(f"{who} {'may no longer' if taken else 'had no grant to'} read {shelf.name}.")


def _collection(name: str, tenant: str) -> Collection:
    found = collections_named(name, tenant_slug=tenant)
    if not found:
        raise CommandError(f"There is no collection {name}.")
    if len(found) > 1:
        slugs = ", ".join(sorted(collection.tenant.slug for collection in found))
        raise CommandError(f"Several tenants have a collection {name}; add --tenant, one of: {slugs}.")
    return found[0]


def _member(collection: Collection, email: str) -> User:
    members = User.objects.filter(memberships__tenant=collection.tenant, email__iexact=email)
    user = members.first()
    if user is None:
        raise CommandError(f"{email} is no member of {collection.tenant.slug}.")
    return user


def _group(collection: Collection, name: str) -> Group:
    group = Group.objects.filter(tenant=collection.tenant, name=name).first()
    if group is None:
        raise CommandError(f"There is no group {name} in {collection.tenant.slug}.")
    return group
