"""How the child process hands its result to the parent: a file without anything that could run code (no pickle).

A line of JSON, then the text in UTF-8, then the packed boxes of the pages one after another.
"""

import json
from pathlib import Path
from typing import IO

from sources.core.extract.types import Extracted, Heading, PageLayout, Table

_ABOUT = ("title", "language", "author", "year", "reference", "url")


def write_extracted(path: Path, extracted: Extracted) -> None:
    """Write a result for `read_extracted`."""
    text = extracted.text.encode()
    head = {
        "text_bytes": len(text),
        "media_type": extracted.media_type,
        "about": {name: getattr(extracted, name) for name in _ABOUT},
        "warnings": extracted.warnings,
        "headings": [(h.start, h.end, h.level, h.text) for h in extracted.headings],
        "tables": [(t.start, t.end, t.columns, t.names_in_rows) for t in extracted.tables],
        "pages": [
            (p.number, p.label, p.start, p.end, p.width, p.height, len(p.boxes)) for p in extracted.pages
        ],
    }
    with path.open("wb") as file:
        file.write(json.dumps(head).encode() + b"\n")
        file.write(text)
        file.writelines(page.boxes for page in extracted.pages)


def read_extracted(path: Path) -> Extracted:
    """Read what `write_extracted` wrote. Raises ValueError, KeyError or TypeError on anything else."""
    # Piece by piece: the whole beside its parts would be the most memory that a worker ever holds.
    with path.open("rb") as file:
        head = json.loads(file.readline())
        text = _exactly(file, int(head["text_bytes"])).decode()
        pages = [
            PageLayout(number, label, start, end, width, height, _exactly(file, int(length)))
            for number, label, start, end, width, height, length in head["pages"]
        ]
        if file.read(1):
            raise ValueError("the result file goes on after its end")
    return Extracted(
        text=text,
        media_type=head["media_type"],
        pages=tuple(pages),
        headings=tuple(Heading(*row) for row in head["headings"]),
        tables=tuple(
            Table(start, end, tuple(columns), named) for start, end, columns, named in head["tables"]
        ),
        warnings=tuple(head["warnings"]),
        **{name: str(head["about"][name]) for name in _ABOUT},
    )


def _exactly(file: IO[bytes], count: int) -> bytes:
    data = file.read(count)
    if count < 0 or len(data) != count:
        raise ValueError("the result file is not complete")
    return data
