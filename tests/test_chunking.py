"""Chunks are exact spans: whole sentences, within bounds, with their place in headings, lines and pages."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.core.chunking import ChunkSpan, chunk_spans
from sources.core.extract import Extracted, Heading
from sources.core.extract.formats import read_file
from sources.core.extract.markdown import markdown_headings
from sources.core.lines import line_span, line_starts
from sources.core.packing import MOST, TARGET
from sources.core.sentences import sentence_spans
from tests.files import lines_of, make_pdf, text_page

SENTENCE = "The valve of pump {} was checked by hand and its seal was found to be in good order. "


def markdown(text: str) -> Extracted:
    return Extracted(text, "text/markdown", headings=markdown_headings(text))


def plain(text: str) -> Extracted:
    return Extracted(text, "text/plain")


def prose(sentences: int) -> str:
    return "".join(SENTENCE.format(number) for number in range(sentences)).strip()


def slices(extracted: Extracted, chunks: list[ChunkSpan]) -> list[str]:
    return [extracted.text[chunk.start : chunk.end] for chunk in chunks]


def sections(extracted: Extracted) -> list[tuple[tuple[str, ...], str]]:
    return [(chunk.heading_path, extracted.text[chunk.start : chunk.end]) for chunk in chunk_spans(extracted)]


def test_a_short_text_is_one_chunk_without_outer_white_space() -> None:
    extracted = plain("\n\n One sentence. Another one.\n\n")
    assert slices(extracted, chunk_spans(extracted)) == ["One sentence. Another one."]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    extracted = plain(prose(60))
    chunks = chunk_spans(extracted)
    ends = {end for _, end in sentence_spans(extracted.text)}
    assert all(chunk.end in ends for chunk in chunks)
    assert all(TARGET / 2 < chunk.end - chunk.start <= TARGET for chunk in chunks)


def test_paragraphs_that_fit_stay_whole() -> None:
    paragraphs = [prose(7), prose(8), prose(3), prose(4)]
    extracted = plain("\n\n".join(paragraphs))
    assert slices(extracted, chunk_spans(extracted)) == [
        paragraphs[0],
        paragraphs[1],
        f"{paragraphs[2]}\n\n{paragraphs[3]}",
    ]


def test_a_sentence_without_end_is_cut_at_a_space() -> None:
    extracted = plain("word " * 2000)
    chunks = chunk_spans(extracted)
    assert all(chunk.end - chunk.start <= MOST for chunk in chunks)
    assert all(text.endswith("word") for text in slices(extracted, chunks))


def test_text_without_spaces_is_cut_all_the_same() -> None:
    extracted = plain("押" * 5000)
    assert max(chunk.end - chunk.start for chunk in chunk_spans(extracted)) <= MOST


def test_a_cut_leaves_no_white_space_at_either_end() -> None:
    extracted = plain(("é" * 1300 + " \t\t ") * 4)
    assert slices(extracted, chunk_spans(extracted)) == ["é" * 1300] * 4


def test_sections_begin_chunks_and_give_the_path() -> None:
    extracted = markdown(
        f"# Guide\n\n{prose(5)}\n\n## Limits\n\n{prose(4)}\n\n### Budget\n\n{prose(4)}\n\n# End\n\nBye."
    )
    assert [(path, text[:9]) for path, text in sections(extracted)] == [
        (("Guide",), "# Guide\n\n"),
        (("Guide", "Limits"), "## Limits"),
        (("Guide", "Limits", "Budget"), "### Budge"),
        (("End",), "# End\n\nBy"),
    ]  # fmt: skip


def test_a_heading_without_text_goes_with_its_first_section() -> None:
    extracted = markdown(f"# Guide\n\n## Limits\n\n{prose(3)}\n\n## Budget\n\n{prose(3)}")
    assert [(chunk.heading_path, chunk.start) for chunk in chunk_spans(extracted)] == [
        (("Guide", "Limits"), 0),
        (("Guide", "Budget"), extracted.text.index("## Budget")),
    ]


def test_short_sections_under_one_heading_go_together() -> None:
    extracted = markdown("# A\n\n## B\n\n### C\n\nOne.\n\n### D\n\nTwo.\n\n## E\n\nThree.")
    assert sections(extracted) == [
        (("A", "B"), "# A\n\n## B\n\n### C\n\nOne.\n\n### D\n\nTwo."),
        (("A", "E"), "## E\n\nThree."),
    ]  # fmt: skip


def test_lines_are_those_of_the_text() -> None:
    extracted = markdown(f"# One\n\nfirst\n\n# Two\n\n{prose(3)}\n")
    starts = line_starts(extracted.text)
    chunk = chunk_spans(extracted)[1]
    assert (chunk.first_line, chunk.last_line) == (5, 7)
    assert line_span(extracted.text, starts, 5, 7) == (chunk.start, chunk.end)


def read_pages(folder: Path, *texts: str) -> Extracted:
    path = folder / "upload"
    path.write_bytes(make_pdf([text_page(text) for text in texts]))
    return read_file(path, "upload.pdf", lambda done, total: None)


def test_a_page_ends_a_chunk(tmp_path: Path) -> None:
    extracted = read_pages(tmp_path, "The code of room 1 is 07919.", "The code of room 2 is 15838.")
    assert [(chunk.first_page, chunk.last_page) for chunk in chunk_spans(extracted)] == [(1, 1), (2, 2)]


def test_a_sentence_that_goes_on_overleaf_stays_in_one_chunk(tmp_path: Path) -> None:
    extracted = read_pages(tmp_path, "The deposit is paid back when", "the keys are returned.")
    assert [(chunk.first_page, chunk.last_page) for chunk in chunk_spans(extracted)] == [(1, 2)]


def test_blank_pages_count_as_pages(tmp_path: Path) -> None:
    extracted = read_pages(tmp_path, "One.", "", "Three.")
    assert [chunk.first_page for chunk in chunk_spans(extracted)] == [1, 3]


def test_files_without_pages_have_none() -> None:
    assert [(chunk.first_page, chunk.last_page) for chunk in chunk_spans(plain("One."))] == [(None, None)]


@pytest.mark.parametrize("text", ["", " \n\n\t"])
def test_nothing_makes_no_chunk(text: str) -> None:
    assert chunk_spans(plain(text)) == []


PIECES = st.sampled_from(
    [
        "# ",
        "## ",
        "\n",
        "\n\n",
        " ",
        "\t",
        "word ",
        "A sentence. ",
        "جملهٔ فارسی. ",
        "押金。",
        "- item\n",
        "| a | b |\n",
        "x" * 700,
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=60).map("".join))
def test_every_character_stands_in_exactly_one_chunk(text: str) -> None:
    extracted = markdown(text)
    chunks = chunk_spans(extracted)
    joined = "".join("".join(piece.split()) for piece in slices(extracted, chunks))
    assert joined == "".join(text.split())
    assert all(0 < chunk.end - chunk.start <= MOST for chunk in chunks)


def test_headings_of_any_order_are_taken_as_they_come() -> None:
    text = "Three\nwords\nOne\nmore"
    headings = (Heading(0, 5, 3, "Three"), Heading(12, 15, 1, "One"))
    chunks = chunk_spans(Extracted(text, "application/pdf", headings=headings))
    assert [chunk.heading_path for chunk in chunks] == [("Three",), ("One",)]


def test_lines_of_helper_and_text_page_agree() -> None:
    assert list(text_page("a\nb").words) == lines_of("a\nb")
