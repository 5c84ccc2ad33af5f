"""Whether the rectangles of a sentence lie over its words and no others, judged by PDFium's own character boxes.

    python -m bench.extract_rectangles FOLDER_OR_PDF … [--sentences N]

Independent of our own offset map: the sentence is looked up in PDFium's raw text without white space and hyphens, and
PDFium itself turns page points into displayed ones.
"""

import argparse
import ctypes
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from sources.core.extract import Extracted, ExtractionError, PageLayout
from sources.core.extract.formats import read_file
from sources.core.geometry import Rect, rectangles
from sources.core.sentences import sentence_spans

_LOOSE = re.compile("[\\s\x00\x02\u00ad\u2010-]")
_FINE = 100


class Tally:
    """Characters counted over all sentences."""

    covered = missed = foreign = sentences = unplaced = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--sentences", type=int, default=300)
    arguments = parser.parse_args()
    random.seed(5)
    files = [
        file
        for path in arguments.paths
        for file in ([path] if path.is_file() else sorted(path.glob("*.pdf")))
    ]
    chosen = [(path, extracted) for path in files if (extracted := _extracted(path))]
    total = Tally()
    for path, extracted in chosen:
        tally = Tally()
        _judge(path, extracted, max(arguments.sentences // len(chosen), 1), tally)
        print(_line(path.name[:44], tally))
        for name in ("covered", "missed", "foreign", "sentences", "unplaced"):
            setattr(total, name, getattr(total, name) + getattr(tally, name))
    print(_line("all", total))


def _extracted(path: Path) -> Extracted | None:
    try:
        return read_file(path, path.name, lambda done, total: None)
    except ExtractionError:
        return None


def _line(name: str, tally: Tally) -> str:
    own = max(tally.covered + tally.missed, 1)
    return (
        f"{name:44} {tally.sentences:4} sentences, {tally.unplaced:3} not placed, "
        f"{tally.covered / own:7.2%} covered, {tally.foreign / own:6.2%} foreign"
    )


def _judge(path: Path, extracted: Extracted, count: int, tally: Tally) -> None:
    spans = [span for span in sentence_spans(extracted.text) if span[1] - span[0] > 15]
    document = pdfium.PdfDocument(path)
    for start, end in random.sample(spans, min(count, len(spans))):
        layout = next((page for page in extracted.pages if page.start <= start and end <= page.end), None)
        if layout:
            _judge_sentence(
                document[layout.number - 1], layout, extracted.text[start:end], (start, end), tally
            )


def _judge_sentence(
    page: pdfium.PdfPage, layout: PageLayout, sentence: str, span: tuple[int, int], tally: Tally
) -> None:
    text_page = page.get_textpage()
    codes = [pdfium_c.FPDFText_GetUnicode(text_page, index) for index in range(text_page.count_chars())]
    letters = [(index, chr(code)) for index, code in enumerate(codes) if not _LOOSE.match(chr(code))]
    wanted = _LOOSE.sub("", sentence)
    raw = "".join(letter for _, letter in letters)
    at = raw.find(wanted)
    if at < 0 or raw.find(wanted, at + 1) >= 0:
        tally.unplaced += 1
        return
    own = {index for index, _ in letters[at : at + len(wanted)]}
    areas = rectangles(layout, *span)
    tally.sentences += 1
    for index, x, y in _centres(page, text_page, [index for index, _ in letters]):
        inside = any(_holds(area, x, y) for area in areas)
        tally.covered += inside and index in own
        tally.missed += not inside and index in own
        tally.foreign += inside and index not in own


def _centres(
    page: pdfium.PdfPage, text_page: pdfium.PdfTextPage, indices: list[int]
) -> Iterator[tuple[int, float, float]]:
    width, height = page.get_size()
    fine = min(_FINE, int(2**30 / max(width, height)))
    across, down = ctypes.c_int(), ctypes.c_int()
    for index in indices:
        left, bottom, right, top = text_page.get_charbox(index)
        size = int(width * fine), int(height * fine)
        middle = (left + right) / 2, (bottom + top) / 2
        pdfium_c.FPDF_PageToDevice(page, 0, 0, *size, 0, *middle, across, down)
        yield index, across.value / fine, down.value / fine


def _holds(area: Rect, x: float, y: float) -> bool:
    edge = 0.05
    return (
        area.x - edge <= x <= area.x + area.width + edge and area.y - edge <= y <= area.y + area.height + edge
    )


if __name__ == "__main__":
    main()
