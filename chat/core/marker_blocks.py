"""Markdown's block structure as far as markers need it: where code starts and where it ends.

The functions look at the start of a line and say what it is; `None` means that more text is needed.
They follow CommonMark, loosely where models do not: a fence may be indented as deep as its list.
"""

import re
from dataclasses import dataclass

LOOK_AHEAD = 200
"""Code points that may be held to find the end of a line, a code span or a bracket."""
_PREFIX_LIMIT = 80
_PREFIX = re.compile(r"(?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*")
_MAYBE_PREFIX = re.compile(r"[ \t>\d.)*+-]*(?:`*|~*)")
_RUN = re.compile(r"`{3,}|~{3,}")
_INFO = re.compile(r"[^`\n]*")
_LIST_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")
_BLOCK_START = re.compile(
    r"\n(?=[ \t]*\r?\n|[ \t]*(?:`{3,}|~{3,}|#{1,6}[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t]|\|))"
)


@dataclass(frozen=True, slots=True)
class Fence:
    """An open code fence. `quoted`: it is in a block quote; `indent`: columns of the list it is in, or 0."""

    mark: str
    quoted: bool
    indent: int


@dataclass(frozen=True, slots=True)
class LineStart:
    """How a line begins: `length` characters of indentation, quote and list marks, then what."""

    length: int
    blank: bool = False
    item: bool = False
    indent: int = 0
    fence: str = ""


def read_line_start(text: str, *, final: bool) -> LineStart | None:
    """Say how the line at the start of `text` begins."""
    if not final and len(text) < _PREFIX_LIMIT and _MAYBE_PREFIX.fullmatch(text):
        return None
    prefix = _PREFIX.match(text[:_PREFIX_LIMIT])
    length = prefix.end() if prefix else 0
    head, rest = text[:length], text[length:]
    item = _LIST_ITEM.search(head) is not None
    indent = len(head.expandtabs(4)) if item else len(head.expandtabs(4)) - len(head.expandtabs(4).lstrip())
    run = _RUN.match(text, length, LOOK_AHEAD)
    if run and run.group()[0] == "`":
        info = _INFO.match(text, run.end(), LOOK_AHEAD)
        end = info.end() if info else run.end()
        if end == len(text) < LOOK_AHEAD and not final:
            return None
        if text[end : end + 1] == "`":
            run = None
    return LineStart(length, not rest or rest[0] in "\r\n", item, indent, run.group() if run else "")


def read_fence_line(text: str, fence: Fence, *, final: bool) -> re.Match[str] | bool | None:
    """Say what a line inside `fence` is: a match whose group 1 may close it, False for code.

    True means that the fence's quote or list has ended, and with it the fence.
    """
    if (
        not final
        and len(text) < _PREFIX_LIMIT
        and re.fullmatch(rf"[ \t>]*\r?{re.escape(fence.mark[0])}*", text)
    ):
        return None
    head = text[: len(text) - len(text.lstrip(" \t>"))]
    blank = len(head) == len(text) or text[len(head)] in "\r\n"
    if (fence.quoted and ">" not in head) or (not blank and len(head.expandtabs(4)) < fence.indent):
        return True
    close = re.compile(rf"[ \t>]*({re.escape(fence.mark[0])}{{{len(fence.mark)},}})")
    return close.match(text, 0, LOOK_AHEAD) or False


def code_span_end(text: str, run: int, *, final: bool) -> int | None:
    """Return where the code span ends that `run` backticks at the start of `text` open; 0 if none does.

    The span ends at the same number of backticks in the same paragraph, at most LOOK_AHEAD away.
    """
    window = text[:LOOK_AHEAD]
    close = re.compile(rf"(?<!`)`{{{run}}}(?!`)").search(window, run)
    if close and close.end() == len(window) and len(text) <= LOOK_AHEAD and not final:
        return None
    block = _BLOCK_START.search(window, run)
    if block and (not close or block.start() < close.start()):
        return 0
    if close:
        return close.end()
    return 0 if final or len(text) > LOOK_AHEAD else None
