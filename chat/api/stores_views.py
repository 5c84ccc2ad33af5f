"""/v1/vector_stores: collections as vector stores, and the search in them."""

import uuid
from typing import Annotated

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Query, Router
from pydantic import BaseModel, ConfigDict, Field

from chat.api.caller import ApiKeyAuth, Caller, caller_of
from chat.api.chat_request import Metadata
from chat.api.citation_objects import Json
from chat.api.errors import forbidden, invalid, not_found, unsupported
from chat.api.file_objects import stores
from chat.api.ids import STORE, own_id, public_id
from chat.api.listing import Page, cut, listed
from chat.api.openings import note_found
from chat.api.putting import put_files
from chat.api.schemas import Deleted, SearchPage, VectorStore, VectorStoreList
from chat.api.search_results import attributes, file_id, file_names
from citeweb.accounts.models import Scope
from sources.core.passages import Passage
from sources.handed_in import take_out
from sources.models import Collection
from sources.permissions import Hidden, collection_for, visible_collections, visible_documents
from sources.removal import put_away
from sources.retrieval import retrieve as search_passages
from sources.shelves import create_collection, rename_collection

router = Router(tags=["Vector stores"], auth=ApiKeyAuth(Scope.FILES))
searching = Router(tags=["Vector stores"], auth=ApiKeyAuth(Scope.SEARCH))
QUERY_CHARACTERS = 8_000


class NewStore(BaseModel):
    """A vector store to be made; without a name it gets one."""

    model_config = ConfigDict(extra="forbid")
    name: str | None = Field(None, max_length=190)
    file_ids: Annotated[list[str], Field(max_length=500)] | None = None
    metadata: Metadata | None = None
    restricted: bool = Field(True, description="False: everybody in the organisation reads it. Ours.")
    expires_after: dict[str, object] | None = None
    chunking_strategy: dict[str, object] | None = Field(None, description="Taken and not used.")
    description: str | None = Field(None, description="Taken and not used.")


class StoreChange(BaseModel):
    """What to change of a vector store."""

    model_config = ConfigDict(extra="forbid")
    name: str | None = Field(None, max_length=190)
    metadata: Metadata | None = None
    expires_after: dict[str, object] | None = None


class Ranking(BaseModel):
    """How results are chosen."""

    model_config = ConfigDict(extra="allow")
    score_threshold: float = Field(0.0, ge=0, le=1)


class Search(BaseModel):
    """What to look for in a vector store."""

    model_config = ConfigDict(extra="forbid")
    query: str | list[str]
    max_num_results: int = Field(10, ge=1, le=50)
    ranking_options: Ranking | None = None
    filters: dict[str, object] | None = None
    rewrite_query: bool | None = Field(None, description="Taken and not used: what is asked is searched.")


@router.post("", summary="Make a vector store", operation_id="createVectorStore", response=VectorStore)
def create(request: HttpRequest, body: NewStore) -> HttpResponse:
    """Make a collection. Unless `restricted` is false only the caller reads it, until it is granted to others."""
    caller = caller_of(request)
    _refuse_expiry(body.expires_after)
    try:
        with transaction.atomic():
            store = _made(body, caller)
            if body.file_ids:
                put_files(store, [(name, None) for name in body.file_ids], caller)
    except Hidden as exc:
        raise forbidden("Only curators may make vector stores.") from exc
    return JsonResponse(_object(store, caller))


def _made(body: NewStore, caller: Caller) -> Collection:
    wished = " ".join((body.name or "").split()) or f"Vector store {uuid.uuid4().hex[:8]}"
    names = [wished, *(f"{wished} ({number})" for number in range(2, 20))]
    for name in names:
        try:
            with transaction.atomic():
                store = create_collection(
                    user=caller.user, tenant=caller.tenant, name=name, restricted=body.restricted
                )
        except ValidationError as exc:
            problem = exc
            continue
        store.metadata = body.metadata or {}
        store.save(update_fields=["metadata"])
        return store
    raise invalid(" ".join(problem.messages), "name", "invalid_value")


@router.get("", summary="List vector stores", operation_id="listVectorStores", response=VectorStoreList)
def list_stores(request: HttpRequest, page: Query[Page]) -> HttpResponse:
    """List the collections that the caller may read."""
    caller = caller_of(request)
    sign = "-" if page.order == "desc" else ""
    collections = visible_collections(user=caller.user, tenant=caller.tenant)
    ordered = list(collections.order_by(f"{sign}created_at", "pk"))
    shown = cut(ordered, page, lambda one: public_id(STORE, one.pk))
    data = stores(shown.items, user=caller.user, tenant=caller.tenant)
    return JsonResponse(listed(data, has_more=shown.has_more))


