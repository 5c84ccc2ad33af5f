"""What extraction gives: the canonical text of a file with everything that points into it, or a reason why not.

All offsets are code points into `Extracted.text`, half-open.
"""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class PageLayout:
    """One page, slide or sheet: `text[start:end]` and, in a PDF, where each of its code points is drawn.

    `number` counts from 1; `label` is what the document prints on the page ("iii"), the name of a sheet, or the
    number. `width` and `height` are points of the page as displayed, after rotation and crop box. `boxes` holds
    one box for each code point of the slice, packed; see `sources.core.extract.boxes`. Slides and sheets aren't
    drawn: their size is 0 and they have no boxes.
    """

    number: int
    label: str
    start: int
    end: int
    width: float = 0.0
    height: float = 0.0
    boxes: bytes = b""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading whose words stand at `text[start:end]`; level 1 is the outermost."""

    start: int
    end: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that stand line by line in `text[start:end]`, the first of them the names of the columns if they have any.

    Cells are parted by " | ", and each says its column: `Badge: B04321 | Door code: 7731`; empty cells are left
    out. `columns` are the names in order, none of them twice, "" for a column without one. In Markdown and PDF, whose
    text is kept as it is, rows don't name their columns: `names_in_rows` is False. Cells of a PDF are parted by tabs.
    """

    start: int
    end: int
    columns: tuple[str, ...] = ()
    names_in_rows: bool = True


@dataclass(frozen=True, slots=True)
class Extracted:
    """A whole file as text. `pages` is empty for files without pages.

    `title` to `url` are what the file says about itself, "" when it doesn't; `url` is its canonical web address.

    `warnings` are plain sentences for the curator about what is missing or doubtful.
    """

    text: str
    media_type: str
    pages: tuple[PageLayout, ...] = ()
    headings: tuple[Heading, ...] = ()
    tables: tuple[Table, ...] = ()
    title: str = ""
    language: str = ""
    author: str = ""
    year: str = ""
    reference: str = ""
    url: str = ""
    warnings: tuple[str, ...] = ()


class FailureReason(StrEnum):
    EMPTY = "empty"
    NO_TEXT = "no_text"
    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"
    UNSUPPORTED_TYPE = "unsupported_type"
    TOO_LARGE = "too_large"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    CRASHED = "crashed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Explanation:
    """One sentence on what is wrong and one on what a curator can do."""

    problem: str
    remedy: str


def gettext_noop(text: str) -> str:
    """Mark for makemessages, which goes by this name; whoever shows the sentence translates it."""
    return text


EXPLANATIONS: dict[FailureReason, Explanation] = {
    FailureReason.EMPTY: Explanation(
        gettext_noop("The file is empty."),
        gettext_noop(
            "Check the original, it may not have been saved or copied completely, and upload it again."
        ),
    ),
    FailureReason.NO_TEXT: Explanation(
        gettext_noop("No text was found in the file; it may be a scan."),
        gettext_noop("Run text recognition (OCR) on it, for example with OCRmyPDF, and upload the result."),
    ),
    FailureReason.ENCRYPTED: Explanation(
        gettext_noop("The file is protected with a password."),
        gettext_noop("Save a copy without the password and upload that."),
    ),
    FailureReason.CORRUPT: Explanation(
        gettext_noop("The file is damaged or incomplete."),
        gettext_noop("Open it on your computer, save it anew or print it as a PDF, and upload that."),
    ),
    FailureReason.UNSUPPORTED_TYPE: Explanation(
        gettext_noop("Files of this type can't be read."),
        gettext_noop(
            "Save it as PDF, as a newer Office or OpenDocument file, or as plain text, and upload that."
        ),
    ),
    FailureReason.TOO_LARGE: Explanation(
        gettext_noop("The file, or what it unpacks to, is larger than is allowed here."),
        gettext_noop("Split it into smaller files, or ask an administrator to raise the limit."),
    ),
    FailureReason.TIMED_OUT: Explanation(
        gettext_noop("Reading the file took too long and was stopped."),
        gettext_noop("Split it into smaller files or save it as PDF, and try again."),
    ),
    FailureReason.OUT_OF_MEMORY: Explanation(
        gettext_noop("Reading the file needed more memory than is allowed."),
        gettext_noop("Split it into smaller files or save it as PDF, and try again."),
    ),
    FailureReason.CRASHED: Explanation(
        gettext_noop("The program that reads files stopped working on this one."),
        gettext_noop("Open the file on your computer, save it as PDF, and try again."),
    ),
    FailureReason.CANCELLED: Explanation(
        gettext_noop("Reading the file was cancelled."),
        gettext_noop("Try again when it should be read after all, or delete it."),
    ),
}


def explain(reason: FailureReason) -> Explanation:
    """Return what a person is told about a failure."""
    return EXPLANATIONS[reason]


class ExtractionError(Exception):
    """A file that could not be read. `detail` is for staff and may be empty; `str()` is the plain sentence."""

    def __init__(self, reason: FailureReason, detail: str = "") -> None:
        super().__init__(explain(reason).problem)
        self.reason = reason
        self.detail = detail
