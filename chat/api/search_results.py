"""What a search found, as the file search tool shows it."""

import uuid
from collections.abc import Mapping, Sequence

from chat.api.citation_objects import Json
from chat.api.ids import FILE
from citeweb.accounts.models import Tenant, User
from sources.core.passages import Passage
from sources.permissions import visible_versions
from sources.retrieval import recall


def found_results(offered: Sequence[Mapping[str, object]], *, user: User, tenant: Tenant) -> list[Json]:
    """Return the passages that a model was offered, as far as the reader may see them now."""
    blocks = {str(block["block_id"]): block for block in offered}
    passages = recall(user=user, tenant=tenant, block_ids=list(blocks))
    names = file_names(passages, user=user, tenant=tenant)
    return [result(p, names, _number(blocks[p.block_id].get("relevance"))) for p in passages]


def file_names(passages: Sequence[Passage], *, user: User, tenant: Tenant) -> dict[str, str]:
    """Return the file names of the passages' versions."""
    wanted = {uuid.UUID(passage.version_id) for passage in passages}
    versions = visible_versions(user=user, tenant=tenant).filter(pk__in=wanted)
    return {str(pk): name for pk, name in versions.values_list("pk", "file_name")}


def result(passage: Passage, names: Mapping[str, str], score: float | None) -> Json:
    """Return one result of a `file_search_call`."""
    return {
        "file_id": file_id(passage),
        "filename": names.get(passage.version_id) or passage.title,
        "score": score,
        "text": passage.text,
        "attributes": attributes(passage),
        "section_heading": passage.heading_path[-1] if passage.heading_path else None,
        "case_index": 0,
    }


def file_id(passage: Passage) -> str:
    """Return the document's id in the API's file objects."""
    return FILE + uuid.UUID(passage.document_id).hex


def attributes(passage: Passage) -> Json:
    """Return what a result tells of its place; values are text, numbers or truth values."""
    place: Json = {"source_id": passage.document_id, "vector_id": passage.block_id, "title": passage.title}
    if passage.page is not None:
        place["page"] = passage.page
    if passage.heading_path:
        place["section_heading"] = passage.heading_path[-1][:512]
    return place


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
