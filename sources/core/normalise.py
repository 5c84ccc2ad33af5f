"""Words as search and checking see them, with the place in the input each one came from.

`fold` gives the letters to compare; `tokens` cuts folded text into words and keeps for each the half-open
code-point span of the input, so that a hit can be highlighted in the untouched canonical text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from sources.core.folding import Folded, fold_with_map
from sources.core.numerals import number_forms
from sources.core.stopwords import PERSIAN_AFFIXES, STOP_WORDS

_CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
_CJK_WIDE = "\U00020000-\U0003ffff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"
_UNSPACED = "\u0e00-\u0e4f\u0e80-\u0ecf\u1000-\u103f\u1050-\u109f\u1780-\u17d3"  # Thai, Lao, Burmese, Khmer
_ARABIC = "\u0620-\u065f\u066e-\u06d3\u06d5-\u06dc\u06ee\u06ef\u06fa-\u06ff\u0750-\u077f\u08a0-\u08ff"
_MARKS = "\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"
_INDIC_MARKS = (
    "\u0981-\u0983\u09bc-\u09cd\u09e2\u09e3\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a81-\u0a83\u0abc-\u0acd"
    "\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6"
    "\u0d00-\u0d03\u0d3b-\u0d4d\u0d82\u0d83\u0dca-\u0ddf\u0f71-\u0f84"
)
_NOT_PLAIN = f"{_CJK}{_CJK_WIDE}{_HANGUL}{_UNSPACED}{_ARABIC}"
_LETTER = rf"(?:(?![{_NOT_PLAIN}])[^\W\d_][{_MARKS}{_INDIC_MARKS}]*)"
_RUN = rf"(?:{_LETTER}|[0-9])+"

_WORD = re.compile(
    rf"(?P<cjk>[{_CJK}{_CJK_WIDE}]+)"
    rf"|(?P<hangul>[{_HANGUL}]+)"
    rf"|(?P<unspaced>[{_UNSPACED}]+)"
    rf"|(?P<arabic>[{_ARABIC}]+(?:\u200c[{_ARABIC}]+)*)"
    rf"|(?P<plain>{_RUN}(?:[-./_:'&@,\u066b\u066c]{_RUN})*)"
)
# What _WORD finds in folded text without other letters, several times faster.
_ASCII_WORD = re.compile("[a-z0-9]+(?:[-./_:'&@,][a-z0-9]+)*")
_CLUSTER = re.compile(
    r"(?:[\u0e40-\u0e44\u0ec0-\u0ec4]?.[\u0e31\u0e33-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd"
    r"\u102b-\u103e\u17b6-\u17d3]*)",
    re.DOTALL,
)
_PIECE = re.compile(rf"{_LETTER}+|[0-9]+")
# One that isn't between two digits.
_LOOSE_SEPARATOR = re.compile(r"[-./_:'&@,\u066b\u066c](?:(?<![0-9].)|(?![0-9]))")
_MAX_PIECES = 8


@dataclass(frozen=True, slots=True)
class Token:
    """A folded word and its half-open code-point span in the input.

    `part` marks a piece of a longer token that was also given whole (`7731` of `K-7731-B`).
    """

    text: str
    start: int
    end: int
    part: bool = False


def fold(text: str) -> str:
    """Return `text` as it is compared: compatibility forms, case, diacritics and script variants levelled."""
    return fold_with_map(text).text


def tokens(text: str) -> list[Token]:
    """Return the words of `text` in order; a compound comes whole first, then its pieces marked `part`."""
    return tokens_of(fold_with_map(text))


def tokens_of(folded: Folded) -> list[Token]:
    """Return the words of a text folded already, as `tokens` does; spans are of the unfolded input."""
    return [token for match in _WORD.finditer(folded.text) for token in _tokens_of_match(folded, match)]


def _tokens_of_match(folded: Folded, match: re.Match[str]) -> list[Token]:
    match match.lastgroup:
        case "cjk" | "hangul":
            return _bigrams(folded, [(i, i + 1) for i in range(*match.span())])
        case "unspaced":
            return _bigrams(folded, [m.span() for m in _CLUSTER.finditer(folded.text, *match.span())])
        case "arabic":
            return _arabic_word(folded, *match.span())
        case _:
            return _plain_word(folded, *match.span())


def word_parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the words of `text` and whether each is a part of a compound, as `tokens` does but without places.

    An index needs no places, and most words are plain letters: this is many times as fast.
    """
    folded = fold_with_map(text)
    if folded.text.isascii():
        for word in _ASCII_WORD.findall(folded.text):
            if word.isalpha():
                yield word, False
            else:
                yield from ((token.text, token.part) for token in _plain_word(_in_itself(word), 0, len(word)))
        return
    for match in _WORD.finditer(folded.text):
        word = match.group()
        if match.lastgroup == "plain" and word.isalpha():
            yield word, False
        else:
            yield from ((token.text, token.part) for token in _tokens_of_match(folded, match))


