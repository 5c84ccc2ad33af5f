"""Make half-typed Markdown look calm while it streams.

Only the open end's looks are touched, never the text: what is shown when a block closes comes from the
whole source. A last line that may still become a list, a heading, a rule or a fence waits for its first
word; an unclosed mark is closed for the moment; an address that is being typed is left out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import add

from markdown_it.token import Token

from chat.core.render_parse import parse_inline

_UNDECIDED = re.compile(r"[ \t]*(?:[-=*+_#>`~|:.$\[\] \t]+|\d{1,9}[.)]?[ \t]*)\Z")
_HALF_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\s]*\Z")
_HALF_ADDRESS = re.compile(r"<(?:h|ht|htt|https?(?::[^<>\s]*)?)\Z")
_TRAILING_MARKS = re.compile(r"(?<!\\)[*_~`!\[\\]+\Z")
_BACKTICKS = re.compile(r"`+")


def settled(source: str) -> str:
    """Return the source without a last line that may still become anything."""
    return source if is_decided(source) else source[: source.rfind("\n") + 1]


def is_decided(text: str) -> bool:
    """Tell whether a text's last line can't become a list, a heading, a rule or a fence any more."""
    return _UNDECIDED.match(text, text.rfind("\n") + 1) is None


@dataclass(frozen=True, slots=True)
class Marks:
    """How often each mark stands in a text; an odd number tells that one may be open."""

    counts: tuple[int, ...] = (0, 0, 0, 0, 0)

    def __add__(self, other: "Marks") -> "Marks":
        return Marks(tuple(map(add, self.counts, other.counts)))

    @classmethod
    def of(cls, text: str) -> "Marks":
        double = text.count("**")
        stars = text.count("*") - 2 * double
        return cls((double, stars, text.count("_"), text.count("`"), text.count("~~")))


def calm(content: str, before: Marks = Marks()) -> tuple[str, list[Token]]:
    """Close what is open in a text and leave out what is half typed; return it with its tokens.

    `before` are the marks of a text before this one in which everything is closed.
    """
    content = _HALF_ADDRESS.sub("", _HALF_LINK.sub(r"\1", content))
    if not _looks_closed(content, before):
        stem = _TRAILING_MARKS.sub("", content).rstrip()
        tokens = parse_inline(stem)
        marks = _open_marks(stem, tokens)
        if not marks:
            return stem, tokens
        closed = stem + "".join(reversed(marks))
        tokens = parse_inline(closed)
        if not _open_marks(closed, tokens):
            return closed, tokens
    return content, parse_inline(content)


def without_table_head(content: str) -> str:
    """A line that begins with a bar is most often a table's head; its next line will tell."""
    before, _, last = content.rpartition("\n")
    return before if last.startswith("|") and not before.rpartition("\n")[2].startswith("|") else content


def _looks_closed(content: str, before: Marks) -> bool:
    """A cheap look that spares most texts the parsing."""
    counts = (before + Marks.of(content)).counts
    return all(count % 2 == 0 for count in counts) and not _TRAILING_MARKS.search(content)


def _open_marks(content: str, tokens: Sequence[Token]) -> list[str]:
    """Return the marks that were opened and not closed, in order."""
    marks: list[str] = []
    for token in tokens:
        begin, end = token.meta["at"]
        if token.type != "text" or not token.content:
            continue
        if token.meta.get("verbatim"):
            ticks = _BACKTICKS.search(token.content)
            if ticks:
                return [*marks, ticks.group()]
        elif not token.content.strip("*_~") and _opens(content, begin, end):
            marks.append(token.content)
    return marks


def _opens(content: str, begin: int, end: int) -> bool:
    """Tell whether a run of marks stands before a word and not inside or behind one."""
    before, after = content[begin - 1 : begin], content[end : end + 1]
    return bool(after) and not after.isspace() and not before.isalnum()
