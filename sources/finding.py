"""Searching inside one version: the hits, and the list of them that the reader shows."""

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from django.core.cache import cache

from sources.core.find import Found, Snippet, find, snippet
from sources.core.line_view import Hit
from sources.core.lines import line_at
from sources.models import Version
from sources.page_table import PageRow
from sources.reader_state import ReaderState

# Hits of the list that are shown at once.
LISTED = 50
# Seconds; a text never changes, so this only bounds memory.
_KEPT = 600


@dataclass(frozen=True, slots=True)
class HitView:
    """A line of the list of hits. `page` is 0 where the text has no pages, and `label` is what its page is called."""

    number: int
    snippet: Snippet
    page: int
    label: str
    line: int
    address: str
    current: bool


@dataclass(frozen=True, slots=True)
class FoundView:
    """What a search found: `total` hits, or more if `more`; of them those near the current one are listed.

    Addresses are "" where there is no such hit. `apart` says that only single words were found.
    """

    query: str
    total: int
    more: bool
    apart: bool
    current: int
    listed: tuple[HitView, ...]
    previous: str
    next: str
    earlier: str
    later: str
    leave: str


def hits_of(version: Version, query: str) -> Found:
    """Return where the query stands in the version's text."""
    if not query:
        return Found()
    # The words of a reader are no name for a cache key.
    key = f"find:{version.pk}:{hashlib.sha256(query.encode()).hexdigest()}"
    found: Found | None = cache.get(key)
    if found is None:
        found = find(version.text, query)
        cache.set(key, found, _KEPT)
    return found


def numbered(found: Found) -> tuple[Hit, ...]:
    """Return the hits with their numbers, as they are marked."""
    return tuple(Hit(number, *span) for number, span in enumerate(found.spans, 1))


def following_hit(found: Found, offset: int) -> int:
    """Return the number of the first hit from `offset` on, or of the first of all; 0 for no hits."""
    if not found.spans:
        return 0
    before = bisect_right(found.spans, offset - 1, key=lambda span: span[0])
    return before + 1 if before < len(found.spans) else 1


def found_view(
    version: Version,
    state: ReaderState,
    found: Found,
    at: tuple[int, int],
    *,
    starts: list[int],
    pages: Sequence[PageRow],
) -> FoundView:
    """Return the list of hits around the current one, with the ways to the others.

    `at` is the number of the current hit, 0 for none, and that of the hit that follows the place one reads.
    """
    current, following = at
    total = len(found.spans)
    first = max((current or following) - 1, 0) // LISTED * LISTED

    def address(number: int) -> str:
        return state.address(hit=number, page=0, line=0) if 1 <= number <= total else ""

    def around(number: int) -> str:
        """The address of a hit, where the first one follows the last."""
        return address((number - 1) % total + 1) if total > 1 else ""

    def view(number: int) -> HitView:
        span = found.spans[number - 1]
        page = page_at(pages, span[0])
        return HitView(
            number=number,
            snippet=snippet(version.text, span),
            page=page.number if page else 0,
            label=page.label if page else "",
            line=line_at(starts, span[0]),
            address=address(number),
            current=number == current,
        )

    return FoundView(
        query=state.query,
        total=total,
        more=found.more,
        apart=found.apart,
        current=current,
        listed=tuple(view(number) for number in range(first + 1, min(first + LISTED, total) + 1)),
        previous=around((current or following) - 1),
        next=around(current + 1 if current else following),
        earlier=address(first),
        later=address(first + LISTED + 1),
        leave=state.address(query="", hit=0),
    )


def page_at(pages: Sequence[PageRow], offset: int) -> PageRow | None:
    """Return the page on which a place of the text stands."""
    index = bisect_right(pages, offset, key=lambda page: page.start) - 1
    return pages[max(index, 0)] if pages else None
