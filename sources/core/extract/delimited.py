"""CSV and its relatives: a row of the file is a line of the text, and says the name of each of its columns."""

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import PurePath

from sources.core.extract.canonical import CanonicalText
from sources.core.extract.types import Extracted, ExtractionError, FailureReason

CSV = "text/csv"
TSV = "text/tab-separated-values"

_DELIMITERS = "\t;,|"
_NAMES = {".csv", ".tsv", ".tab"}
_SAMPLE_ROWS = 30
_SAMPLE = 20_000
_LEAST_ROWS = 3
_LONG_CELL = 60
_LONGEST_FIELD = 1 << 20


def delimiter_of(text: str, file_name: str) -> str:
    """Return what parts the columns of a text, or "" when it is no table.

    Every row has to have as many columns; in a file not named as a table they have to be several and short.
    """
    named = PurePath(file_name).suffix.lower() in _NAMES
    rated = [(_regularity(text, delimiter, named), delimiter) for delimiter in _DELIMITERS]
    best, delimiter = max(rated, key=lambda pair: pair[0])
    return delimiter if best > 0 else ("," if named else "")


def read_delimited(
    text: str, delimiter: str, file_name: str, warning: str, progress: Callable[[int, int], None]
) -> Extracted:
    """Read decoded text as a table. Raises ExtractionError(NO_TEXT)."""
    canonical = CanonicalText()
    if warning:
        canonical.warn(warning)
    canonical.table(_rows(text, delimiter))
    progress(1, 1)
    return canonical.extracted(TSV if delimiter == "\t" else CSV, file_name)


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(_LONGEST_FIELD)
    try:
        # An open quote swallows the rest of a file: then quotes are signs like others.
        if _closes_its_quotes(text, delimiter):
            yield from csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        else:
            yield from csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=csv.QUOTE_NONE)
    except csv.Error as exc:
        reason = FailureReason.TOO_LARGE if "limit" in str(exc) else FailureReason.CORRUPT
        raise ExtractionError(reason, str(exc)) from exc


def _closes_its_quotes(text: str, delimiter: str) -> bool:
    """Whether reading with quotes ends outside of one, strictly taken."""
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            pass
    except csv.Error:
        return text.count('"') % 2 == 0
    return True


def _regularity(text: str, delimiter: str, named: bool) -> float:
    """The number of columns if (nearly) all rows of a sample have as many, else 0."""
    sample = text[:_SAMPLE]
    if delimiter not in sample:
        return 0
    try:
        rows = [row for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter) if row]
    except csv.Error:
        return 0
    # The last row of a sample may be cut.
    rows = rows[: max(len(rows) - (len(text) > _SAMPLE), 1)][:_SAMPLE_ROWS]
    widths = [len(row) for row in rows]
    usual = max(set(widths), key=widths.count)
    share = widths.count(usual) / len(widths)
    if named:
        return usual * share if usual > 1 else 0
    cells = [cell for row in rows for cell in row]
    # After a comma in prose stands a blank.
    if 3 * sum(cell.startswith(" ") for cell in cells) > len(cells):
        return 0
    is_table = len(rows) >= _LEAST_ROWS and share == 1 and usual > (1 if delimiter == "\t" else 2)
    return usual if is_table and sum(map(len, cells)) < _LONG_CELL * len(cells) else 0
