"""A stored turn as OpenAI's `chat.completion` object with citations; shared/WIRE.md section 6 has the format."""

import uuid
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from chat.models import Citation, CitationKind, Turn, TurnState
from chat.turn_view import is_available, place_text
from citeweb.accounts.models import User
from sources.permissions import visible_versions

_FINISH = {TurnState.COMPLETE: "stop", TurnState.CUT: "length"}


@dataclass(frozen=True, slots=True)
class Mark:
    """A footnote mark `[^number]` and where it stands in the text (code points, half-open)."""

    citation: Citation
    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Footnoted:
    """An answer with its footnote marks."""

    text: str
    marks: tuple[Mark, ...]

    def place(self, position: int | None, *, behind: bool) -> int | None:
        """Return where a place of the answer without marks is in `text`, before or behind the marks at it."""
        if position is None:
            return None
        before = (mark for mark in self.marks if mark.citation.position < position + behind)
        return position + sum(mark.end - mark.start for mark in before)


def footnoted(text: str, citations: list[Citation]) -> Footnoted:
    """Return the answer with a mark at each citation's place, numbered without gaps."""
    numbers = {
        old: new for new, old in enumerate(sorted({citation.number for citation in citations}), start=1)
    }
    parts: list[str] = []
    marks: list[Mark] = []
    length = done = 0
    for citation in sorted(citations, key=lambda one: (one.position, one.ordinal)):
        number = numbers[citation.number]
        sign = f"[^{number}]"
        parts += [text[done : citation.position], sign]
        length += citation.position - done
        marks.append(Mark(citation, number, length, length + len(sign)))
        length, done = length + len(sign), citation.position
    return Footnoted("".join([*parts, text[done:]]), tuple(marks))


def chat_completion(turn: Turn, *, user: User) -> dict[str, object]:
    """Return the object for one reader; a source that they may not open (any more) leaves no trace in it.

    An answer that isn't whole has another finish_reason than `stop`: `length` or `error`.
    """
    citations = list(turn.citations.order_by("ordinal"))
    visible = _visible(turn, citations, user)
    answer = footnoted(turn.text, [one for one in citations if is_available(one, visible)])
    return {
        "id": f"chatcmpl-{turn.pk}",
        "object": "chat.completion",
        "created": int(turn.created_at.timestamp()),
        "model": turn.model,
        "system_fingerprint": None,
        "choices": [
            {
                "index": 0,
                "finish_reason": _FINISH.get(TurnState(turn.state), "error"),
                "logprobs": None,
                "message": {
                    "role": "assistant",
                    "refusal": None,
                    "content": answer.text,
                    "annotations": _annotations(answer),
                },
            }
        ],
        "usage": _usage(turn),
        "citations": _sources(answer),
    }


def _visible(turn: Turn, citations: list[Citation], user: User) -> set[uuid.UUID]:
    cited = [citation.version_id for citation in citations if citation.version_id]
    versions = visible_versions(user=user, tenant=turn.tenant).filter(pk__in=cited)
    return set(versions.values_list("pk", flat=True))


def _annotations(answer: Footnoted) -> list[dict[str, object]]:
    return [
        {"index": index, "type": "url_citation", "url_citation": _url_citation(answer, mark)}
        for index, mark in enumerate(answer.marks)
    ]


def _url_citation(answer: Footnoted, mark: Mark) -> dict[str, object]:
    citation = mark.citation
    return {
        "start_index": mark.start,
        "end_index": mark.end,
        "start_index_utf16": _utf16_length(answer.text[: mark.start]),
        "end_index_utf16": _utf16_length(answer.text[: mark.end]),
        "title": citation.title,
        "url": citation_url(citation),
        "citation_number": mark.number,
        "document_index": mark.number - 1,
        "citation_id": str(citation.pk),
        "source_id": source_id(citation),
        "vector_id": citation.block_id,
        "cited_text": citation.quote,
        "page": citation.page,
        "kind": citation.kind,
        "claim_start_index": answer.place(citation.claim_start, behind=True),
        "claim_end_index": answer.place(citation.claim_end, behind=False),
        "start": citation.start,
        "end": citation.end,
        "version_id": str(citation.version_id) if citation.version_id else None,
        "support": {"verdict": citation.verdict, "score": citation.score, "reasons": citation.reasons},
    }


def _sources(answer: Footnoted) -> list[dict[str, object]]:
    firsts: dict[int, Citation] = {}
    for mark in answer.marks:
        firsts.setdefault(mark.number, mark.citation)
    return [
        {
            "cited_text": citation.quote,
            "cited_text_heading": citation.heading_path[-1] if citation.heading_path else None,
            "document_title": citation.title,
            "document_index": number - 1,
            "document_author": None,
            "document_year": None,
            "document_reference": place_text(citation),
            "source_url": citation_url(citation),
        }
        for number, citation in sorted(firsts.items())
    ]


def citation_url(citation: Citation) -> str:
    """Return the address of a web page, and else the absolute address of the passage viewer."""
    if citation.kind == CitationKind.WEB and citation.url:
        return citation.url
    return settings.PUBLIC_URL + reverse("cite", args=[citation.pk])


def source_id(citation: Citation) -> str:
    """Return the UUID of what was cited: our document, or the one that stands for a web address."""
    if citation.document_id:
        return str(citation.document_id)
    return str(uuid.uuid5(uuid.NAMESPACE_URL, citation.url or str(citation.pk)))


def _usage(turn: Turn) -> dict[str, int]:
    read, written = (int(turn.usage.get(name, 0)) for name in ("input_tokens", "output_tokens"))
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
