"""The people and things that the access table speaks of."""

import re
import uuid
from dataclasses import dataclass, replace

from django.test import Client

from chat.api.audit_views import record_id
from chat.api.ids import BATCH, CHAT, FILE, RESPONSE, STORE, public_id
from chat.models import Conversation, Share
from citeweb.accounts.api_keys import issue
from citeweb.accounts.models import Group, Role, User
from citeweb.accounts.tenancy import Place
from sources.batches import add
from sources.models import Grant
from sources.removal import delete
from sources.uploads import Upload
from tests.access_table import Row
from tests.citing import answered, cite
from tests.conftest import House, join, make_user
from tests.files import make_pdf, text_page
from tests.sources import add_document

SECRET = "The director earns 9,000 a month."
# `<uuid:name>` of a path, `(?P<name>…)` of a regular expression.
PLACEHOLDER = re.compile(r"\(\?P<(\w+)>(?:[^()]|\[[^]]*\])*\)|<(?:\w+:)?(\w+)>")


@dataclass(frozen=True)
class Scene:
    """The sessions and API keys of people by name, and what the placeholders of addresses stand for."""

    sessions: dict[str, str]
    keys: dict[str, str]
    values: dict[str, str]

    def client(self, person: str) -> Client:
        """Return a browser in which the person is signed in."""
        client = Client()
        if person in self.sessions:
            client.cookies["sessionid"] = self.sessions[person]
        return client

    def filled(self, text: str) -> str:
        """Return an address or a field's value with what it stands for here."""
        return PLACEHOLDER.sub(lambda found: self.values[found[1] or found[2]], text)

    def fields(self, row: Row) -> dict[str, str | list[str]]:
        """Return the row's fields with what they stand for here."""
        return {
            name: self.filled(value) if isinstance(value, str) else list(map(self.filled, value))
            for name, value in row.data.items()
        }

    def without(self, row: Row) -> "Scene":
        """Return a scene in which the row's last placeholder stands for what doesn't exist."""
        one, other = PLACEHOLDER.findall(row.text)[-1]
        name = one or other
        return replace(self, values=self.values | {name: _nothing(self.values[name])})


def set_scene(house: House, neighbour: House) -> Scene:
    """Put a document on the restricted shelf and an answer that cites it.

    It is granted to the reader, who asked, and to the curator; the auditor and the administrator have their roles
    only. The foreigner has every role in the other tenant.
    """
    people = {"stranger": house.stranger, "reader": house.granted, "auditor": house.auditor}
    for name in (Role.CURATOR, Role.ADMIN):
        people[name] = join(make_user(f"{name}@{house.tenant.slug}.example"), house.tenant, name)
    people["foreigner"] = join(neighbour.owner.user, neighbour.tenant, Role.AUDITOR)
    Grant.objects.create(collection=house.closed_shelf, user=people["curator"].user)
    everybody = Group.objects.create(tenant=house.tenant, name="Everybody")
    everybody.users.add(*(one.user for one in people.values()))
    issued = {name: issue(tenant=one.tenant, user=one.user) for name, one in people.items()}
    return Scene(
        sessions={name: _session(place.user) for name, place in people.items()},
        keys={name: text for name, (_key, text) in issued.items()},
        values=_things(house, people["reader"])
        | _curated(house, people["curator"])
        | {"user_id": str(people["stranger"].user.pk), "group_id": str(everybody.pk)}
        | {"key_id": str(issued["reader"][0].pk)},
    )


def _session(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


def _things(house: House, asker: Place) -> dict[str, str]:
    document = add_document(house.closed_shelf, "bands.pdf", make_pdf([text_page(SECRET)]))
    turn, program_turn = answered(asker), answered(asker)
    Conversation.objects.filter(pk=program_turn.conversation_id).update(by_api=True)
    things: dict[str, object] = {
        "tenant_id": house.tenant.pk,
        "collection_id": house.closed_shelf.pk,
        "document_id": document.pk,
        "store_id": public_id(STORE, house.closed_shelf.pk),
        "file_id": public_id(FILE, document.pk),
        "number": 1,
        "sequence": 1,
        "record_id": record_id(house.tenant.pk, 1),
        "completion_id": public_id(CHAT, program_turn.pk),
        "response_id": public_id(RESPONSE, program_turn.pk),
        "conversation_id": turn.conversation_id,
        "turn_id": turn.pk,
        "form": "txt",
        "citation_id": cite(turn, document, SECRET).pk,
        **_link(turn.conversation_id, house),
        "model": "citeweb-quote",
        # Of other people's pages; nothing of ours has these.
        "key": "key",
        "uidb36": "1",
        "url": "nowhere",
        "app_label": "accounts",
        "content_type_id": 1,
        "object_id": 1,
        "id": 1,
    }
    return {name: str(value) for name, value in things.items()}


def _curated(house: House, curator: Place) -> dict[str, str]:
    """A file that the curator sent and that was there already, and a document that they deleted."""
    known = add_document(house.closed_shelf, "known.md", "Known.")
    assert known.current_version is not None
    upload = Upload(known, known.current_version, already_there=True)
    batch = add(uuid.uuid4(), [("copy.md", upload)], user=curator.user, tenant=house.tenant)
    removed = add_document(house.closed_shelf, "old.md", "Old.")
    delete(removed, user=curator.user)
    item = batch.items.get()
    return {
        "batch_id": str(batch.pk),
        "file_batch_id": public_id(BATCH, batch.pk),
        "item_id": str(item.pk),
        "removed_id": str(removed.pk),
    }


def _link(conversation_id: uuid.UUID, house: House) -> dict[str, object]:
    share = Share.objects.create(tenant=house.tenant, conversation_id=conversation_id)
    return {"share_id": share.pk, "token": share.token}


def _nothing(value: str) -> str:
    for prefix in (BATCH, FILE, RESPONSE, STORE):
        if value.startswith(prefix):
            return public_id(prefix, uuid.uuid4())
    if value.startswith("audit_"):
        return f"{value.rpartition('-')[0]}-987654"
    if value.isdigit():
        return "987654"
    return str(uuid.uuid4()) if value.count("-") == 4 else "x" * len(value)
