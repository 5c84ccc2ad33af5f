"""Tables of PDFs: a chunk that begins inside one says the names of its columns, also overleaf."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from sources.core.chunking import chunk_spans
from sources.core.extract import Extracted
from sources.core.extract.formats import read_file
from tests.files import Page, Words, make_pdf

NAMES = ("Plan", "Monthly fee", "Storage")


def rows(count: int, first: int = 0) -> list[tuple[str, ...]]:
    return [(f"Plan {chr(65 + n)}", f"EUR {10 + n}", f"{n * 5} GB") for n in range(first, first + count)]


def table_page(cells: Sequence[Sequence[str]], head: str = "") -> Page:
    words = [Words(72, 790, head, 10)] if head else []
    words += [
        Words(72 + 130 * column, 740 - 14 * row, cell, 10)
        for row, line in enumerate(cells)
        for column, cell in enumerate(line)
    ]
    return Page(words)


def read(folder: Path, *pages: Page) -> Extracted:
    path = folder / "upload"
    path.write_bytes(make_pdf(pages))
    return read_file(path, "plans.pdf", lambda done, total: None)


def found(extracted: Extracted) -> list[tuple[tuple[str, ...], str]]:
    return [(table.columns, extracted.text[table.start : table.end]) for table in extracted.tables]


def test_rows_below_names_are_a_table(tmp_path: Path) -> None:
    extracted = read(tmp_path, table_page([NAMES, *rows(4)], head="What each of our plans costs a month"))
    [(columns, text)] = found(extracted)
    assert columns == NAMES
    assert text.split("\n")[0] == "Plan\tMonthly fee\tStorage"
    assert text.split("\n")[-1] == "Plan D\tEUR 13\t15 GB"


def test_a_table_that_goes_on_overleaf_keeps_its_names(tmp_path: Path) -> None:
    extracted = read(
        tmp_path, table_page([NAMES, *rows(6)]), table_page(rows(6, first=6)), table_page(rows(6, first=12))
    )
    assert [columns for columns, _ in found(extracted)] == [NAMES] * 3


def test_another_table_overleaf_does_not(tmp_path: Path) -> None:
    wider = [(*row, "yes") for row in rows(6, first=6)]
    extracted = read(tmp_path, table_page([NAMES, *rows(6)]), table_page(wider))
    assert [columns for columns, _ in found(extracted)] == [NAMES]


def test_the_rest_of_a_long_cell_stands_in_its_table(tmp_path: Path) -> None:
    cells = [*rows(2), ("and its addition",), *rows(2, first=2)]
    [(_, text)] = found(read(tmp_path, table_page([NAMES, *cells])))
    assert "and its addition" in text
    assert text.endswith("15 GB")


@pytest.mark.parametrize(
    "cells",
    [
        [("1 Purpose", "3"), ("2 Scope", "4"), ("3 Fees", "7"), ("4 Terms", "9")],
        [("Name:", "Ada", "B."), ("Town:", "Oslo", "N."), ("Post:", "Curator", "X.")],
        [NAMES, *rows(1)],
        [("35 Nm", "12 bar", "7 kg"), *rows(4)],
    ],
    ids=["contents", "form", "too few rows", "no names"],
)
def test_other_lines_with_gaps_are_no_tables(tmp_path: Path, cells: list[tuple[str, ...]]) -> None:
    assert read(tmp_path, table_page(cells)).tables == ()


def test_a_chunk_inside_a_table_says_the_names_of_its_columns(tmp_path: Path) -> None:
    extracted = read(tmp_path, table_page([NAMES, *rows(20)]), table_page(rows(20, first=20)))
    first, *others = chunk_spans(extracted, target=60, most=120)
    assert first.heading_path == ()
    assert {chunk.heading_path for chunk in others if chunk.first_page == 1} == {
        ("Plan | Monthly fee | Storage",)
    }
    assert others[-1].first_page == 2
    assert others[-1].heading_path == ("Plan | Monthly fee | Storage",)
