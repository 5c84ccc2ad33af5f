"""Citations in the CitationSchema's eight fields: those of stored answers, and a look-up for claims and questions."""

import uuid
from collections.abc import Mapping

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.http import urlencode
from ninja import Query, Router
from pydantic import BaseModel, ConfigDict, Field

from chat.api.asking import turn_of
from chat.api.caller import ApiKeyAuth, Caller, caller_of
from chat.api.citation_objects import Json, citation_schema, preview
from chat.api.errors import invalid, not_found
from chat.api.evidence import Evidence, evidence_of
from chat.api.ids import CHAT, RESPONSE, own_id
from chat.api.listing import Page, cut, listed
from chat.api.openings import note_found
from chat.api.schemas import CitationList, CitationSchema
from chat.api.tools import collections_of
from chat.models import Citation, Turn, TurnState
from citeweb.accounts.models import Scope
from sources.core.passages import Passage
from sources.permissions import visible_documents
from sources.retrieval import retrieve

router = Router(tags=["Citations"], auth=ApiKeyAuth(Scope.SEARCH))
CASE_CHARACTERS = 8_000


class Case(BaseModel):
    """A claim to be backed or a question to be answered."""

    model_config = ConfigDict(extra="forbid")
    text: str = Field(min_length=1, max_length=CASE_CHARACTERS)


class Lookup(BaseModel):
    """One case or several; each gets its best passages."""

    model_config = ConfigDict(extra="forbid")
    cases: str | list[str | Case] = Field(description="Claims or questions, 1 to 100.")
    limit: int = Field(5, ge=1, le=50, description="The most passages for each case.")
    min_score: float = Field(0.0, ge=0, le=1, description="Leave out passages with a lower relevance_score.")
    vector_store_ids: list[str] | None = Field(None, description="Search these collections only.")


@router.post(
    "/lookup",
    summary="Find passages for claims or questions",
    operation_id="lookUpCitations",
    response=CitationList,
)
def look_up(request: HttpRequest, body: Lookup) -> HttpResponse:
    """Return the best passages for each case as CitationSchema objects, by `case_index` and relevance."""
    caller = caller_of(request)
    cases = _cases(body.cases)
    within = collections_of(body.vector_store_ids, caller) if body.vector_store_ids is not None else None
    found = [
        (index, passage)
        for index, case in enumerate(cases)
        for passage in _passages(case, body, within, caller)
        if passage.relevance >= body.min_score
    ]
    note_found(caller, cases, [passage for _index, passage in found])
    urls = _urls([passage for _index, passage in found], caller)
    data = [_of_passage(passage, index, urls) for index, passage in found]
    return JsonResponse(listed(data, ids=[passage.block_id for _index, passage in found]))


def _cases(given: str | list[str | Case]) -> list[str]:
    cases = [given] if isinstance(given, str) else [c.text if isinstance(c, Case) else c for c in given]
    if not 1 <= len(cases) <= 100:
        raise invalid("There must be 1 to 100 cases.", "cases", "invalid_value")
    for index, case in enumerate(cases):
        if not case.strip() or len(case) > CASE_CHARACTERS:
            message = f"A case must have 1 to {CASE_CHARACTERS} characters."
            raise invalid(message, f"cases[{index}]", "invalid_value")
    return cases


def _passages(case: str, body: Lookup, within: tuple[uuid.UUID, ...] | None, caller: Caller) -> list[Passage]:
    return retrieve(user=caller.user, tenant=caller.tenant, query=case, limit=body.limit, collections=within)


def _urls(passages: list[Passage], caller: Caller) -> dict[str, str]:
    """Return the addresses where documents stand for everybody, by document id."""
    wanted = {uuid.UUID(passage.document_id) for passage in passages}
    documents = visible_documents(user=caller.user, tenant=caller.tenant).filter(pk__in=wanted)
    return {str(pk): url for pk, url in documents.values_list("pk", "url") if url}


