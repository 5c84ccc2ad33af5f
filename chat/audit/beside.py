"""Which words stand beside a record: their names, their documents, and the hashes that its body has of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from chat.audit.columns import TURN, Body, dictionaries

_SUFFIX = "_sha256"


@dataclass(frozen=True, slots=True)
class Beside:
    """What the body says of one text beside it; `document_id` is "" where the body names none."""

    sha256: str
    document_id: str


def beside(body: Body) -> dict[str, Beside]:
    """Return by name what stands beside a record, or stood there until its document was purged."""
    return dict([*_of_body(body), *(_of_turn(body) if body.get("kind") == TURN else ())])


def _of_body(body: Body) -> Iterator[tuple[str, Beside]]:
    for name, value in body.items():
        if name.endswith(_SUFFIX):
            yield name.removesuffix(_SUFFIX), Beside(str(value), _document(body))


def _of_turn(body: Body) -> Iterator[tuple[str, Beside]]:
    reading = body.get("reading")
    steps = dictionaries(reading.get("steps")) if isinstance(reading, Mapping) else []
    parts = [
        *((f"block {one.get('block_id')}", one) for one in dictionaries(body.get("offered"))),
        *((f"step {number}", one) for number, one in enumerate(steps)),
        *((f"citation {one.get('citation_id')}", one) for one in dictionaries(body.get("citations"))),
    ]
    for name, part in parts:
        if part.get("words_sha256"):
            yield name, Beside(str(part["words_sha256"]), _document(part))


def _document(body: Body) -> str:
    return str(body.get("document_id") or "")
