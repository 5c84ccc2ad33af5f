"""Footnote marks in the text that programs get: `[^1]` behind the words that a source backs.

Ranges are half-open and count code points. Numbers run from 1 without gaps, by first appearance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from chat.core.positions import utf16_length


class Style(StrEnum):
    """How a mark is written; NONE writes nothing, its ranges are empty."""

    FOOTNOTE = "footnote"
    BRACKET = "bracket"
    MARKDOWN_LINK = "markdown_link"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Place:
    """A citation's place in the clean text. `number` says which source, `key` the same in a later reading too."""

    position: int
    number: int
    key: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A written mark: of which place (`index`), with which number, and its range in the marked text."""

    index: int
    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Footnoted:
    """An answer with its marks."""

    text: str
    marks: tuple[Mark, ...]

    @property
    def utf16_ranges(self) -> list[tuple[int, int]]:
        """The ranges of the marks in UTF-16 units, as JavaScript counts."""
        found: list[tuple[int, int]] = []
        done = units = 0
        for mark in self.marks:
            start = units + utf16_length(self.text[done : mark.start])
            units = start + utf16_length(self.text[mark.start : mark.end])
            done = mark.end
            found.append((start, units))
        return found


def footnoted(text: str, places: Sequence[Place], style: Style = Style.FOOTNOTE) -> Footnoted:
    """Return the answer with a mark at each place; `places` are in the order of the answer."""
    writer = FootnoteWriter(style)
    done = 0
    for index, place in enumerate(places):
        writer.say(text[done : place.position])
        writer.cite(index, place)
        done = place.position
    writer.say(text[done:])
    return writer.footnoted


def sign(style: Style, number: int, url: str) -> str:
    """Return what a mark looks like."""
    match style:
        case Style.FOOTNOTE:
            return f"[^{number}]"
        case Style.BRACKET:
            return f"[{number}]"
        case Style.MARKDOWN_LINK:
            return f"[{number}]({_in_link(url)})"
        case Style.NONE:
            return ""


def _in_link(url: str) -> str:
    return url.replace("(", "%28").replace(")", "%29").replace(" ", "%20")


class FootnoteWriter:
    """Writes a marked answer piece by piece. What it has returned is sent and can't be taken back."""

    def __init__(self, style: Style = Style.FOOTNOTE) -> None:
        self._style = style
        self._pieces: list[str] = []
        self._length = 0
        self._marks: list[Mark] = []
        self._numbers: dict[int, int] = {}
        self._keys: dict[str, int] = {}

    @property
    def footnoted(self) -> Footnoted:
        """The answer as written so far."""
        self._pieces = ["".join(self._pieces)]
        return Footnoted(self._pieces[0], tuple(self._marks))

    @property
    def last_mark(self) -> Mark:
        """The mark that was written last."""
        return self._marks[-1]

    def say(self, text: str) -> str:
        """Write clean text and return it."""
        self._pieces.append(text)
        self._length += len(text)
        return text

    def cite(self, index: int, place: Place) -> str:
        """Write a mark at the end of what is written, and return it."""
        number = self._numbers.setdefault(place.number, len(self._numbers) + 1)
        self._keys.setdefault(place.key, number)
        return self._mark(index, number, place.url)

    def settle(self, text: str, places: Sequence[Place]) -> str:
        """Take the whole answer anew and return what is still to be sent.

        Where the new answer goes on from the old one, that is its rest. Where it doesn't, what was sent stays, each
        mark now belongs to the place of the same source, and sources without a mark are marked at the end.
        """
        before, after = self.footnoted, footnoted(text, places, self._style)
        if after.text.startswith(before.text):
            self._pieces, self._length, self._marks = [after.text], len(after.text), list(after.marks)
            return after.text[len(before.text) :]
        self._marks = self._adopted(places)
        return "".join(
            self._append(index, place) for index, place in enumerate(places) if place.key not in self._keys
        )

    def _adopted(self, places: Sequence[Place]) -> list[Mark]:
        keys = {number: key for key, number in self._keys.items()}
        firsts: dict[str, int] = {}
        for index, place in enumerate(places):
            firsts.setdefault(place.key, index)
        return [
            Mark(firsts[keys[mark.number]], mark.number, mark.start, mark.end)
            for mark in self._marks
            if keys[mark.number] in firsts
        ]

    def _append(self, index: int, place: Place) -> str:
        number = self._keys[place.key] = len(self._keys) + 1
        return self._mark(index, number, place.url)

    def _mark(self, index: int, number: int, url: str) -> str:
        written = sign(self._style, number, url)
        self._marks.append(Mark(index, number, self._length, self._length + len(written)))
        self._pieces.append(written)
        self._length += len(written)
        return written
