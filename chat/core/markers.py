"""Read the markers out of a model's answer while it streams.

    parser = MarkerParser(block_ids)
    for piece in stream:
        for event in parser.feed(piece): ...
    for event in parser.flush(): ...

Four steps, each incremental: `marker_private` lifts what the reserved characters delimit, `marker_scan` reads
the rest as Markdown and repairs the soft forms, `marker_hulls` takes emphasis away that held nothing else, and
`marker_spacing` cleans the spaces around what was lifted.
docs/citations.md has the grammar and the table of repairs.
"""

from collections.abc import Sequence

from chat.core.marker_events import Cite, Dropped, DropReason, Event, Mark, Ref, Repair, Run, Text
from chat.core.marker_hulls import Hulls
from chat.core.marker_ids import OfferedIds
from chat.core.marker_private import PrivateMarkers
from chat.core.marker_scan import MarkdownScan
from chat.core.marker_spacing import Spacing

__all__ = ["Cite", "DropReason", "Dropped", "Event", "MarkerParser", "Ref", "Repair", "Text"]

_STRIDE = 1_024


class MarkerParser:
    """Turn pieces of a model's answer into words to show, citations, and what was dropped.

    Any slicing of the answer gives the same events once adjacent `Text`s are joined. No `Text` holds one of
    U+E200 to U+E206. At most 512 code points are held back at any moment. Time is linear.
    `numbered=False` says that numbers such as [1] mean the provider's own sources, so they name no block.
    """

    def __init__(self, known_ids: Sequence[str], *, numbered: bool = True) -> None:
        self._ids = OfferedIds(known_ids, numbered=numbered)
        self._private = PrivateMarkers(self._ids)
        self._scan = MarkdownScan(self._ids)
        self._hulls = Hulls()
        self._spacing = Spacing()

    def offer(self, source_id: str) -> None:
        """Accept one more id, which a hosted tool returned in the course of this same response."""
        self._ids.add(source_id)

    def feed(self, piece: str) -> list[Event]:
        """Take a piece of the answer and return the events that are settled."""
        events: list[Event] = []
        # Strides keep one huge piece as cheap as many small ones.
        for start in range(0, len(piece), _STRIDE):
            events += self._through(self._private.feed(piece[start : start + _STRIDE]))
        return events

    def flush(self) -> list[Event]:
        """End the answer and return the remaining events; a marker that the end cut off is dropped."""
        events = self._through(self._private.flush())
        events += self._spacing.feed(self._hulls.feed(self._scan.flush()) + self._hulls.flush())
        return events + self._spacing.flush()

    @property
    def held(self) -> int:
        """Code points that are held back now; never more than 512."""
        return self._private.held + self._scan.held + self._hulls.held + self._spacing.held

    def clean_offset(self, raw_offset: int) -> int:
        """Return where the raw answer's `raw_offset` is in the clean text, in code points; after `flush`."""
        for step in (self._private, self._scan, self._hulls, self._spacing):
            raw_offset = step.offsets.after(raw_offset)
        return raw_offset

    def _through(self, items: list[Run | Mark]) -> list[Event]:
        return self._spacing.feed(self._hulls.feed(self._scan.feed(items)))