def _of_passage(passage: Passage, case_index: int, urls: Mapping[str, str]) -> Json:
    return {
        "canonical_url": urls.get(passage.document_id) or passage_url(passage),
        "case_index": case_index,
        "chunk_text_preview": preview(passage.text),
        "relevance_score": round(min(max(passage.relevance, 0.0), 1.0), 4),
        "section_heading": passage.heading_path[-1] if passage.heading_path else None,
        "source_id": passage.document_id,
        "source_title": passage.title,
        "vector_id": passage.block_id,
    }


def passage_url(passage: Passage) -> str:
    """Return the absolute address of the viewer at the passage's page or line."""
    at = passage.page or passage.lines.first
    query = urlencode({"v": passage.version_id, "at": str(at)})
    return f"{settings.PUBLIC_URL}{reverse('sources:document', args=[passage.document_id])}?{query}"


@router.get(
    "/{citation_id}", summary="Fetch one citation", operation_id="getCitation", response=CitationSchema
)
def get_citation(request: HttpRequest, citation_id: str) -> HttpResponse:
    """Return a citation of one of the caller's answers, if its source may be opened now."""
    caller = caller_of(request)
    row = _row(own_id("", citation_id), caller)
    (evidence,) = evidence_of([row], user=caller.user, tenant=caller.tenant) if row else [None]
    if row is None or evidence is None or not evidence.visible:
        raise not_found("citation", citation_id, "citation_id")
    return JsonResponse(citation_schema(evidence, score=_score(row.turn, row)))


def _row(citation_id: uuid.UUID | None, caller: Caller) -> Citation | None:
    if citation_id is None:
        return None
    row = Citation.objects.select_related("turn").filter(pk=citation_id, tenant=caller.tenant).first()
    return row if row is not None and turn_of(row.turn_id, caller) else None


def _score(turn: Turn, row: Citation) -> float | None:
    """Return how relevant the cited chunk was to the question; of a hosted source nobody knows."""
    for block in turn.offered:
        if block["block_id"] == row.block_id:
            return float(block.get("relevance", 0.0))
    return None


def citations_of(turn: Turn, caller: Caller, page: Page) -> Json:
    """Return the citations of an answer that the caller may open now."""
    rows = turn.citations.order_by("ordinal")
    evidence = evidence_of(rows, user=caller.user, tenant=caller.tenant)
    shown = cut([one for one in evidence if one.visible], page, _id)
    data = [citation_schema(one, score=_score(turn, one.row)) for one in shown.items]
    return listed(data, ids=list(map(_id, shown.items)), has_more=shown.has_more)


def _id(evidence: Evidence) -> str:
    return str(evidence.row.pk)


of_answers = Router(tags=["Citations"], auth=ApiKeyAuth(Scope.CHAT))


@of_answers.get(
    "/responses/{response_id}/citations",
    summary="The citations of a response",
    operation_id="getResponseCitations",
    response=CitationList,
)
def of_response(request: HttpRequest, response_id: str, page: Query[Page]) -> HttpResponse:
    """List the citations of a response, in the order of the answer."""
    return _of(request, own_id(RESPONSE, response_id), page, "response", response_id)


@of_answers.get(
    "/chat/completions/{completion_id}/citations",
    summary="The citations of a chat completion",
    operation_id="getChatCompletionCitations",
    response=CitationList,
)
def of_completion(request: HttpRequest, completion_id: str, page: Query[Page]) -> HttpResponse:
    """List the citations of a chat completion, in the order of the answer."""
    return _of(request, own_id(CHAT, completion_id), page, "chat completion", completion_id)


def _of(request: HttpRequest, turn_id: uuid.UUID | None, page: Page, noun: str, given: str) -> HttpResponse:
    caller = caller_of(request)
    turn = turn_of(turn_id, caller)
    if turn is None or turn.state == TurnState.RUNNING:
        raise not_found(noun, given)
    return JsonResponse(citations_of(turn, caller, page))
