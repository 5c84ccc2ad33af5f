"""Put a provider's annotations into a finished answer, and take the provider's own marks out of it."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from chat.core.cited import Annotated, Citation, source_key
from chat.core.hosted import insertion_point
from chat.core.positions import utf16_length
from sources.core.passages import Passage

_ADDRESS = r"\((?:[^()\s]|\([^()\s]*\))*\)"
_LINK = rf"\[[^\[\]\n]{{1,300}}\]{_ADDRESS}"
# What providers write where a citation belongs: ([host](address)), [[1]](address), [1], [^1], [doc1], 【…】.
# A link without brackets around it may be a part of the sentence, so it stays.
_MARK = re.compile(
    "|".join(
        (
            rf"\({_LINK}(?:[,;] ?{_LINK}){{0,20}}\)",
            rf"\[\[[^\[\]\n]{{1,60}}\]\]{_ADDRESS}",
            r"\[(?:\^|doc)?\d{1,3}\]",
            r"\u3010[^\u3010\u3011\n]{1,80}\u3011",
        )
    )
)
_SPACES = " \t\u00a0"
_CLOSING = frozenset(".,;:!?)]}»”’…。，、；：！？）】」』،؛؟۔|\r\n")


@dataclass(frozen=True, slots=True)
class _Cuts:
    """The spans that leave the text, in order, none touching another."""

    spans: Sequence[tuple[int, int]]

    def apply(self, text: str) -> str:
        """Return the text without the spans."""
        done, parts = 0, []
        for start, end in self.spans:
            parts.append(text[done:start])
            done = end
        return "".join([*parts, text[done:]])

    def moved(self, position: int) -> int:
        """Return where a position is afterwards; one inside a span is where the span was."""
        gone = sum(min(end, position) - start for start, end in self.spans if start < position)
        return position - gone


def attached(
    text: str,
    citations: Sequence[Citation],
    annotations: Iterable[Annotated],
    mint_id: Callable[[int], str],
) -> tuple[str, list[Citation]]:
    """Return the text without the providers' marks and all citations by place; their numbers are to be made anew."""
    found, taken, marks, marked = list(citations), 0, [], set()
    for item in sorted(annotations, key=_by_place):
        start, end = sorted(min(max(place, 0), len(text)) for place in (item.start, item.end))
        if _MARK.fullmatch(text[start:end].strip(_SPACES)):
            marks.append((start, end))
            marked.add(end)
        start = max(start, taken)
        taken = end = max(start, end)
        if not any(c.position == end and source_key(c.source) == source_key(item.source) for c in found):
            found.append(_citation(item, mint_id(len(found)), start, end))
    cuts = _Cuts([_with_space(text, *run) for run in _runs(text, marks)])
    clean = cuts.apply(text)
    found = [_moved(citation, cuts, clean, marked=citation.position in marked) for citation in found]
    # The sort is stable: at one place our own citations stay first, in their order.
    return clean, sorted(found, key=lambda citation: citation.position)


def _by_place(item: Annotated) -> tuple[int, int]:
    return min(item.start, item.end), max(item.start, item.end)


def _citation(item: Annotated, citation_id: str, start: int, end: int) -> Citation:
    passage = item.source if isinstance(item.source, Passage) else None
    return Citation(
        citation_id=citation_id,
        number=0,
        position=end,
        position_utf16=0,
        source=item.source,
        lines=None,
        start=passage.start if passage else 0,
        end=passage.end if passage else 0,
        quote=item.source.text,
        repaired_from=None,
        covers=(start, end),
    )


def _moved(citation: Citation, cuts: _Cuts, text: str, *, marked: bool) -> Citation:
    position = cuts.moved(citation.position)
    if marked:
        # Providers set their marks before the punctuation that ends the sentence, we behind it.
        position = insertion_point(text, position).start
    covers = citation.covers
    return replace(
        citation,
        position=position,
        position_utf16=utf16_length(text[:position]),
        covers=(cuts.moved(covers[0]), cuts.moved(covers[1])) if covers else None,
    )


def _with_space(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a mark by the spaces before it that would be left over."""
    before = text[:start].rstrip(_SPACES)
    if end == len(text) or text[end] in _CLOSING or text[end] in _SPACES:
        start = len(before)
    return start, end


def _runs(text: str, marks: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join the marks that follow each other with at most spaces between."""
    runs: list[tuple[int, int]] = []
    for start, end in sorted(marks):
        if runs and not text[runs[-1][1] : start].strip(_SPACES):
            runs[-1] = (runs[-1][0], max(end, runs[-1][1]))
        else:
            runs.append((start, end))
    return runs
