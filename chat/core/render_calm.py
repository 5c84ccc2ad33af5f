"""Make half-typed Markdown look calm while it streams.

Only the open end's looks are touched, never the text: what is shown when a block closes comes from the
whole source. A last line that may still become a list, a heading, a rule or a fence waits for its first
word; an unclosed mark is closed for the moment; an address that is being typed is left out.
"""

import re

from chat.core.render_parse import Block, parse_inline

_UNDECIDED = re.compile(r"[ \t]*(?:[-=*+_#>`~|:.$\[\] \t]+|\d{1,9}[.)]?[ \t]*)\Z")
_HALF_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\s]*\Z")
_HALF_ADDRESS = re.compile(r"<(?:h|ht|htt|https?(?::[^<>\s]*)?)\Z")
_TRAILING_MARKS = re.compile(r"(?<!\\)[*_~`!\[\\]+\Z")
_BACKTICKS = re.compile(r"`+")


def settled(source: str) -> str:
    """Return the source without a last line that may still become anything."""
    begin = source.rfind("\n") + 1
    return source[:begin] if _UNDECIDED.match(source, begin) else source


def calm_end(blocks: list[Block], source: str) -> None:
    """Calm the last text of the open blocks, unless a blank line has ended it."""
    if not blocks or source.endswith("\n\n"):
        return
    leaf = next((token for token in reversed(blocks[-1].tokens) if "place" in token.meta), None)
    if leaf is not None and leaf.type == "inline":
        in_table = any(token.type == "table_open" for token in blocks[-1].tokens)
        content = leaf.content if in_table else _without_table_head(leaf.content)
        leaf.content = calm(content)


def calm(content: str) -> str:
    """Close what is open in a text and leave out what is half typed."""
    content = _HALF_ADDRESS.sub("", _HALF_LINK.sub(r"\1", content))
    if _looks_closed(content):
        return content
    stem = _TRAILING_MARKS.sub("", content).rstrip()
    closed = stem + _closers(stem)
    return closed if not _open_marks(closed) else content


def _without_table_head(content: str) -> str:
    """A line that begins with a bar is most often a table's head; its next line will tell."""
    before, _, last = content.rpartition("\n")
    return before if last.startswith("|") and not before.rpartition("\n")[2].startswith("|") else content


def _looks_closed(content: str) -> bool:
    """A cheap look that spares most texts the parsing."""
    double = content.count("**")
    pairs = (
        double,
        content.count("*") - 2 * double,
        content.count("_"),
        content.count("`"),
        content.count("~~"),
    )
    return all(count % 2 == 0 for count in pairs) and not _TRAILING_MARKS.search(content)


def _closers(content: str) -> str:
    return "".join(reversed(_open_marks(content)))


def _open_marks(content: str) -> list[str]:
    """Return the marks that were opened and not closed, in order."""
    marks: list[str] = []
    for token in parse_inline(content):
        begin, end = token.meta["at"]
        if token.type != "text" or not token.content:
            continue
        if token.meta.get("verbatim"):
            ticks = _BACKTICKS.search(token.content)
            if ticks:
                return [*marks, ticks.group()]
        elif _opens(content, begin, end):
            marks.append(token.content)
    return marks


def _opens(content: str, begin: int, end: int) -> bool:
    """Tell whether a run of marks stands before a word and not inside or behind one."""
    before, after = content[begin - 1 : begin], content[end : end + 1]
    return bool(after) and not after.isspace() and not before.isalnum()
