"""Conversations, their turns and citations, and the audit chain."""

import secrets
import uuid

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from citeweb.accounts.models import Tenant, User


class Conversation(models.Model):
    """A thread of turns that belongs to one user in one tenant; its id is minted before the first question.

    One that a program asked in (`by_api`) is kept like any other, but not listed in the side bar.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="conversations")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="conversations")
    title = models.CharField(max_length=200)
    by_api = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        # The side bar lists one user's newest conversations of a tenant.
        indexes = [
            models.Index(
                fields=["user", "tenant", "-updated_at"],
                condition=Q(by_api=False),
                name="conversation_side_bar",
            )
        ]

    def __str__(self) -> str:
        return self.title


class TurnState(models.TextChoices):
    """How a turn stands; all but running are ends."""

    RUNNING = "running", _("running")
    COMPLETE = "complete", _("complete")
    STOPPED = "stopped", _("stopped")
    CUT = "cut", _("cut off")
    INTERRUPTED = "interrupted", _("interrupted")
    FAILED = "failed", _("failed")


class Turn(models.Model):
    """A question and its answer.

    `raw` is the model's output as it came, `text` the clean answer (no marker, Markdown). While the turn runs,
    both are saved every half second together with `heartbeat_at`, the sign of life of the generating process.
    `offered` lists the blocks of the prompt; `rejections` the markers that were refused, with reasons. `request`
    is what a program asked for beside the question (chat.api); empty for a turn of the chat page.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns")
    ordinal = models.PositiveIntegerField()
    client_id = models.UUIDField()
    question = models.TextField()
    model = models.CharField(max_length=200)
    state = models.CharField(max_length=12, choices=TurnState.choices, default=TurnState.RUNNING)
    raw = models.TextField(blank=True, default="")
    text = models.TextField(blank=True, default="")
    offered = models.JSONField(default=list)
    rejections = models.JSONField(default=list)
    usage = models.JSONField(default=dict)
    timings = models.JSONField(default=dict)
    settings = models.JSONField(default=dict)
    # What else the reading of `raw` depends on, in order; see chat.rereading.
    reading = models.JSONField(default=dict)
    # How it was asked: on the page, over the API, by a command.
    via = models.CharField(max_length=10, default="page")
    request = models.JSONField(default=dict)
    error = models.TextField(blank=True, default="")
    error_detail = models.TextField(blank=True, default="")
    stop_requested = models.BooleanField(default=False)
    request_id = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)
    heartbeat_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["conversation", "ordinal"], name="turn_ordinal_once"),
            # Resending a question after a dropped socket never makes a second turn.
            models.UniqueConstraint(fields=["conversation", "client_id"], name="turn_client_id_once"),
            models.CheckConstraint(condition=Q(state__in=TurnState.values), name="turn_state_known"),
            models.CheckConstraint(
                condition=Q(state=TurnState.RUNNING, finished_at__isnull=True)
                | (~Q(state=TurnState.RUNNING) & Q(finished_at__isnull=False)),
                name="turn_finished_has_a_time",
            ),
        ]
        # Finds turns whose process died.
        indexes = [
            models.Index(fields=["heartbeat_at"], condition=Q(state="running"), name="turn_running_silent")
        ]


class CitationKind(models.TextChoices):
    """What a citation rests on."""

    PASSAGE = "passage", _("a passage")
    DOCUMENT = "document", _("a document, the place in it unknown")
    WEB = "web", _("a web page")


