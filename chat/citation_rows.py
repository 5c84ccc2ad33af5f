"""A validated citation as the row that is stored of it."""

import uuid

from chat.core.citations import DocumentSource, WebSource
from chat.models import Citation, CitationKind
from chat.reading import Cited
from sources.core.passages import Passage

_LONGEST_TITLE = 500


def citation_row(cited: Cited, *, tenant_id: uuid.UUID, turn_id: uuid.UUID, ordinal: int) -> Citation:
    """Return the unsaved row; `ordinal` counts a turn's citations from 1 in the order of their places."""
    citation, support = cited.citation, cited.support
    row = Citation(
        pk=uuid.UUID(citation.citation_id),
        tenant_id=tenant_id,
        turn_id=turn_id,
        ordinal=ordinal,
        number=citation.number,
        position=citation.position,
        position_utf16=citation.position_utf16,
        title=citation.source.title[:_LONGEST_TITLE],
        start=citation.start,
        end=citation.end,
        quote=citation.quote,
        repaired_from=str(citation.repaired_from or ""),
    )
    if citation.covers and citation.covers[0] < citation.covers[1]:
        row.claim_start, row.claim_end = citation.covers
    if support is not None:
        row.verdict, row.score, row.reasons = str(support.verdict), support.score, list(support.reasons)
        row.best_start, row.best_end = (citation.start + place for place in support.best)
    _set_source(row, cited)
    return row


def _set_source(row: Citation, cited: Cited) -> None:
    match cited.citation.source:
        case Passage() as passage:
            lines = cited.citation.lines or passage.lines
            row.kind, row.block_id = CitationKind.PASSAGE, passage.block_id
            row.document_id, row.version_id = uuid.UUID(passage.document_id), uuid.UUID(passage.version_id)
            row.first_line, row.last_line = lines.first, lines.last
            row.page, row.page_label = passage.page, passage.page_label
            row.heading_path = list(passage.heading_path)
        case DocumentSource() as document:
            row.kind = CitationKind.DOCUMENT
            row.document_id, row.version_id = uuid.UUID(document.document_id), uuid.UUID(document.version_id)
        case WebSource() as page:
            row.kind, row.url = CitationKind.WEB, page.url
