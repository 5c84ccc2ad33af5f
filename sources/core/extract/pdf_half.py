"""The pages of a long PDF, read by two processes at once, where there are two cores for it.

The second half is read by `python -m sources.core.extract.pdf_half PATH FIRST LAST RESULT`, a process of the same
sandbox: limits, scratch folder and missing network are inherited. If it fails, its pages are read here.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pypdfium2 as pdfium

from sources.core.extract.pdf_document import open_pdf
from sources.core.extract.pdf_read_page import ReadPage, read_page

# Starting a process and handing over its pages takes as long as reading some sixty.
WORTH_SHARING = 200
_PR_SET_PDEATHSIG = 1
_PROJECT = Path(__file__).resolve().parents[3]


def read_pages(
    path: Path, document: pdfium.PdfDocument, progress: Callable[[int, int], None]
) -> list[ReadPage]:
    """Read all pages, telling how many are done."""
    total = len(document)
    if total < WORTH_SHARING or (os.cpu_count() or 1) < 2:
        return _read(document, range(total), lambda done: progress(done, total))
    half = total // 2
    with tempfile.TemporaryDirectory() as folder, _helper(path, range(half, total), Path(folder)) as others:
        # The other half comes along at about the same speed.
        pages = _read(document, range(half), lambda done: progress(2 * done - 1, total))
        helped = others()
    return pages + (helped or _read(document, range(half, total), lambda done: progress(half + done, total)))


def _read(
    document: pdfium.PdfDocument, indices: Sequence[int], done: Callable[[int], None]
) -> list[ReadPage]:
    pages = []
    for count, index in enumerate(indices, 1):
        pages.append(read_page(document, index))
        done(count)
    return pages


@contextmanager
def _helper(path: Path, indices: range, folder: Path) -> Iterator[Callable[[], list[ReadPage] | None]]:
    """Begin to read pages beside; what is given waits for them, and returns None if they didn't come."""
    result = folder / "pages"
    words = [str(path), str(indices.start), str(indices.stop), str(result)]
    process = subprocess.Popen(
        [sys.executable, "-s", "-X", "utf8", "-m", "sources.core.extract.pdf_half", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(_PROJECT)},
    )

    def pages() -> list[ReadPage] | None:
        return _unpacked(result) if process.wait() == 0 else None

    try:
        yield pages
    finally:
        process.kill()
        process.wait()


def _unpacked(result: Path) -> list[ReadPage] | None:
    data = result.read_bytes()
    at = data.index(b"\n") + 1
    pages = []
    for fields in json.loads(data[:at]):
        size = fields.pop("boxes")
        pages.append(ReadPage(boxes=data[at : at + size], **fields))
        at += size
    return pages if at == len(data) else None


def _packed(pages: Sequence[ReadPage], result: Path) -> None:
    """A line of JSON, then the packed boxes of the pages one after another."""
    fields = [
        {name: getattr(page, name) for name in ReadPage.__slots__} | {"boxes": len(page.boxes)}
        for page in pages
    ]
    with result.open("wb") as file:
        file.write(json.dumps(fields).encode() + b"\n")
        file.writelines(page.boxes for page in pages)


def main(path: str, first: str, last: str, result: str) -> None:
    if sys.platform == "linux":
        # Whoever ends the other process with SIGKILL, ends this one too.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    with open_pdf(Path(path)) as document:
        _packed(_read(document, range(int(first), int(last)), lambda done: None), Path(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
