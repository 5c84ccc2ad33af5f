"""Presentations come out slide by slide, with titles, bullets, tables and the speaker's notes."""

from pathlib import Path

from sources.core.chunking import chunk_spans
from sources.core.extract import FailureReason
from tests.extracting import extract, headings, pages, refused
from tests.office_files import make_odf, make_pptx, shape


def test_slides_are_pages_with_titles_as_headings(tmp_path: Path) -> None:
    slides = [
        shape("Nine euro.", "Ten euro.", place="body") + shape("Fees", place="title"),
        shape("Seats", place="ctrTitle") + shape("A free box."),
    ]
    extracted = extract(tmp_path, make_pptx(slides))
    assert headings(extracted) == [(1, "Fees"), (1, "Seats")]
    assert pages(extracted) == [
        (1, "1", "Fees\n\n- Nine euro.\n- Ten euro."),
        (2, "2", "Seats\n\nA free box."),
    ]
    assert [chunk.first_page for chunk in chunk_spans(extracted)] == [1, 2]


def test_notes_follow_their_slide(tmp_path: Path) -> None:
    extracted = extract(tmp_path, make_pptx([shape("On the wall."), shape("Next.")], {0: "Say it slowly."}))
    assert pages(extracted)[0] == (1, "1", "On the wall.\n\nNotes: Say it slowly.")


def test_a_hidden_slide_is_left_out_and_the_others_keep_their_numbers(tmp_path: Path) -> None:
    extracted = extract(tmp_path, make_pptx([shape("One."), f"hidden:{shape('Two.')}", shape("Three.")]))
    assert pages(extracted) == [(1, "1", "One."), (2, "2", ""), (3, "3", "Three.")]
    assert extracted.warnings == (
        "Hidden slides were left out: what isn't shown can't be found or cited here.",
    )


def test_groups_and_tables(tmp_path: Path) -> None:
    def row(*cells: str) -> str:
        inside = "".join(
            f"<a:tc><a:txBody><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:txBody></a:tc>" for cell in cells
        )
        return f"<a:tr>{inside}</a:tr>"

    table = f'<a:tbl><a:tblPr firstRow="1"/>{row("Room", "Fee")}{row("Hall", "90")}</a:tbl>'
    frame = f"<p:graphicFrame><a:graphic><a:graphicData>{table}</a:graphicData></a:graphic></p:graphicFrame>"
    extracted = extract(tmp_path, make_pptx([f"<p:grpSp>{shape('In a group.')}</p:grpSp>{frame}"]))
    assert extracted.text == "In a group.\n\nRoom | Fee\nRoom: Hall | Fee: 90"


def test_dates_and_numbers_that_every_slide_repeats_are_left_out(tmp_path: Path) -> None:
    slide = shape("Words.") + shape("7", place="sldNum") + shape("Confidential", place="ftr")
    assert extract(tmp_path, make_pptx([slide])).text == "Words."


def test_pictures_alone_are_no_text(tmp_path: Path) -> None:
    assert refused(tmp_path, make_pptx(["<p:pic/>"])).reason == FailureReason.NO_TEXT


def test_an_opendocument_presentation(tmp_path: Path) -> None:
    def frame(kind: str, text: str) -> str:
        box = f"<draw:text-box><text:p>{text}</text:p></draw:text-box>"
        return f'<draw:frame presentation:class="{kind}">{box}</draw:frame>'

    notes = f"<presentation:notes>{frame('notes', 'Say it slowly.')}</presentation:notes>"
    pages_of = f"<draw:page>{frame('outline', 'Nine euro.')}{frame('title', 'Fees')}{notes}</draw:page>"
    extracted = extract(
        tmp_path, make_odf("presentation", pages_of + f"<draw:page>{frame('title', 'End')}</draw:page>")
    )
    assert pages(extracted) == [(1, "1", "Fees\n\nNine euro.\n\nNotes: Say it slowly."), (2, "2", "End")]
    assert headings(extracted) == [(1, "Fees"), (1, "End")]
