"""The last block of a streamed answer as it was read last, and what the text added to it may mean for it.

Offsets are places in the open source.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from chat.core.render_calm import is_decided
from chat.core.render_chips import Placed
from chat.core.render_direction import RIGHT_TO_LEFT, Direction, Strong, strong, text_of, without_code
from chat.core.render_html import stands_before
from chat.core.render_parse import LIST_PART, Block, parse_blocks
from chat.core.render_places import Place
from chat.core.render_seam import Seam, loose, loosen, seam_of

_AFTER_TABLE = re.compile(r"\n[ \t]*\n\s*\S")
_AFTER_LIST = re.compile(r"\n[ \t]*\n(?=[^\s\d*+-])")


@dataclass(frozen=True, slots=True)
class Leaf:
    """The last text, with the HTML around it; `closing` is the type of the token behind it.

    `lead` are its chips that stand before its first character; `ahead` counts the chips that are not its own.
    `shift` is what the offsets of `place` lack.
    """

    content: str
    place: Place
    shift: int
    before: str
    after: str
    closing: str
    lead: tuple[Placed, ...]
    ahead: int

    @property
    def end(self) -> int:
        """Where the content ends in the source."""
        begin, source = self.place.runs[-1]
        return self.shift + source + len(self.content) - begin

    @property
    def in_table(self) -> bool:
        return self.closing in ("td_close", "th_close")

    def chips(self, placed: Sequence[Placed], length: int) -> tuple[Placed, ...]:
        """Return its chips when its content has grown to `length`."""
        first = count_until(placed, self.shift + self.place.start)
        own = [(self.place.content_offset(at - self.shift, length), chip) for at, chip in placed[first:]]
        return (*self.lead, *own)


@dataclass(slots=True)
class LastBlock:
    """The last block. Its items or rows before `unit` are `frozen`: HTML with `ahead` chips in or before it.

    `strong` counts their text and a table's head; `has_text` tells whether there is any for chips to stand behind;
    `loose` tells whether the list so far is (None: it can't be told). `begin` is where the block begins and `prior`
    the HTML of the blocks before it. A `unit` of -1 says that all must be read anew.
    """

    kind: str
    begin: int
    prior: str
    direction: Direction
    loose: bool | None
    opening: str = ""
    frozen: str = ""
    lead: str = ""
    unit: int = -1
    ahead: int = 0
    strong: Strong = field(default_factory=Strong)
    has_text: bool = False
    leaf: Leaf | None = None
    row: Sequence[Token] = ()

    def put_aside(self, block: Block, shift: int, pieces: Sequence[str], seam: Seam) -> None:
        """Keep the HTML of what can't change any more."""
        begin = seam.opening if self.opening else 0
        self.opening = self.opening or "".join(pieces[: seam.opening])
        self.frozen += "".join(pieces[seam.opening : seam.cut])
        self.has_text |= any("place" in token.meta for token in block.tokens[begin : seam.cut])
        self.lead, self.unit = seam.lead, shift + seam.unit
        self.row = block.tokens[seam.cut :] if seam.lead else ()
        if self.direction.mixed:
            self.strong += strong(text_of(block.tokens[begin : seam.cut]))


def count_until(placed: Sequence[Placed], offset: int) -> int:
    """Return how many chips stand at an offset or before it."""
    return bisect_right(placed, offset, key=lambda pair: pair[0])


def first_word(source: str, line: int) -> int:
    """Return the place of the first character of a line that is no space."""
    rest = source[line:]
    return line + len(rest) - len(rest.lstrip(" \t"))


def only_grows(last: LastBlock, leaf: Leaf, settled: str) -> bool:
    """Tell whether what was added only makes the last text longer."""
    added = settled[leaf.end :]
    if not leaf.content or not is_decided(leaf.content):
        return False
    if "\n" in added:
        return _carries_on(last, settled)
    if may_be_maths(settled[settled.rfind("\n") + 1 :]):
        return False
    if leaf.in_table:
        return not ("|" in added or "\\" in leaf.content[-1:] + added)
    return not (leaf.closing == "heading_close" and "#" in added)


def may_be_maths(line: str) -> bool:
    """Tell whether a line may become a block of maths with its next characters, or stop being one."""
    return "$$" in line or "\\[" in line


def are_rows(text: str) -> bool:
    """Tell at a glance whether lines that begin with a table's row are rows: a bar begins nothing else."""
    return not may_be_maths(text) and all(line.startswith("|") for line in text.split("\n")[1:])


def has_ended(kind: str, added: str) -> bool:
    """Tell at a glance what most often ends a list or a table: a blank line with no item after it."""
    return (_AFTER_TABLE if kind == "table_open" else _AFTER_LIST).search(added) is not None


def _carries_on(last: LastBlock, settled: str) -> bool:
    """Tell whether new lines belong to the paragraph before them: they do if they do to its last line."""
    if last.kind != "paragraph_open" or last.unit < 0:
        return False
    blocks = parse_blocks(settled[last.unit :])
    seam = seam_of(blocks[0]) if len(blocks) == 1 and blocks[0].tokens[0].type == last.kind else None
    if seam:
        last.unit += seam.unit
    return seam is not None


def text_keeps_direction(last: LastBlock, leaf: Leaf, content: str) -> bool:
    if not last.direction.mixed:
        return not RIGHT_TO_LEFT.search(content, len(leaf.content))
    whole = last.kind in ("paragraph_open", "heading_open")
    return whole and strong(without_code(content)).direction == last.direction


def part_keeps_direction(last: LastBlock, block: Block, seam: Seam) -> bool:
    text = text_of(block.tokens[seam.opening :])
    if last.direction.mixed:
        return (last.strong + strong(text)).direction == last.direction
    return not RIGHT_TO_LEFT.search(text)


def is_same_list(last: LastBlock, block: Block, shift: int) -> bool:
    """Tell whether the items are paragraphs or not as those before them, and the list needn't be cut."""
    if any(shift + item - last.begin >= LIST_PART for item in block.items[1:]):
        return False
    now = loose(block)
    if not last.frozen:
        last.loose = now
        return True
    if now is None or last.loose is None or (now and not last.loose):
        return False
    if last.loose:
        loosen(block)
    return True


def is_in_reach(block: Block, seam: Seam, chips: Sequence[Placed]) -> bool:
    """Tell whether all chips belong to the part that was read, and none to the text before it."""
    leaf = next((token for token in block.tokens[seam.opening :] if "place" in token.meta), None)
    if leaf is None:
        return not chips
    start = leaf.meta["place"].start
    return all(at > start or stands_before(block.source, at, start) for at, _ in chips)
