"""Where in the source the content of each leaf stands.

A leaf is a block's text, a table cell, or a piece of code. markdown-it keeps only line numbers; its
line marks, which know what belongs to lists and quotes, hold only while a rule runs. So the place is noted in
`token.meta["place"]` as soon as a rule has taken its lines (`render_rules_block`).
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.rules_block.state_block import StateBlock
from markdown_it.token import Token

_BAR = re.compile(r"(?<!\\)\|")
_ESCAPED_BAR = re.compile(r"\\\|")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a leaf's content stands in the source.

    `runs` are pairs (content offset, source offset), each valid up to the next; a content such as a
    list item's or a table cell's isn't one slice of the source. `start` and `end` bound the leaf.
    """

    start: int
    end: int
    runs: tuple[tuple[int, int], ...] = ()

    def content_offset(self, source: int, length: int) -> int:
        """Translate a source offset into the content of `length` characters, cut to its bounds."""
        index = bisect_right(self.runs, source, key=lambda run: run[1]) - 1
        if index < 0:
            return 0
        content, begin = self.runs[index]
        limit = self.runs[index + 1][0] if index + 1 < len(self.runs) else length
        return max(0, min(content + source - begin, limit, length))

    def source_offset(self, content: int) -> int:
        """Translate a content offset to the source; where two runs meet, to the end of the first."""
        index = max(0, bisect_left(self.runs, content, key=lambda run: run[0]) - 1)
        begin, source = self.runs[index]
        return source + content - begin


def _line_text(state: StateBlock, line: int) -> tuple[int, int]:
    """Return where the line's text starts and ends, without what belongs to lists and quotes."""
    return state.bMarks[line] + state.tShift[line], state.eMarks[line]


def note_prose(state: StateBlock, tokens: list[Token]) -> None:
    """Note the place of a paragraph's or an underlined heading's text."""
    for token in tokens:
        if token.type == "inline" and token.map:
            token.meta["place"] = _prose_place(state, token.map[0], token.content)


def _prose_place(state: StateBlock, first_line: int, content: str) -> Place:
    if "\n" not in content:
        start, end = _line_text(state, first_line)
        start += _trimmed_before(state.src[start:end])
        return Place(start, min(end, start + len(content)), ((0, start),))
    runs: list[tuple[int, int]] = []
    offset = end = 0
    for index, line in enumerate(content.split("\n")):
        start, end = _line_text(state, first_line + index)
        indent = len(line) - len(line.lstrip(" \t"))
        if index == 0:
            start += _trimmed_before(state.src[start:end])
        runs.append((offset + indent, start))
        end = min(end, start + len(line) - indent)
        offset += len(line) + 1
    return Place(runs[0][1], end, tuple(runs))


def _trimmed_before(text: str) -> int:
    return len(text) - len(text.lstrip(MD_TRIM_CHARS))


def note_heading(state: StateBlock, tokens: list[Token]) -> None:
    """Note the place of the text between a heading's signs."""
    opening, content = tokens[0], tokens[1]
    line = (opening.map or [0])[0]
    start, end = _line_text(state, line)
    start += len(opening.markup)
    start += _trimmed_before(state.src[start:end])
    start = min(start, end)
    content.meta["place"] = Place(start, start + len(content.content), ((0, start),))


def note_whole(state: StateBlock, tokens: list[Token]) -> None:
    """Note the place of code and the like, which has no text that a chip could stand in."""
    lines = tokens[0].map or [0, 1]
    start, _ = _line_text(state, lines[0])
    tokens[0].meta["place"] = Place(start, state.eMarks[lines[1] - 1])


def note_table(state: StateBlock, tokens: list[Token]) -> None:
    """Note the place of each cell that is written in the source."""
    places: list[Place] = []
    for token in tokens:
        if token.type == "tr_open" and token.map:
            places = _cells(state, token.map[0])
        elif token.type == "inline" and places:
            token.meta["place"] = places.pop(0)


def _cells(state: StateBlock, line: int) -> list[Place]:
    start, end = _line_text(state, line)
    return cells(state.src[start:end], start)


def cells(row: str, start: int) -> list[Place]:
    """Return the places of the cells of a row that begins at `start`, cut as markdown-it's table rule cuts them."""
    start += _trimmed_before(row)
    row = row.strip(MD_TRIM_CHARS)
    bars = _bars(row)
    edges = list(zip([0, *(bar + 1 for bar in bars)], [*bars, len(row)], strict=True))
    if edges and edges[0][0] == edges[0][1]:
        edges.pop(0)
    if edges and edges[-1][0] == edges[-1][1]:
        edges.pop()
    return [_cell_place(row[left:right], start + left) for left, right in edges]


def cell_text(source: str, place: Place) -> str:
    """Return the content of a cell at a place of the source."""
    return source[place.start : place.end].replace("\\|", "|")


def _bars(row: str) -> list[int]:
    return [bar.start() for bar in _BAR.finditer(row)]


def _cell_place(raw: str, start: int) -> Place:
    """A cell's content is its source without the backslash before each bar."""
    lead = raw.lstrip(MD_TRIM_CHARS)
    text = lead.rstrip(MD_TRIM_CHARS)
    if not text:
        return Place(start, start, ((0, start),))
    start += len(raw) - len(lead)
    runs = [(0, start)]
    if "\\" in text:
        for lost, escaped in enumerate(_ESCAPED_BAR.finditer(text)):
            runs.append((escaped.start() - lost, start + escaped.end() - 1))
    return Place(start, start + len(text), tuple(runs))
