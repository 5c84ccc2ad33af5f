"""Write a text that grows at its end, at the cost of what is new.

Everything before a safe point is written once. A point is safe if nothing that may follow can change how the text
before it is read: all its marks are closed or can never match, and it stands between a space and a word, so that
what follows is read alone as it is read after it.
"""

import re
from collections.abc import Sequence

from markdown_it.token import Token

from chat.core.render_calm import Marks, calm
from chat.core.render_chips import Look, Placed
from chat.core.render_inline import inline_html
from chat.core.render_parse import parse_inline

# Shorter pieces are not worth being put aside.
_SHORTEST = 48
# What plain text holds that may yet find its other half. A pair of brackets that no parenthesis follows is none.
_WAITING = re.compile(r"[`$*_]|\[(?!(?:[^\[\]`<\\$*_\n]{0,200})\][^(])")
_WORD_START = re.compile(r"[ \n\t](?=[^\W_])")


class GrowingText:
    """Writes one leaf of the open end after each piece. Any other text is simply written whole."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._forget()

    def _forget(self) -> None:
        self._done = ""
        self._html = ""
        self._chips: tuple[Placed, ...] = ()
        self._marks = Marks()

    def knows(self, content: str, chips: Sequence[Placed]) -> bool:
        """Tell whether a part of the text is written already."""
        return bool(self._done) and self._goes_on(content, chips)

    def write(self, content: str, chips: Sequence[Placed], *, calmly: bool) -> str:
        """Return the HTML of a text, calm at its end or as it is; equal to `inline_html` of the whole."""
        if not self._goes_on(content, chips):
            self._forget()
        begin = len(self._done)
        tail = content[begin:]
        shown, tokens = calm(tail, self._marks) if calmly else (tail, parse_inline(tail))
        rest = [(min(at - begin, len(shown)), chip) for at, chip in chips[len(self._chips) :]]
        point = safe_point(tail, tokens) if shown == tail else 0
        if point >= _SHORTEST:
            first, tokens = _split(tokens, point)
            count = sum(at <= point for at, _ in rest)
            self._put_aside(tail[:point], first, rest[:count])
            rest = rest[count:]
        return self._html + inline_html(shown, rest, self._look, tokens)

    def _goes_on(self, content: str, chips: Sequence[Placed]) -> bool:
        count, length = len(self._chips), len(self._done)
        same = content.startswith(self._done) and tuple(chips[:count]) == self._chips
        return same and (len(chips) == count or chips[count][0] > length)

    def _put_aside(self, piece: str, tokens: Sequence[Token], chips: Sequence[Placed]) -> None:
        begin = len(self._done)
        self._html += inline_html(piece, chips, self._look, tokens)
        self._chips += tuple((begin + at, chip) for at, chip in chips)
        self._done += piece
        self._marks += Marks.of(piece)


def _split(tokens: list[Token], point: int) -> tuple[list[Token], list[Token]]:
    """Cut the tokens at a place in a plain text."""
    index = next(i for i, token in enumerate(tokens) if token.meta["at"][1] >= point and token.nesting == 0)
    token = tokens[index]
    begin, end = token.meta["at"]
    length = point - begin
    first, second = (
        Token("text", "", 0, content=content, meta={"at": at, "verbatim": True})
        for content, at in ((token.content[:length], (begin, point)), (token.content[length:], (point, end)))
    )
    return [*tokens[:index], first], [second, *tokens[index + 1 :]]


def safe_point(content: str, tokens: Sequence[Token]) -> int:
    """Return the last safe point of a text, or 0."""
    depth = found = 0
    for token in tokens:
        begin, end = token.meta["at"]
        if depth == 0 and token.nesting == 0:
            if token.meta.get("verbatim"):
                waiting = _WAITING.search(content, begin, end + 1)
                found = max(found, _last_word_start(content, begin, waiting.start() if waiting else end))
                if waiting and waiting.start() < end:
                    return found
            elif token.type.startswith("text") and _may_match(token, content):
                return found
        depth += token.nesting
    return found


def _last_word_start(content: str, begin: int, end: int) -> int:
    """Return the start of the last word between the offsets that a space stands before, or 0."""
    window = content[begin : end + 1]
    starts = [match.end() for match in _WORD_START.finditer(window)]
    return begin + starts[-1] if starts else 0


def _may_match(token: Token, content: str) -> bool:
    """Tell whether a mark that stands as text may yet match: not between spaces, nor an underscore in a word."""
    if token.type == "text_special":
        return token.markup in ("\\(", "\\[")
    if not token.content:
        return False
    begin, end = token.meta["at"]
    before, after = content[begin - 1 : begin] if begin else " ", content[end : end + 1]
    in_word = token.content.strip("_") == "" and before.isalnum() and after.isalnum()
    return not in_word and not (before.isspace() and after.isspace())
