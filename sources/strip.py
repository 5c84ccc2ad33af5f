"""The strip of small page pictures beside a document."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sources.models import Version
from sources.page_table import PageRow
from sources.page_view import picture_address
from sources.reader_state import ReaderState

# Pictures in the strip before any script runs: some before the current page, the rest after it.
THUMBNAILS = 40
_BEFORE = 8


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A small picture that leads to its page."""

    number: int
    label: str
    source: str
    address: str
    cited: bool
    current: bool


def strip_around(
    version: Version, pages: Sequence[PageRow], state: ReaderState, current: int, cited: Collection[int]
) -> tuple[Thumbnail, ...]:
    """Return the pictures around the current page."""
    first = max(1, current - _BEFORE)
    return thumbnails(version, pages, state, range(first, first + THUMBNAILS), current, cited)


def thumbnails(
    version: Version,
    pages: Sequence[PageRow],
    state: ReaderState,
    numbers: range,
    current: int,
    cited: Collection[int],
) -> tuple[Thumbnail, ...]:
    """Return the pictures of those pages, as far as there are any; `cited` are the numbers of the cited pages."""
    return tuple(
        Thumbnail(
            number=page.number,
            label=page.label or str(page.number),
            source=f"{picture_address(version, page.number)}&scale=thumb",
            address=state.at_page(page.number),
            cited=page.number in cited,
            current=page.number == current,
        )
        for page in pages[max(numbers.start - 1, 0) : max(numbers.stop - 1, 0)]
    )
