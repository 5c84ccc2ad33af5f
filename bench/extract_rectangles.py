"""Whether the rectangles of a sentence lie over its words and no others, judged by PDFium's own character boxes.

    python -m bench.extract_rectangles FOLDER_OR_PDF … [--sentences N]

Independent of our own offset map: the sentence is looked up in PDFium's raw text without white space and hyphens, and
PDFium itself turns page points into displayed ones. What stands there in another order, as right-to-left lines do, is
read back instead: PDFium says which character it has at the middle of each of our boxes.
"""

import argparse
import ctypes
import random
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from sources.core.extract import Extracted, ExtractionError, PageLayout
from sources.core.extract.boxes import unpack_boxes
from sources.core.extract.detect import PDF
from sources.core.extract.formats import read_file
from sources.core.geometry import Rect, rectangles
from sources.core.sentences import sentence_spans

Span = tuple[int, int]
_LOOSE = re.compile("[\\s\x00\x02\u00ad\u2010-]")
_FINE = 100


class Tally:
    """Characters counted over all sentences."""

    covered = missed = foreign = sentences = read_back = unplaced = 0


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
    for (path, extracted), spans in zip(chosen, _samples(chosen, arguments.sentences), strict=True):
        tally = Tally()
        _judge(path, extracted, spans, tally)
        print(_line(path.name[:44], tally))
        for name in ("covered", "missed", "foreign", "sentences", "read_back", "unplaced"):
            setattr(total, name, getattr(total, name) + getattr(tally, name))
    print(_line("all", total))


def _samples(chosen: Sequence[tuple[Path, Extracted]], count: int) -> list[list[Span]]:
    """Random sentences, as many of each file as makes `count` in all; short files give all that they have."""
    pools = [_sentences(extracted) for _, extracted in chosen]
    quota = 1
    while sum(min(len(pool), quota) for pool in pools) < min(count, sum(map(len, pools))):
        quota += 1
    return [random.sample(pool, min(len(pool), quota)) for pool in pools]


def _sentences(extracted: Extracted) -> list[Span]:
    """Sentences of some length that stand on one page."""
    long = [span for span in sentence_spans(extracted.text) if span[1] - span[0] > 15]
    return [
        span for span in long if any(one.start <= span[0] and span[1] <= one.end for one in extracted.pages)
    ]


def _extracted(path: Path) -> Extracted | None:
    try:
        extracted = read_file(path, path.name, lambda done, total: None)
    except ExtractionError:
        return None
    return extracted if extracted.media_type == PDF else None


def _line(name: str, tally: Tally) -> str:
    own = max(tally.covered + tally.missed, 1)
    return (
        f"{name:44} {tally.sentences:4} sentences ({tally.read_back:3} read back), {tally.unplaced:3} not placed, "
        f"{tally.covered / own:7.2%} covered, {tally.foreign / own:6.2%} foreign"
    )


def _judge(path: Path, extracted: Extracted, spans: Sequence[Span], tally: Tally) -> None:
    document = pdfium.PdfDocument(path)
    for start, end in spans:
        layout = next(page for page in extracted.pages if page.start <= start and end <= page.end)
        _judge_sentence(document[layout.number - 1], layout, extracted.text[start:end], (start, end), tally)


def _judge_sentence(
    page: pdfium.PdfPage, layout: PageLayout, sentence: str, span: tuple[int, int], tally: Tally
) -> None:
    text_page = page.get_textpage()
    codes = [pdfium_c.FPDFText_GetUnicode(text_page, index) for index in range(text_page.count_chars())]
    letters = [(index, chr(code)) for index, code in enumerate(codes) if not _LOOSE.match(chr(code))]
    wanted = _LOOSE.sub("", sentence)
    raw = "".join(letter for _, letter in letters)
    at = raw.find(wanted)
    if at < 0:
        own = _read_back(page, text_page, layout, sentence, span)
        tally.read_back += 1
    elif raw.find(wanted, at + 1) >= 0:
        tally.unplaced += 1
        return
    else:
        own = {index for index, _ in letters[at : at + len(wanted)]}
    tally.missed += max(len(wanted) - len(own), 0) if at < 0 else 0
    areas = rectangles(layout, *span)
    tally.sentences += 1
    for index, x, y in _centres(page, text_page, [index for index, _ in letters]):
        inside = any(_holds(area, x, y) for area in areas)
        tally.covered += inside and index in own
        tally.missed += not inside and index in own
        tally.foreign += inside and index not in own


def _read_back(
    page: pdfium.PdfPage, text_page: pdfium.PdfTextPage, layout: PageLayout, sentence: str, span: Span
) -> set[int]:
    """The characters that PDFium has in our boxes, if they are those of the sentence."""
    boxes = unpack_boxes(layout.boxes, layout.width, layout.height)[
        span[0] - layout.start : span[1] - layout.start
    ]
    count = text_page.count_chars()
    places = {index: (x, y) for index, x, y in _centres(page, text_page, list(range(count)))}
    own = set()
    for letter, (left, top, right, bottom) in zip(sentence, boxes, strict=True):
        inside = [i for i, (x, y) in places.items() if left <= x <= right and top <= y <= bottom]
        own |= {i for i in inside if _same(letter, chr(pdfium_c.FPDFText_GetUnicode(text_page, i)))}
    return own


def _same(ours: str, theirs: str) -> bool:
    """Whether two characters are one in different forms: a ligature, a form of presentation, a turned bracket."""
    one, two = unicodedata.normalize("NFKC", ours), unicodedata.normalize("NFKC", theirs)
    turned = unicodedata.mirrored(ours) and unicodedata.mirrored(theirs)
    return bool(turned or (one and two and (one in two or two in one)))


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
