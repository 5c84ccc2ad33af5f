"""Maths is left as it was written: Markdown must not eat its underscores, stars and backslashes.

Between dollars the rule is Pandoc's: no space inside the dollars, no digit after the closing one, so
"$5 and $10" stays money. A maths block ends at its closing delimiter or at a blank line, never later,
so a stray `$$` can't swallow the rest of an answer.
"""

import re

from markdown_it.rules_block.state_block import StateBlock
from markdown_it.rules_inline.state_inline import StateInline

_INLINE = (
    re.compile(r"\$\$(?=\S)[^$]{0,2000}?[^$\s\\]\$\$|\$\$[^$\s\\]\$\$"),
    re.compile(r"\$(?=[^\s$])(?:[^$\\]|\\.){0,500}(?<![\s\\])\$(?!\d)", re.DOTALL),
    re.compile(r"\\\((?:(?!\\[()]).){1,2000}?\\\)", re.DOTALL),
    re.compile(r"\\\[(?:(?!\\[\[\]]).){1,2000}?\\\]", re.DOTALL),
)
_CLOSERS = {"$$": "$$", "\\[": "\\]"}


def inline_maths(state: StateInline, silent: bool) -> bool:
    """Take a formula inside a line of prose as one literal piece."""
    if state.src[state.pos] not in "$\\":
        return False
    for pattern in _INLINE:
        match = pattern.match(state.src, state.pos, state.posMax)
        if match:
            if not silent:
                state.push("maths", "", 0).content = match.group()
            state.pos = match.end()
            return True
    return False


def maths_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Take lines from `$$` or a backslash bracket to its end as one literal block."""
    if state.is_code_block(start_line):
        return False
    first = _line(state, start_line)
    closer = _CLOSERS.get(first[:2])
    if closer is None or not _opens(first, closer):
        return False
    if silent:
        return True
    state.line = _end(state, start_line, end_line, closer)
    token = state.push("maths_block", "", 0)
    token.content = "\n".join(_line(state, line) for line in range(start_line, state.line))
    token.map = [start_line, state.line]
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


def _opens(first: str, closer: str) -> bool:
    """The opener stands alone, or the formula ends with the line; else it's prose that holds a formula."""
    return len(first) == 2 or first.find(closer, 2) == len(first) - 2 > 0


def _end(state: StateBlock, start_line: int, end_line: int, closer: str) -> int:
    if len(_line(state, start_line)) > 2:
        return start_line + 1
    for line in range(start_line + 1, end_line):
        if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            return line
        if _line(state, line).endswith(closer):
            return line + 1
    return end_line