class Citation(models.Model):
    """One place of an answer and the source that it rests on, as validated when it was made.

    For a passage, `start`, `end` and `quote` are the cited span of the version's canonical text; `best_start`,
    `best_end` the sentence in it that supports the claim best. A document or web page that a provider's tool
    named has no span; its `quote` is what the provider quoted, and `url` an http(s) address or "". `claim_start`
    and `claim_end` are the words of the answer that the provider meant, if it said so. Ids are kept without
    foreign keys: the proof outlives the document.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="citations")
    ordinal = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    position = models.PositiveIntegerField()
    position_utf16 = models.PositiveIntegerField()
    claim_start = models.PositiveIntegerField(null=True, blank=True)
    claim_end = models.PositiveIntegerField(null=True, blank=True)
    kind = models.CharField(max_length=10, choices=CitationKind.choices, default=CitationKind.PASSAGE)
    block_id = models.CharField(max_length=40, blank=True, default="")
    document_id = models.UUIDField(null=True, blank=True)
    version_id = models.UUIDField(null=True, blank=True)
    url = models.TextField(blank=True, default="")
    title = models.CharField(max_length=500)
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)
    quote = models.TextField(blank=True, default="")
    first_line = models.PositiveIntegerField(default=0)
    last_line = models.PositiveIntegerField(default=0)
    page = models.PositiveIntegerField(null=True, blank=True)
    page_label = models.CharField(max_length=50, blank=True, default="")
    heading_path = models.JSONField(default=list)
    repaired_from = models.CharField(max_length=50, blank=True, default="")
    verdict = models.CharField(max_length=12, blank=True, default="")
    score = models.FloatField(null=True, blank=True)
    reasons = models.JSONField(default=list)
    best_start = models.PositiveIntegerField(null=True, blank=True)
    best_end = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["turn", "ordinal"], name="citation_ordinal_once"),
            models.CheckConstraint(
                condition=Q(kind=CitationKind.PASSAGE, end__gt=models.F("start"), version_id__isnull=False)
                | Q(kind=CitationKind.DOCUMENT, version_id__isnull=False)
                | Q(kind=CitationKind.WEB, document_id__isnull=True, version_id__isnull=True),
                name="citation_has_its_source",
            ),
        ]
        # "Who saw this document" and "which answers rest on this version".
        indexes = [models.Index(fields=["document_id", "version_id"], name="citation_of_document")]


def new_share_token() -> str:
    """Return a fresh, unguessable part of an address (144 random bits)."""
    return secrets.token_urlsafe(18)


class Share(models.Model):
    """A link under which members of the tenant read a conversation; sources open only for who may read them.

    Turns after `last_ordinal` are not shared; without it later turns are shared too.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="shares")
    token = models.CharField(max_length=40, unique=True, default=new_share_token)
    last_ordinal = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.token


class AuditHead(models.Model):
    """The newest record of a tenant's chain; the row that writers lock, so that the chain never forks."""

    tenant_id = models.UUIDField(primary_key=True)
    sequence = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64, default="0" * 64)


class AuditRecord(models.Model):
    """The proof of one event. `body` is canonical JSON as text: what was hashed is what is stored.

    `digest` = SHA-256 of the previous digest, a newline, and `body`, in UTF-8. No foreign keys: it outlives all.
    The columns from `actor_id` on repeat what the body says, for lists and the dashboard (chat.audit.columns);
    `words` holds the marks and stems that filters search. The database refuses every change and every record that
    does not follow the newest one (migration chat/0007).
    """

    tenant_id = models.UUIDField()
    sequence = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=30)
    turn_id = models.UUIDField(null=True, blank=True)
    body = models.TextField()
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)
    signature = models.CharField(max_length=80, blank=True, default="")
    created_at = models.DateTimeField()
    actor_id = models.BigIntegerField(null=True, blank=True)
    actor_email = models.CharField(max_length=254, blank=True, default="")
    summary = models.CharField(max_length=300, blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")
    state = models.CharField(max_length=12, blank=True, default="")
    verdict = models.CharField(max_length=12, blank=True, default="")
    offered = models.PositiveIntegerField(default=0)
    citations = models.PositiveIntegerField(default=0)
    unsupported = models.PositiveIntegerField(default=0)
    weak = models.PositiveIntegerField(default=0)
    uncited = models.PositiveIntegerField(default=0)
    rejected = models.JSONField(default=dict, blank=True)
    cited_documents = ArrayField(models.UUIDField(), default=list, blank=True)
    retrieval_ms = models.PositiveIntegerField(null=True, blank=True)
    first_text_ms = models.PositiveIntegerField(null=True, blank=True)
    total_ms = models.PositiveIntegerField(null=True, blank=True)
    words = SearchVectorField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "sequence"], name="audit_sequence_once_a_tenant"),
            # Each finished turn has one record.
            models.UniqueConstraint(
                fields=["turn_id"], condition=Q(turn_id__isnull=False), name="audit_one_record_a_turn"
            ),
        ]
        indexes = [
            # A tenant's list, the newest first.
            models.Index(fields=["tenant_id", "-id"], name="audit_newest_of_tenant"),
            # The dashboard's days, and where a span of time begins.
            models.Index(fields=["tenant_id", "created_at"], name="audit_days_of_tenant"),
            models.Index(fields=["created_at"], name="audit_days"),
            # All filters of a list, in any combination; see chat_audit_find.
            GinIndex(fields=["words"], name="audit_words", fastupdate=False),
        ]


class AuditText(models.Model):
    """Words of a document that a record of `sequence` keeps the SHA-256 of: its body has `<name>_sha256`.

    They stand beside the chain, so that purging the document takes them away and leaves the proof whole.
    """

    tenant_id = models.UUIDField()
    sequence = models.PositiveBigIntegerField()
    name = models.CharField(max_length=60)
    document_id = models.UUIDField()
    text = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "sequence", "name"], name="audit_text_once_a_record")
        ]
        # Purging finds what was kept of a document.
        indexes = [models.Index(fields=["document_id"], name="audit_text_of_document")]