def _in_itself(word: str) -> Folded:
    places = range(len(word) + 1)
    return Folded(word, places[:-1], places[1:])


def query_tokens(text: str) -> list[Token]:
    """Return the tokens that say what a question is about, without question and stop words.

    A part number stays whole, so that `K-7731-B` does not find `K-7731-C`. When nothing would remain, all
    stay.
    """
    found = tokens(text)
    kept: list[Token] = []
    exact_until = -1
    for token in found:
        if token.part and token.start < exact_until:
            continue
        if not token.part and _is_part_number(token.text):
            exact_until = token.end
        if token.text not in STOP_WORDS:
            kept.append(token)
    return kept or found


def _is_part_number(word: str) -> bool:
    return any(c.isdigit() for c in word) and not word.isdigit()


def _bigrams(folded: Folded, units: list[tuple[int, int]]) -> list[Token]:
    if len(units) == 1:
        return [_token(folded, *units[0])]
    return [_token(folded, a[0], b[1]) for a, b in pairwise(units)]


def _arabic_word(folded: Folded, start: int, end: int) -> list[Token]:
    whole = folded.text[start:end]
    if "\u200c" not in whole:
        return [_token(folded, start, end)]
    found = [_token(folded, start, end, text=whole.replace("\u200c", ""))]
    at = start
    for piece in whole.split("\u200c"):
        if piece not in PERSIAN_AFFIXES:
            found.append(_token(folded, at, at + len(piece), part=True))
        at += len(piece) + 1
    return found


def _plain_word(folded: Folded, start: int, end: int) -> list[Token]:
    word = folded.text[start:end]
    if word.endswith("'s"):
        word, end = word[:-2], end - 2
    if word.isdigit() or (word.isalpha()):
        return [_token(folded, start, end)]
    numbers = number_forms(word)
    if numbers:
        return [_token(folded, start, end, text=number) for number in numbers]
    return _compound(folded, word, start, end)


def _compound(folded: Folded, word: str, start: int, end: int) -> list[Token]:
    pieces = [m.span() for m in _PIECE.finditer(word)]
    found = [_token(folded, start, end, text=squeeze(word))]
    if 1 < len(pieces) <= _MAX_PIECES:
        found += [
            _token(folded, start + a, start + b, part=True) for a, b in pieces if not _is_elision(word, a, b)
        ]
    return found


def _is_elision(word: str, start: int, end: int) -> bool:
    """True for the single letter beside an apostrophe: the l of l'homme, the t of don't."""
    return end - start == 1 and "'" in (word[end : end + 1], word[max(start - 1, 0) : start])


def squeeze(word: str) -> str:
    """Drop the separators that writers vary: K-7731-B and K7731B are one word, 1.2.3 and 12.3 are not."""
    return _LOOSE_SEPARATOR.sub("", word)


def _token(folded: Folded, start: int, end: int, *, text: str | None = None, part: bool = False) -> Token:
    return Token(text or folded.text[start:end], folded.starts[start], folded.ends[end - 1], part)
