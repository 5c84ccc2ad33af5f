"""Letters levelled for comparison, with a map back to the input.

The rules are those of Unicode (NFKC, case folding, decomposition) plus the variants that real Persian,
Arabic and Latin files show: Arabic and Persian yeh and kaf, presentation forms, tatweel, vowel signs, and
the swapped letters that PDF text extraction makes of the lam-alef and Allah ligatures.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

# Marks that only decorate a letter. Vowel signs of Indic and Thai scripts spell words and stay.
_DECORATION = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u08d3-\u08ff\u093c\u09bc\u0a3c\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"
)
# Not seen by a reader: soft hyphen (PDFium gives U+0002 and U+FFFE for it), tatweel, joiners other than
# ZWNJ, direction marks, byte-order mark.
_UNSEEN = (
    "\u00ad\u0002\ufffe\u0640\u200b\u200d\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u061c"
)
_COMBINING = f"{_DECORATION}\u3099\u309a\u1160-\u11ff"
_SPECIAL = re.compile(f"[{_UNSEEN}]|[^{_UNSEEN}{_COMBINING}]?[{_COMBINING}]+")
_DECORATIONS = re.compile(f"[{_DECORATION}{_UNSEEN}]")

_LETTERS = str.maketrans(
    {
        "ي": "ی", "ى": "ی", "ې": "ی", "ے": "ی", "ك": "ک", "ڪ": "ک", "ة": "ه", "ہ": "ه", "ھ": "ه", "ە": "ه",
        "ٱ": "ا", "ٲ": "ا", "ٳ": "ا",
        "ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ŧ": "t",
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-", "⁃": "-", "﹣": "-",
        "’": "'", "‘": "'", "ʼ": "'", "ʹ": "'", "`": "'", "′": "'", "´": "'", "⁄": "/", "·": ".",
        "ँ": "ं", "\u2028": "\n", "\u2029": "\n",
    }
)  # fmt: skip
# Before NFKC, which makes 61/2 of 6½ and alarm2 of a footnote mark; a raised digit stands apart from its word.
_FIRST = str.maketrans(
    {
        "½": ".5", "¼": ".25", "¾": ".75", "⅓": ".33", "⅔": ".67", "⅛": ".125", "⅜": ".375", "⅝": ".625",
        "⅞": ".875", "⅕": ".2", "⅖": ".4", "⅗": ".6", "⅘": ".8",
        **{raised: f" {digit}" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    }
)  # fmt: skip
_LINE_HYPHEN = re.compile(
    "(?<=[^\\W\\d_])[-\u2010\u00ad\u0002\ufffe][ \t]*(?:\r\n|\n|\r)[ \t]*(?=[^\\W\\d_])"
)
# What PDFium makes of ligatures drawn right to left: the letters of one glyph come out reversed.
_ALLAH = re.compile("اهلل(?![\u0620-\u06ff])")
_LILLAH = re.compile("(?<![\u0620-\u06ff])([وف]?)هلل(?![\u0620-\u06ff])")


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text; its character i came from the input span `[starts[i], ends[i])` in code points."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def fold_with_map(text: str) -> Folded:
    """Fold `text` and say for each folded character where it came from."""
    if (
        text.isascii()
        and "\x02" not in text
        and "-\n" not in text
        and "-\r" not in text
        and "- \n" not in text
    ):
        places = range(len(text) + 1)
        return Folded(_ascii(text), places[:-1], places[1:])
    chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for gap in _joined_lines(text):
        _fold_piece(text, at, gap[0], chars, starts, ends)
        at = gap[1]
    _fold_piece(text, at, len(text), chars, starts, ends)
    return Folded(_mend_arabic("".join(chars)), starts, ends)


def _ascii(text: str) -> str:
    return text.lower().replace("`", "'")


def _joined_lines(text: str) -> list[tuple[int, int]]:
    """Spans of hyphen and line end inside a broken word; a capital after the line end marks a true hyphen."""
    return [
        match.span()
        for match in _LINE_HYPHEN.finditer(text)
        if not text[match.end()].isupper() or match.group()[0] in "\u00ad\u0002\ufffe"
    ]


def _fold_piece(
    text: str, start: int, end: int, chars: list[str], starts: list[int], ends: list[int]
) -> None:
    """Fold `text[start:end]`; the plain stretches between marked letters go in one step, which is the speed."""
    at = start
    for match in _SPECIAL.finditer(text, start, end):
        _fold_plain(text, at, match.start(), chars, starts, ends)
        _add(_fold_cluster(match.group()), *match.span(), chars, starts, ends)
        at = match.end()
    _fold_plain(text, at, end, chars, starts, ends)


def _fold_plain(
    text: str, start: int, end: int, chars: list[str], starts: list[int], ends: list[int]
) -> None:
    folded = text[start:end].translate(_FOLDED_CHARS)  # no character here folds to nothing, see _SPECIAL
    if len(folded) == end - start:
        chars.append(folded)
        starts.extend(range(start, end))
        ends.extend(range(start + 1, end + 1))
        return
    for at in range(start, end):
        _add(_FOLDED_CHARS[ord(text[at])], at, at + 1, chars, starts, ends)


def _add(folded: str, first: int, last: int, chars: list[str], starts: list[int], ends: list[int]) -> None:
    chars.append(folded)
    starts.extend([first] * len(folded))
    ends.extend([last] * len(folded))


class _FoldedChars(dict[int, str]):
    """Folded form of each character met so far, as `str.translate` wants it."""

    def __missing__(self, code: int) -> str:
        folded = _fold_cluster(chr(code))
        self[code] = folded
        return folded


@lru_cache(maxsize=16384)
def _fold_cluster(cluster: str) -> str:
    wide = unicodedata.normalize("NFKC", cluster.translate(_FIRST)).casefold()
    bare = _DECORATIONS.sub("", unicodedata.normalize("NFKD", wide))
    whole = unicodedata.normalize("NFC", bare).translate(_LETTERS)
    return "".join(_ascii_digit(char) for char in whole)


def _ascii_digit(char: str) -> str:
    return str(unicodedata.decimal(char, char))


_FOLDED_CHARS = _FoldedChars()


def _mend_arabic(text: str) -> str:
    """Level what PDF extraction swaps; each change keeps the length, so the map stays true."""
    if "ل" not in text:
        return text
    text = _ALLAH.sub("الله", text)
    text = _LILLAH.sub(r"\1لله", text)
    return text.replace("لا", "ال")
