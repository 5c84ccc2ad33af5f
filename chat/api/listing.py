"""Lists in OpenAI's shape, a page at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, Field

from chat.api.citation_objects import Json

T = TypeVar("T")


class Page(BaseModel):
    """Which part of a list: `limit` things behind the one with the id `after`."""

    limit: Annotated[int, Field(ge=1, le=100)] = 20
    after: str | None = None
    before: str | None = None
    order: Literal["asc", "desc"] = "desc"


@dataclass(frozen=True, slots=True)
class Cut(Generic[T]):
    """The things on one page and whether there are more behind them."""

    items: Sequence[T]
    has_more: bool


def cut(items: Sequence[T], page: Page, id_of: Callable[[T], str]) -> Cut[T]:
    """Return the page of a whole list that is in order already; an unknown id begins at the beginning."""
    ids = [id_of(item) for item in items]
    start = ids.index(page.after) + 1 if page.after in ids else 0
    end = ids.index(page.before) if page.before in ids else len(items)
    kept = items[start:end]
    return Cut(kept[: page.limit], len(kept) > page.limit)


def listed(data: Sequence[Json], *, ids: Sequence[str] | None = None, has_more: bool = False) -> Json:
    """Return a list object; `ids` are those of the things, where they don't carry them."""
    names = [str(item["id"]) for item in data] if ids is None else list(ids)
    return {
        "object": "list",
        "data": list(data),
        "first_id": names[0] if names else None,
        "last_id": names[-1] if names else None,
        "has_more": has_more,
    }
