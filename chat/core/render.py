"""From an answer's Markdown and chips to safe HTML: the one renderer.

What is streamed, reloaded and exported goes through here, so it agrees. Positions are code points
into the clean text; where each chip comes out is told in `chat.core.render_html`.
"""

from collections.abc import Sequence

from chat.core.export import Reference, to_html, to_markdown, to_plain_text
from chat.core.render_chips import ANCHORS, PAGE, Chip, fold
from chat.core.render_html import Texts, write_blocks
from chat.core.render_parse import parse_blocks
from chat.core.render_stream import Frame, StreamRenderer

__all__ = [
    "Chip",
    "Frame",
    "Reference",
    "StreamRenderer",
    "render_anchored",
    "render_markdown",
    "to_html",
    "to_markdown",
    "to_plain_text",
]


def render_markdown(text: str, chips: Sequence[Chip]) -> list[str]:
    """Return safe HTML, one string per top-level block, each chip in its place.

    A chip between two blocks belongs to the one before it. Chips without any text make a block.
    """
    source, placed = fold(text, chips)
    return write_blocks(parse_blocks(source), placed, Texts(PAGE))


def render_anchored(text: str, chips: Sequence[Chip]) -> list[str]:
    """Return safe HTML as `render_markdown` does, with chips that lead to `#citation-…` of the same page."""
    source, placed = fold(text, chips)
    return write_blocks(parse_blocks(source), placed, Texts(ANCHORS))
