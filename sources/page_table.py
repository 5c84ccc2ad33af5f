"""The pages of a version without what is drawn on them: numbers, labels, sizes and places in the text."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sources.models import Version


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page; `width` and `height` are points, 0 for slides and sheets, which are not drawn."""

    number: int
    label: str
    start: int
    end: int
    width: float
    height: float


def pages_of(version: Version) -> list[PageRow]:
    """Return all pages of a version in order; none for a text without pages."""
    if not version.pages:
        return []
    columns = ("number", "label", "start", "end", "width", "height")
    return [PageRow(*row) for row in version.page_layouts.order_by("number").values_list(*columns)]


def are_drawn(pages: Sequence[PageRow]) -> bool:
    """Tell whether there are pictures of the pages."""
    return bool(pages) and pages[0].width > 0


def sizes_text(pages: Sequence[PageRow]) -> str:
    """Return the sizes of all pages in points, equal neighbours together: `595x842*3 842x595`."""
    sizes = (f"{page.width:g}x{page.height:g}" for page in pages)
    counted = ((size, sum(1 for _ in same)) for size, same in groupby(sizes))
    return " ".join(f"{size}*{count}" if count > 1 else size for size, count in counted)
