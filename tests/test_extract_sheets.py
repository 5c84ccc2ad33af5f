"""Workbooks come out sheet by sheet, numbers and dates as they are shown, hidden things left out."""

from pathlib import Path

import pytest

from sources.core.chunking import chunk_spans
from sources.core.extract import FailureReason
from sources.core.extract.xlsx_formats import built_in_format, number_format
from tests.extracting import extract, headings, pages, refused
from tests.office_files import make_odf, make_xlsx, sheet_row

HIDDEN = "Hidden sheets, rows or columns were left out: what isn't shown can't be found or cited here."


def rows(*lines: list[str | float | None]) -> str:
    return "".join(sheet_row(number, *cells) for number, cells in enumerate(lines, 1))


def test_sheets_are_pages_under_their_names(tmp_path: Path) -> None:
    data = make_xlsx(
        {"Costs": rows(["Item", "Euro"], ["Rope", 9], ["Lamp", 12.5]), "Staff": rows(["Name"], ["Ada"])}
    )
    extracted = extract(tmp_path, data, "budget.xlsx")
    assert headings(extracted) == [(1, "Costs"), (1, "Staff")]
    assert pages(extracted) == [
        (1, "Costs", "Costs\n\nItem | Euro\nItem: Rope | Euro: 9\nItem: Lamp | Euro: 12.5"),
        (2, "Staff", "Staff\n\nName\nName: Ada"),
    ]
    assert [(chunk.first_page, chunk.heading_path) for chunk in chunk_spans(extracted)] == [
        (1, ("Costs",)),
        (2, ("Staff",)),
    ]
    assert extracted.title == "budget"


def test_shared_strings_and_truth_values(tmp_path: Path) -> None:
    cells = '<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1" t="b"><v>1</v></c><c r="C1" t="s"><v>9</v></c></row>'
    assert extract(tmp_path, make_xlsx({"Sheet1": cells}, strings=["no", "yes"])).text == "yes | TRUE"


def test_a_caption_stands_above_the_names_of_the_columns(tmp_path: Path) -> None:
    data = make_xlsx({"Sheet1": rows(["Fees of 2026"], ["Room", "Fee"], ["Hall", 90])})
    assert extract(tmp_path, data).text == "Fees of 2026\nRoom | Fee\nRoom: Hall | Fee: 90"


def test_a_second_table_has_its_own_names_and_a_gap_alone_changes_nothing(tmp_path: Path) -> None:
    first = rows(["Room", "Fee"], ["Hall", 90], [], ["Cellar", 40])
    second = sheet_row(7, "Month", "Guests") + sheet_row(8, "May", 7)
    assert extract(tmp_path, make_xlsx({"Sheet1": first + second})).text.split("\n") == [
        "Room | Fee",
        "Room: Hall | Fee: 90",
        "Room: Cellar | Fee: 40",
        "",
        "Month | Guests",
        "Month: May | Guests: 7",
    ]


def test_rows_of_numbers_without_names_are_left_without(tmp_path: Path) -> None:
    assert extract(tmp_path, make_xlsx({"Sheet1": rows([1, 2], [3, 4])})).text == "1 | 2\n3 | 4"


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("General", 3.0, "3"),
        ("General", 0.1, "0.1"),
        ("0.00", 3, "3.00"),
        ("#,##0", 1234567.8, "1,234,568"),
        ("#,##0.00 [$€-407]", 1234.5, "1,234.50 €"),
        ('"CHF" 0', 7, "CHF 7"),
        ("$#,##0_);($#,##0)", -5, "-$5"),
        ("0%", 0.35, "35%"),
        ("0.0%", 0.1234, "12.3%"),
        ("dd/mm/yyyy", 43363, "2018-09-20"),
        ("[$-F800]dddd, mmmm dd, yyyy", 43363, "2018-09-20"),
        ("yyyy-mm-dd hh:mm", 43363.5, "2018-09-20 12:00"),
        ("h:mm AM/PM", 0.75, "18:00"),
        ("[h]:mm", 1.5, "36:00"),
        ("@", 7, "7"),
    ],
)
def test_numbers_as_they_are_shown(code: str, value: float, shown: str) -> None:
    assert number_format(code).show(value) == shown


