"""Rectangles lie over the words of a span and over no others, judged by PDFium and by the drawn page."""

import io
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest
from PIL import Image

from sources.core.extract import Extracted, PageLayout
from sources.core.extract.boxes import pack_boxes, unpack_boxes
from sources.core.extract.formats import read_file
from sources.core.extract.pdf_image import render_page
from sources.core.geometry import Rect, rectangles, text_runs
from tests.files import Box, Page, Words, lines_of, make_pdf

SCALE = 4
OFFSET: Box = (100, 50, 712, 842)


class Document:
    """A PDF on disk with what was extracted from it."""

    def __init__(self, folder: Path, pages: Sequence[Page]) -> None:
        self.path = folder / "upload"
        self.path.write_bytes(make_pdf(pages))
        self.extracted: Extracted = read_file(self.path, "upload.pdf", lambda done, total: None)

    def rects(self, words: str, number: int = 1) -> list[Rect]:
        start = self.extracted.text.index(words)
        return rectangles(self.extracted.pages[number - 1], start, start + len(words))

    def ink(self, number: int = 1) -> "np.ndarray[tuple[int, int], np.dtype[np.bool_]]":
        picture = Image.open(io.BytesIO(render_page(self.path, number, SCALE, 50_000_000)))
        return np.asarray(picture.convert("L")) < 128

    def pdfium_box(self, words: str, number: int = 1) -> Rect:
        """Where PDFium finds the words, on an upright page whose box starts at the origin."""
        page = pdfium.PdfDocument(self.path)[number - 1]
        text_page = page.get_textpage()
        found = text_page.search(words, match_case=True).get_next()
        assert found
        boxes = [text_page.get_charbox(found[0] + index) for index in range(found[1])]
        drawn = [box for box in boxes if box[3] > box[1]]
        left, bottom = min(box[0] for box in drawn), min(box[1] for box in drawn)
        right, top = max(box[2] for box in drawn), max(box[3] for box in drawn)
        return Rect(left, page.get_height() - top, right - left, top - bottom)


def near(rect: Rect, other: Rect, by: float = 0.11) -> bool:
    sides = zip(
        (rect.x, rect.y, rect.width, rect.height), (other.x, other.y, other.width, other.height), strict=True
    )
    return all(abs(one - two) <= by for one, two in sides)


def masked(ink: "np.ndarray[tuple[int, int], np.dtype[np.bool_]]", areas: Sequence[Rect]) -> tuple[int, int]:
    """Dark pixels inside and outside of rectangles, which may be off by a pixel."""
    inside = np.zeros_like(ink)
    for area in areas:
        left, top = int(area.x * SCALE) - 1, int(area.y * SCALE) - 1
        right, bottom = int((area.x + area.width) * SCALE) + 2, int((area.y + area.height) * SCALE) + 2
        inside[max(top, 0) : bottom, max(left, 0) : right] = True
    return int((ink & inside).sum()), int((ink & ~inside).sum())


def test_a_line_is_one_rectangle_where_pdfium_has_it(tmp_path: Path) -> None:
    document = Document(
        tmp_path, [Page(lines_of("Valve torque is 35 newton metres.\nCheck it every spring."))]
    )
    (rect,) = document.rects("Valve torque is 35 newton metres.")
    assert near(rect, document.pdfium_box("Valve torque is 35 newton metres."))


def test_a_part_of_a_line_has_its_own_width_and_the_lines_height(tmp_path: Path) -> None:
    document = Document(tmp_path, [Page(lines_of("Valve torque is 35 newton metres."))])
    (whole,), (part,) = document.rects("Valve torque is 35 newton metres."), document.rects("is 35 newton")
    own = document.pdfium_box("is 35 newton")
    assert (part.y, part.height) == (whole.y, whole.height)
    assert abs(part.x - own.x) < 0.11
    assert abs(part.width - own.width) < 0.11


def test_lines_of_a_passage_are_a_rectangle_each(tmp_path: Path) -> None:
    document = Document(tmp_path, [Page(lines_of("one alpha beta\ngamma delta\nepsilon zeta\neta theta"))])
    areas = document.rects("beta\ngamma delta\nepsilon")
    assert len(areas) == 3
    assert [area.y for area in areas] == sorted(area.y for area in areas)


def test_a_broken_word_lies_in_two_pieces(tmp_path: Path) -> None:
    document = Document(tmp_path, [Page(lines_of("in partes tres, qua-\nrum unam incolunt"))])
    first, second = document.rects("quarum")
    assert near(first, document.pdfium_box("qua"), by=3)
    assert first.y < second.y
    assert first.x > second.x


def test_nothing_of_the_other_column_is_covered(tmp_path: Path) -> None:
    left = [Words(72, 700 - 12 * row, f"left side words in row {row} of the page", 9) for row in range(8)]
    right = [Words(310, 700 - 12 * row, f"right side words in row {row} of it all", 9) for row in range(8)]
    rows = [words for pair in zip(left, right, strict=True) for words in pair]
    document = Document(tmp_path, [Page(rows)])
    areas = document.rects("words in row 2 of the page\nleft side words in row 3 of the page\nleft side")
    assert len(areas) == 3
    assert all(area.x + area.width < 310 for area in areas)


