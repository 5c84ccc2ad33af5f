"""Documents and what is made of them. Rows are reached through `sources.permissions` and `sources.index` only."""

import secrets
import uuid

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField

from citeweb.accounts.models import Group, Tenant, User

# Lower-case base32 without i, l, o and u, so that a model copies it without slips and no word arises.
_BLOCK_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def new_block_id() -> str:
    """Return a fresh public id of a chunk: what a model may cite (60 random bits, never a position)."""
    bits = secrets.randbits(60)
    return "block_" + "".join([_BLOCK_ALPHABET[bits >> at & 31] for at in range(0, 60, 5)])


class Collection(models.Model):
    """A shelf of documents, open to the whole tenant or to whom it is granted."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="collections")
    name = models.CharField(max_length=200)
    restricted = models.BooleanField(default=False)
    # Words of the program that made it, as OpenAI's vector stores have them.
    metadata = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    # A deleted one that documents were in stays, out of sight, because the proof of their answers names it.
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "name"], condition=Q(deleted_at=None), name="collection_name_once_a_tenant"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Grant(models.Model):
    """Reading rights in a restricted collection, for one user or one group."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="grants")
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, blank=True, related_name="grants")
    group = models.ForeignKey(Group, on_delete=models.CASCADE, null=True, blank=True, related_name="grants")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(user__isnull=False, group__isnull=True)
                | Q(user__isnull=True, group__isnull=False),
                name="grant_to_a_user_or_a_group",
            ),
            models.UniqueConstraint(fields=["collection", "user"], name="grant_user_once"),
            models.UniqueConstraint(fields=["collection", "group"], name="grant_group_once"),
        ]

    def __str__(self) -> str:
        return f"{self.collection}: {self.user or self.group}"


class Document(models.Model):
    """A thing that was uploaded. What is read is its current version.

    `sources.metadata` fills title to language from the file; `corrected` names those that a curator has set.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="documents")
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="documents")
    title = models.CharField(max_length=500)
    # What a model provider's own file search calls its copy of this document.
    provider_file_id = models.CharField(max_length=200, blank=True, default="")
    author = models.CharField(max_length=500, blank=True, default="")
    # A string: "1265-1274" and "ca. 1300" are years too, and the wire format has a string.
    year = models.CharField(max_length=50, blank=True, default="")
    reference = models.CharField(max_length=200, blank=True, default="")
    # Where the original stands for everybody: http or https, or "".
    url = models.URLField(max_length=2000, blank=True, default="")
    language = models.CharField(max_length=35, blank=True, default="")
    corrected = ArrayField(models.CharField(max_length=20), default=list, blank=True)
    uploaded_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    current_version = models.ForeignKey(
        "Version", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    deleted_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    # Of a purged document only this row is left, without a word, so that its citations can say what became of it.
    purge_ordered_at = models.DateTimeField(null=True, blank=True)
    purged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            # The documents page lists a collection's or a tenant's newest uploads first.
            models.Index(fields=["collection", "-created_at"], name="document_newest_in_shelf"),
            models.Index(fields=["tenant", "-created_at", "id"], name="document_newest_in_tenant"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "provider_file_id"],
                condition=~Q(provider_file_id="") & Q(deleted_at=None),
                name="document_provider_file_once_a_tenant",
            )
        ]

    def __str__(self) -> str:
        return self.title


class VersionState(models.TextChoices):
    """How far an upload has come; ready and failed are ends.

    A held one is stored, but a document of its file name is there already: somebody has to say what it is.
    """

    HELD = "held", _("waiting for a decision")
    QUEUED = "queued", _("queued")
    EXTRACTING = "extracting", _("reading the file")
    CHUNKING = "chunking", _("splitting into passages")
    INDEXING = "indexing", _("indexing")
    READY = "ready", _("ready")
    FAILED = "failed", _("failed")


def upload_path(version: "Version", file_name: str) -> str:
    """Return where the original is stored: ids only, never a name that came from outside."""
    return f"originals/{version.tenant_id}/{version.pk}"


class Version(models.Model):
    """One immutable upload of a document, and the canonical text extracted from it.

    Offsets anywhere are code points into `text`. `failure` is a `FailureReason`, `detail` is for curators.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField(default=1)
    file = models.FileField(upload_to=upload_path, max_length=200)
    file_name = models.CharField(max_length=500)
    uploaded_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    media_type = models.CharField(max_length=100, blank=True, default="")
    language = models.CharField(max_length=10, blank=True, default="")
    text = models.TextField(blank=True, default="")
    headings = models.JSONField(default=list)
    # [start, end, names of the columns, whether each row says them] of each table, as `Extracted.tables` has them.
    tables = models.JSONField(default=list)
    warnings = models.JSONField(default=list)
    state = models.CharField(max_length=10, choices=VersionState.choices, default=VersionState.QUEUED)
    state_since = models.DateTimeField(auto_now_add=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    failure = models.CharField(max_length=30, blank=True, default="")
    detail = models.TextField(blank=True, default="")
    pages = models.PositiveIntegerField(null=True, blank=True)
    pages_done = models.PositiveIntegerField(default=0)
    chunk_count = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    ready_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document", "number"], name="version_number_once_a_document"),
            models.CheckConstraint(condition=Q(state__in=VersionState.values), name="version_state_known"),
            models.CheckConstraint(
                condition=~Q(state=VersionState.FAILED) | ~Q(failure=""), name="version_failed_has_a_reason"
            ),
        ]
        indexes = [
            # Finds the same bytes in a tenant when they are uploaded again.
            models.Index(fields=["tenant", "sha256"], name="version_same_bytes"),
            # Counts what is in work, has failed or waits for a decision; ready ones are nearly all.
            models.Index(
                fields=["tenant", "state"],
                condition=~Q(state=VersionState.READY),
                name="version_not_ready",
            ),
        ]


