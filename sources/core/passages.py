"""The value that leaves retrieval: a chunk that one person may read, frozen."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineRange:
    """Whole lines `first` to `last`, both 1-based and inclusive."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"L{self.first}" if self.first == self.last else f"L{self.first}-L{self.last}"


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk of an immutable version, as found for one person and one query.

    `start` and `end` are code points into the version's canonical text, half-open, and
    `text` is exactly that slice. `lines` are the version's line numbers (see `sources.core.lines`).
    `block_id` is the stable id a model may cite. `score` is the fused retrieval score, higher is better; it
    compares passages of one query only. `relevance`, from 0 to 1, also compares queries: under about 0.5 the
    passage likely does not speak of what was asked. It is made of `coverage`, the share of the question's words
    (weighed by rarity) that the passage holds, and `similarity`, the cosine of the vectors where there are any.
    """

    block_id: str
    document_id: str
    version_id: str
    title: str
    text: str
    start: int
    end: int
    lines: LineRange
    sha256: str
    page: int | None = None
    page_label: str = ""
    heading_path: tuple[str, ...] = ()
    score: float = 0.0
    rank: int = 0
    relevance: float = 0.0
    coverage: float = 0.0
    similarity: float | None = None