def test_days_before_march_1900_and_those_counted_from_1904() -> None:
    date = built_in_format(14)
    assert [date.show(day) for day in (1, 59, 61)] == ["1900-01-01", "1900-02-28", "1900-03-01"]
    assert date.show(0, from_1904=True) == "1904-01-01"


def test_a_date_in_a_sheet(tmp_path: Path) -> None:
    data = make_xlsx({"Sheet1": sheet_row(1, "Due") + sheet_row(2, 43363, style=1)}, formats=("dd.mm.yyyy",))
    assert extract(tmp_path, data).text == "Due\nDue: 2018-09-20"


def test_hidden_sheets_rows_and_columns_are_left_out_and_said(tmp_path: Path) -> None:
    row = sheet_row(1, "open", "secret column") + sheet_row(2, "secret row").replace(
        "<row ", '<row hidden="1" '
    )
    shown = (
        f'<worksheet><cols><col min="2" max="2" hidden="1"/></cols><sheetData>{row}</sheetData></worksheet>'
    )
    data = make_xlsx({"A": shown, "B": rows(["secret sheet"])}, hidden=("B",))
    extracted = extract(tmp_path, data)
    assert extracted.text == "A\n\nopen"
    assert extracted.warnings == (HIDDEN,)


def test_a_formula_without_its_result_says_itself(tmp_path: Path) -> None:
    cells = (
        '<row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>A1*2</f></c><c r="C1"><f>A1*3</f><v>6</v></c></row>'
    )
    extracted = extract(tmp_path, make_xlsx({"Sheet1": cells}))
    assert extracted.text == "2 | =A1*2 | 6"
    assert extracted.warnings == (
        "Some cells hold formulas without their results; open the workbook, save it and upload it again.",
    )


def test_a_million_empty_rows_are_passed_over(tmp_path: Path) -> None:
    data = make_xlsx(
        {"Sheet1": sheet_row(1, "first") + '<row r="5"/>' * 100_000 + sheet_row(1_048_576, "last")}
    )
    assert extract(tmp_path, data).text == "first\n\nlast"


def test_more_rows_than_excel_has_are_too_large(tmp_path: Path) -> None:
    assert (
        refused(tmp_path, make_xlsx({"Sheet1": sheet_row(1_048_577, "x")})).reason == FailureReason.TOO_LARGE
    )


def odf_row(*cells: str, repeated: int = 1) -> str:
    inside = "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in cells)
    return f'<table:table-row table:number-rows-repeated="{repeated}">{inside}</table:table-row>'


def test_an_opendocument_sheet(tmp_path: Path) -> None:
    far = '<table:table-cell table:number-columns-repeated="16000"/>'
    table = odf_row("Room", "Fee").replace("</table:table-row>", f"{far}</table:table-row>") + odf_row(
        "Hall", "90 €"
    )
    empty = odf_row("", repeated=1_000_000)
    data = make_odf("spreadsheet", f'<table:table table:name="Fees">{table}{empty}</table:table>')
    extracted = extract(tmp_path, data, "fees.ods")
    assert pages(extracted) == [(1, "Fees", "Fees\n\nRoom | Fee\nRoom: Hall | Fee: 90 €")]


def test_a_hidden_opendocument_sheet(tmp_path: Path) -> None:
    shown = '<style:table-properties table:display="false"/>'
    style = f'<style:style style:name="t" style:family="table">{shown}</style:style>'
    sheets = f'<table:table table:name="A">{odf_row("open")}</table:table>'
    sheets += f'<table:table table:name="B" table:style-name="t">{odf_row("secret")}</table:table>'
    extracted = extract(tmp_path, make_odf("spreadsheet", sheets, styles=style))
    assert (extracted.text, extracted.warnings) == ("A\n\nopen", (HIDDEN,))