def test_a_wide_gap_parts_rectangles(tmp_path: Path) -> None:
    document = Document(tmp_path, [Page([Words(72, 700, "Alabama"), Words(300, 700, "18,870")])])
    first, second = document.rects("Alabama\t18,870")
    assert first.x + first.width < 130
    assert second.x > 299


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize("box", [(0, 0, 612, 792), OFFSET], ids=["origin", "offset"])
def test_turned_pages_and_offset_boxes_shift_nothing(tmp_path: Path, rotate: int, box: Box) -> None:
    words = lines_of("Valve torque is 35 newton metres.\nCheck it every spring.", x=172)
    page = Page(words, box, rotate=rotate)
    document = Document(tmp_path, [page])
    areas = document.rects("Valve torque is 35 newton metres.")
    assert len(areas) == 1
    alone = Document(tmp_path, [Page(words[:1], box, rotate=rotate)])
    inside, outside = masked(alone.ink(), areas)
    assert inside > 500
    assert outside == 0


@pytest.mark.parametrize("rotate", [0, 90])
def test_a_crop_box_moves_the_origin(tmp_path: Path, rotate: int) -> None:
    page = Page([Words(200, 500, "Only these words")], (0, 0, 700, 800), (150, 400, 500, 700), rotate)
    document = Document(tmp_path, [page])
    assert (document.extracted.pages[0].width, document.extracted.pages[0].height) == (
        (300, 350) if rotate else (350, 300)
    )
    inside, outside = masked(document.ink(), document.rects("Only these words"))
    assert (inside > 300, outside) == (True, 0)


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_turned_text_is_covered_by_one_rectangle_a_line(tmp_path: Path, angle: int) -> None:
    document = Document(tmp_path, [Page([Words(300, 400, "Turned text of one line", angle=angle)])])
    areas = document.rects("Turned text of one line")
    inside, outside = masked(document.ink(), areas)
    assert (len(areas), inside > 300, outside) == (1, True, 0)


def test_right_to_left_words_lie_where_they_are_read(tmp_path: Path) -> None:
    document = Document(tmp_path, [Page([Words(72, 700, "متن این دنیا سلام"[::-1])])])
    (first,), (last,) = document.rects("متن"), document.rects("سلام")
    assert first.x > last.x + last.width


def test_glyphs_without_ink_are_measured_by_their_font(tmp_path: Path) -> None:
    document = Document(tmp_path, [Page([Words(72, 700, "押金为两千元", 12)])])
    (rect,) = document.rects("押金为两千元")
    assert rect.height > 8
    assert 30 < rect.width < 80


def test_a_span_over_a_page_break_has_a_part_on_each_page(tmp_path: Path) -> None:
    document = Document(tmp_path, [Page(lines_of("ends here")), Page(lines_of("begins there"))])
    assert len(document.rects("here\n\nbegins", 1)) == len(document.rects("here\n\nbegins", 2)) == 1


def test_a_span_that_is_not_on_the_page_has_no_rectangle(tmp_path: Path) -> None:
    document = Document(tmp_path, [Page(lines_of("one")), Page(lines_of("two"))])
    assert document.rects("two", 1) == []
    assert rectangles(document.extracted.pages[0], 0, 0) == []
    assert rectangles(document.extracted.pages[0], 99, 105) == []


def test_runs_are_the_words_of_the_page(tmp_path: Path) -> None:
    document = Document(tmp_path, [Page(lines_of("tres, qua-\nrum unam incolunt"))])
    layout = document.extracted.pages[0]
    runs = text_runs(layout, document.extracted.text[layout.start : layout.end])
    assert [run.text for run in runs] == ["tres,", "qua", "rum", "unam", "incolunt"]
    box = document.pdfium_box("incolunt")
    assert abs(runs[-1].x - box.x) < 0.11
    assert abs(runs[-1].width - box.width) < 0.11


def test_runs_need_the_text_of_their_page(tmp_path: Path) -> None:
    document = Document(tmp_path, [Page(lines_of("tres"))])
    with pytest.raises(ValueError, match="5 characters with 4 boxes"):
        text_runs(document.extracted.pages[0], "tres!")


def test_every_character_has_a_box_and_only_drawn_ones_have_an_area(tmp_path: Path) -> None:
    document = Document(tmp_path, [Page(lines_of("a line of text\nand one more"))])
    layout = document.extracted.pages[0]
    boxes = unpack_boxes(layout.boxes, layout.width, layout.height)
    text = document.extracted.text
    assert len(boxes) == len(text)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    assert [area > 0 for area in areas] == [bool(re.match(r"\S", char)) for char in text]


@pytest.mark.parametrize(("width", "height"), [(595.0, 842.0), (14_400.0, 100.0), (2_000_000.0, 2_000_000.0)])
def test_packing_keeps_boxes_close(width: float, height: float) -> None:
    rng = np.random.default_rng(3)
    low = rng.uniform(0, [width * 0.9, height * 0.9], (500, 2))
    boxes = np.hstack((low, low + rng.uniform(0, 9, (500, 2)).clip(max=min(width, height) / 10)))
    boxes[::7] = 0
    packed = pack_boxes(boxes, width, height)
    # Half a step, and one more for what is thinner than a step; far out, single precision adds to it.
    tolerance = 0.08 if width < 100_000 else 0.2
    assert np.abs(unpack_boxes(packed, width, height) - boxes).max() < tolerance


def test_packing_cuts_what_lies_outside_and_keeps_the_thinnest_line() -> None:
    boxes = np.array([[-5.0, -5.0, 700.0, 900.0], [10.0, 10.0, 10.001, 20.0]])
    unpacked = unpack_boxes(pack_boxes(boxes, 595, 842), 595, 842)
    assert unpacked[0].tolist() == [0, 0, 595, 842]
    assert unpacked[1, 2] > unpacked[1, 0]


def test_a_page_without_text_packs_to_nothing() -> None:
    layout = PageLayout(1, "1", 0, 0, 595, 842, pack_boxes(np.zeros((0, 4)), 595, 842))
    assert rectangles(layout, 0, 10) == []
    assert text_runs(layout, "") == []
