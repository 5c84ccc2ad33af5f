"""Markdown parsed without any sign of the chips, with a source place on every piece of text.

The usual way to carry chips through Markdown is a sentinel character in the source; it changes what
stands beside it (flanking, fences, table rows, link targets) and can be forged. Here the parser sees
the bare text, so chips can't change the structure, and each token knows where in the source it came
from, so a chip finds its place afterwards.

Raw HTML and reference definitions are off. The second because a later line could otherwise change an
earlier block, which a stream has already sent.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block.state_block import StateBlock
from markdown_it.token import Token

from chat.core.render_chips import is_web_address
from chat.core.render_rules_block import DEEPEST, BlockRules, underlines
from chat.core.render_rules_inline import InlineRules


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block between the offsets `line` and `end`, its first character at `start`.

    Token places are offsets into `source`, which begins at `origin`. A long list comes as several
    blocks, so that a stream can close its parts: `number` is what a later part's first item counts
    as, and 0 in every other block.
    """

    tokens: tuple[Token, ...]
    source: str
    origin: int
    line: int
    start: int
    end: int
    number: int = 0
    items: tuple[int, ...] = ()

    def moved(self, by: int) -> "Block":
        """Return the block in a text of which the first `by` characters are gone."""
        return replace(
            self,
            origin=self.origin - by,
            line=self.line - by,
            start=self.start - by,
            end=self.end - by,
            items=tuple(item - by for item in self.items),
        )


# A list longer than this, in characters, is cut before its next item.
LIST_PART = 2_000


def parse_blocks(source: str, number: int = 0) -> list[Block]:
    """Cut a folded source into top-level blocks. Inline content is left for `parse_inline`.

    `number` is the first block's, when `source` begins in the middle of a long list.
    """
    blocks: list[Block] = []
    for block in _parse(source, 0):
        blocks.extend(_parts(block, 0 if blocks else number))
    return blocks


def _parse(source: str, origin: int) -> list[Block]:
    tokens: list[Token] = []
    state = StateBlock(source, _PARSER, underlines(source), tokens)
    _PARSER.block.tokenize(state, 0, state.lineMax)
    blocks: list[Block] = []
    begin = 0
    for index, token in enumerate(tokens):
        if token.level == 0 and token.nesting <= 0:
            blocks.append(_block(state, origin, tuple(tokens[begin : index + 1])))
            begin = index + 1
    return blocks


def _block(state: StateBlock, origin: int, tokens: tuple[Token, ...]) -> Block:
    first, end = tokens[0].map or [0, 0]
    line = origin + state.bMarks[first]
    items = [
        origin + state.bMarks[token.map[0]]
        for token in tokens
        if token.level == 1 and token.type == "list_item_open" and token.map
    ]
    return Block(
        tokens,
        state.src,
        origin,
        line,
        line + state.tShift[first],
        origin + state.bMarks[end],
        0,
        tuple(items),
    )


def _parts(block: Block, number: int) -> Iterator[Block]:
    """Cut a long list. Each part is parsed by itself, because one blank line makes a whole list loose."""
    if not block.items or block.end - block.line <= LIST_PART:
        yield replace(block, number=number) if number else block
        return
    first = number or int(block.tokens[0].attrs.get("start", 1))
    begin = block.line
    for count, item in enumerate(block.items):
        if item - begin >= LIST_PART:
            yield _part(block, begin, item, number)
            begin, number = item, first + count
    yield _part(block, begin, block.end, number)


def _part(block: Block, begin: int, end: int, number: int) -> Block:
    (part,) = _parse(block.source[begin - block.origin : end - block.origin], begin)
    return replace(part, number=number)


def parse_inline(content: str) -> list[Token]:
    """Parse a leaf's content; each token has `meta["at"]`, its half-open span in `content`."""
    return _PARSER.inline.parse(content, _PARSER, {}, [])


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("default", {"html": False, "linkify": False, "maxNesting": DEEPEST})
    parser.block = BlockRules()
    parser.inline = InlineRules()
    parser.validateLink = is_web_address  # type: ignore[method-assign]  # the documented way
    # The link at the end of a growing text is read again with each piece.
    parser.normalizeLink = lru_cache(256)(parser.normalizeLink)  # type: ignore[method-assign]
    return parser


_PARSER = _make_parser()
