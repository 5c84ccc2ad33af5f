"""Read the marker cases and run the parser on them; shared by the marker tests."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from chat.core.markers import Cite, Dropped, Event, MarkerParser, Text

IDS = ("block_k7m2", "block_p9q4", "turn0file1", "handbook.v2-14")
_CASES = Path(__file__).parent / "cases" / "markers"

Place = tuple[int, tuple[tuple[str, str | None], ...]]


@dataclass(frozen=True)
class Case:
    """A raw answer and what must come of it: `places` are code-point offsets with (id, lines) pairs."""

    name: str
    raw: str
    clean: str
    places: tuple[Place, ...]
    repair: str | None
    reason: str | None


@dataclass(frozen=True)
class Result:
    """What the parser made of an answer."""

    clean: str
    places: tuple[Place, ...]
    cites: tuple[Cite, ...]
    dropped: tuple[Dropped, ...]


def cases(file: str) -> list[Case]:
    """Return the cases of one file; a case without `clean` stays as it is and cites nothing."""
    lines = (_CASES / f"{file}.jsonl").read_text(encoding="utf-8").split("\n")
    return [_case(json.loads(line)) for line in lines if line]


def _case(row: dict[str, str]) -> Case:
    return Case(
        name=row["name"],
        raw=row["raw"],
        clean=row.get("clean", row["raw"]),
        places=tuple(_places(row.get("cites", ()))),
        repair=row.get("repair"),
        reason=row.get("reason"),
    )


def _places(rows: Sequence[object]) -> Iterator[Place]:
    for row in rows:
        assert isinstance(row, dict)
        yield row["at"], tuple((source_id, lines) for source_id, lines in row["refs"])


def events_of(pieces: Sequence[str], ids: Sequence[str] = IDS) -> list[Event]:
    """Return the parser's events with adjacent texts joined."""
    parser = MarkerParser(ids)
    events: list[Event] = []
    for piece in pieces:
        events += parser.feed(piece)
    joined: list[Event] = []
    for event in events + parser.flush():
        if isinstance(event, Text) and joined and isinstance(joined[-1], Text):
            joined[-1] = Text(joined[-1].text + event.text)
        else:
            joined.append(event)
    return joined


def parse(*pieces: str, ids: Sequence[str] = IDS) -> Result:
    """Run the parser over an answer in pieces."""
    clean, places, cites, dropped = "", [], [], []
    for event in events_of(pieces, ids):
        if isinstance(event, Text):
            clean += event.text
        elif isinstance(event, Cite):
            refs = tuple((ref.source_id, str(ref.lines) if ref.lines else None) for ref in event.refs)
            places.append((len(clean), refs))
            cites.append(event)
        else:
            dropped.append(event)
    return Result(clean, tuple(places), tuple(cites), tuple(dropped))
