"""The product with its permission filters taken out, one by one or all at once, to see who notices.

Each mutant replaces a function by one that forgets to ask who is there, wherever it was imported to. Within a tenant
the access table must notice; across tenants row-level security must hold all the same (tests/test_mutants.py).
"""

import inspect
import sys
import uuid
from collections.abc import Callable

from django.db.models import QuerySet

from chat import sharing, store
from chat.api import asking
from chat.api.caller import Caller
from chat.models import Conversation, Share, Turn
from citeweb.accounts import people, tenancy
from citeweb.accounts.models import Tenant, User
from citeweb.accounts.tenancy import Place
from sources import batches, compiled, permissions
from sources.models import Batch, Chunk, ChunkEmbedding, Collection, Document, EmbeddingSpace, Version

Patch = Callable[[object, str, object], None]


def _collections(**_: object) -> QuerySet[Collection]:
    return Collection.objects.all()


def _documents(**_: object) -> QuerySet[Document]:
    return Document.objects.all()


def _removed(**_: object) -> QuerySet[Document]:
    return Document.objects.filter(deleted_at__isnull=False)


def _batches(*_: object) -> QuerySet[Batch]:
    return Batch.objects.all()


def _versions(**_: object) -> QuerySet[Version]:
    return Version.objects.all()


def _chunks(**_: object) -> QuerySet[Chunk]:
    return Chunk.objects.all()


def _vectors(*, space: EmbeddingSpace, **_: object) -> QuerySet[ChunkEmbedding]:
    return ChunkEmbedding.objects.filter(space=space)


def _yes(*_: object, **__: object) -> bool:
    return True


def _tenants(user: User) -> list[Tenant]:
    return list(Tenant.objects.all())


def _conversation(conversation_id: uuid.UUID, *, user: User) -> Conversation:
    anybodys = Conversation.objects.select_related("tenant").filter(pk=conversation_id)
    found = tenancy.in_whichever_tenant(user, lambda tenant: anybodys.first())
    if found is None:
        raise store.Refused
    return found


def _turn(turn_id: uuid.UUID, *, user: User) -> Turn:
    found = Turn.objects.select_related("conversation").filter(pk=turn_id).first()
    if found is None:
        raise store.Refused
    return found


def _turns(conversation_id: uuid.UUID, *, user: User) -> list[Turn]:
    return list(Turn.objects.filter(conversation=conversation_id).prefetch_related("citations"))


def _stored_turn(turn_id: uuid.UUID | None, caller: Caller) -> Turn | None:
    return Turn.objects.select_related("conversation", "tenant").filter(pk=turn_id or uuid.uuid4()).first()


def _share(token: str, *, user: User) -> sharing.Shared:
    found = Share.objects.select_related("conversation", "tenant").filter(token=token).first()
    if found is None:
        raise store.Refused
    return sharing.Shared(found, found.conversation, store.turns_of(found.conversation))


def _revoke(share_id: int, *, user: User) -> None:
    if not Share.objects.filter(pk=share_id).delete()[0]:
        raise store.Refused


# Where each stands, and what takes its place. Those that only hold together are forgotten together.
MUTANTS: dict[str, list[tuple[object, str, object]]] = {
    "visible_collections": [(permissions, "visible_collections", _collections)],
    "curated_collections": [(permissions, "curated_collections", _collections)],
    "managed_collections": [(permissions, "managed_collections", _collections)],
    "visible_documents": [(permissions, "visible_documents", _documents)],
    "removed_documents": [
        (permissions, "removed_documents", _removed),
        (permissions, "curated_collections", _collections),
    ],
    "uploader of a batch": [
        (batches, "_mine", _batches),
        (permissions, "curated_collections", _collections),
    ],
    "visible_versions": [(permissions, "visible_versions", _versions)],
    "visible_chunks": [(permissions, "visible_chunks", _chunks)],
    "visible_vectors": [(permissions, "visible_vectors", _vectors)],
    "may_create_collections": [(permissions, "may_create_collections", _yes)],
    "administers": [(people, "administers", _yes), (Place, "may_administer", property(_yes))],
    "roles of a place": [
        (Place, "may_audit", property(_yes)),
        (Place, "may_curate", property(_yes)),
    ],
    "tenants_of": [(tenancy, "tenants_of", _tenants)],
    "owner of a conversation": [
        (store, "conversation_for", _conversation),
        (store, "turns_in", _turns),
        (store, "turn_for", _turn),
        (sharing, "revoke", _revoke),
    ],
    "reader of a share": [(sharing, "open_share", _share)],
    "owner of a stored answer": [(asking, "turn_of", _stored_turn)],
}


def forget(patch: Patch, *names: str) -> None:
    """Take the named filters out, also of statements that were written out before."""
    patch(compiled, "_written", inspect.unwrap(compiled._written))
    for name in names:
        for place, attribute, replacement in MUTANTS[name]:
            original = getattr(place, attribute)
            patch(place, attribute, replacement)
            for module in _our_modules():
                if getattr(module, attribute, None) is original:
                    patch(module, attribute, replacement)


def _our_modules() -> list[object]:
    return [
        module for name, module in sys.modules.items() if name.split(".")[0] in ("chat", "citeweb", "sources")
    ]
