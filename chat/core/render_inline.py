"""Write a leaf's text as HTML with its chips, each right behind the word before it.

Every tag and attribute is written here or in `chat.core.render_html` from a fixed set; text and
attribute values are escaped. Nothing of the source can become markup, so no sanitiser has to take
anything out again (tests hold the output against one).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

from markdown_it.token import Token

from chat.core.render_chips import Chip, Look, Placed, attribute
from chat.core.render_parse import parse_inline
from chat.core.render_source import without_private_use

LINK_ATTRIBUTES = 'target="_blank" rel="noopener noreferrer nofollow"'
_MARKS = {"strong", "em", "s"}


def text_html(text: str) -> str:
    """Escape a text for use between tags."""
    return escape(text if text.isascii() else without_private_use(text), quote=False)


@dataclass(slots=True)
class _Output:
    """HTML in the making, in which chips that meet are joined to one group."""

    look: Look
    parts: list[str] = field(default_factory=list)
    waiting: list[Chip] = field(default_factory=list)

    def add(self, html: str) -> None:
        if html:
            self.settle()
            self.parts.append(html)

    def chip(self, chip: Chip) -> None:
        self.waiting.append(chip)

    def settle(self) -> None:
        if self.waiting:
            self.parts.append(self.look.chips(self.waiting))
            self.waiting = []


def inline_html(
    content: str, chips: Sequence[Placed], look: Look, tokens: Sequence[Token] | None = None
) -> str:
    """Return a leaf's HTML. `chips` are in order of place, as offsets into `content`; `tokens` are its tokens."""
    if tokens is None:
        tokens = parse_inline(content)
    if not chips and len(tokens) == 1 and tokens[0].meta.get("verbatim"):
        return text_html(tokens[0].content)
    out = _Output(look)
    queue = [(behind_word(content, at), chip) for at, chip in reversed(chips)]
    links: list[str] = []
    opened = 0
    for token in tokens:
        begin, end = token.meta["at"]
        # Inside a link a chip waits for the link's end: a button in a link is no valid HTML.
        while queue and not links and queue[-1][0] <= _limit(token, begin, end):
            out.chip(queue.pop()[1])
        if token.meta.get("verbatim"):
            _write_text(out, token.content, begin, queue, bool(links))
        elif token.type == "link_open":
            links.append(str(token.attrs.get("href", "")))
            out.add(_link_open(links[-1]))
            opened = len(out.parts)
        elif token.type == "link_close":
            # A link without words would be there and yet not be seen.
            out.add(text_html(links[-1]) if len(out.parts) == opened else "")
            out.add(_link_close(links.pop()))
        else:
            out.add(_mark_html(token, links))
    while queue:
        out.chip(queue.pop()[1])
    out.settle()
    return "".join(out.parts)


def _limit(token: Token, begin: int, end: int) -> int:
    """A chip inside a line break belongs to the line before it."""
    return end if token.type in ("softbreak", "hardbreak") else begin


def behind_word(content: str, at: int) -> int:
    """Return the end of the text before an offset, without the space between."""
    while at > 0 and content[at - 1].isspace():
        at -= 1
    return at


def _write_text(out: _Output, text: str, begin: int, queue: list[Placed], in_link: bool) -> None:
    done = 0
    while queue and not in_link and queue[-1][0] < begin + len(text):
        at, chip = queue.pop()
        out.add(text_html(text[done : at - begin]))
        out.chip(chip)
        done = at - begin
    out.add(text_html(text[done:]))


def _mark_html(token: Token, links: Sequence[str]) -> str:
    writer = _INLINE.get(token.type)
    if writer is not None:
        return writer(token)
    if token.type == "image":
        return _image(token, links)
    if token.nesting and token.tag in _MARKS:
        return f"<{token.tag}>" if token.nesting > 0 else f"</{token.tag}>"
    return text_html(token.content)


def _link_open(href: str) -> str:
    """Open a link; one without an address (`[text]()`) is its text."""
    return f'<a href="{attribute(href)}" {LINK_ATTRIBUTES}>' if href else ""


def _link_close(href: str) -> str:
    return "</a>" if href else ""


def _image(token: Token, links: Sequence[str]) -> str:
    """A picture is never loaded; what stands there is a link that shows where it would lead."""
    address = str(token.attrs["src"])
    label = text_html(f"{token.content.strip()} ({address})" if token.content.strip() else address)
    return label if links else f'<a href="{attribute(address)}" {LINK_ATTRIBUTES}>{label}</a>'


_INLINE: dict[str, Callable[[Token], str]] = {
    "softbreak": lambda _token: "\n",
    "hardbreak": lambda _token: "<br>",
    "code_inline": lambda token: f'<code dir="ltr">{text_html(token.content)}</code>',
    "maths": lambda token: f'<span class="maths" dir="ltr">{text_html(token.content)}</span>',
}
