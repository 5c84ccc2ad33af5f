"""Files of other formats from upload to citation: found, quoted exactly, shown in lines, with their place."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from django.core.files.base import File
from pytest_django import Settings

from sources.core.line_view import NumberedLine
from sources.core.passages import Passage
from sources.core.sentences import sentence_spans
from sources.ingest import process_version
from sources.models import Version, VersionState
from sources.reader import Opened, Reading
from sources.reader_state import ReaderState
from sources.retrieval import retrieve
from sources.uploads import accept_upload
from sources.viewer import Place, marks_of
from tests.conftest import House
from tests.office_files import core, make_docx, make_pptx, make_xlsx, paragraph, shape, sheet_row

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    settings.EMBEDDINGS = "none"


def ingested(house: House, data: bytes, name: str) -> Version:
    accepted = accept_upload(
        user=house.owner.user,
        tenant=house.tenant,
        collection=house.open_shelf,
        file=File(io.BytesIO(data)),
        file_name=name,
    )
    process_version(accepted.version.pk)
    version = Version.objects.select_related("document").get(pk=accepted.version.pk)
    assert version.state == VersionState.READY, version.detail
    return version


def find(house: House, question: str) -> Passage:
    passages = retrieve(user=house.stranger.user, tenant=house.tenant, query=question, limit=5)
    return passages[0]


def shown(version: Version, passage: Passage, cited: tuple[int, int]) -> Sequence[NumberedLine]:
    """The lines that are marked as cited."""
    place = Place(chunk=(passage.start, passage.end), cited=cited, quote=passage.text)
    reading = Reading(Opened(version, ReaderState("/"), marks_of(version, place)))
    return [line for line in reading.reader().body.lines if line.cited]


def words(line: NumberedLine) -> str:
    return "".join(part.text for part in line.parts)


def test_a_row_of_a_big_table_is_found_with_its_columns_and_marked_alone(house: House) -> None:
    table = io.StringIO()
    rows = ([f"B{n:05}", "ABC"[n % 3], 7000 + n] for n in range(1, 6001))
    csv.writer(table).writerows([["Badge", "Holder class", "Door code"], *rows])
    version = ingested(house, table.getvalue().encode(), "badges.csv")
    passage = find(house, "What is the door code of badge B04321?")
    row = "Badge: B04321 | Holder class: B | Door code: 11321"
    assert row in passage.text.split("\n")
    assert version.text[passage.start : passage.end] == passage.text
    start = version.text.index(row)
    assert (start, start + len(row)) in sentence_spans(version.text)
    (line,) = shown(version, passage, (start, start + len(row)))
    assert (words(line), line.number) == (row, 4322)


def test_a_slide_is_a_page_and_its_lines_are_shown(house: House) -> None:
    slides = [
        shape("Welcome", place="title"),
        shape("Fees", place="title") + shape("Nine euro a day.", place="body"),
    ]
    version = ingested(house, make_pptx(slides), "talk.pptx")
    passage = find(house, "How many euro a day?")
    assert (passage.page, passage.page_label, passage.heading_path) == (2, "2", ("Fees",))
    (line,) = shown(version, passage, (passage.end - len("- Nine euro a day."), passage.end))
    assert words(line) == "- Nine euro a day."
    assert version.pages == 2


def test_a_sheet_is_a_page_under_its_name(house: House) -> None:
    data = make_xlsx(
        {"Intro": sheet_row(1, "Read me."), "Fees": sheet_row(1, "Room", "Fee") + sheet_row(2, "Hall", 90)}
    )
    version = ingested(house, data, "fees.xlsx")
    passage = find(house, "What is the fee of the hall?")
    assert (passage.page, passage.page_label) == (2, "Fees")
    assert version.tables == [[passage.start + len("Fees\n\n"), passage.end, ["Room", "Fee"], True]]


def test_what_a_document_says_about_itself_is_kept(house: House) -> None:
    data = make_docx(
        paragraph("Nine euro."), properties=core("House Rules", "Ada Byron", "1999-05-02T08:00:00Z")
    )
    document = ingested(house, data, "rules.docx").document
    assert (document.title, document.author, document.year) == ("House Rules", "Ada Byron", "1999")


def test_a_null_character_is_gone_before_offsets_are_counted(house: House) -> None:
    version = ingested(house, b"Lamp type\x00 is L-88.\nBracket\x00\x00 fits wall.\n", "lamps.txt")
    assert "Lamp type is L-88" in version.text
    assert "Lamp type is L-88" in find(house, "Which lamp type is it?").text


@pytest.mark.parametrize(
    ("question", "line"), [("押金", "这份合同的押金为三万六千元。"), ("在庫", "今月の在庫は四百二十箱です。")]
)
def test_words_inside_a_sentence_without_spaces_are_found(house: House, question: str, line: str) -> None:
    ingested(house, "这份合同的押金为三万六千元。\n\n今月の在庫は四百二十箱です。\n".encode(), "cjk.txt")
    assert line in find(house, question).text
