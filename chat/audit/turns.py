"""The record of a turn: all that is needed to say later what was answered, from what, to whom, and to check it.

Words of documents go beside the chain, each under its hash, so that a purge takes them away and leaves the proof.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chat.audit.chain import Words, canonical_json, sha256_of
from chat.core.prompt import blocks_text
from chat.core.uncited import uncited_claims
from chat.models import Citation, Turn
from chat.rereading import passage_from
from sources.permissions import collections_of_documents_as_system

# Raised when a body's keys change their meaning.
FORMAT = 2
# What of an offered passage is the document's own words.
WORDS_OF_PASSAGE = ("title", "heading_path", "page_label", "text")
WORDS_OF_CITATION = ("title", "heading_path", "page_label", "quote")

Json = dict[str, Any]


def turn_record(turn: Turn, citations: Sequence[Citation]) -> tuple[Json, list[Words]]:
    """Return the body of an ended turn's record and the words that stand beside it."""
    offered = [_Kept.of_passage(one) for one in turn.offered]
    steps = [_Kept.of_step(number, step) for number, step in enumerate(turn.reading.get("steps", []))]
    cited = [_Kept.of_citation(one) for one in citations]
    kept = [*offered, *steps, *cited]
    shelves = collections_of_documents_as_system({one.document_id for one in kept if one.document_id})
    for one in kept:
        if one.document_id:
            shelf = shelves.get(one.document_id)
            one.body["collection_id"] = str(shelf) if shelf else None
    body = {
        **_circumstances(turn),
        "offered": [one.body for one in offered],
        "reading": {**turn.reading, "steps": [one.body for one in steps]},
        "citations": [one.body for one in cited],
        "uncited": [list(span) for span in uncited_claims(turn.text, (one.position for one in citations))],
    }
    return body, [word for one in kept for word in one.words()]


def without_words(offered: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Return offered passages as an ended turn keeps them: its record has the words."""
    return [{k: v for k, v in one.items() if k not in WORDS_OF_PASSAGE} for one in offered]


def _circumstances(turn: Turn) -> Json:
    return {
        "format": FORMAT,
        "turn_id": str(turn.pk),
        "conversation_id": str(turn.conversation_id),
        "user_id": turn.conversation.user_id,
        "user_email": turn.conversation.user.email,
        "via": turn.via,
        "request_id": turn.request_id,
        "request": turn.request,
        "question": turn.question,
        "model": turn.model,
        "settings": {key: value for key, value in turn.settings.items() if key != "messages"},
        "prompt": list(_prompt(turn)),
        "state": turn.state,
        "error": turn.error,
        "error_detail": turn.error_detail,
        "raw": turn.raw,
        "text": turn.text,
        "rejections": turn.rejections,
        "usage": turn.usage,
        "timings": turn.timings,
        "asked_at": turn.created_at.isoformat(),
        "finished_at": turn.finished_at.isoformat() if turn.finished_at else None,
    }


def _prompt(turn: Turn) -> Iterator[Json]:
    """Yield the messages; the one with the blocks, which can be made again from the passages, as its hash."""
    passages = [passage_from(one) for one in turn.offered]
    blocks = blocks_text(passages, line_numbers=bool(turn.settings.get("line_numbers")))
    for role, content in turn.settings.get("messages", []):
        if content == blocks:
            yield {"role": role, "blocks": True, "sha256": sha256_of(content)}
        else:
            yield {"role": role, "content": content}


class _Kept:
    """A part of a body that speaks of a source: `body` without the source's words, and the words if it is ours."""

    def __init__(self, name: str, body: Json, words: Json) -> None:
        self.body = body
        self.document_id = uuid.UUID(body["document_id"]) if body.get("document_id") else None
        self._name = name
        self._text = canonical_json(words)
        if self.document_id:
            body["words_sha256"] = sha256_of(self._text)
        else:
            body.update(words)

    def words(self) -> Iterator[Words]:
        """Yield what stands beside the chain."""
        if self.document_id:
            yield Words(self._name, self.document_id, self._text)

    @classmethod
    def of_passage(cls, passage: Mapping[str, Any]) -> "_Kept":
        words = {key: passage[key] for key in WORDS_OF_PASSAGE}
        return cls(f"block {passage['block_id']}", without_words([passage])[0], words)

    @classmethod
    def of_step(cls, number: int, step: Json) -> "_Kept":
        """Keep what a provider's tool found; the provider's copy of a document's text is that document's words."""
        source = step.get("source") or {}
        if not source.get("document_id"):
            return cls("", _without_text_of_others(step), {})
        body = {"at": step["at"], "document_id": source["document_id"], "version_id": source["version_id"]}
        return cls(f"step {number}", body, step)

    @classmethod
    def of_citation(cls, citation: Citation) -> "_Kept":
        words = {key: getattr(citation, key) for key in WORDS_OF_CITATION}
        return cls(f"citation {citation.pk}", _citation(citation), words)


def _without_text_of_others(step: Json) -> Json:
    """Return a step without the text of a file that is not ours to show; web pages stay."""
    if step.get("source") or "event" not in step:
        return step
    return {**step, "event": {**step["event"], **{k: "" for k in ("text", "quote") if k in step["event"]}}}


def _citation(citation: Citation) -> Json:
    return {
        "citation_id": str(citation.pk),
        "number": citation.number,
        "position": citation.position,
        "position_utf16": citation.position_utf16,
        "claim_start": citation.claim_start,
        "claim_end": citation.claim_end,
        "kind": citation.kind,
        "block_id": citation.block_id,
        "document_id": str(citation.document_id) if citation.document_id else None,
        "version_id": str(citation.version_id) if citation.version_id else None,
        "url": citation.url,
        "start": citation.start,
        "end": citation.end,
        "best_start": citation.best_start,
        "best_end": citation.best_end,
        "quote_sha256": sha256_of(citation.quote),
        "lines": f"L{citation.first_line}-L{citation.last_line}",
        "page": citation.page,
        "repaired_from": citation.repaired_from,
        "verdict": citation.verdict,
        "score": citation.score,
        "reasons": citation.reasons,
    }
