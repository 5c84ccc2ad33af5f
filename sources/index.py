"""The only writer of what is searched: chunks with their lexemes, page layouts and vectors.

A version becomes searchable in one short transaction; all that takes long is prepared before it.
"""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.utils import timezone

from sources.core.chunking import ChunkSpan, chunk_spans
from sources.core.extract.types import Extracted
from sources.core.lexemes import tsvector
from sources.embedding import configured_embedder
from sources.insert_rows import insert_rows
from sources.metadata import fill_from_file, title_from_file
from sources.models import (
    Chunk,
    ChunkEmbedding,
    Collection,
    Document,
    EmbeddingSpace,
    Page,
    Version,
    VersionState,
)
from sources.queue import defer_relabel
from sources.versions import next_number, waiting

_ROWS_AT_ONCE = 500
_LONGEST_LANGUAGE = 10
# Chunks of current versions of documents that are not deleted.
_SEARCHED = Q(version=F("document__current_version"), document__deleted_at=None)


def sha256_of(text: str) -> str:
    """Return the hexadecimal SHA-256 of the text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def context_of(title: str, heading_path: Sequence[str]) -> str:
    """Return where a chunk stands, as it is indexed and embedded together with it."""
    return " › ".join((title, *heading_path))


def write_version(version: Version, extracted: Extracted, spans: Sequence[ChunkSpan]) -> bool:
    """Store a version's text and chunks and make it its document's current one, in one transaction.

    Return False, with nothing written, when the version is no longer waiting (finished by another worker or
    deleted). A later version of the document that is ready already stays the current one.
    """
    title = title_from_file(version.document, extracted)
    chunks = [_chunk(version, ordinal, extracted, span, title) for ordinal, span in enumerate(spans)]
    with transaction.atomic():
        locked = waiting(version.pk).select_for_update(of=("self",)).first()
        if locked is None:
            return False
        _write_rows(version, extracted, chunks)
        _finish(locked, extracted, len(chunks))
        if _make_current(locked, extracted) not in (None, title):
            # A curator gave another title meanwhile.
            defer_relabel(locked.document_id)
    return True


def add_text(collection: Collection, *, title: str, text: str, file_name: str) -> Document:
    """Shelve a text that needs no file and no extraction, ready at once; for measuring and tests."""
    document = Document.objects.create(tenant_id=collection.tenant_id, collection=collection, title=title)
    add_version(document, Extracted(text=text, media_type="text/plain"), file_name=file_name)
    document.refresh_from_db()
    return document


def add_version(document: Document, extracted: Extracted, *, file_name: str) -> Version:
    """Give a document a further version out of what extraction gave, ready at once; for measuring and tests."""
    version = Version.objects.create(
        tenant_id=document.tenant_id,
        document=document,
        number=next_number(document),
        file_name=file_name,
        size=len(extracted.text.encode()),
        sha256=sha256_of(extracted.text),
    )
    write_version(version, extracted, chunk_spans(extracted))
    version.refresh_from_db()
    return version


def _chunk(version: Version, ordinal: int, extracted: Extracted, span: ChunkSpan, title: str) -> Chunk:
    text = extracted.text[span.start : span.end]
    return Chunk(
        tenant_id=version.tenant_id,
        document_id=version.document_id,
        version_id=version.pk,
        ordinal=ordinal,
        start=span.start,
        end=span.end,
        heading_path=list(span.heading_path),
        first_line=span.first_line,
        last_line=span.last_line,
        first_page=span.first_page,
        last_page=span.last_page,
        sha256=sha256_of(text),
        text=text,
        lexemes=tsvector(text, context_of(title, span.heading_path)),
    )


def _write_rows(version: Version, extracted: Extracted, chunks: list[Chunk]) -> None:
    """Replace what an earlier attempt may have left."""
    Chunk.objects.filter(version=version).delete()
    Page.objects.filter(version=version).delete()
    Page.objects.bulk_create(
        [
            Page(
                version=version,
                number=page.number,
                label=page.label[:50],
                start=page.start,
                end=page.end,
                width=page.width,
                height=page.height,
                boxes=page.boxes,
            )
            for page in extracted.pages
        ],
        batch_size=_ROWS_AT_ONCE,
    )
    insert_rows(chunks)


def _finish(version: Version, extracted: Extracted, chunk_count: int) -> None:
    version.text = extracted.text
    version.media_type = extracted.media_type
    version.language = extracted.language[:_LONGEST_LANGUAGE]
    version.headings = [[h.start, h.end, h.level, h.text] for h in extracted.headings]
    version.tables = [[t.start, t.end, list(t.columns), t.names_in_rows] for t in extracted.tables]
    version.warnings = list(extracted.warnings)
    version.pages = len(extracted.pages) or None
    version.pages_done = len(extracted.pages)
    version.chunk_count = chunk_count
    version.state = VersionState.READY
    version.ready_at = version.state_since = timezone.now()
    version.save()


def _make_current(version: Version, extracted: Extracted) -> str | None:
    """Let retrieval use the version; return the document's title, or None when a later version stays current."""
    document = Document.objects.select_for_update().get(pk=version.document_id)
    current = document.current_version
    if current is not None and current.number > version.number:
        return None
    if current is not None and current.pk != version.pk:
        _keep_vectors(current, version)
    document.current_version = version
    document.save(update_fields=["current_version", *fill_from_file(document, extracted)])
    return document.title