def handed_in_path(handed_in: "HandedInFile", file_name: str) -> str:
    """Return where a file is stored until it is put into a collection."""
    return f"handed-in/{handed_in.tenant_id}/{handed_in.pk}"


class HandedInFile(models.Model):
    """A file that a program handed in under an id of its own, before (or after) it stands in a collection.

    Put into a collection it becomes the document of that id and this row goes; where the collection has the bytes
    or the name already it becomes a part of that `document`, which the row then names. Taken out of its collection,
    a document is deleted there and the row names it, so that it can be put into another one.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, null=True, related_name="+")
    file = models.FileField(upload_to=handed_in_path, max_length=200, blank=True)
    file_name = models.CharField(max_length=500)
    size = models.PositiveBigIntegerField()
    purpose = models.CharField(max_length=20, default="assistants")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        # The list of a person's files.
        indexes = [models.Index(fields=["user", "tenant", "-created_at"], name="handed_in_newest")]


class Batch(models.Model):
    """Files that one person uploaded together, until they close the list of them."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        # The lists that a person has not closed yet.
        indexes = [
            models.Index(
                fields=["user", "tenant", "-created_at"], condition=Q(closed_at=None), name="batch_open"
            )
        ]


class BatchItem(models.Model):
    """One file of a batch: the version that it became, or that had the same bytes already."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="items")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="+")
    file_name = models.CharField(max_length=500)
    already_there = models.BooleanField(default=False)


class Page(models.Model):
    """Where the characters of one page stand: `boxes` as `sources.core.geometry` packs them."""

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="page_layouts")
    number = models.PositiveIntegerField()
    label = models.CharField(max_length=50, blank=True, default="")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    width = models.FloatField()
    height = models.FloatField()
    boxes = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "number"], name="page_number_once_a_version")
        ]


class Chunk(models.Model):
    """A span of canonical text that is indexed.

    `text` and `lexemes` are the index's copy of that span, for current versions only: cutting a span out of the
    canonical text costs PostgreSQL 40 ms a megabyte before it. `sha256` ties the copy to the canonical slice.
    """

    block_id = models.CharField(max_length=40, unique=True, default=new_block_id)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="chunks")
    ordinal = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    heading_path = ArrayField(models.TextField(), default=list)
    first_line = models.PositiveIntegerField()
    last_line = models.PositiveIntegerField()
    first_page = models.PositiveIntegerField(null=True, blank=True)
    last_page = models.PositiveIntegerField(null=True, blank=True)
    sha256 = models.CharField(max_length=64)
    text = models.TextField(blank=True, default="")
    lexemes = SearchVectorField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "ordinal"], name="chunk_ordinal_once_a_version"),
            models.CheckConstraint(condition=Q(end__gt=models.F("start")), name="chunk_not_empty"),
        ]
        indexes = [
            # Without a pending list, which each search after an upload would have to read through.
            GinIndex(fields=["lexemes"], name="chunk_lexemes", fastupdate=False),
            # Vector search walks a tenant's chunks of current versions.
            models.Index(fields=["tenant", "version"], name="chunk_of_tenant_version"),
        ]


class EmbeddingSpace(models.Model):
    """A model, revision and dimension; vectors of different spaces are never compared."""

    name = models.CharField(max_length=200, unique=True)
    dimension = models.PositiveIntegerField()


class ChunkEmbedding(models.Model):
    """The vector of a chunk in one space, in half precision and of length 1.

    `version` repeats the chunk's, so that the nearest vectors are found without reading the chunks.
    """

    # The unique constraint below serves look-ups by chunk.
    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="embeddings", db_index=False)
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="+")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, related_name="+")
    vector = HalfVectorField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["chunk", "space"], name="embedding_once_a_space")]
