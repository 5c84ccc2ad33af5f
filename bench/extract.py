"""How fast and how exact extraction is: pages a second with boxes, and rectangles against PDFium's own boxes.

    python -m bench.extract [PDF …]

Without files it makes a PDF of 1,000 pages of prose.
"""

import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from sources.core.chunking import chunk_spans
from sources.core.extract import Limits, extract_in_child
from sources.core.extract.formats import read_file
from tests.files import Page, lines_of, make_pdf

_PROSE = """the report of valve torque pump and its pressure shows that each seal under load was checked by hand
before a new filter came into use while older parts were kept for tests in spring so engineers could compare them"""
_PAGES = 1000
_LINES = 46
_LINE_WORDS = 13


def main(paths: list[Path]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for path in paths or [_prose(Path(folder) / "prose.pdf")]:
            _measure(path)


def _prose(path: Path) -> Path:
    chance = random.Random(7)
    texts = [
        "\n".join(" ".join(chance.choices(_PROSE.split(), k=_LINE_WORDS)) for _ in range(_LINES))
        for _ in range(_PAGES)
    ]
    path.write_bytes(make_pdf([Page(lines_of(text, size=10, leading=1.5)) for text in texts]))
    return path


def _processor_seconds() -> float:
    """Processor time so far of this process and of those it started that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _measure(path: Path) -> None:
    before = _processor_seconds()
    extracted = read_file(path, path.name, lambda done, total: None)
    used, pages = _processor_seconds() - before, max(len(extracted.pages), 1)
    print(f"{path.name}: {pages} pages, {len(extracted.text)} characters")
    print(f"  reading          {pages / used:8.0f} pages a second of CPU, that of its helper too")
    started = time.perf_counter()
    extract_in_child(path, file_name=path.name, limits=Limits(wall_seconds=900, cpu_seconds=900))
    taken = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"  in a child       {pages / taken:8.0f} pages a second, {taken:.2f} s, peak memory {peak} MB")
    started = time.perf_counter()
    chunks = chunk_spans(extracted)
    print(
        f"  chunking         {pages / (time.perf_counter() - started):8.0f} pages a second, {len(chunks)} chunks"
    )
    size = sum(len(page.boxes) for page in extracted.pages)
    print(f"  boxes            {size / max(len(extracted.text), 1):8.2f} bytes a character")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
