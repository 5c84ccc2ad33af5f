"""An answer to take away: plain text, Markdown or HTML, with numbered references.

`[1]` stands in the text where the chip stood, and a list `[1] title, place` below. For a copy without
references give no chips and no references. No private-use character and no internal id comes out.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chat.core.export_markdown import with_numbers
from chat.core.export_plain import plain_text
from chat.core.render_chips import EXPORT, Chip, attribute, fold, is_web_address
from chat.core.render_html import Texts, write_blocks
from chat.core.render_inline import LINK_ATTRIBUTES, text_html
from chat.core.render_parse import parse_blocks
from chat.core.render_source import without_private_use

_MARKDOWN_MARKS = re.compile(r"([\\`*_\[\]<>~$|&])")
_SPACE = re.compile(r"\s+")
# A saved page may load nothing, whatever a later reader does with it.
_POLICY = "default-src 'none'"


@dataclass(frozen=True, slots=True)
class Reference:
    """A line of the list below an answer. `place` is a page or lines, `note` a word about its support.

    Only an http or https `url` is shown.
    """

    number: int
    title: str
    place: str = ""
    url: str = ""
    note: str = ""


def to_plain_text(text: str, chips: Sequence[Chip], references: Sequence[Reference]) -> str:
    """Return the answer without marks; a link shows its address."""
    body = plain_text(_blocks_html(text, chips))
    listed = "\n".join(_line(reference) for reference in references)
    return _joined(body, listed)


def to_markdown(text: str, chips: Sequence[Chip], references: Sequence[Reference]) -> str:
    """Return the answer as it was written, with a number for each chip."""
    source, placed = fold(text, chips)
    body = with_numbers(source, parse_blocks(source), placed)
    # Two spaces keep each reference on a line of its own.
    listed = "  \n".join(_line(reference, _as_markdown, "<{}>") for reference in references)
    return _joined(body.strip("\n"), listed)


def to_html(text: str, chips: Sequence[Chip], references: Sequence[Reference], *, title: str = "") -> str:
    """Return a fragment, or a whole document if there is a title. It loads nothing and runs nothing."""
    blocks = _blocks_html(text, chips)
    listed = "".join(f"<li>{_html_line(reference)}</li>" for reference in references)
    below = f'<ul class="reference-list">{listed}</ul>' if listed else ""
    fragment = f'<article class="answer">{blocks}{below}</article>'
    return _document(fragment, title) if title else fragment


def _blocks_html(text: str, chips: Sequence[Chip]) -> str:
    source, placed = fold(text, chips)
    return "".join(write_blocks(parse_blocks(source), placed, Texts(EXPORT)))


def _joined(body: str, listed: str) -> str:
    return "\n\n".join(part for part in (body, listed) if part) + "\n"


def _plain(text: str) -> str:
    return _SPACE.sub(" ", without_private_use(text)).strip()


def _as_markdown(text: str) -> str:
    return _MARKDOWN_MARKS.sub(r"\\\1", text)


def _line(reference: Reference, written: Callable[[str], str] = str, link: str = "{}") -> str:
    parts = [written(_plain(part)) for part in (reference.title, reference.place) if part]
    if is_web_address(reference.url):
        parts.append(link.format(reference.url))
    note = f" ({written(_plain(reference.note))})" if reference.note else ""
    return f"[{reference.number}] {', '.join(parts)}{note}"


def _html_line(reference: Reference) -> str:
    title = text_html(_plain(reference.title))
    if is_web_address(reference.url):
        title = f'<a href="{attribute(reference.url)}" {LINK_ATTRIBUTES}>{title}</a>'
    place = f", {text_html(_plain(reference.place))}" if reference.place else ""
    note = f" ({text_html(_plain(reference.note))})" if reference.note else ""
    # Isolated, so that a Latin title in a Persian list can't turn its number round.
    return f"[{reference.number}] <bdi>{title}{place}{note}</bdi>"


def _document(fragment: str, title: str) -> str:
    return (
        '<!DOCTYPE html>\n<html><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{text_html(_plain(title))}</title></head><body>{fragment}</body></html>\n"
    )
