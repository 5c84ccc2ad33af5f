"""A row of a table never loses the names of its columns: not in the text, not in a chunk, not in a quote."""

import csv
import io
from pathlib import Path

import pytest

from sources.core.chunking import chunk_spans
from sources.core.extract import Extracted, FailureReason
from sources.core.extract.markdown import markdown_tables
from sources.core.extract.tables import table_lines
from sources.core.model_size import MOST_TOKENS, tokens_of
from sources.core.sentences import sentence_spans
from tests.extracting import extract, refused

BADGES = "Badge,Holder class,Door code\n" + "".join(
    f"B{n:05},{'ABC'[n % 3]},{7000 + n}\n" for n in range(1, 6001)
)


def lines(*rows: list[str], header_rows: int | None = None) -> list[str]:
    return [line.text for line in table_lines(rows, header_rows)]


def chunks(extracted: Extracted) -> list[tuple[tuple[str, ...], str]]:
    return [(chunk.heading_path, extracted.text[chunk.start : chunk.end]) for chunk in chunk_spans(extracted)]


def test_a_row_is_a_line_that_names_its_columns(tmp_path: Path) -> None:
    extracted = extract(tmp_path, b"Badge,Door code\nB1,7731\nB2,\n", "badges.csv")
    assert extracted.text == "Badge | Door code\nBadge: B1 | Door code: 7731\nBadge: B2"
    assert (extracted.media_type, extracted.tables[0].columns) == ("text/csv", ("Badge", "Door code"))


def test_of_six_thousand_rows_each_chunk_holds_whole_rows_with_names(tmp_path: Path) -> None:
    extracted = extract(tmp_path, BADGES.encode(), "badges.csv")
    texts = [text for _, text in chunks(extracted)]
    (holding,) = (text for text in texts if "B04321" in text)
    assert "Badge: B04321 | Holder class: B | Door code: 11321" in holding.split("\n")
    assert all(line.count(" | ") == 2 for text in texts for line in text.split("\n"))
    assert max(map(tokens_of, texts)) <= MOST_TOKENS


def test_a_row_is_one_sentence_so_that_it_is_marked_alone(tmp_path: Path) -> None:
    extracted = extract(tmp_path, b"Name,Note\nDr. Ada,Came. Went. Came again.\nCarl,No.\n", "notes.csv")
    assert [extracted.text[start:end] for start, end in sentence_spans(extracted.text)] == [
        "Name | Note",
        "Name: Dr. Ada | Note: Came. Went. Came again.",
        "Name: Carl | Note: No.",
    ]


@pytest.mark.parametrize(
    ("data", "name", "text"),
    [
        (b"a;b\n1;2,5\n", "x.csv", "a | b\na: 1 | b: 2,5"),
        (
            b"Team\tCity\tCups\nBlues\tSTL\t1\nLeafs\tTOR\t13\n",
            "x",
            "Team | City | Cups\nTeam: Blues | City: STL | Cups: 1",
        ),
        (b'id,text\n1,"two\nlines, ""quoted"""\n', "x.csv", 'id | text\nid: 1 | text: two lines, "quoted"'),
        (b'id,text\n1,an open "quote\n2,next\n', "x.csv", 'id: 1 | text: an open "quote\nid: 2 | text: next'),
        ("\ufeffنام,مبلغ\nمریم,۱٬۲۰۰\n".encode(), "x.csv", "نام | مبلغ\nنام: مریم | مبلغ: ۱٬۲۰۰"),
        ("Größe;Preis\n1 m;5 €\n".encode("cp1252"), "x.csv", "Größe | Preis\nGröße: 1 m | Preis: 5 €"),
    ],
    ids=["semicolons", "tabs in a file of any name", "quotes", "an open quote", "a mark of order", "cp1252"],
)
def test_kinds_of_files(tmp_path: Path, data: bytes, name: str, text: str) -> None:
    assert text in extract(tmp_path, data, name).text


def test_prose_with_commas_is_no_table(tmp_path: Path) -> None:
    prose = b"First, we came, and saw.\nThen, we went, and won.\nLast, we left, it seems.\n"
    assert extract(tmp_path, prose, "story.txt").tables == ()


def test_a_cell_without_end_is_too_large(tmp_path: Path) -> None:
    data = b'a,b\n1,"' + b"x" * 2_000_000 + b'"\n'
    assert refused(tmp_path, data, "x.csv").reason == FailureReason.TOO_LARGE


def test_names_are_told_from_values() -> None:
    assert lines(["Land", "2019", "2020"], ["Iran", "5", "6"])[1] == "Land: Iran | 2019: 5 | 2020: 6"
    assert lines(["1.5", "2"], ["3", "4"]) == ["1.5 | 2", "3 | 4"]
    assert lines(["a sentence.", "and one more."], ["x", "y"]) == ["a sentence. | and one more.", "x | y"]
    assert lines(["only", "row"]) == ["only | row"]


def test_names_that_stand_twice_are_told_apart() -> None:
    assert lines(["Fee", "Fee", ""], ["1", "2", "3"], header_rows=1)[1] == "Fee: 1 | Fee (2): 2 | 3"


def test_a_bar_in_a_cell_parts_nothing() -> None:
    assert lines(["a", "b"], ["x | y", "z"])[1] == r"a: x \| y | b: z"


def test_a_row_too_long_for_a_chunk_is_cut_between_cells(tmp_path: Path) -> None:
    names = [f"column {n}" for n in range(200)]
    data = io.StringIO()
    csv.writer(data).writerows([names, [f"value {n}" for n in range(200)]])
    extracted = extract(tmp_path, data.getvalue().encode(), "wide.csv")
    rows = [text for _, text in chunks(extracted) if ": value" in text]
    assert len(rows) > 2
    assert all(cell.startswith("column ") for text in rows for cell in text.rstrip(" |").split(" | "))


def test_a_cell_too_long_for_a_chunk_goes_on_under_its_name(tmp_path: Path) -> None:
    answer = "It depends on the rope and on the weather of the day. " * 60
    extracted = extract(tmp_path, f"Question,Answer\nHow long?,{answer}\n".encode(), "faq.csv")
    assert [path for path, _ in chunks(extracted)][-1] == ("Answer",)


MARKDOWN = (
    "# Fees\n\nRooms:\n\n| Room | *Fee* |\n|---|---:|\n"
    + "".join(f"| R{n} | {n} |\n" for n in range(300))
    + "\nEnd."
)


def test_a_markdown_table_stays_as_it_is_and_chunks_say_its_names(tmp_path: Path) -> None:
    extracted = extract(tmp_path, MARKDOWN.encode(), "fees.md")
    assert extracted.text == MARKDOWN
    assert extracted.tables[0].columns == ("Room", "Fee")
    first, *others = chunks(extracted)
    assert first[0] == ("Fees",)
    assert {path for path, text in others if text.startswith("| R")} == {("Fees", "Room | Fee")}


def test_bars_in_prose_and_code_are_no_markdown_table() -> None:
    assert markdown_tables("a | b\nno rule\n\n```\n| a | b |\n|---|---|\n```\n") == ()
