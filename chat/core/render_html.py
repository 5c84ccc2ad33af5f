"""Write parsed blocks as HTML with their chips.

Every tag and attribute in the output is written here from a fixed set; text and attribute values are
escaped. Nothing of the source can become markup, so no sanitiser has to take anything out again
(tests hold the output against one).
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

from markdown_it.token import Token

from chat.core.render_chips import WORD_JOINER, Chip, attribute, chips_html
from chat.core.render_direction import block_direction, text_of
from chat.core.render_parse import Block, parse_inline

_LINK = 'target="_blank" rel="noopener noreferrer nofollow"'
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_TAGS = {
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote",
    "thead", "tbody", "tr", "th", "td", "strong", "em", "s",
}  # fmt: skip
# A chip and its code-point offset: in the block's source, or in a leaf's content.
Placed = tuple[int, Chip]


def write_block(block: Block, chips: Sequence[Placed]) -> str:
    """Return a block's HTML. `chips` are in order of place."""
    return _Writer(block).write([(offset - block.origin, chip) for offset, chip in chips])


def chips_line(chips: Sequence[Chip]) -> str:
    """Return chips that have no text to stand behind as a line of their own."""
    return f'<p class="chips-line">{chips_html(chips)}</p>'


@dataclass(slots=True)
class _Output:
    """HTML in the making, in which chips that meet are joined to one group."""

    parts: list[str] = field(default_factory=list)
    waiting: list[Chip] = field(default_factory=list)
    written: int = 0

    def add(self, html: str) -> None:
        if html:
            self.settle()
            self.parts.append(html)

    def chip(self, chip: Chip) -> None:
        self.waiting.append(chip)

    def settle(self) -> None:
        if self.waiting:
            self.parts.append(WORD_JOINER + chips_html(self.waiting))
            self.written += len(self.waiting)
            self.waiting = []

    def line(self, chips: Sequence[Chip]) -> None:
        if chips:
            self.add(chips_line(chips))
            self.written += len(chips)


class _Writer:
    def __init__(self, block: Block) -> None:
        self._block = block
        self._out = _Output()
        self._direction = block_direction(block.tokens)
        self._leaf_chips: dict[int, list[Placed]] = {}

    def write(self, chips: Sequence[Placed]) -> str:
        stray = self._share_out(chips)
        for index, token in enumerate(self._block.tokens):
            self._token(index, token)
        self._out.settle()
        self._out.line(stray)
        return "".join(self._out.parts)

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
        chips = self._leaf_chips.get(index, [])
        if token.type == "inline":
            write_inline(self._out, token.content, chips)
        elif token.type in _WHOLE:
            self._out.add(_WHOLE[token.type](token))
            self._out.line([chip for _, chip in chips])
        elif not token.hidden:
            self._out.add(self._tag(index, token))

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


def write_inline(out: _Output, content: str, chips: Sequence[Placed]) -> None:
    """Write a leaf's text with its chips, each right behind the word before it."""
    waiting = sorted((_behind_word(content, at), order) for order, (at, _) in enumerate(chips))
    queue = [(at, chips[order][1]) for at, order in waiting]
    queue.reverse()
    links: list[str] = []
    for token in parse_inline(content):
        begin, end = token.meta["at"]
        # Inside a link a chip waits for the link's end: a button in a link is no valid HTML.
        while queue and not links and queue[-1][0] <= _limit(token, begin, end):
            out.chip(queue.pop()[1])
        if token.meta.get("verbatim"):
            _write_text(out, token.content, begin, queue, bool(links))
        elif token.type == "link_open":
            links.append(str(token.attrs.get("href", "")))
            out.add(_link_open(links[-1]))
        elif token.type == "link_close":
            out.add(_link_close(links.pop()))
        else:
            out.add(_inline_html(token, links))
    while queue:
        out.chip(queue.pop()[1])
    out.settle()


def _limit(token: Token, begin: int, end: int) -> int:
    """A chip inside a line break belongs to the line before it."""
    return end if token.type in ("softbreak", "hardbreak") else begin


def _behind_word(content: str, at: int) -> int:
    while at > 0 and content[at - 1].isspace():
        at -= 1
    return at


def _write_text(out: _Output, text: str, begin: int, queue: list[Placed], in_link: bool) -> None:
    done = 0
    while queue and not in_link and queue[-1][0] < begin + len(text):
        at, chip = queue.pop()
        out.add(_text(text[done : at - begin]))
        out.chip(chip)
        done = at - begin
    out.add(_text(text[done:]))


def _text(text: str) -> str:
    return escape(text, quote=False)


def _inline_html(token: Token, links: Sequence[str]) -> str:
    writer = _INLINE.get(token.type)
    if writer is not None:
        return writer(token)
    if token.type == "image":
        return _image(token, links)
    if token.nesting and token.tag in _TAGS:
        return f"<{token.tag}>" if token.nesting > 0 else f"</{token.tag}>"
    return _text(token.content)


def _link_open(href: str) -> str:
    """Open a link; one without an address (`[text]()`) is its text."""
    return f'<a href="{attribute(href)}" {_LINK}>' if href else ""


def _link_close(href: str) -> str:
    return "</a>" if href else ""


def _image(token: Token, links: Sequence[str]) -> str:
    """A picture is never loaded; what stands there is a link that shows where it would lead."""
    address = str(token.attrs["src"])
    label = _text(f"{token.content.strip()} ({address})" if token.content.strip() else address)
    return label if links else f'<a href="{attribute(address)}" {_LINK}>{label}</a>'


def _code(token: Token) -> str:
    language = _language(token.info)
    css = f' class="language-{attribute(language)}"' if language else ""
    return (
        '<div class="code" dir="ltr"><div class="code__bar">'
        f'<span class="code__lang">{_text(language)}</span>'
        '<button type="button" class="code__copy" data-copy>Copy</button></div>'
        f"<pre><code{css}>{_text(token.content)}</code></pre></div>"
    )


def _language(info: str) -> str:
    words = info.split(maxsplit=1)
    match = _LANGUAGE.match(words[0]) if words else None
    return match.group() if match else ""


def _maths_block(token: Token) -> str:
    lines = "<br>".join(_text(line) for line in token.content.split("\n"))
    return f'<div class="maths" dir="ltr">{lines}</div>'


def _hr(_token: Token) -> str:
    return "<hr>"


_WHOLE: dict[str, Callable[[Token], str]] = {
    "fence": _code,
    "code_block": _code,
    "maths_block": _maths_block,
    "hr": _hr,
}
_INLINE: dict[str, Callable[[Token], str]] = {
    "softbreak": lambda _token: "\n",
    "hardbreak": lambda _token: "<br>",
    "code_inline": lambda token: f'<code dir="ltr">{_text(token.content)}</code>',
    "maths": lambda token: f'<span class="maths" dir="ltr">{_text(token.content)}</span>',
}


def write_blocks(blocks: Sequence[Block], chips: Sequence[Placed]) -> list[str]:
    """Return the HTML of blocks that follow each other; `chips` are in order of place."""
    if not blocks:
        return [chips_line([chip for _, chip in chips])] if chips else []
    starts = [block.start for block in blocks]
    shares: list[list[Placed]] = [[] for _ in blocks]
    for offset, chip in chips:
        shares[max(0, bisect_left(starts, offset) - 1)].append((offset, chip))
    return [write_block(block, share) for block, share in zip(blocks, shares, strict=True)]
