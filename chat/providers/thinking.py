"""Keep a model's tagged thinking out of its answer: `<think>…</think>` inside the content."""

import re
from collections.abc import Iterator
from enum import Enum, auto

from chat.providers.base import ReasoningDelta, ReasoningTags, TextDelta, TextWithdrawn

ThinkEvent = TextDelta | ReasoningDelta | TextWithdrawn

_NAMES = ("think", "thinking", "thought", "thoughts", "reasoning")
_OPENING = (*(f"<{name}>" for name in _NAMES), "[think]")
_CLOSING = (*(f"</{name}>" for name in _NAMES), "[/think]")
_TAG = re.compile("|".join(re.escape(tag) for tag in (*_OPENING, *_CLOSING)), re.IGNORECASE)
_LONGEST = max(map(len, (*_OPENING, *_CLOSING)))


class _Where(Enum):
    ANSWER = auto()
    THINKING = auto()
    DOUBT = auto()  # an opening tag in mid-line: thinking if it closes, else text


class ThinkFilter:
    """Split content into answer and thinking; every slicing gives the same joined events.

    At most a tag's length is held back, except after an opening tag in the middle of a line. Tags inside
    Markdown code are text.
    """

    def __init__(self, mode: ReasoningTags) -> None:
        self._off = mode is ReasoningTags.OFF
        self._where = _Where.THINKING if mode is ReasoningTags.IMPLIED else _Where.ANSWER
        self._may_withdraw = mode is ReasoningTags.AUTO
        self._held = ""
        self._answer: list[str] = []
        self._doubtful: list[str] = []
        self._ticks = 0
        self._trim = False

    def feed(self, piece: str) -> Iterator[ThinkEvent]:
        """Yield what `piece` settles."""
        if self._off:
            yield TextDelta(piece)
            return
        self._held += piece
        while (tag := _TAG.search(self._held)) is not None:
            before, self._held = self._held[: tag.start()], self._held[tag.end() :]
            yield from self._say(before)
            yield from self._turn(tag.group())
        settled = _tail_start(self._held)
        before, self._held = self._held[:settled], self._held[settled:]
        yield from self._say(before)

    def flush(self) -> Iterator[ThinkEvent]:
        """Yield what was held back."""
        held, self._held = self._held, ""
        yield from self._say(held)
        if self._where is _Where.DOUBT:
            self._where = _Where.ANSWER
            yield from self._say("".join(self._doubtful))

    def _turn(self, tag: str) -> Iterator[ThinkEvent]:
        """React to a whole tag."""
        opening = tag.lower() in _OPENING
        if self._where is _Where.ANSWER and self._ticks % 2 == 1:
            yield from self._say(tag)
        elif self._where is _Where.ANSWER and opening:
            self._open(tag)
        elif self._where is _Where.ANSWER:
            yield from self._withdraw()
        elif opening:
            yield from self._say(tag)
        else:
            yield from self._close()

    def _open(self, tag: str) -> None:
        written = "".join(self._answer)
        at_line_start = not written.strip() or written.endswith("\n")
        self._where = _Where.THINKING if at_line_start else _Where.DOUBT
        self._doubtful = [tag]

    def _close(self) -> Iterator[ThinkEvent]:
        if self._where is _Where.DOUBT:
            yield ReasoningDelta("".join(self._doubtful[1:]))
        self._where, self._trim, self._may_withdraw = _Where.ANSWER, True, False

    def _withdraw(self) -> Iterator[ThinkEvent]:
        """React to a closing tag without an opening one: what came before was thinking."""
        written = "".join(self._answer)
        if self._may_withdraw and written.strip():
            yield TextWithdrawn()
            yield ReasoningDelta(written)
        if self._may_withdraw:
            self._answer.clear()
            self._ticks = 0
        self._trim, self._may_withdraw = not "".join(self._answer).strip(), False

    def _say(self, text: str) -> Iterator[ThinkEvent]:
        if not text:
            return
        if self._where is _Where.THINKING:
            yield ReasoningDelta(text)
        elif self._where is _Where.DOUBT:
            self._doubtful.append(text)
        else:
            yield from self._say_answer(text)

    def _say_answer(self, text: str) -> Iterator[ThinkEvent]:
        if self._trim:
            text = text.lstrip()
            self._trim = not text
        if text:
            self._ticks += text.count("`")
            self._answer.append(text)
            yield TextDelta(text)


def _tail_start(text: str) -> int:
    """Return where a tag that the end of `text` may have cut off begins, or its length."""
    for start in range(max(len(text) - _LONGEST + 1, 0), len(text)):
        tail = text[start:].lower()
        if tail[0] in "<[" and any(tag.startswith(tail) for tag in (*_OPENING, *_CLOSING)):
            return start
    return len(text)
