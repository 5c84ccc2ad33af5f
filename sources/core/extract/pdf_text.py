"""From the ordered lines of a PDF page to its canonical text: joined words, paragraphs, clean characters."""

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import numpy as np
from numpy.typing import NDArray

from sources.core.extract.pdf_bidi import RIGHT_TO_LEFT
from sources.core.extract.pdf_characters import LINE_HYPHEN
from sources.core.extract.pdf_layout import Line, rows_of

# What PostgreSQL and JSON refuse, the marks PDFium leaves for characters without meaning, and doubled spaces.
# One set of first characters lets the search skip to them.
_MEANINGLESS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff"
_DROPPED = re.compile(
    f"[{_MEANINGLESS} \t](?:(?<=[{_MEANINGLESS}])|(?<=[ \n][ \t])[ \t]*|(?<=[ \t])[ \t]*(?=\n))"
)
_SOFT_HYPHENS = "\u00ad" + LINE_HYPHEN
_HYPHENS = "-\u2010" + _SOFT_HYPHENS
_FIRST_SPACE = re.compile(r"\s")
# "Haupt- und Nebensatz": a hyphen before these stands for a part left out, not for a word broken in two.
_HANGING = re.compile(r"(?:und|oder|bzw|sowie|and|or|et|ou|y|o|e|to|en|of)\b")
_LAST_WORD = re.compile(r"[\w-]+$")
_FIRST_WORD = re.compile(r"\w+")
_STOPS = ".!?:;؟۔。！？…"
_AFTER_STOP = "\"'”’»)]"
_CLOSING = ",.;:!?)]}»”’،؛؟"
_PARAGRAPH = "\n\n"
_LINE_BREAK = "\n"
_CELL_BREAK = "\t"
# In font sizes or ratios; found by looking at many documents.
_WIDE_LEADING = 1.25
_NO_LEADING = 3.0
_SIZE_CHANGE = 1.15
_SAME_ROW = 0.5
_NEAR = 2.2
_TOUCHING = 0.3
_INDENT = 0.7
_DEFAULT_PITCH = 1.2

Piece = str | tuple[int, int]


def page_pieces(text: str, lines: Sequence[Line]) -> tuple[str, NDArray[np.int64]]:
    """Put a page's lines together; return the canonical text and, for each character, its index or -1 if made up."""
    pitch = usual_pitch(lines)
    pieces: list[Piece] = []
    joined = False
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else None
        words = text[line.start : line.end]
        hyphen = _hyphen(text, words, text[following.start : following.end]) if following else None
        pieces += _first_word_apart(line, words) if joined else [(line.start, line.end)]
        joined = hyphen is not None
        if hyphen is not None:
            pieces[-1:] = _without_hyphen(pieces[-1], hyphen)
        else:
            pieces[-1:] = _shown_hyphen(text, pieces[-1])
            if following:
                before = lines[index - 1] if index else None
                pieces.append(_separator(text, before, line, following, pitch))
    return _assembled(text, pieces)


def usual_pitch(lines: Sequence[Line]) -> float:
    """The usual distance of baselines on a page, in font sizes."""
    steps = [
        (below.baseline - above.baseline) / above.size
        for above, below in pairwise(lines)
        if above.turn == below.turn and above.size > 0 and _alike(above, below)
    ]
    close = [step for step in steps if _SAME_ROW < step < _NO_LEADING]
    return median(close) if close else _DEFAULT_PITCH


def _alike(above: Line, below: Line) -> bool:
    return 1 / _SIZE_CHANGE < above.size / max(below.size, 0.01) < _SIZE_CHANGE


def _hyphen(text: str, words: str, following: str) -> str | None:
    """What stands for the hyphen of a word that goes on in the next line; None when no word does."""
    if len(words) < 2 or words[-1] not in _HYPHENS or not words[-2].isalnum() or not following[:1].isalnum():
        return None
    if words[-1] == "\u00ad":
        return ""
    if not following[0].islower():
        return "-"
    if _HANGING.match(following):
        return None
    return "-" if _is_compound(text, words[:-1], following) else ""


