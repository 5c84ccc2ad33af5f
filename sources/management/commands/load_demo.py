"""`manage.py load_demo`: the two example organisations, once."""

import uuid

from django.core.files import File
from django.db import transaction

from citeweb.accounts.models import Membership, Tenant, User
from citeweb.accounts.operator import OperatorCommand
from sources.demo.documents import DEMO_PASSWORD, TENANTS, DemoDocument, DemoTenant, DemoUser
from sources.ingest import process_version
from sources.models import Collection, Grant
from sources.uploads import accept_as_system

Shelves = dict[str, Collection]


class Command(OperatorCommand):
    """Fills an installation with something to ask about."""

    help = "Create the demo tenants with their people and documents; does nothing where they exist."

    def handle(self, **_: object) -> None:
        """Load what is missing."""
        for demo in TENANTS:
            if Tenant.objects.filter(slug=demo.slug).exists():
                continue
            self.stdout.write(f"Loading the demo documents of {demo.name}")
            self.stdout.flush()
            for version_id in _load(demo):
                # Readable before the first question; the worker adds the vectors.
                process_version(version_id)


@transaction.atomic
def _load(demo: DemoTenant) -> list[uuid.UUID]:
    """Create a tenant whole or, if the process dies, not at all."""
    tenant = Tenant.objects.create(slug=demo.slug, name=demo.name)
    shelves = {
        shelf.name: Collection.objects.create(tenant=tenant, name=shelf.name, restricted=shelf.restricted)
        for shelf in demo.collections
    }
    users = [_join(tenant, shelves, person) for person in demo.users]
    return [_upload(demo, document, shelves, users[0]) for document in demo.documents]


def _join(tenant: Tenant, shelves: Shelves, person: DemoUser) -> User:
    user = User.objects.filter(email=person.email).first()
    if user is None:
        first, _, last = person.display_name.partition(" ")
        user = User.objects.create_user(person.email, DEMO_PASSWORD, first_name=first, last_name=last)
    for role in person.roles:
        Membership.objects.create(tenant=tenant, user=user, role=role)
    for name in person.grants:
        Grant.objects.create(collection=shelves[name], user=user)
    return user


def _upload(demo: DemoTenant, document: DemoDocument, shelves: Shelves, by: User) -> uuid.UUID:
    with demo.path(document).open("rb") as content:
        upload = accept_as_system(
            collection=shelves[document.collection],
            file=File(content, name=document.file_name),
            file_name=document.file_name,
            uploaded_by=by,
        )
    # The manifest's title stands until extraction finds a better one in the file.
    upload.document.title = document.title
    upload.document.save(update_fields=["title"])
    return upload.version.pk
