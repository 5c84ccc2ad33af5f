"""Which block rule to try at a line: only those that its first character admits.

markdown-it tries ten rules at each line and seven at each line that may end a paragraph; nearly all fail on the
first character. What a rule finds is noted at once, while the line marks still hold (`render_places`).
"""

import re
from collections.abc import Callable, Sequence

from markdown_it.parser_block import ParserBlock
from markdown_it.ruler import Ruler
from markdown_it.rules_block import blockquote, fence, heading, hr, lheading, list_block, paragraph
from markdown_it.rules_block import table as every_table
from markdown_it.rules_block.code import code
from markdown_it.rules_block.state_block import StateBlock
from markdown_it.token import Token

from chat.core.render_maths import maths_block
from chat.core.render_places import note_heading, note_prose, note_table, note_whole

# Lists and quotes inside each other; each takes three frames of Python's stack.
DEEPEST = 60

_LAST_UNDERLINE = "last underline"
_UNDERLINE_END = re.compile(r"[-=][ \t]*(?:\n|\Z)")

Rule = Callable[[StateBlock, int, int, bool], bool]
Note = Callable[[StateBlock, list[Token]], None]


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Look at the second line's first character before anything else."""
    if start + 2 > end:
        return False
    first = state.bMarks[start + 1] + state.tShift[start + 1]
    return state.src[first : first + 1] in ("|", "-", ":") and every_table(state, start, end, silent)


def underlines(source: str) -> dict[str, int]:
    """Return the parser's environment: after which offset no line can be the underline of a heading."""
    ends = [found.start() for found in _UNDERLINE_END.finditer(source)]
    return {_LAST_UNDERLINE: ends[-1] if ends else -1}


def _heading_above_line(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Look for an underline only where there is one further on."""
    return state.bMarks[start] < state.env[_LAST_UNDERLINE] and lheading(state, start, end, silent)


def _note_nothing(_state: StateBlock, _tokens: list[Token]) -> None:
    """Lists and quotes have no text of their own."""


_EVERY = ""
_DIGITS = "0123456789"
# The rules in the order in which they are tried, and the characters that a line must begin with.
_RULES: Sequence[tuple[str, Rule, Note, str]] = (
    ("table", _table, note_table, _EVERY),
    ("code", code, note_whole, _EVERY),
    ("maths_block", maths_block, note_whole, "$\\"),
    ("fence", fence, note_whole, "`~"),
    ("blockquote", blockquote, _note_nothing, ">"),
    ("hr", hr, note_whole, "*-_"),
    ("list", list_block, _note_nothing, f"*-+{_DIGITS}"),
    ("heading", heading, note_heading, "#"),
    ("lheading", _heading_above_line, note_prose, _EVERY),
    ("paragraph", paragraph, note_prose, _EVERY),
)
# What may end a paragraph, a quote's or table's lines, or a list without a blank line.
_ENDING = {
    "paragraph": ("table", "maths_block", "fence", "blockquote", "hr", "list", "heading"),
    "blockquote": ("maths_block", "fence", "blockquote", "hr", "list", "heading"),
    "list": ("maths_block", "fence", "blockquote", "hr"),
}
_FIRST = {char for *_, starts in _RULES for char in starts}


def _by_first(names: Sequence[str]) -> dict[str, tuple[tuple[Rule, Note], ...]]:
    """Return the rules of these names by a line's first character; "" stands for all other characters."""
    return {
        char: tuple(
            (rule, note)
            for name, rule, note, starts in _RULES
            if name in names and (starts == _EVERY or (char and char in starts))
        )
        for char in (*_FIRST, "")
    }


def _ending(names: Sequence[str]) -> Rule:
    """Return one rule that says whether any of the rules would take the line."""
    by_first = {char: tuple(rule for rule, _ in rules) for char, rules in _by_first(names).items()}
    other = by_first[""]

    def ends(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        first = state.bMarks[line] + state.tShift[line]
        rules = by_first.get(state.src[first : first + 1], other)
        return any(rule(state, line, end, True) for rule in rules)

    return ends


_BEGINNING = _by_first([name for name, *_ in _RULES])
_OTHER = _BEGINNING[""]


class BlockRules(ParserBlock):
    """The block parser; below the deepest level, where markdown-it drops the text, all is paragraphs."""

    def __init__(self) -> None:
        self.ruler = Ruler()
        # The rules themselves are not looked up here; that of code must be known for indented code to be one.
        self.ruler.push("code", code)
        for chain, names in _ENDING.items():
            self.ruler.push(f"ends_{chain}", _ending(names), {"alt": [chain]})

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        """Read the lines from `startLine` to `endLine`, or to the first that belongs to an outer block."""
        take = self._take if state.level < DEEPEST else self._take_as_prose
        line, blank_line = startLine, False
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                return
            take(state, line, endLine)
            # What comes after a blank line makes a list loose; the blank line alone does not.
            state.tight = not blank_line
            line = state.line
            if line <= endLine and state.isEmpty(line - 1):
                blank_line = True
            if line < endLine and state.isEmpty(line):
                blank_line = True
                state.line = line = line + 1

    def _take(self, state: StateBlock, line: int, end: int) -> None:
        first = state.src[state.bMarks[line] + state.tShift[line]]
        before = len(state.tokens)
        for rule, note in _BEGINNING.get(first, _OTHER):
            if rule(state, line, end, False):
                note(state, state.tokens[before:])
                return

    def _take_as_prose(self, state: StateBlock, line: int, end: int) -> None:
        before = len(state.tokens)
        paragraph(state, line, end, False)
        note_prose(state, state.tokens[before:])
