"""Which part of a document is shown and how, as an address says it; every control of the reader is such an address."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import QueryDict

from sources.core.find import LONGEST_QUERY
from sources.core.line_view import Span

# Percent of the printed size; 0 fits the width.
ZOOMS = (50, 75, 100, 125, 150, 200, 300)
FIT = 0
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class ReaderState:
    """`path` is the address without its query. `page`, `line` and `hit` count from 1, 0 leaves them open.

    `mark` is a span of the canonical text to mark; empty for none.
    """

    path: str
    version: str = ""
    page: int = 0
    line: int = 0
    as_text: bool = False
    zoom: int = FIT
    query: str = ""
    hit: int = 0
    mark: Span = (0, 0)
    strip: bool = False

    def address(self, **changes: object) -> str:
        """Return the address of this state with some things changed."""
        fields = replace(self, **changes).fields() if changes else self.fields()  # type: ignore[arg-type]  # any field
        return f"{self.path}?{urlencode(fields)}" if fields else self.path

    def at_page(self, number: int) -> str:
        """Return the address of a page, away from the present hit."""
        return self.address(page=number, line=0, hit=0)

    def at_line(self, number: int) -> str:
        """Return the address of a line, away from the present hit."""
        return self.address(line=number, page=0, hit=0)

    def fields(self) -> list[tuple[str, str]]:
        """Return the names and values that the query of the address is made of."""
        named = {
            "v": self.version,
            "page": self.page,
            "line": self.line,
            "view": "text" if self.as_text else "",
            "zoom": self.zoom,
            "q": self.query,
            "hit": self.hit,
            "mark": f"{self.mark[0]}-{self.mark[1]}" if self.mark[1] else "",
            "strip": int(self.strip),
        }
        return [(name, str(value)) for name, value in named.items() if value]


def state_of(path: str, query: QueryDict) -> ReaderState:
    """Read the state from an address; what makes no sense there counts as not said."""
    zoom = number_in(query, "zoom")
    return ReaderState(
        path=path,
        version=query.get("v", ""),
        page=number_in(query, "page"),
        line=number_in(query, "line"),
        as_text=query.get("view") == "text",
        zoom=zoom if zoom in ZOOMS else FIT,
        query=query.get("q", "").replace("\0", "").strip()[:LONGEST_QUERY],
        hit=number_in(query, "hit"),
        mark=_mark(query.get("mark", "")),
        strip=query.get("strip") == "1",
    )


def number_in(query: QueryDict, name: str) -> int:
    """Return a whole number of an address, 0 for anything else."""
    return _number(query.get(name, ""))


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0


def _mark(text: str) -> Span:
    start, dash, end = text.partition("-")
    if not dash or not start.isdigit():
        return 0, 0
    span = _number(start), _number(end)
    return span if span[0] < span[1] else (0, 0)
