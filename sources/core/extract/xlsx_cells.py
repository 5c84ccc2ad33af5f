"""What a cell of a worksheet says, and the tables of a workbook that cells refer to."""

from dataclasses import dataclass, field

from sources.core.extract.archive import Archive
from sources.core.extract.office import linked
from sources.core.extract.types import ExtractionError, FailureReason
from sources.core.extract.xlsx_formats import NumberFormat, built_in_format, number_format
from sources.core.extract.xml_reading import (
    Element,
    attribute,
    child,
    children,
    descendants,
    local,
    parse_xml,
    stream_xml,
)

_MOST_COLUMNS = 16_384
_MOST_SHARED = 20_000_000
_LETTERS = 26
_TRUTH = {"0": "FALSE", "1": "TRUE"}


@dataclass(slots=True)
class Book:
    """The shared strings and number formats of a workbook, and whether its days are counted from 1904."""

    strings: list[str] = field(default_factory=list)
    formats: list[NumberFormat] = field(default_factory=list)
    from_1904: bool = False
    has_unsaved_results: bool = False

    def cell(self, cell: Element) -> str:
        """Return what a `c` element says; a formula without a stored result says itself."""
        kind, value = cell.get("t", "n"), child(cell, "v")
        if kind == "inlineStr":
            return string_of(child(cell, "is"))
        text = (value.text or "") if value is not None else ""
        if not text:
            return self._formula(cell)
        if kind == "s":
            return self.strings[int(text)] if text.isdigit() and int(text) < len(self.strings) else ""
        if kind == "n":
            return self._number(text, cell.get("s", "0"))
        return _TRUTH.get(text, text) if kind == "b" else text

    def _formula(self, cell: Element) -> str:
        found = child(cell, "f")
        if found is None or not found.text:
            return ""
        self.has_unsaved_results = True
        return f"={found.text}"

    def _number(self, text: str, style: str) -> str:
        try:
            value = float(text)
        except ValueError:
            return text
        index = int(style) if style.isdigit() else 0
        shape = self.formats[index] if index < len(self.formats) else NumberFormat()
        return shape.show(value, from_1904=self.from_1904) if abs(value) < 1e300 else text


def read_book(archive: Archive, main: str, workbook: Element) -> Book:
    """Read the parts that cells refer to; a workbook does without either."""
    about = child(workbook, "workbookPr")
    return Book(
        strings=_strings(archive, linked(archive, main, "sharedStrings")),
        formats=_formats(archive, linked(archive, main, "styles")),
        from_1904=about is not None and about.get("date1904") in {"1", "true"},
    )


def column_of(reference: str, default: int) -> int:
    """Return the column of a reference like "AB12", from 0. Raises ExtractionError(CORRUPT)."""
    number = 0
    for sign in reference:
        if not "A" <= sign <= "Z":
            break
        number = number * _LETTERS + ord(sign) - ord("A") + 1
    if number > _MOST_COLUMNS or default > _MOST_COLUMNS:
        raise ExtractionError(FailureReason.CORRUPT, f"no such column: {reference[:20]}")
    return number - 1 if number else default


def string_of(element: Element | None) -> str:
    """Return a string's text, its formatted runs together, without phonetic guides."""
    parts = []
    for one in element if element is not None else ():
        if local(one) == "t":
            parts.append(one.text or "")
        elif local(one) == "r":
            parts += [run.text or "" for run in children(one, "t")]
    return "".join(parts)


def _strings(archive: Archive, part: str) -> list[str]:
    strings: list[str] = []
    characters = 0
    if not part:
        return strings
    with archive.stream(part) as stream:
        for event, element, depth in stream_xml(stream):
            if event == "end" and depth == 2:
                strings.append(string_of(element))
                characters += len(strings[-1])
                element.clear()
            if characters > _MOST_SHARED:
                raise ExtractionError(FailureReason.TOO_LARGE, "too much text in the workbook's strings")
    return strings


def _formats(archive: Archive, part: str) -> list[NumberFormat]:
    """The number format of each cell style, in order."""
    if not part:
        return []
    root = parse_xml(archive.read(part))
    own = {one.get("numFmtId", ""): one.get("formatCode", "") for one in descendants(root, "numFmt")}
    ids = [attribute(one, "numFmtId", "0") for one in children(child(root, "cellXfs"), "xf")]
    return [number_format(own[key]) if key in own else built_in_format(_whole(key)) for key in ids]


def _whole(text: str) -> int:
    return int(text) if text.isdigit() else 0
