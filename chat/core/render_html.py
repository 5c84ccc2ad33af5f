"""Write parsed blocks as HTML and share the chips out among their leaves."""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from markdown_it.token import Token

from chat.core.render_chips import Chip, attribute, chips_html
from chat.core.render_direction import block_direction, text_of
from chat.core.render_inline import Placed, inline_html, text_html
from chat.core.render_parse import Block

_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_TAGS = {
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
# What leaves looked like before: while a list grows, only its last item is parsed anew.
Memo = dict[tuple[str, tuple[Placed, ...]], str]


def write_blocks(blocks: Sequence[Block], chips: Sequence[Placed], memo: Memo) -> list[str]:
    """Return the HTML of blocks that follow each other; `chips` are in order of place."""
    if not blocks:
        return [chips_line([chip for _, chip in chips])] if chips else []
    starts = [block.start for block in blocks]
    shares: list[list[Placed]] = [[] for _ in blocks]
    for offset, chip in chips:
        shares[max(0, bisect_left(starts, offset) - 1)].append((offset, chip))
    return [_write_block(block, share, memo) for block, share in zip(blocks, shares, strict=True)]


def chips_line(chips: Sequence[Chip]) -> str:
    """Return chips that have no text to stand behind as a line of their own."""
    return f'<p class="chips-line">{chips_html(chips)}</p>' if chips else ""


def _write_block(block: Block, chips: Sequence[Placed], memo: Memo) -> str:
    return _Writer(block, memo).write([(offset - block.origin, chip) for offset, chip in chips])


class _Writer:
    def __init__(self, block: Block, memo: Memo) -> None:
        self._block = block
        self._memo = memo
        self._parts: list[str] = []
        self._direction = block_direction(block.tokens)
        self._leaf_chips: dict[int, list[Placed]] = {}

    def write(self, chips: Sequence[Placed]) -> str:
        stray = self._share_out(chips)
        for index, token in enumerate(self._block.tokens):
            self._token(index, token)
        return "".join((*self._parts, chips_line(stray)))

    def _share_out(self, chips: Sequence[Placed]) -> list[Chip]:
        """Give each chip to a leaf and return those for which there is none."""
        leaves = [
            (index, token.meta["place"])
            for index, token in enumerate(self._block.tokens)
            if "place" in token.meta
        ]
        if not leaves:
            return [chip for _, chip in chips]
        starts = [place.start for _, place in leaves]
        for offset, chip in chips:
            index, place = leaves[self._leaf(offset, starts)]
            token = self._block.tokens[index]
            at = place.content_offset(offset, len(token.content))
            self._leaf_chips.setdefault(index, []).append((at, chip))
        return []

    def _leaf(self, offset: int, starts: list[int]) -> int:
        """The last leaf that begins before the chip, or the next if only its opening mark does."""
        nearest = bisect_left(starts, offset)
        if nearest < len(starts) and self._stands_before(offset, starts[nearest]):
            return nearest
        return max(0, nearest - 1)

    def _stands_before(self, offset: int, start: int) -> bool:
        """Tell whether only space is between, and a list mark, bar or the like before the chip."""
        line = self._block.source.rfind("\n", 0, offset) + 1
        between, mark = self._block.source[offset:start], self._block.source[line:offset]
        return not between.strip(" \t") and bool(mark.strip())

    def _token(self, index: int, token: Token) -> None:
        chips = self._leaf_chips.get(index, ())
        if token.type == "inline":
            self._parts.append(self._inline(token.content, tuple(chips)))
        elif token.type in _WHOLE:
            self._parts.append(_WHOLE[token.type](token) + chips_line([chip for _, chip in chips]))
        elif not token.hidden:
            self._parts.append(self._tag(index, token))

    def _inline(self, content: str, chips: tuple[Placed, ...]) -> str:
        key = (content, chips)
        html = self._memo.get(key)
        if html is None:
            html = self._memo[key] = inline_html(content, chips)
        return html

    def _tag(self, index: int, token: Token) -> str:
        if token.type == "table_open":
            return f'<div class="table"{self._dir(index, token)}><table>'
        if token.type == "table_close":
            return "</table></div>"
        if token.tag not in _TAGS:
            return ""
        if token.nesting < 0:
            return f"</{token.tag}>"
        return f"<{token.tag}{self._start(token)}{self._class(token)}{self._dir(index, token)}>"

    def _dir(self, index: int, token: Token) -> str:
        if token.level == 0:
            return f' dir="{self._direction.attribute}"'
        if not self._direction.mixed:
            return ""
        return self._direction.part(text_of(self._inside(index, token)), token.tag)

    def _inside(self, index: int, token: Token) -> Sequence[Token]:
        tokens = self._block.tokens
        end = index + 1
        while tokens[end].level > token.level:
            end += 1
        return tokens[index:end]

    def _start(self, token: Token) -> str:
        start = token.attrs.get("start")
        if token.level == 0 and self._block.number:
            start = self._block.number
        return f' start="{int(start)}"' if token.tag == "ol" and start is not None else ""

    def _class(self, token: Token) -> str:
        if token.level == 0 and self._block.number:
            return ' class="list--more"'
        _, _, side = str(token.attrs.get("style", "")).partition("text-align:")
        return f' class="align-{side}"' if side in ("left", "right", "center") else ""


def _code(token: Token) -> str:
    language = _language(token.info)
    css = f' class="language-{attribute(language)}"' if language else ""
    return (
        '<div class="code" dir="ltr"><div class="code__bar">'
        f'<span class="code__lang">{text_html(language)}</span>'
        '<button type="button" class="code__copy" data-copy>Copy</button></div>'
        f"<pre><code{css}>{text_html(token.content)}</code></pre></div>"
    )


def _language(info: str) -> str:
    words = info.split(maxsplit=1)
    match = _LANGUAGE.match(words[0]) if words else None
    return match.group() if match else ""


def _maths_block(token: Token) -> str:
    lines = "<br>".join(text_html(line) for line in token.content.split("\n"))
    return f'<div class="maths" dir="ltr">{lines}</div>'


def _hr(_token: Token) -> str:
    return "<hr>"


_WHOLE: dict[str, Callable[[Token], str]] = {
    "fence": _code,
    "code_block": _code,
    "maths_block": _maths_block,
    "hr": _hr,
}
