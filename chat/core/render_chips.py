"""A chip: the button that stands for a footnote and opens the cited passage."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from chat.core.render_source import FoldedSource, without_private_use

_OWN_PATH = re.compile(r"/(?![/\\])[^\s\\]*\Z")
_WEB_ADDRESS = re.compile(r"https?://[^\s/?#\\@<>\"]+[^\s\\<>\"]*\Z", re.IGNORECASE)
# Keeps a chip on the line of the word before it. It works inside the group, where the style sheet says
# `white-space: nowrap`; before it, Chromium breaks the line between the joiner and the button.
WORD_JOINER = "\u2060"


@dataclass(frozen=True, slots=True)
class Chip:
    """A footnote's button at a code-point `position` of the clean Markdown text."""

    position: int
    number: int
    citation_id: str
    label: str
    href: str
    verdict: str | None = None
    available: bool = True


# A chip and its code-point offset: in the folded text, or in a leaf's content.
Placed = tuple[int, Chip]


def fold(text: str, chips: Sequence[Chip]) -> tuple[str, list[Placed]]:
    """Return the text as the parser takes it, and the chips as offsets into it, in order of place."""
    folding = FoldedSource()
    source = folding.feed(text)
    placed = [(folding.position(chip.position), chip) for chip in chips]
    return source, sorted(placed, key=lambda pair: pair[0])


@dataclass(frozen=True, slots=True)
class Look:
    """How chips come out, and whether code has a copy button."""

    chips: Callable[[Sequence[Chip]], str]
    copy_button: bool


def is_web_address(url: str) -> bool:
    """Tell whether a link may go there: http or https with a host, nothing else."""
    return _WEB_ADDRESS.match(url) is not None


def attribute(value: str) -> str:
    """Escape a value for use between double quotes."""
    return escape(without_private_use(value), quote=True)


def chip_html(chip: Chip) -> str:
    """Return the chip's button."""
    label = attribute(chip.label)
    return (
        f'<button type="button" class="{_classes(chip)}" data-citation="{attribute(chip.citation_id)}"'
        f'{_target(chip.href)} aria-label="{label}" title="{label}">{chip.number}</button>'
    )


def chips_html(chips: Sequence[Chip]) -> str:
    """Return adjacent chips as one group."""
    return f'<span class="chips">{WORD_JOINER}{"".join(map(chip_html, chips))}</span>'


def numbers_html(chips: Sequence[Chip]) -> str:
    """Return adjacent chips as the numbers of references, for an export, where no button works."""
    numbers = "".join(f"[{chip.number}]" for chip in chips)
    return f'<sup class="references">{WORD_JOINER}{numbers}</sup>'


def anchors_html(chips: Sequence[Chip]) -> str:
    """Return adjacent chips as links to places of the same page, which work without a script.

    `href` of a chip is the query, such as `?all=1`, of a page that has its place; "" for the page it stands on.
    """
    links = "".join(
        f'<a class="{_classes(chip)}" href="{_query(chip.href)}#citation-{attribute(chip.citation_id)}"'
        f' title="{attribute(chip.label)}">{chip.number}</a>'
        for chip in chips
    )
    return f'<span class="chips">{WORD_JOINER}{links}</span>'


def _classes(chip: Chip) -> str:
    classes = ["chip"]
    if chip.verdict in ("weak", "unsupported"):
        classes.append(f"chip--{chip.verdict}")
    if not chip.available:
        classes.append("chip--gone")
    return " ".join(classes)


def _query(href: str) -> str:
    return attribute(href) if href.startswith("?") else ""


def _target(href: str) -> str:
    if not (_OWN_PATH.match(href) or is_web_address(href)):
        return ""
    return f' hx-get="{attribute(href)}" hx-target="#passage-panel" hx-swap="innerHTML"'


PAGE = Look(chips_html, copy_button=True)
EXPORT = Look(numbers_html, copy_button=False)
ANCHORS = Look(anchors_html, copy_button=False)
