"""Writing canonical text out of blocks: headings, paragraphs, list items, tables, with all that points into it.

Blocks are parted by a blank line; list items and table rows of one list or table by a line end.
"""

import re
from collections.abc import Iterable

from sources.core.extract.decoding import clean_text
from sources.core.extract.tables import SEPARATOR, table_lines
from sources.core.extract.titles import file_title, stated_title
from sources.core.extract.types import (
    Extracted,
    ExtractionError,
    FailureReason,
    Heading,
    PageLayout,
    Table,
)
from sources.core.language import guess_language

# The bound of `Limits.max_characters`, held already while a text grows.
MOST_CHARACTERS = 20_000_000
_DEEPEST = 9
_SPACES = re.compile(r"[^\S\n]*\n[^\S\n]*|[ \xa0]{2,}")
_BLANK_LINES = re.compile(r"\n{3,}")


class CanonicalText:
    """Collects a file's blocks in reading order; `extracted` puts them together."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []
        self._tables: list[Table] = []
        self._pages: list[tuple[str, int, int]] = []
        self._last_kind = ""
        self._warnings: list[str] = []

    def heading(self, words: str, level: int) -> None:
        """Add a heading, which is one line; level 1 is the outermost."""
        line = " ".join(clean_text(words).split())
        if line:
            start = self._add(line, "heading")
            self._headings.append(Heading(start, start + len(line), min(max(level, 1), _DEEPEST), line))

    def paragraph(self, words: str) -> None:
        """Add a paragraph; line ends inside it stay."""
        if text := _tidy(words):
            self._add(text, "paragraph")

    def verbatim(self, words: str) -> None:
        """Add lines whose inner white space matters, such as code."""
        text = clean_text(words).strip("\n")
        if text.strip():
            self._add(text.rstrip(), "verbatim")

    def item(self, words: str, *, mark: str = "-", depth: int = 0) -> None:
        """Add a list item under its mark or number; `depth` counts from 0."""
        if text := _tidy(words):
            self._add("  " * min(depth, _DEEPEST) + f"{mark} {text}".lstrip(), "item")

    def table(self, rows: Iterable[list[str]], *, header_rows: int | None = None) -> None:
        """Add a table of plain cells; `header_rows` None means that the first rows tell whether they name columns.

        `rows` may be an endless iterator: it is read row by row. Raises ExtractionError(TOO_LARGE).
        """
        kind, start, is_table = "table", -1, False
        columns: tuple[str, ...] = ()
        for line in table_lines(rows, header_rows):
            at = self._add(line.text, kind)
            kind = "row"
            if not line.is_caption:
                start, columns = (at if start < 0 else start), line.columns
                is_table |= bool(columns) or SEPARATOR in line.text
        if is_table:
            self._tables.append(Table(start, self._length, columns))

    def begin_page(self, label: str) -> None:
        """Say that a page, slide or sheet begins here."""
        self._end_page()
        self._pages.append((" ".join(clean_text(label).split()), -1, -1))
        self._last_kind = ""

    def warn(self, sentence: str) -> None:
        """Add a plain sentence for the curator, once."""
        if sentence not in self._warnings:
            self._warnings.append(sentence)

    def extracted(self, media_type: str, file_name: str, **about: str) -> Extracted:
        """Return the whole. Raises ExtractionError(NO_TEXT) when no block had any text."""
        self._end_page()
        text = "".join(self._parts)
        if not text:
            raise ExtractionError(FailureReason.NO_TEXT, "Nothing in the file is text.")
        first = self._headings[0].text if self._headings else ""
        stated = {name: " ".join(clean_text(words).split()) for name, words in about.items()}
        stated["title"] = stated_title(stated.get("title", "")) or first or file_title(file_name)
        stated["language"] = stated.get("language") or guess_language(text)
        return Extracted(
            text=text,
            media_type=media_type,
            pages=tuple(
                PageLayout(number, label or str(number), start, end)
                for number, (label, start, end) in enumerate(self._closed_pages(), 1)
            ),
            headings=tuple(self._headings),
            tables=tuple(self._tables),
            warnings=tuple(self._warnings),
            **stated,
        )

    def _add(self, text: str, kind: str) -> int:
        gap = "" if not self._length else "\n" if (self._last_kind, kind) in _CLOSE else "\n\n"
        start = self._length + len(gap)
        self._length = start + len(text)
        if self._length > MOST_CHARACTERS:
            raise ExtractionError(FailureReason.TOO_LARGE, f"more than {MOST_CHARACTERS} characters of text")
        self._parts += (gap, text)
        self._last_kind = kind
        if self._pages and self._pages[-1][1] < 0:
            self._pages[-1] = (self._pages[-1][0], start, -1)
        return start

    def _end_page(self) -> None:
        if self._pages and self._pages[-1][2] < 0:
            label, start, _ = self._pages[-1]
            self._pages[-1] = (label, start if start >= 0 else self._length, self._length)

    def _closed_pages(self) -> list[tuple[str, int, int]]:
        """Pages without text lie at the end of the page before; none lies outside the text."""
        return [(label, min(start, self._length), end) for label, start, end in self._pages]


_CLOSE = {("item", "item"), ("table", "row"), ("row", "row")}


def _tidy(words: str) -> str:
    """Text without loose white space: single blanks, no blanks at line ends, no more than one blank line."""
    lines = _SPACES.sub(lambda match: "\n" if "\n" in match[0] else " ", clean_text(words))
    return _BLANK_LINES.sub("\n\n", lines).strip()
