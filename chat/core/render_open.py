"""The open end of a streamed answer, kept up with the growing text at the cost of what is new.

The cheapest way that gives the same HTML is taken: words added to the last line only make its text longer; a new
line is read together with the last item or row, and the ones before keep their HTML; all else is read anew.
Offsets are places in the open source.
"""

from collections.abc import Sequence

from markdown_it.common.utils import MD_TRIM_CHARS

from chat.core.render_calm import without_table_head
from chat.core.render_chips import PAGE, Placed
from chat.core.render_direction import Direction, block_direction
from chat.core.render_growing import GrowingText
from chat.core.render_html import BlockWriter, Texts, write_blocks
from chat.core.render_last import (
    LastBlock,
    Leaf,
    are_rows,
    count_until,
    first_word,
    has_ended,
    is_in_reach,
    is_same_list,
    only_grows,
    part_keeps_direction,
    text_keeps_direction,
)
from chat.core.render_parse import Block, parse_blocks
from chat.core.render_seam import Seam, loose, rows_like, seam_of


class _OpenWriter(BlockWriter):
    """Writes the last block all but its last text, which grows."""

    def __init__(self, block: Block, texts: Texts, direction: Direction) -> None:
        super().__init__(block, texts, direction)
        leaf = next((i for i in reversed(range(len(block.tokens))) if "place" in block.tokens[i].meta), -1)
        self.last = leaf if leaf >= 0 and block.tokens[leaf].type == "inline" else -1
        self.chips: tuple[Placed, ...] = ()

    def text(self, index: int, content: str, chips: tuple[Placed, ...]) -> str:
        if index != self.last:
            return super().text(index, content, chips)
        self.chips = chips
        return ""


class OpenTexts(Texts):
    """Writes the texts of the open blocks once."""

    def __init__(self) -> None:
        super().__init__(PAGE)
        self.growing = GrowingText(PAGE)
        self._known: dict[tuple[str, tuple[Placed, ...]], str] = {}

    def html(self, content: str, chips: tuple[Placed, ...]) -> str:
        """Return the HTML of a text that nothing is added to any more."""
        found = self._known.get((content, chips))
        if found is None:
            grown = self.growing.knows(content, chips)
            found = (
                self.growing.write(content, chips, calmly=False) if grown else super().html(content, chips)
            )
            self._known[content, chips] = found
        return found

    def forget(self) -> None:
        """Let go of what is closed."""
        self._known.clear()


