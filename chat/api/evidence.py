"""What API objects tell of an answer's citations, as one reader may see them now."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from chat.core.footnotes import Footnoted, Mark, Place, Style, footnoted
from chat.models import Citation, CitationKind
from chat.turn_view import place_text
from citeweb.accounts.models import Tenant, User
from sources.permissions import visible_versions


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """What a cited document says about itself."""

    file_name: str = ""
    author: str = ""
    year: str = ""
    reference: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A citation and its document; `visible` says whether the reader may open it now."""

    row: Citation
    visible: bool
    document: DocumentWords

    @property
    def permalink(self) -> str:
        """The absolute address of the passage viewer, or of the web page that was cited."""
        if self.row.kind == CitationKind.WEB and self.row.url:
            return self.row.url
        return str(settings.PUBLIC_URL) + reverse("cite", args=[self.row.pk])

    @property
    def canonical_url(self) -> str:
        """Where the source stands for everybody, else the permalink."""
        return self.document.url if self.visible and self.document.url else self.permalink

    @property
    def source_id(self) -> str:
        """The UUID of what was cited: our document, or the one that stands for a web address."""
        if self.row.document_id:
            return str(self.row.document_id)
        return str(uuid.uuid5(uuid.NAMESPACE_URL, self.row.url or str(self.row.pk)))

    @property
    def vector_id(self) -> str:
        """The stable id of the cited chunk; of a source without one, the citation's own."""
        return self.row.block_id or str(self.row.pk)

    @property
    def file_id(self) -> str:
        """The document's id in the API's file objects, or "" for a web page."""
        return f"file-{self.row.document_id.hex}" if self.row.document_id else ""

    @property
    def title(self) -> str:
        """The document's title, which a reader who may not open it isn't told."""
        return self.row.title if self.visible else ""

    @property
    def quote(self) -> str:
        """The cited words, under the same condition."""
        return self.row.quote if self.visible else ""

    @property
    def heading(self) -> str | None:
        """The nearest heading above the cited words."""
        return str(self.row.heading_path[-1]) if self.visible and self.row.heading_path else None

    @property
    def place(self) -> str:
        """Page, lines or host in words."""
        return place_text(self.row) if self.visible else ""


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """An answer with its marks, and the evidence that the marks' indices mean.

    `claims` says whether the ranges of claims can be given: not where sources came after the text was sent.
    """

    footnoted: Footnoted
    evidence: Sequence[Evidence]
    claims: bool = True

    @property
    def firsts(self) -> list[tuple[int, Evidence]]:
        """Each footnote number with the evidence of its first mark, in order."""
        found: dict[int, Evidence] = {}
        for mark in self.footnoted.marks:
            found.setdefault(mark.number, self.evidence[mark.index])
        return sorted(found.items())

    def claim(self, mark: Mark) -> tuple[int | None, int | None]:
        """Return the range of the words that a provider's annotation stands for, if it said so."""
        row = self.evidence[mark.index].row
        if not self.claims or row.claim_start is None or row.claim_end is None:
            return None, None
        return self._shifted(row.claim_start, behind=True), self._shifted(row.claim_end, behind=False)

    def _shifted(self, position: int, *, behind: bool) -> int:
        """Return where a place of the clean text is in the marked text, before or behind the marks at it."""
        before = (
            mark
            for mark in self.footnoted.marks
            if self.evidence[mark.index].row.position < position + behind
        )
        return position + sum(mark.end - mark.start for mark in before)


def evidence_of(rows: Iterable[Citation], *, user: User, tenant: Tenant) -> list[Evidence]:
    """Return what the reader may see now of each citation; asks the door once for all."""
    rows = list(rows)
    words = _documents(rows, user, tenant)
    return [_evidence(row, words) for row in rows]


def place_of(row: Citation, url: str) -> Place:
    """Return the citation's place for the footnotes."""
    key = row.block_id or (f"document {row.version_id}" if row.version_id else row.url or str(row.pk))
    return Place(row.position, row.number, key, url)


def cited_answer(text: str, evidence: Sequence[Evidence], style: Style) -> CitedAnswer:
    """Return a finished answer; a source that the reader may not open (any more) leaves no trace in it."""
    visible = [one for one in evidence if one.visible]
    places = [place_of(one.row, one.permalink) for one in visible]
    return CitedAnswer(footnoted(text, places, style), visible)


def _documents(rows: Sequence[Citation], user: User, tenant: Tenant) -> dict[uuid.UUID, DocumentWords]:
    wanted = {row.version_id for row in rows if row.version_id}
    if not wanted:
        return {}
    versions = visible_versions(user=user, tenant=tenant).filter(pk__in=wanted)
    fields = ("file_name", "document__author", "document__year", "document__reference", "document__url")
    return {pk: DocumentWords(*words) for pk, *words in versions.values_list("pk", *fields)}


def _evidence(row: Citation, words: dict[uuid.UUID, DocumentWords]) -> Evidence:
    if row.kind == CitationKind.WEB:
        return Evidence(row, True, DocumentWords())
    known = words.get(row.version_id) if row.version_id else None
    return Evidence(row, known is not None, known or DocumentWords())
