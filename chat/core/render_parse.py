"""Markdown parsed without any sign of the chips, with a source place on every piece of text.

The usual way to carry chips through Markdown is a sentinel character in the source; it changes what
stands beside it (flanking, fences, table rows, link targets) and can be forged. Here the parser sees
the bare text, so chips can't change the structure, and each token knows where in the source it came
from, so a chip finds its place afterwards.

Raw HTML and reference definitions are off. The second because a later line could otherwise change an
earlier block, which a stream has already sent.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import fence, heading, hr, lheading, paragraph, table
from markdown_it.rules_block.code import code
from markdown_it.rules_block.state_block import StateBlock
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from chat.core.render_chips import is_web_address
from chat.core.render_maths import inline_maths, maths_block
from chat.core.render_places import note_heading, note_prose, note_table, note_whole, placed

# Lists and quotes inside each other; each takes three frames of Python's stack.
_DEEPEST = 60
# CJK symbols, kana, Bopomofo, ideographs, Hangul, full-width forms.
_EAST_ASIAN = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


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
    state = StateBlock(source, _PARSER, {}, tokens)
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
        yield replace(block, number=number)
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


class _PlacedState(StateInline):
    """Notes where each token came from. A token cut from plain text is marked verbatim."""

    def __init__(self, src: str, md: MarkdownIt, env: EnvType, out_tokens: list[Token]) -> None:
        super().__init__(src, md, env, out_tokens)
        self._pending_from = 0

    def append_pending(self, text: str) -> None:
        if not self.pending:
            self._pending_from = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:
        token = super().pushPending()
        token.meta["at"] = (self._pending_from, self._pending_from + len(token.content))
        token.meta["verbatim"] = True
        return token

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        """Let marks open and close beside Chinese, Japanese and Korean, which put no space there.

        CommonMark leaves `**粗体。**文字` as it is. The rule is that of markdown-cjk-friendly.
        """
        scanned = super().scanDelims(start, canSplitWord)
        end = start + scanned.length
        before, after = self.src[max(0, start - 1) : start], self.src[end : min(end + 1, self.posMax)]
        if not canSplitWord or not before.strip() or not after.strip():
            return scanned
        can_open = scanned.can_open or _EAST_ASIAN.match(before) is not None
        can_close = scanned.can_close or _EAST_ASIAN.match(after) is not None
        return Scanned(can_open, can_close, scanned.length)


class _PlacedInline(ParserInline):
    """The inline parser with the rule's span on every token that the rule made."""

    def tokenize(self, state: StateInline) -> None:
        rules = self.ruler.getRules("")
        limit = state.md.options["maxNesting"]
        end = state.posMax
        while state.pos < end:
            begin, before = state.pos, len(state.tokens)
            if state.level >= limit or not any(rule(state, False) for rule in rules):
                state.append_pending(state.src[state.pos])
                state.pos += 1
            for token in state.tokens[before:]:
                token.meta.setdefault("at", (begin, state.pos))
        if state.pending:
            state.pushPending()

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = _PlacedState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _image(state: StateInline, silent: bool) -> bool:
    """Read an image without parsing its label, which nests as deep as a hostile text likes."""
    begin = state.pos
    if not state.src.startswith("![", begin):
        return False
    label_end = state.md.helpers.parseLinkLabel(state, begin + 1, False)
    if label_end < 0 or not state.src.startswith("(", label_end + 1):
        return False
    href, end = _destination(state, label_end + 2)
    if end < 0 or not is_web_address(href):
        return False
    if not silent:
        token = state.push("image", "", 0)
        token.attrs = {"src": href}
        token.content = state.src[begin + 2 : label_end]
    state.pos = end
    return True


def _destination(state: StateInline, pos: int) -> tuple[str, int]:
    """Read `address "title")` and return the address and the place after it, or -1."""
    helpers, source, limit = state.md.helpers, state.src, state.posMax
    address = helpers.parseLinkDestination(source, _skip_space(state, pos), limit)
    if not address.ok:
        return "", -1
    pos = _skip_space(state, address.pos)
    title = helpers.parseLinkTitle(source, pos, limit)
    if title.ok and pos != address.pos:
        pos = _skip_space(state, title.pos)
    closed = pos < limit and source[pos] == ")"
    return state.md.normalizeLink(address.str), pos + 1 if closed else -1


def _skip_space(state: StateInline, pos: int) -> int:
    while pos < state.posMax and state.src[pos] in " \t\n":
        pos += 1
    return pos


class _DeepBlock(ParserBlock):
    """The block parser, which below the deepest level goes on with plain paragraphs.

    markdown-it leaves out what stands there.
    """

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        if state.level < _DEEPEST:
            super().tokenize(state, startLine, endLine)
            return
        line = state.skipEmptyLines(startLine)
        while line < endLine and state.sCount[line] >= state.blkIndent:
            _PARAGRAPH(state, line, endLine, False)
            line = state.skipEmptyLines(state.line)
        state.line = max(state.line, min(line, endLine))


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("default", {"html": False, "linkify": False, "maxNesting": _DEEPEST})
    parser.block = _DeepBlock()
    parser.validateLink = is_web_address  # type: ignore[method-assign]  # the documented way
    parser.inline = _PlacedInline()
    parser.inline.ruler.at("image", _image)
    parser.inline.ruler.before("escape", "maths", inline_maths)
    parser.inline.ruler.disable(["html_inline", "linkify"])
    parser.inline.ruler2.disable(["fragments_join"])
    block = parser.block.ruler
    block.disable(["reference", "html_block"])
    _place_block_rules(parser)
    block.before(
        "fence",
        "maths_block",
        placed(maths_block, note_whole),
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )
    return parser


def _place_block_rules(parser: MarkdownIt) -> None:
    every = ["paragraph", "reference", "blockquote", "list"]
    for name, rule, note, alternatives in (
        ("table", table, note_table, ["paragraph", "reference"]),
        ("code", code, note_whole, []),
        ("fence", fence, note_whole, every),
        ("hr", hr, note_whole, every),
        ("heading", heading, note_heading, ["paragraph", "reference", "blockquote"]),
        ("lheading", lheading, note_prose, []),
        ("paragraph", paragraph, note_prose, []),
    ):
        parser.block.ruler.at(name, placed(rule, note), {"alt": alternatives})


_PARAGRAPH = placed(paragraph, note_prose)
_PARSER = _make_parser()
