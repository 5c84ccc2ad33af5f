"""The one tool there is: file search, which limits an answer to some collections."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from chat.api.caller import Caller
from chat.api.errors import invalid, not_found, unsupported
from chat.api.ids import STORE, own_id
from sources.permissions import visible_collections

_WHY = "Citeweb runs no tools of the caller's; file_search is the only one."


class Tool(BaseModel):
    """A tool. Only `file_search` is known; it limits the search to the given vector stores."""

    model_config = ConfigDict(extra="allow")
    type: str
    vector_store_ids: list[str] | None = Field(None, description="The collections to search, 1 or more.")
    max_num_results: int | None = Field(None, ge=1, le=50)


@dataclass(frozen=True, slots=True)
class FileSearch:
    """What the tools come to. `collections` None is everything that the caller may read."""

    wanted: bool = False
    collections: tuple[uuid.UUID, ...] | None = None
    most_passages: int | None = None


def file_search(tools: Sequence[Tool] | None, tool_choice: object, caller: Caller) -> FileSearch:
    """Return the limits that the tools set. Raises ApiError: for a foreign collection the same as for a random one."""
    if not tools:
        return FileSearch()
    for index, tool in enumerate(tools):
        if tool.type != "file_search":
            raise unsupported(f"tools[{index}].type", _WHY)
        if (tool.model_extra or {}).get("filters"):
            raise unsupported(f"tools[{index}].filters", "Choose the vector stores instead.")
    if tool_choice not in (None, "auto", "required") and not isinstance(tool_choice, dict):
        raise unsupported("tool_choice", "Every answer is searched for.")
    given = [pk for index, tool in enumerate(tools) for pk in _ids(tool, index)]
    limits = [tool.max_num_results for tool in tools if tool.max_num_results]
    return FileSearch(True, collections_of(given, caller), min(limits, default=None))


def _ids(tool: Tool, index: int) -> list[str]:
    if not tool.vector_store_ids:
        param = f"tools[{index}].vector_store_ids"
        raise invalid("file_search needs one vector store id or more.", param, "missing_required_parameter")
    return tool.vector_store_ids


def collections_of(given: Sequence[str], caller: Caller) -> tuple[uuid.UUID, ...]:
    """Return our ids of vector stores that the caller may read, all of them. Raises ApiError for any other."""
    ours = {text: own_id(STORE, text) for text in given}
    readable = visible_collections(user=caller.user, tenant=caller.tenant)
    known = set(readable.filter(pk__in=[pk for pk in ours.values() if pk]).values_list("pk", flat=True))
    for text, pk in ours.items():
        if pk not in known:
            raise not_found("vector store", text, "vector_store_ids")
    return tuple(dict.fromkeys(pk for pk in ours.values() if pk))