class OpenEnd:
    """Writes the blocks that may still change."""

    def __init__(self) -> None:
        self.texts = OpenTexts()
        self._last: LastBlock | None = None

    def forget(self) -> None:
        """Begin with other blocks."""
        self.texts.forget()
        self._last = None

    def renew(self, blocks: Sequence[Block], placed: Sequence[Placed], *, calmly: bool) -> str:
        """Return the HTML of parsed blocks; the end of the text is made to look calm if `calmly`."""
        self._last = None
        if not blocks:
            return "".join(write_blocks(blocks, placed, self.texts))
        *before, block = blocks
        ahead = count_until(placed, block.start) if before else 0
        prior = "".join(write_blocks(before, placed[:ahead], self.texts)) if before else ""
        self._last = LastBlock(
            block.tokens[0].type, block.line, prior, block_direction(block.tokens), loose(block)
        )
        return self._write(
            self._last, block, seam_of(block), block.origin, placed[ahead:], ahead, calmly=calmly
        )

    def grow(self, settled: str, placed: Sequence[Placed], *, calmly: bool) -> str | None:
        """Return the HTML of the grown source, or None if it must be read anew."""
        last = self._last
        if last is None or (last.prior and "\n" in settled[last.begin :]):
            return None
        for way in (self._longer, self._more_rows, self._next_line):
            html = way(last, settled, placed, calmly=calmly)
            if html is not None:
                return html
        return None

    def _longer(self, last: LastBlock, settled: str, placed: Sequence[Placed], *, calmly: bool) -> str | None:
        """Make the last text longer, if that is all that was added."""
        leaf = last.leaf
        if leaf is None or not only_grows(last, leaf, settled):
            return None
        content = (leaf.content + settled[leaf.end :]).rstrip(MD_TRIM_CHARS)
        chips = leaf.chips(placed, len(content))
        if len(placed) - len(chips) != leaf.ahead or not text_keeps_direction(last, leaf, content):
            return None
        return self._leaf_html(leaf, content, chips, calmly=calmly)

    def _leaf_html(self, leaf: Leaf, content: str, chips: Sequence[Placed], *, calmly: bool) -> str:
        shown = without_table_head(content) if calmly and not leaf.in_table else content
        return leaf.before + self.texts.growing.write(shown, chips, calmly=calmly) + leaf.after

    def _more_rows(
        self, last: LastBlock, settled: str, placed: Sequence[Placed], *, calmly: bool
    ) -> str | None:
        """Cut the last row and those after it into their cells, if all that was added belongs to the table's rows."""
        text = settled[last.unit :].removesuffix("\n")
        if not last.row or not are_rows(text):
            return None
        rows = rows_like(last.row, text, last.lead)
        return self._read_again(last, *rows, last.unit, placed, calmly) if rows else None

    def _next_line(
        self, last: LastBlock, settled: str, placed: Sequence[Placed], *, calmly: bool
    ) -> str | None:
        """Read the last item or row again with what was added."""
        if last.unit < 0 or last.kind == "paragraph_open" or has_ended(last.kind, settled[last.unit :]):
            return None
        shift = last.unit - len(last.lead)
        blocks = parse_blocks(last.lead + settled[last.unit :])
        if len(blocks) != 1 or blocks[0].tokens[0].type != last.kind:
            return None
        seam = seam_of(blocks[0])
        if seam is None or (last.kind != "table_open" and not is_same_list(last, blocks[0], shift)):
            return None
        return self._read_again(last, blocks[0], seam, shift, placed, calmly)

    def _read_again(
        self, last: LastBlock, block: Block, seam: Seam, shift: int, placed: Sequence[Placed], calmly: bool
    ) -> str | None:
        """Write the part that was read again, unless chips or its direction reach beyond it."""
        chips = placed[last.ahead :]
        first = shift + first_word(block.source, last.unit - shift)
        if count_until(placed, first) != last.ahead or not part_keeps_direction(last, block, seam):
            return None
        if not is_in_reach(block, seam, [(at - shift, chip) for at, chip in chips]):
            return None
        return self._write(last, block, seam, shift, chips, last.ahead, calmly=calmly)

    def _write(
        self,
        last: LastBlock,
        block: Block,
        seam: Seam | None,
        shift: int,
        chips: Sequence[Placed],
        ahead: int,
        *,
        calmly: bool,
    ) -> str:
        """Write the last block or the part of it that was read; put aside what can't change any more.

        `shift` is what the block's own offsets lack; `ahead` chips stand before `chips`.
        """
        writer = _OpenWriter(block, self.texts, last.direction)
        pieces = writer.pieces([(at - shift, chip) for at, chip in chips])
        if seam:
            last.put_aside(block, shift, pieces, seam)
            # Chips before the first text of all belong to it: there is none before it.
            last.ahead = ahead
            if last.has_text:
                last.ahead += count_until(chips, shift + first_word(block.source, seam.unit))
        before = last.prior + last.opening + last.frozen
        begin = seam.cut if seam else 0
        last.leaf = None
        if writer.last < 0:
            return before + "".join(pieces[begin:])
        token, own = block.tokens[writer.last], writer.chips
        last.leaf = Leaf(
            content=token.content,
            place=token.meta["place"],
            shift=shift,
            before=before + "".join(pieces[begin : writer.last]),
            after="".join(pieces[writer.last + 1 :]),
            closing=block.tokens[writer.last + 1].type,
            lead=tuple(pair for pair in own if pair[0] == 0),
            ahead=ahead + len(chips) - len(own),
        )
        return self._leaf_html(last.leaf, token.content, own, calmly=calmly)
