"""How the child process hands its result to the parent: a file without anything that could run code (no pickle).

A line of JSON, then the text in UTF-8, then the packed boxes of the pages one after another.
"""

import json
from pathlib import Path

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
    data = path.read_bytes()
    split = data.index(b"\n") + 1
    head = json.loads(data[:split])
    at = split + int(head["text_bytes"])
    pages = []
    for number, label, start, end, width, height, length in head["pages"]:
        pages.append(PageLayout(number, label, start, end, width, height, data[at : at + length]))
        at += length
    if at != len(data):
        raise ValueError("the result file is not complete")
    return Extracted(
        text=data[split : split + int(head["text_bytes"])].decode(),
        media_type=head["media_type"],
        pages=tuple(pages),
        headings=tuple(Heading(*row) for row in head["headings"]),
        tables=tuple(
            Table(start, end, tuple(columns), named) for start, end, columns, named in head["tables"]
        ),
        warnings=tuple(head["warnings"]),
        **{name: str(head["about"][name]) for name in _ABOUT},
    )