def _keep_vectors(old: Version, new: Version) -> None:
    """Move vectors over to the chunks of the new version that say the same at the same place in the outline."""
    kept = {
        (chunk.sha256, tuple(chunk.heading_path)): chunk.pk
        for chunk in Chunk.objects.filter(version=old).only("sha256", "heading_path")
    }
    moved: dict[int, int] = {}
    for chunk in Chunk.objects.filter(version=new).only("sha256", "heading_path"):
        source = kept.pop((chunk.sha256, tuple(chunk.heading_path)), None)
        if source is not None:
            moved[source] = chunk.pk
    embeddings = list(ChunkEmbedding.objects.filter(chunk__in=moved))
    for embedding in embeddings:
        embedding.chunk_id, embedding.version_id = moved[embedding.chunk_id], new.pk
    ChunkEmbedding.objects.bulk_update(embeddings, ["chunk", "version"], batch_size=_ROWS_AT_ONCE)
    # An earlier version is opened by old citations and no longer searched.
    ChunkEmbedding.objects.filter(version=old).delete()
    Chunk.objects.filter(version=old).update(lexemes=None, text="")


def write_title(document_id: uuid.UUID | str) -> uuid.UUID | None:
    """Index the chunks of a document's current version under its title as it is now; return the version.

    The vectors were made of the old title and go with it. A later change of the title comes with a job of its own.
    """
    last = -1
    while True:
        with transaction.atomic():
            # Locked, so that no version becomes the current one meanwhile.
            kept = Document.objects.select_for_update(of=("self",), no_key=True)
            document = kept.filter(pk=document_id, deleted_at=None).first()
            version_id = document.current_version_id if document else None
            if document is None or version_id is None:
                return None
            chunks = list(
                Chunk.objects.filter(version_id=version_id, ordinal__gt=last).order_by("ordinal")[
                    :_ROWS_AT_ONCE
                ]
            )
            if not chunks:
                return version_id
            last = _label(chunks, document.title)


def _label(chunks: list[Chunk], title: str) -> int:
    """Write the chunks' lexemes anew and drop their vectors; return the last ordinal."""
    for chunk in chunks:
        chunk.lexemes = tsvector(chunk.text, context_of(title, chunk.heading_path))
    Chunk.objects.bulk_update(chunks, ["lexemes"])
    ChunkEmbedding.objects.filter(chunk__in=chunks).delete()
    return chunks[-1].ordinal


def first_page_label() -> Subquery:
    """Return what the document prints on a chunk's first page, as an expression over chunks."""
    pages = Page.objects.filter(version=OuterRef("version"), number=OuterRef("first_page"))
    return Subquery(pages.values("label")[:1])


def space_named(name: str, dimension: int) -> EmbeddingSpace:
    """Return the embedding space of that name, made on first use."""
    return EmbeddingSpace.objects.get_or_create(name=name, defaults={"dimension": dimension})[0]


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A chunk that has no vector yet, with what is to be embedded."""

    chunk_id: int
    version_id: uuid.UUID
    input: str


def chunks_without_vector(version_id: uuid.UUID | str, space: EmbeddingSpace, limit: int) -> list[Unembedded]:
    """Return up to `limit` chunks of a current version that lack a vector in the space, in reading order."""
    current = Chunk.objects.filter(version_id=version_id).filter(_SEARCHED)
    rows = (
        current.filter(~_embedded_in(space))
        .order_by("ordinal")
        .values_list("pk", "version_id", "document__title", "heading_path", "text")
    )
    return [
        Unembedded(pk, version, f"{context_of(title, path)}\n{text}")
        for pk, version, title, path, text in rows[:limit]
    ]


def write_vectors(
    chunks: Sequence[Unembedded], vectors: Sequence[Sequence[float]], space: EmbeddingSpace
) -> None:
    """Store the vectors of the chunks, in the same order; a chunk deleted meanwhile is passed over."""
    with transaction.atomic():
        alive = set(
            Chunk.objects.select_for_update(of=("self",), no_key=True)
            .filter(pk__in=[chunk.chunk_id for chunk in chunks])
            .values_list("pk", flat=True)
        )
        ChunkEmbedding.objects.bulk_create(
            [
                ChunkEmbedding(
                    chunk_id=chunk.chunk_id, version_id=chunk.version_id, space=space, vector=list(vector)
                )
                for chunk, vector in zip(chunks, vectors, strict=True)
                if chunk.chunk_id in alive
            ],
            ignore_conflicts=True,
        )


def _embedded_in(space: EmbeddingSpace) -> Exists:
    return Exists(ChunkEmbedding.objects.filter(space=space, chunk=OuterRef("pk")))


def embedded_share(version: Version) -> tuple[int, int] | None:
    """Return how many of the version's chunks have a vector in the configured space, of how many; None without one."""
    embedder = configured_embedder()
    if embedder is None:
        return None
    space = space_named(embedder.space, embedder.dimension)
    return ChunkEmbedding.objects.filter(version=version, space=space).count(), version.chunk_count


def versions_without_vectors(space: EmbeddingSpace) -> list[str]:
    """Return the ids of current versions that hold a chunk without a vector in the space."""
    chunks = Chunk.objects.filter(_SEARCHED).filter(~_embedded_in(space))
    return [str(pk) for pk in chunks.values_list("version_id", flat=True).distinct()]
