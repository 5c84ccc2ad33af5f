"""Lines of a table taken apart into cells: each below its name, nothing lost, offsets exact."""

import pytest

from sources.core.extract.types import Table
from sources.core.line_view import MOST_CELLS, Hit, LineView, Marks, NumberedLine
from sources.core.lines import line_starts
from sources.core.table_rows import Tables

CODES = "Badge | Class | Code\nBadge: B1 | Class: A | Code: 7001\nBadge: B2 | Code: 7002\n"
FIRST = CODES.index("Badge: B1")
NAMES = ("Badge", "Class", "Code")
MARKDOWN = "| Plan | Fee |\n|------|----:|\n| Team | 190 |\n|  | none |\n"


def rows(text: str, table: Table) -> list[list[str]]:
    """Return the words of all cells, line by line."""
    tables = Tables(text, [table])
    starts = line_starts(text)
    lines = [(start, text.find("\n", start)) for start in starts if tables.at(start) == 0]
    return [[text[slice(*cell.words)] for cell in tables.row(0, line)] for line in lines]


def whole(text: str, names: tuple[str, ...], *, named: bool = True) -> Table:
    return Table(0, len(text) - 1, names, named)


def test_it_works() -> None:
    assert rows(CODES, whole(CODES, NAMES)) == [
        ["Badge", "Class", "Code"],
        ["B1", "A", "7001"],
        ["B2", "", "7002"],
    ]


def test_the_name_of_a_cell_stands_before_its_words() -> None:
    cell = Tables(CODES, [whole(CODES, NAMES)]).row(0, (FIRST, FIRST + 33))[2]
    assert (CODES[slice(*cell.name)], CODES[slice(*cell.words)]) == ("Code: ", "7001")


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("North | Badge: B1", ["B1", "", "", "North"]),
        ("Badge: B1 | and more", ["B1", "", "", "and more"]),
        ("Badge: Code: 5 | Code: 6", ["Code: 5", "", "6"]),
        ("Code: 6 | Badge: B1", ["", "", "6", "Badge: B1"]),
        ("a remark", ["", "", "", "a remark"]),
    ],
)
def test_what_names_no_column_stands_behind_them_all(line: str, cells: list[str]) -> None:
    text = f"Badge | Class | Code\n{line}\n"
    assert rows(text, whole(text, NAMES))[1] == cells


def test_a_column_may_have_no_name() -> None:
    text = "Price | Note\nLamp | Price: 30 | Note: new\nPrice: 5\nDesk\n"
    assert rows(text, whole(text, ("", "Price", "Note"))) == [
        ["", "Price", "Note"],
        ["Lamp", "30", "new"],
        ["", "5", ""],
        ["Desk", "", ""],
    ]


def test_without_names_cells_stand_in_their_order() -> None:
    text = "a | b\nc | d | e\n"
    assert rows(text, whole(text, ())) == [["a", "b"], ["c", "d", "e"]]


def test_markdown_keeps_its_bars_to_itself() -> None:
    assert rows(MARKDOWN, whole(MARKDOWN, ("Plan", "Fee"), named=False)) == [
        ["Plan", "Fee"],
        [],
        ["Team", "190"],
        ["", "none"],
    ]


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("a | b", ["a", "b"]),
        (r"a \| b | c", [r"a \| b", "c"]),
        ("| a | b", ["a", "b"]),
        ("|", [""]),
        ("||", [""]),
        ("  | a |  ", ["a"]),
    ],
)
def test_markdown_may_leave_the_outer_bars_out(line: str, cells: list[str]) -> None:
    text = f"x | y\n--|--\n{line}\n"
    assert rows(text, whole(text, ("x", "y"), named=False))[2] == cells


def test_a_line_belongs_to_the_table_that_it_begins_in() -> None:
    text = "before\na | b\nafter\nc | d\n"
    tables = Tables(text, [Table(7, 12), Table(19, 24)])
    assert [tables.at(start) for start in line_starts(text)] == [-1, 0, -1, 1, -1]


def lines(marks: Marks) -> list[NumberedLine]:
    view = LineView(CODES, line_starts(CODES), tables=[whole(CODES, NAMES)])
    return view.lines(range(1, 4), marks)


def test_marks_go_into_the_cells() -> None:
    shown = lines(Marks(cited=(FIRST, FIRST + 33)))[1]
    assert [[(part.text, part.cited) for part in cell] for cell in shown.cells] == [
        [("B1", True)],
        [("A", True)],
        [("7001", True)],
    ]


def test_the_name_of_a_column_is_shown_in_a_row_where_a_search_found_it() -> None:
    start = CODES.index("Code: 7002")
    shown = lines(Marks(hits=(Hit(1, start, start + 6),)))
    assert ["".join(part.text for part in cell) for cell in shown[2].cells] == ["B2", "", "Code: 7002"]
    assert ["".join(part.text for part in cell) for cell in shown[1].cells] == ["B1", "A", "7001"]


def test_an_empty_line_inside_a_table_is_none_of_its_rows() -> None:
    text = "a | b\n\nc | d\n"
    view = LineView(text, line_starts(text), tables=[whole(text, ())])
    assert [line.table for line in view.lines(range(1, 4), Marks())] == [0, -1, 0]


def test_a_very_wide_table_is_shown_as_text() -> None:
    text = " | ".join(f"c{number}" for number in range(MOST_CELLS + 1)) + "\n"
    (line, _) = LineView(text, line_starts(text), tables=[whole(text, ())]).lines(range(1, 3), Marks())
    assert (line.table, line.cells) == (-1, ())
    assert line.parts[0].text == text.strip()
