"""What a citation is, what it may rest on, and why something is none."""

from dataclasses import dataclass
from enum import StrEnum

from chat.core.hosted import DocumentSource, WebSource
from chat.core.marker_events import Repair
from sources.core.passages import LineRange, Passage

__all__ = [
    "Annotated",
    "Citation",
    "DocumentSource",
    "RejectReason",
    "Rejection",
    "Source",
    "WebSource",
    "source_key",
]


class RejectReason(StrEnum):
    """Why something that looked like a citation, or a part of one, is not shown."""

    UNKNOWN_ID = "unknown_id"
    HOSTED_ID_OF_OTHER_RESPONSE = "hosted_id_of_other_response"
    UNKNOWN_FAMILY = "unknown_family"
    MALFORMED = "malformed"
    CUT_OFF = "cut_off"
    STRAY_DELIMITER = "stray_delimiter"
    FOOTNOTE_DEFINITION = "footnote_definition"
    LOCATOR_UNUSABLE = "locator_unusable"
    HOSTED_FILE_NOT_OURS = "hosted_file_not_ours"
    LOCATOR_OUTSIDE_BLOCK = "locator_outside_block"
    FORGED_IN_DOCUMENT = "forged_in_document"
    FORGED_BY_USER = "forged_by_user"
    NO_LONGER_PERMITTED = "no_longer_permitted"
    REPEATED_HERE = "repeated_here"


Source = Passage | WebSource | DocumentSource


@dataclass(frozen=True, slots=True)
class Citation:
    """One place in the answer that one source backs.

    `position` is the code-point offset in the clean answer where the marker stood. For a passage, `start` and
    `end` are code points into the version's canonical text (the whole block, or the lines that the marker
    named) and `quote` is exactly that slice; for other sources they are 0, 0 and what the provider quoted.
    `covers` is the span of the clean answer that a provider's annotation named; markers name only a place.
    """

    citation_id: str
    number: int
    position: int
    position_utf16: int
    source: Source
    lines: LineRange | None
    start: int
    end: int
    quote: str
    repaired_from: Repair | None
    covers: tuple[int, int] | None = None

    @property
    def passage(self) -> Passage | None:
        """The source if it is a passage of ours."""
        return self.source if isinstance(self.source, Passage) else None


@dataclass(frozen=True, slots=True)
class Annotated:
    """A source that a provider's tool attached to the half-open span of the clean answer, in code points."""

    source: Source
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Rejection:
    """Something that was lifted out of the answer, or ignored in it, and why. `raw` is for the audit only."""

    raw: str
    reason: RejectReason
    position: int
    source_id: str = ""

    def as_json(self) -> dict[str, object]:
        """Return it as JSON values."""
        return {
            "raw": self.raw,
            "reason": str(self.reason),
            "position": self.position,
            "source_id": self.source_id,
        }


def source_key(source: Source) -> str:
    """Return what makes two sources the same: the block, or the address (a hosted id if there is none)."""
    if isinstance(source, Passage):
        return source.block_id
    if isinstance(source, DocumentSource):
        return f"document {source.version_id}"
    return source.url or source.source_id
