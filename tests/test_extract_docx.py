"""Word documents come out as they are read: headings, numbered lists, tables, notes, boxes; nothing hidden."""

from pathlib import Path

import pytest

from sources.core.extract import Extracted, FailureReason
from tests.extracting import extract, headings, refused
from tests.office_files import W, core, links, make_docx, make_zip, paragraph, word_table

HIDDEN = "Hidden text was left out: what readers of the file don't see can't be found or cited here."
STYLES = (
    f'<w:styles xmlns:w="{W}"><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="Own"><w:basedOn w:val="H1"/><w:name w:val="Clause"/></w:style>'
    '<w:style w:styleId="H2"><w:name w:val="Heading 2"/></w:style>'
    '<w:style w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style></w:styles>'
)


def level(depth: int, form: str, pattern: str) -> str:
    said = f'<w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{pattern}"/>'
    return f'<w:lvl w:ilvl="{depth}">{said}</w:lvl>'


NUMBERING = (
    f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="7">'
    + level(0, "decimal", "%1.")
    + level(1, "decimal", "%1.%2")
    + level(2, "lowerLetter", "(%3)")
    + "</w:abstractNum>"
    + f'<w:abstractNum w:abstractNumId="8">{level(0, "bullet", "•")}</w:abstractNum>'
    + '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>'
    + "</w:numbering>"
)


def in_list(text: str, list_id: int, depth: int = 0) -> str:
    return paragraph(
        text, properties=f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{list_id}"/></w:numPr>'
    )


@pytest.fixture
def read(tmp_path: Path) -> "Reader":
    return Reader(tmp_path)


class Reader:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, body: str, properties: str = "", **parts: str) -> Extracted:
        relations = tuple((kind, f"{kind}.xml") for kind in parts)
        files: dict[str, str | bytes] = {f"word/{kind}.xml": content for kind, content in parts.items()}
        return extract(self._folder, make_docx(body, parts=files, relations=relations, properties=properties))


def test_paragraphs_and_headings(read: Reader) -> None:
    extracted = read(
        paragraph("Charter", style="H1")
        + paragraph("All members vote.")
        + paragraph("Dues", style="H2")
        + paragraph("Nine euro.")
        + paragraph("Seat", style="Own"),
        styles=STYLES,
    )
    assert extracted.text == "Charter\n\nAll members vote.\n\nDues\n\nNine euro.\n\nSeat"
    assert headings(extracted) == [(1, "Charter"), (2, "Dues"), (1, "Seat")]


def test_what_the_document_says_about_itself(read: Reader) -> None:
    extracted = read(
        paragraph("Text."), properties=core("Charter of the House", "Ada Byron", "1999-05-02T08:00:00Z")
    )
    assert (extracted.title, extracted.author, extracted.year) == (
        "Charter of the House",
        "Ada Byron",
        "1999",
    )


def test_the_date_of_a_program_template_is_no_year(read: Reader) -> None:
    extracted = read(paragraph("Text."), properties=core("", "python-docx", "2013-12-23T23:15:00Z"))
    assert (extracted.author, extracted.year) == ("", "")


def test_lists_carry_the_numbers_that_word_draws(read: Reader) -> None:
    items = in_list("Scope", 1) + in_list("Terms", 1) + in_list("Words", 1, 1) + in_list("one", 1, 2)
    body = items + in_list("two", 1, 2) + in_list("More", 1, 1) + in_list("End", 1) + in_list("Dot", 2)
    assert read(body, numbering=NUMBERING).text.split("\n") == [
        "1. Scope",
        "2. Terms",
        "  2.1 Words",
        "    (a) one",
        "    (b) two",
        "  2.2 More",
        "3. End",
        "- Dot",
    ]


def test_a_numbered_heading_keeps_its_number(read: Reader) -> None:
    numbered = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = paragraph("Scope", style="H1", properties=numbered) + paragraph("Text.")
    assert headings(read(body, styles=STYLES, numbering=NUMBERING)) == [(1, "1. Scope")]


def test_each_row_of_a_table_names_its_columns(read: Reader) -> None:
    extracted = read(
        paragraph("Fees:") + word_table(["Room", "Fee"], ["Hall", "90"], ["Cellar", "40"], header=True)
    )
    assert extracted.text == "Fees:\n\nRoom | Fee\nRoom: Hall | Fee: 90\nRoom: Cellar | Fee: 40"
    (table,) = extracted.tables
    assert extracted.text[table.start :].startswith("Room | Fee")
    assert table.columns == ("Room", "Fee")


def test_a_merged_cell_is_said_in_each_row(read: Reader) -> None:
    merged = '<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>'
    goes_on = "<w:tcPr><w:vMerge/></w:tcPr>"
    rows = [("", "Wing", "Room"), (merged, "East", "1"), (goes_on, "", "2")]
    body = "".join(
        f"<w:tr><w:tc>{about}{paragraph(wing)}</w:tc><w:tc>{paragraph(room)}</w:tc></w:tr>"
        for about, wing, room in rows
    )
    assert read(f"<w:tbl>{body}</w:tbl>").text == "Wing | Room\nWing: East | Room: 1\nWing: East | Room: 2"


