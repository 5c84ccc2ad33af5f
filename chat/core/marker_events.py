"""What the marker parser says: words to show, citations to check, and what was lifted out and why."""

from dataclasses import dataclass
from enum import StrEnum

from sources.core.passages import LineRange


class Repair(StrEnum):
    """How a marker differed from the canonical form; docs/citations.md has a row for each."""

    MISSING_START = "missing_start"
    MISSING_END = "missing_end"
    MISSING_DELIMITER = "missing_delimiter"
    DOUBLED_DELIMITER = "doubled_delimiter"
    MISSING_FAMILY = "missing_family"
    OTHER_FAMILY = "other_family"
    WRONG_CASE = "wrong_case"
    STRAY_CHARACTERS = "stray_characters"
    ID_LIST = "id_list"
    LOCATOR_FORM = "locator_form"
    LITERAL_ESCAPE = "literal_escape"
    BROKEN_CHARACTERS = "broken_characters"
    STRIPPED_DELIMITERS = "stripped_delimiters"
    BRACKETED_ID = "bracketed_id"
    ID_AS_LINK = "id_as_link"
    LENTICULAR_BRACKETS = "lenticular_brackets"
    FOOTNOTE = "footnote"
    NUMBER = "number"
    LABELLED_NUMBER = "labelled_number"
    CITE_ELEMENT = "cite_element"
    CO_ELEMENT = "co_element"


class DropReason(StrEnum):
    """Why a marker, or one id or locator of it, is not a citation."""

    UNKNOWN_ID = "unknown_id"
    HOSTED_ID_OF_OTHER_RESPONSE = "hosted_id_of_other_response"
    UNKNOWN_FAMILY = "unknown_family"
    MALFORMED = "malformed"
    CUT_OFF = "cut_off"
    STRAY_DELIMITER = "stray_delimiter"
    FOOTNOTE_DEFINITION = "footnote_definition"
    LOCATOR_UNUSABLE = "locator_unusable"


@dataclass(frozen=True, slots=True)
class Ref:
    """One source that a marker names, with the lines that stood directly after its id."""

    source_id: str
    lines: LineRange | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """Words to show, as Markdown, free of markers."""

    text: str


@dataclass(frozen=True, slots=True)
class Cite:
    """A marker whose `refs` were all offered; it stands at the end of the text so far.

    `raw` is the marker as the model wrote it, for the audit record and nowhere else. `locator` is that of the
    marker as a whole, its last one, as the canonical form has it; `refs` tell which id it stood after.
    """

    refs: tuple[Ref, ...]
    repaired_from: Repair | None
    raw: str
    locator: LineRange | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(ref.source_id for ref in self.refs)


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something lifted out that cites nothing. `source_id` is what it named, if it named one thing."""

    raw: str
    reason: DropReason
    source_id: str = ""


Event = Text | Cite | Dropped


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the text where something was lifted out, between the steps of the parser.

    A `quiet` mark was moved here from inside code, so the spaces around it are not its own.
    """

    events: tuple[Cite | Dropped, ...] = ()
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text between the steps of the parser; `literal` text keeps its white space."""

    text: str
    literal: bool = False
