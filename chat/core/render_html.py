"""Write parsed blocks as HTML and share the chips out among their leaves."""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from markdown_it.token import Token

from chat.core.render_chips import Chip, Look, Placed, attribute
from chat.core.render_direction import Direction, block_direction, text_of
from chat.core.render_inline import inline_html, text_html
from chat.core.render_parse import Block

_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_TAGS = {
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr",
    "th", "td",
}  # fmt: skip
_OPENING = {tag: f"<{tag}>" for tag in _TAGS}
_CLOSING = {tag: f"</{tag}>" for tag in _TAGS}


class Texts:
    """Writes the texts of blocks."""

    def __init__(self, look: Look) -> None:
        self.look = look

    def html(self, content: str, chips: tuple[Placed, ...]) -> str:
        """Return the HTML of a text; `chips` are in order of place, as offsets into it."""
        return inline_html(content, chips, self.look)


def write_blocks(blocks: Sequence[Block], chips: Sequence[Placed], texts: Texts) -> list[str]:
    """Return the HTML of blocks that follow each other; `chips` are in order of place."""
    if not blocks:
        return [chips_line([chip for _, chip in chips], texts.look)] if chips else []
    shares = share_out_blocks(blocks, chips)
    return [
        "".join(BlockWriter(block, texts).pieces(share)) for block, share in zip(blocks, shares, strict=True)
    ]


def share_out_blocks(blocks: Sequence[Block], chips: Sequence[Placed]) -> list[list[Placed]]:
    """Give each chip to the last block that begins before it; offsets become the block's own."""
    starts = [block.start for block in blocks]
    shares: list[list[Placed]] = [[] for _ in blocks]
    for offset, chip in chips:
        index = max(0, bisect_left(starts, offset) - 1)
        shares[index].append((offset - blocks[index].origin, chip))
    return shares


def share_out_leaves(block: Block, chips: Sequence[Placed]) -> dict[int, list[Placed]]:
    """Give each chip to a leaf, by its token's index; offsets become those of the leaf's content.

    A block without a leaf keeps its chips under -1.
    """
    leaves = [(index, token) for index, token in enumerate(block.tokens) if "place" in token.meta]
    starts = [token.meta["place"].start for _, token in leaves]
    shares: dict[int, list[Placed]] = {}
    for offset, chip in chips:
        if not leaves:
            shares.setdefault(-1, []).append((offset, chip))
            continue
        index, token = leaves[_nearest_leaf(block.source, offset, starts)]
        at = token.meta["place"].content_offset(offset, len(token.content))
        shares.setdefault(index, []).append((at, chip))
    return shares


def _nearest_leaf(source: str, offset: int, starts: list[int]) -> int:
    """The last leaf that begins before the chip, or the next if only its opening mark does."""
    nearest = bisect_left(starts, offset)
    if nearest < len(starts) and stands_before(source, offset, starts[nearest]):
        return nearest
    return max(0, nearest - 1)


def stands_before(source: str, offset: int, start: int) -> bool:
    """Tell whether only space is between, and a list mark, bar or the like before the chip."""
    line = source.rfind("\n", 0, offset) + 1
    between, mark = source[offset:start], source[line:offset]
    return not between.strip(" \t") and bool(mark.strip())


def chips_line(chips: Sequence[Chip], look: Look) -> str:
    """Return chips that have no text to stand behind as a line of their own."""
    return f'<p class="chips-line">{look.chips(chips)}</p>' if chips else ""


class BlockWriter:
    """Writes one block. `direction` is its direction if the block is only a part of what decides it."""

    def __init__(self, block: Block, texts: Texts, direction: Direction | None = None) -> None:
        self.block = block
        self._texts = texts
        self._look = texts.look
        self._direction = direction or block_direction(block.tokens)

    def pieces(self, chips: Sequence[Placed]) -> list[str]:
        """Return the HTML of each token, and last that of chips for which the block has no text."""
        shares = share_out_leaves(self.block, chips)
        pieces = [
            self._token(index, token, tuple(shares.get(index, ())))
            for index, token in enumerate(self.block.tokens)
        ]
        return [*pieces, self._line(shares.get(-1, ()))]

    def text(self, index: int, content: str, chips: tuple[Placed, ...]) -> str:
        """Return the HTML of the text of the token at `index`."""
        return self._texts.html(content, chips)

    def _line(self, chips: Sequence[Placed]) -> str:
        return chips_line([chip for _, chip in chips], self._look)

    def _token(self, index: int, token: Token, chips: tuple[Placed, ...]) -> str:
        kind = token.type
        if kind == "inline":
            return self.text(index, token.content, chips)
        if kind in _WHOLE:
            return _WHOLE[kind](token, self._look) + self._line(chips)
        if token.hidden or token.tag not in _TAGS:
            return ""
        if token.nesting < 0:
            return "</table></div>" if kind == "table_close" else _CLOSING[token.tag]
        return self._opening(index, token)

    def _opening(self, index: int, token: Token) -> str:
        if token.type == "table_open":
            return f'<div class="table"{self._dir(index, token)}><table>'
        if token.level and not token.attrs and not self._direction.mixed:
            return _OPENING[token.tag]
        return f"<{token.tag}{self._start(token)}{self._class(token)}{self._dir(index, token)}>"

    def _dir(self, index: int, token: Token) -> str:
        if token.level == 0:
            return f' dir="{self._direction.attribute}"'
        if not self._direction.mixed:
            return ""
        return self._direction.part(text_of(self._inside(index, token)), token.tag)

    def _inside(self, index: int, token: Token) -> Sequence[Token]:
        tokens = self.block.tokens
        end = index + 1
        while tokens[end].level > token.level:
            end += 1
        return tokens[index:end]

    def _start(self, token: Token) -> str:
        start = token.attrs.get("start")
        if token.level == 0 and self.block.number:
            start = self.block.number
        return f' start="{int(start)}"' if token.tag == "ol" and start is not None else ""

    def _class(self, token: Token) -> str:
        if token.level == 0 and self.block.number:
            return ' class="list--more"'
        _, _, side = str(token.attrs.get("style", "")).partition("text-align:")
        return f' class="align-{side}"' if side in ("left", "right", "center") else ""


def _code(token: Token, look: Look) -> str:
    language = _language(token.info)
    css = f' class="language-{attribute(language)}"' if language else ""
    bar = _code_bar(language) if look.copy_button else ""
    return f'<div class="code" dir="ltr">{bar}<pre><code{css}>{text_html(token.content)}</code></pre></div>'


def _code_bar(language: str) -> str:
    return (
        f'<div class="code__bar"><span class="code__lang">{text_html(language)}</span>'
        '<button type="button" class="code__copy" data-copy>Copy</button></div>'
    )


def _language(info: str) -> str:
    words = info.split(maxsplit=1)
    match = _LANGUAGE.match(words[0]) if words else None
    return match.group() if match else ""


def _maths_block(token: Token, _look: Look) -> str:
    lines = "<br>".join(text_html(line) for line in token.content.split("\n"))
    return f'<div class="maths" dir="ltr">{lines}</div>'


def _hr(_token: Token, _look: Look) -> str:
    return "<hr>"


_WHOLE: dict[str, Callable[[Token, Look], str]] = {
    "fence": _code,
    "code_block": _code,
    "maths_block": _maths_block,
    "hr": _hr,
}