def _is_compound(text: str, words: str, following: str) -> bool:
    """Whether the word has its hyphen anyway: it has others before, or stands so elsewhere on the page."""
    before, after = _LAST_WORD.search(words), _FIRST_WORD.match(following)
    if not before or not after:
        return False
    return "-" in before[0] or f"{before[0]}-{after[0]}".lower() in text.lower()


def _without_hyphen(piece: Piece, shown: str) -> list[Piece]:
    """The piece with its last character, the hyphen, left out or kept as a plain one in its place."""
    start, end = piece if isinstance(piece, tuple) else (0, 0)
    return [(start, end - 1), (end - 1, -1)] if shown else [(start, end - 1)]


def _shown_hyphen(text: str, piece: Piece) -> list[Piece]:
    if isinstance(piece, tuple) and text[piece[1] - 1] == LINE_HYPHEN:
        return [(piece[0], piece[1] - 1), (piece[1] - 1, -1)]
    return [piece]


def _first_word_apart(line: Line, words: str) -> list[Piece]:
    """A line whose first word was begun in the line before: the line break stands after that word."""
    space = _FIRST_SPACE.search(words)
    if not space:
        return [(line.start, line.end)]
    return [(line.start, line.start + space.start()), _LINE_BREAK, (line.start + space.end(), line.end)]


def _separator(text: str, before: Line | None, line: Line, following: Line, pitch: float) -> str:
    if line.turn != following.turn:
        return _PARAGRAPH
    size = max(line.size, 0.01)
    step = (following.baseline - line.baseline) / size
    if abs(step) < _SAME_ROW and (following.left >= line.left or _is_right_to_left(text, line, following)):
        return _along_row(text, line, following, size)
    if step < 0:
        # A new column: a sentence may well go on there.
        return _LINE_BREAK if _goes_on(text, line, following) else _PARAGRAPH
    if not _alike(line, following) or step > _WIDE_LEADING * pitch:
        return _PARAGRAPH
    return _PARAGRAPH if _is_indented(text, before, line, following, size) else _LINE_BREAK


def _along_row(text: str, line: Line, following: Line, size: float) -> str:
    gap = max(following.left - line.right, line.left - following.right)
    if gap > _NEAR * size:
        return _CELL_BREAK
    return "" if gap < _TOUCHING * size and text[following.start] in _CLOSING else " "


def _is_right_to_left(text: str, line: Line, following: Line) -> bool:
    return bool(
        RIGHT_TO_LEFT.search(text, line.start, line.end)
        or RIGHT_TO_LEFT.search(text, following.start, following.end)
    )


def _goes_on(text: str, line: Line, following: Line) -> bool:
    return not _ends_sentence(text, line) and text[following.start].islower()


def _ends_sentence(text: str, line: Line) -> bool:
    return text[line.start : line.end].rstrip(_AFTER_STOP).endswith(tuple(_STOPS))


def _is_indented(text: str, before: Line | None, line: Line, following: Line, size: float) -> bool:
    """A first line set in, after a line that ends a sentence and is not set in itself."""
    if not _ends_sentence(text, line):
        return False
    indent = following.left - line.left
    straight = before is None or abs(before.left - line.left) < _INDENT * size
    return straight and _INDENT * size < indent < 4 * size


def _assembled(text: str, pieces: Sequence[Piece]) -> tuple[str, NDArray[np.int64]]:
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    made_up: list[bool] = []
    for piece in pieces:
        if isinstance(piece, str):
            words.append(piece)
            spans.append((0, len(piece)))
        elif piece[1] < 0:
            words.append("-")
            spans.append((piece[0], piece[0] + 1))
        else:
            words.append(text[slice(*piece)])
            spans.append(piece)
        made_up.append(isinstance(piece, str))
    of_nothing = np.repeat(np.asarray(made_up, dtype=bool), [end - start for start, end in spans])
    return _clean("".join(words), np.where(of_nothing, -1, rows_of(spans)))


def _clean(text: str, indices: NDArray[np.int64]) -> tuple[str, NDArray[np.int64]]:
    dropped = [match.span() for match in _DROPPED.finditer(text)]
    if not dropped:
        return text, indices
    kept = np.ones(len(text), dtype=bool)
    for start, end in dropped:
        kept[start:end] = False
    return _DROPPED.sub("", text), indices[kept]