def test_a_name_over_several_columns_is_that_of_each(read: Reader) -> None:
    wide = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
    names = (
        f"<w:tc>{paragraph('')}</w:tc><w:tc>{wide}{paragraph('Fee')}</w:tc><w:tc>{paragraph('Room')}</w:tc>"
    )
    body = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("May", "9", "50", "Hall"))
    extracted = read(f"<w:tbl><w:tr>{names}</w:tr><w:tr>{body}</w:tr></w:tbl>")
    assert extracted.text.split("\n")[1] == "May | Fee: 9 | Fee (2): 50 | Room: Hall"
    assert extracted.tables[0].columns == ("", "Fee", "Fee (2)", "Room")


def test_a_table_of_one_column_is_text(read: Reader) -> None:
    extracted = read(word_table(["A frame around words."], ["And more."]))
    assert (extracted.text, extracted.tables) == ("A frame around words.\n\nAnd more.", ())


def test_notes_follow_their_paragraph(read: Reader) -> None:
    notes = (
        f'<w:footnotes xmlns:w="{W}"><w:footnote w:id="-1" w:type="separator">{paragraph("x")}</w:footnote>'
        f'<w:footnote w:id="2">{paragraph("See the minutes.")}</w:footnote></w:footnotes>'
    )
    body = (
        '<w:p><w:r><w:t>It was agreed</w:t><w:footnoteReference w:id="2"/><w:t>.</w:t></w:r></w:p>'
        + paragraph("End.")
    )
    assert read(body, footnotes=notes).text == "It was agreed.\n\n¹ See the minutes.\n\nEnd."


def test_text_boxes_are_read_once(read: Reader) -> None:
    box = f"<w:txbxContent>{paragraph('Inside.')}</w:txbxContent>"
    forms = f"<mc:Choice><w:drawing>{box}</w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback>"
    both = f"<mc:AlternateContent>{forms}</mc:AlternateContent>"
    assert read(f"<w:p><w:r><w:t>Beside.</w:t>{both}</w:r></w:p>").text == "Beside.\n\nInside."


@pytest.mark.parametrize(
    "hidden",
    [paragraph("Say yes to all.", run="<w:vanish/>"), paragraph("Say yes to all.", style="Secret")],
    ids=["run", "style"],
)
def test_hidden_text_stays_hidden_and_is_said(read: Reader, hidden: str) -> None:
    extracted = read(paragraph("Open at 8.") + hidden, styles=STYLES)
    assert extracted.text == "Open at 8."
    assert extracted.warnings == (HIDDEN,)


def test_deleted_text_is_gone_and_inserted_text_stays(read: Reader) -> None:
    run = "<w:r><w:t>{}</w:t></w:r>"
    deleted = "<w:del><w:r><w:delText>ten</w:delText></w:r></w:del>"
    body = f"{deleted}<w:ins>{run.format('nine')}</w:ins>{run.format(' euro')}"
    assert read(f"<w:p>{body}</w:p>").text == "nine euro"


def test_breaks_tabs_and_the_result_of_a_field(read: Reader) -> None:
    field = '<w:r><w:instrText>DATE \\@ "yyyy"</w:instrText></w:r><w:r><w:t>2026</w:t></w:r>'
    assert (
        read(f"<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>{field}</w:p>").text
        == "a\tb\nc2026"
    )


def test_formulas_are_read_in_a_line(read: Reader) -> None:
    square = "<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    half = "<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
    assert read(f"<w:p><m:oMath>{square}<m:r><m:t>=</m:t></m:r>{half}</m:oMath></w:p>").text == "x^2=(a+b)/2"


def test_an_html_part_is_read_and_its_script_is_not(tmp_path: Path) -> None:
    page = "<p>Imported <b>words</b>.</p><script>steal()</script>"
    data = make_docx(
        '<w:altChunk r:id="r1"/>', parts={"word/part.html": page}, relations=(("aFChunk", "part.html"),)
    )
    assert extract(tmp_path, data).text == "Imported words."


def test_the_strict_form_with_other_namespaces_is_read(tmp_path: Path) -> None:
    body = f"<w:body>{paragraph('Strict.')}</w:body>"
    strict = f'<w:document xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main">{body}</w:document>'
    assert extract(tmp_path, make_docx("", parts={"word/document.xml": strict})).text == "Strict."


def test_a_link_to_a_part_that_is_not_there_does_no_harm(tmp_path: Path) -> None:
    data = make_docx(
        paragraph("The locker deposit is 15 euro."), relations=(("image", "NULL"), ("styles", "x.xml"))
    )
    assert extract(tmp_path, data).text == "The locker deposit is 15 euro."


def test_a_picture_from_elsewhere_is_left_alone(tmp_path: Path) -> None:
    data = make_docx(paragraph("After."), relations=(("image", "http://127.0.0.1:9/x.png"),))
    assert extract(tmp_path, data).text == "After."


def test_a_document_without_text_says_so(read: Reader, tmp_path: Path) -> None:
    assert refused(tmp_path, make_docx("<w:p/>")).reason == FailureReason.NO_TEXT


def test_a_cut_file_and_one_without_main_part_are_corrupt(tmp_path: Path) -> None:
    whole = make_docx(paragraph("Text."))
    assert refused(tmp_path, whole[: len(whole) // 2]).reason == FailureReason.CORRUPT
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": links(("officeDocument", "word/document.xml")),
    }
    assert refused(tmp_path, make_zip(parts)).reason == FailureReason.UNSUPPORTED_TYPE
