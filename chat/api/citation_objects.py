"""Citations in the four shapes that clients know; shared/WIRE.md section 6 has the formats."""

from chat.api.evidence import CitedAnswer, Evidence
from chat.core.footnotes import Mark

Json = dict[str, object]
PREVIEW_CHARACTERS = 300


def chat_annotations(answer: CitedAnswer) -> list[Json]:
    """Return the annotations of a chat message: `url_citation` only, which is all that clients type."""
    return [
        {"index": index, "type": "url_citation", "url_citation": citation}
        for index, citation in enumerate(_url_citations(answer))
    ]


def response_annotations(answer: CitedAnswer, *, files: bool) -> list[Json]:
    """Return the annotations of an output text: `file_citation` for documents if `files`, else addresses."""
    return [
        {**_kind(answer.evidence[mark.index], mark, files=files), **citation}
        for mark, citation in zip(answer.footnoted.marks, _url_citations(answer), strict=True)
    ]


def _kind(evidence: Evidence, mark: Mark, *, files: bool) -> Json:
    if not files or not evidence.file_id:
        return {"type": "url_citation"}
    filename = evidence.document.file_name or evidence.title
    return {"type": "file_citation", "file_id": evidence.file_id, "filename": filename, "index": mark.start}


def _url_citations(answer: CitedAnswer) -> list[Json]:
    return [
        {
            "start_index": mark.start,
            "end_index": mark.end,
            "start_index_utf16": start,
            "end_index_utf16": end,
            **_cited(answer, mark),
        }
        for mark, (start, end) in zip(answer.footnoted.marks, answer.footnoted.utf16_ranges, strict=True)
    ]


def _cited(answer: CitedAnswer, mark: Mark) -> Json:
    evidence = answer.evidence[mark.index]
    row = evidence.row
    claim_start, claim_end = answer.claim(mark)
    return {
        "title": evidence.title or evidence.permalink,
        "url": evidence.permalink,
        "canonical_url": evidence.canonical_url,
        "citation_number": mark.number,
        "document_index": mark.number - 1,
        "citation_id": str(row.pk),
        "source_id": evidence.source_id,
        "vector_id": evidence.vector_id,
        "cited_text": evidence.quote,
        "page": row.page,
        "kind": row.kind,
        "claim_start_index": claim_start,
        "claim_end_index": claim_end,
        "start": row.start,
        "end": row.end,
        "version_id": str(row.version_id) if row.version_id else None,
        "support": {"verdict": row.verdict, "score": row.score, "reasons": row.reasons},
    }


def magisterium_citations(answer: CitedAnswer) -> list[Json]:
    """Return the top-level `citations`: one for each footnote number, `document_index` = number - 1."""
    return [_magisterium(number, evidence) for number, evidence in answer.firsts]


def _magisterium(number: int, evidence: Evidence) -> Json:
    return {
        "cited_text": evidence.quote,
        "cited_text_heading": evidence.heading,
        "document_title": evidence.title or None,
        "document_index": number - 1,
        "document_author": evidence.document.author or None,
        "document_year": evidence.document.year or None,
        "document_reference": evidence.document.reference or evidence.place or None,
        "source_url": evidence.canonical_url,
    }


def citation_schema(evidence: Evidence, *, score: float | None) -> Json:
    """Return a stored citation as a CitationSchema object; `score` is the passage's relevance to the question."""
    return {
        "canonical_url": evidence.canonical_url,
        "case_index": 0,
        "chunk_text_preview": preview(evidence.quote),
        "relevance_score": None if score is None else min(max(score, 0.0), 1.0),
        "section_heading": evidence.heading,
        "source_id": evidence.source_id,
        "source_title": evidence.title,
        "vector_id": evidence.vector_id,
    }


def preview(text: str) -> str | None:
    """Return the beginning of a passage, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= PREVIEW_CHARACTERS:
        return line or None
    return line[:PREVIEW_CHARACTERS].rsplit(" ", 1)[0] + "…"