@router.get(
    "/{store_id}", summary="Describe a vector store", operation_id="getVectorStore", response=VectorStore
)
def retrieve(request: HttpRequest, store_id: str) -> HttpResponse:
    """Return a collection with the number of its files in each state."""
    caller = caller_of(request)
    return JsonResponse(_object(store_for(store_id, caller), caller))


@router.post(
    "/{store_id}", summary="Change a vector store", operation_id="modifyVectorStore", response=VectorStore
)
def modify(request: HttpRequest, store_id: str, body: StoreChange) -> HttpResponse:
    """Give a collection another name or other metadata. For its curators."""
    caller = caller_of(request)
    store = store_for(store_id, caller)
    _refuse_expiry(body.expires_after)
    try:
        with transaction.atomic():
            # Asks for the right, also where the name stays.
            rename_collection(store, user=caller.user, name=body.name or store.name)
            store = store_for(store_id, caller)
            if body.metadata is not None:
                store.metadata = body.metadata
                store.save(update_fields=["metadata"])
    except Hidden as exc:
        raise forbidden("Only its curators may change a vector store.") from exc
    except ValidationError as exc:
        raise invalid(" ".join(exc.messages), "name", "invalid_value") from exc
    return JsonResponse(_object(store, caller))


@router.delete(
    "/{store_id}", summary="Delete a vector store", operation_id="deleteVectorStore", response=Deleted
)
def delete(request: HttpRequest, store_id: str) -> HttpResponse:
    """Delete a collection; its files stay, in no vector store. For its curators."""
    caller = caller_of(request)
    store = store_for(store_id, caller)
    try:
        with transaction.atomic():
            documents = visible_documents(user=caller.user, tenant=caller.tenant, collections=[store.pk])
            for document in documents.select_related("tenant"):
                take_out(document, user=caller.user)
            put_away(store, user=caller.user)
    except Hidden as exc:
        raise forbidden("Only its curators may delete a vector store.") from exc
    return JsonResponse({"id": store_id, "object": "vector_store.deleted", "deleted": True})


@searching.post(
    "/{store_id}/search",
    summary="Search a vector store",
    operation_id="searchVectorStore",
    response=SearchPage,
)
def search(request: HttpRequest, store_id: str, body: Search) -> HttpResponse:
    """Return the passages of a collection that speak of the query, best first."""
    caller = caller_of(request)
    store = store_for(store_id, caller)
    if body.filters:
        raise unsupported("filters", "Choose the vector store instead.")
    queries = [body.query] if isinstance(body.query, str) else body.query
    if not queries or not all(0 < len(query.strip()) <= QUERY_CHARACTERS for query in queries):
        raise invalid(f"A query must have 1 to {QUERY_CHARACTERS} characters.", "query", "invalid_value")
    least = body.ranking_options.score_threshold if body.ranking_options else 0.0
    passages = [p for p in _passages(store, queries, body.max_num_results, caller) if p.relevance >= least]
    note_found(caller, queries[:10], passages)
    names = file_names(passages, user=caller.user, tenant=caller.tenant)
    return JsonResponse(
        {
            "object": "vector_store.search_results.page",
            "search_query": queries,
            "data": [_result(passage, names) for passage in passages],
            "has_more": False,
            "next_page": None,
        }
    )


def _passages(store: Collection, queries: list[str], limit: int, caller: Caller) -> list[Passage]:
    """Return the best passages of all queries, each once."""
    found: dict[str, Passage] = {}
    for query in queries[:10]:
        for passage in search_passages(
            user=caller.user, tenant=caller.tenant, query=query, limit=limit, collections=[store.pk]
        ):
            known = found.setdefault(passage.block_id, passage)
            if passage.relevance > known.relevance:
                found[passage.block_id] = passage
    return sorted(found.values(), key=lambda p: -p.relevance)[:limit]


def _result(passage: Passage, names: dict[str, str]) -> Json:
    return {
        "file_id": file_id(passage),
        "filename": names.get(passage.version_id) or passage.title,
        "score": round(min(max(passage.relevance, 0.0), 1.0), 4),
        "attributes": attributes(passage),
        "content": [{"type": "text", "text": passage.text}],
        "section_heading": passage.heading_path[-1] if passage.heading_path else None,
    }


def store_for(store_id: str, caller: Caller) -> Collection:
    """Return a collection that the caller may read. Raises ApiError."""
    ours = own_id(STORE, store_id)
    try:
        if ours is not None:
            return collection_for(user=caller.user, tenant=caller.tenant, collection_id=ours)
    except Hidden:
        pass
    raise not_found("vector store", store_id, "vector_store_id")


def _object(store: Collection, caller: Caller) -> Json:
    return stores([store], user=caller.user, tenant=caller.tenant)[0]


def _refuse_expiry(given: dict[str, object] | None) -> None:
    if given is not None:
        raise unsupported("expires_after", "A vector store stays until it is deleted.")
