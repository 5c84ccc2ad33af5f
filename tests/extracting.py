"""Reading bytes as an upload would be read, for tests of formats."""

from pathlib import Path

import pytest

from sources.core.chunking import chunk_spans
from sources.core.extract import Extracted, ExtractionError
from sources.core.extract.formats import read_file


def extract(folder: Path, data: bytes, name: str = "upload") -> Extracted:
    """Read a file of any format in this process, and check what holds for each."""
    path = folder / "upload"
    path.write_bytes(data)
    extracted = read_file(path, name, lambda done, total: None)
    chunk_spans(extracted)
    assert all(extracted.text[one.start : one.end] == one.text for one in extracted.headings)
    assert all(0 <= one.start <= one.end <= len(extracted.text) for one in extracted.pages)
    assert all(extracted.text[one.start : one.end].strip() for one in extracted.tables)
    return extracted


def refused(folder: Path, data: bytes, name: str = "upload") -> ExtractionError:
    """Return why a file can't be read."""
    with pytest.raises(ExtractionError) as failure:
        extract(folder, data, name)
    return failure.value


def headings(extracted: Extracted) -> list[tuple[int, str]]:
    return [(one.level, one.text) for one in extracted.headings]


def pages(extracted: Extracted) -> list[tuple[int, str, str]]:
    return [(one.number, one.label, extracted.text[one.start : one.end]) for one in extracted.pages]
