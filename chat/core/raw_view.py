"""Raw model output for a person's eyes: what was lifted out of it stands apart, reserved characters are spelled out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from chat.core.marker_events import Cite, Dropped
from chat.core.markers import MarkerParser

# Private use, what turns the direction of writing, and control characters: none of them has a picture of its own.
_RESERVED = re.compile("[\ue200-\uf8ff\u202a-\u202e\u2066-\u2069\x00-\x08\x0b-\x1f\x7f-\x9f]")


class PieceKind(StrEnum):
    """What became of a piece of raw output."""

    TEXT = "text"
    CITED = "cited"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of raw output; `start` is its code-point offset in it, `text` is fit to be shown."""

    kind: PieceKind
    start: int
    text: str


def raw_pieces(raw: str, known_ids: Iterable[str], *, numbered: bool) -> list[Piece]:
    """Return the raw output cut at its markers, in order and without loss."""
    pieces: list[Piece] = []
    place = 0
    for kind, marker in _markers(raw, list(known_ids), numbered=numbered):
        start = raw.find(marker, place)
        if start < 0:
            # Markers in code come out behind it; what stands there was passed already.
            continue
        pieces += _piece(PieceKind.TEXT, place, raw[place:start])
        pieces += _piece(kind, start, marker)
        place = start + len(marker)
    return [*pieces, *_piece(PieceKind.TEXT, place, raw[place:])]


def spelled_out(text: str) -> str:
    """Return text whose invisible characters are written as their numbers; joiners, which words need, stay."""
    return _RESERVED.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def _markers(raw: str, known_ids: list[str], *, numbered: bool) -> list[tuple[PieceKind, str]]:
    parser = MarkerParser(known_ids, numbered=numbered)
    found: list[tuple[PieceKind, str]] = []
    for event in [*parser.feed(raw), *parser.flush()]:
        if isinstance(event, Cite):
            found.append((PieceKind.CITED, event.raw))
        elif isinstance(event, Dropped) and event.raw:
            found.append((PieceKind.DROPPED, event.raw))
    return found


def _piece(kind: PieceKind, start: int, text: str) -> list[Piece]:
    return [Piece(kind, start, spelled_out(text))] if text else []
