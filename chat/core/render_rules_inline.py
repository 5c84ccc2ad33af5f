"""Inline Markdown with a source place on every token, and only those rules tried that a character admits."""

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import (
    autolink,
    backtick,
    emphasis,
    entity,
    escape,
    link,
    link_pairs,
    newline,
    strikethrough,
)
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from chat.core.render_chips import is_web_address
from chat.core.render_maths import inline_maths
from chat.core.render_rules_block import DEEPEST

Rule = Callable[[StateInline, bool], bool]
# CJK symbols, kana, Bopomofo, ideographs, Hangul, full-width forms.
_EAST_ASIAN = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


class _PlacedState(StateInline):
    """Notes where each token came from. A token cut from plain text is marked verbatim."""

    def __init__(self, src: str, md: MarkdownIt, env: EnvType, out_tokens: list[Token]) -> None:
        super().__init__(src, md, env, out_tokens)
        self._pending_from = 0

    def append_pending(self, text: str) -> None:
        if not self.pending:
            self._pending_from = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:
        token = super().pushPending()
        token.meta["at"] = (self._pending_from, self._pending_from + len(token.content))
        token.meta["verbatim"] = True
        return token

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        """Let marks open and close beside Chinese, Japanese and Korean, which put no space there.

        CommonMark leaves `**粗体。**文字` as it is. The rule is that of markdown-cjk-friendly.
        """
        scanned = super().scanDelims(start, canSplitWord)
        end = start + scanned.length
        before, after = self.src[max(0, start - 1) : start], self.src[end : min(end + 1, self.posMax)]
        if not canSplitWord or not before.strip() or not after.strip():
            return scanned
        can_open = scanned.can_open or _EAST_ASIAN.match(before) is not None
        can_close = scanned.can_close or _EAST_ASIAN.match(after) is not None
        return Scanned(can_open, can_close, scanned.length)


def _image(state: StateInline, silent: bool) -> bool:
    """Read an image without parsing its label, which nests as deep as a hostile text likes."""
    begin = state.pos
    if not state.src.startswith("![", begin):
        return False
    label_end = state.md.helpers.parseLinkLabel(state, begin + 1, False)
    if label_end < 0 or not state.src.startswith("(", label_end + 1):
        return False
    href, end = _destination(state, label_end + 2)
    if end < 0 or not is_web_address(href):
        return False
    if not silent:
        token = state.push("image", "", 0)
        token.attrs = {"src": href}
        token.content = state.src[begin + 2 : label_end]
    state.pos = end
    return True


def _destination(state: StateInline, pos: int) -> tuple[str, int]:
    """Read `address "title")` and return the address and the place after it, or -1."""
    helpers, source, limit = state.md.helpers, state.src, state.posMax
    address = helpers.parseLinkDestination(source, _skip_space(state, pos), limit)
    if not address.ok:
        return "", -1
    pos = _skip_space(state, address.pos)
    title = helpers.parseLinkTitle(source, pos, limit)
    if title.ok and pos != address.pos:
        pos = _skip_space(state, title.pos)
    closed = pos < limit and source[pos] == ")"
    return state.md.normalizeLink(address.str), pos + 1 if closed else -1


def _skip_space(state: StateInline, pos: int) -> int:
    while pos < state.posMax and state.src[pos] in " \t\n":
        pos += 1
    return pos


# What each character may begin; any other is text. The closing bracket is only looked for by links.
_RULES: dict[str, tuple[Rule, ...]] = {
    "\n": (newline,),
    "$": (inline_maths,),
    "\\": (inline_maths, escape),
    "`": (backtick,),
    "~": (strikethrough.tokenize,),
    "*": (emphasis.tokenize,),
    "_": (emphasis.tokenize,),
    "[": (link,),
    "!": (_image,),
    "<": (autolink,),
    "&": (entity,),
}
_STOP = re.compile(f"[{re.escape(''.join(_RULES))}\\]]")


class InlineRules(ParserInline):
    """The inline parser with the rule's span on every token that the rule made."""

    def tokenize(self, state: StateInline) -> None:
        """Read from the state's place to its end."""
        source, tokens, end = state.src, state.tokens, state.posMax
        while state.pos < end:
            begin, before = state.pos, len(tokens)
            rules = _RULES.get(source[begin])
            if rules is None:
                stop = _STOP.search(source, begin + 1, end)
                state.append_pending(source[begin : stop.start() if stop else end])
                state.pos = stop.start() if stop else end
                continue
            if state.level >= DEEPEST or not any(rule(state, False) for rule in rules):
                state.append_pending(source[begin])
                state.pos = begin + 1
            for token in tokens[before:]:
                token.meta.setdefault("at", (begin, state.pos))
        if state.pending:
            state.pushPending()

    def skipToken(self, state: StateInline) -> None:
        """Go past one token without making it; called to find where a link's label ends."""
        begin = state.pos
        if begin not in state.cache:
            state.cache[begin] = self._end_of_token(state, begin)
        state.pos = state.cache[begin]

    def _end_of_token(self, state: StateInline, begin: int) -> int:
        if state.level >= DEEPEST:
            return state.posMax
        rules = _RULES.get(state.src[begin])
        if rules is None:
            stop = _STOP.search(state.src, begin + 1, state.posMax)
            return stop.start() if stop else state.posMax
        state.level += 1
        found = any(rule(state, True) for rule in rules)
        state.level -= 1
        return state.pos if found else begin + 1

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Return the tokens of a leaf's content."""
        if src and not _STOP.search(src):
            return [Token("text", "", 0, content=src, meta={"at": (0, len(src)), "verbatim": True})]
        state = _PlacedState(src, md, env, tokens)
        self.tokenize(state)
        if state.delimiters or any(state.tokens_meta):
            for pair in (link_pairs, strikethrough.postProcess, emphasis.postProcess):
                pair(state)
        return state.tokens
