"""Sentences of any script as code-point spans, by rules alone."""

import re
from collections.abc import Sequence

from sources.core.abbreviations import ABBREVIATIONS, BEFORE_ORDINALS, MONTHS, NUMBERED

_STOP = re.compile(r"(?:[.!?…‽؟۔。！？｡।॥։።፧၏។៕༎]+)(?:[\"'”’»›)\]}）」』】〉》〗]|\*{1,2}|_{1,2})*")
_WIDE_STOPS = frozenset("。！？｡।॥၏។៕")
_LINE_END = re.compile(r"[^\S\n\r]*(?:\r\n|\n|\r)")
_BLANK = re.compile(r"(?:[^\S\n\r]*(?:\r\n|\n|\r)){2,}")
_BLOCK_START = re.compile(
    r"[^\S\n\r]*(?:#{1,6}\s|[-*+•‣▪◦●·–—]\s|[(\[]?(?:\d{1,3}|[ivxlc]{1,5}|[^\W\d_])[.)\]]\s|>|\||```|~~~|[-=_*]{3,}\s*$)",
    re.MULTILINE,
)
_ONE_LINE = re.compile(r"[^\S\n\r]*(?:#{1,6}\s|\||```|~~~|[-=_*]{3,}\s*$)")
_CELL_ENDS = ("\t", " | ")
# A row of a table is one sentence, unless its cells are texts of their own.
_ROW = re.compile(r"[^\n\r]+ \| [^\n\r]+")
_LONGEST_ROW = 500
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«„]*$")
_FIRST_WORD = re.compile(r"\s*\S+")
_NEXT = re.compile(r"[\s\"'“”‘’«»(\[{¿¡*_—–-]*")
_THAI_GAP = re.compile(r"(?<=[\u0e00-\u0e7f\u0e80-\u0eff]) +(?=[\u0e00-\u0e7f\u0e80-\u0eff])")
_SOFT_GAP = re.compile(r"[;；؛](?=\s)|[;；؛](?=[\u3040-\u9fff])|[\n\r]+")
_LOOK = 40  # characters looked at on either side of a stop, so that time stays linear
_THAI_LEAST = 80
_LONGEST = 1200


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the half-open code-point spans of the sentences of `text`, without outer white space.

    Headings, list items and table rows are sentences of their own. White space stands in no span; everything
    else stands in exactly one.
    """
    spans: list[tuple[int, int]] = []
    for start, end in _blocks(text):
        cuts = [] if _is_row(text, start, end) else _stops(text, start, end)
        for first, last in zip([start, *cuts], [*cuts, end], strict=True):
            spans += _bounded(text, first, last)
    return spans


def _is_row(text: str, start: int, end: int) -> bool:
    return end - start <= _LONGEST_ROW and _ROW.fullmatch(text[start:end].strip()) is not None


def _blocks(text: str) -> list[tuple[int, int]]:
    """Spans between the line ends that end a block."""
    lines = _lines(text)
    words = [text[start:end] for start, end in lines]
    alone = list(map(_stands_alone, words))
    cuts = [lines[i + 1][0] for i in range(len(lines) - 1) if _ends_block(words, alone, i)]
    return list(zip([0, *cuts], [*cuts, len(text)], strict=True))


def _stands_alone(line: str) -> bool:
    """Whether a line is a block of its own: blank, a heading, a rule, a fence or a row of cells."""
    return not line.strip() or any(end in line for end in _CELL_ENDS) or _ONE_LINE.match(line) is not None


def _lines(text: str) -> list[tuple[int, int]]:
    """Half-open spans of the lines, line ends left out."""
    ends = [match.span() for match in re.finditer(r"\r\n|\n|\r", text)]
    starts = [0, *(end for _, end in ends)]
    return list(zip(starts, [*(start for start, _ in ends), len(text)], strict=True))


def _ends_block(lines: Sequence[str], alone: Sequence[bool], index: int) -> bool:
    if alone[index] or alone[index + 1] or _BLOCK_START.match(lines[index + 1]):
        return True
    return _next_word_would_fit(lines, index)


def _next_word_would_fit(lines: Sequence[str], index: int) -> bool:
    """True when a wrapped paragraph would have gone on in this line, so that the line end was meant."""
    line, following = lines[index].rstrip(), lines[index + 1].lstrip()
    first = _opening(following)
    if first.islower() or line[-1] in ",-،、，":
        return False
    width = max(map(len, lines[max(index - 3, 0) : index + 4]))
    word = _FIRST_WORD.match(following)
    needed = len(line) + 1 + (word.end() if word else 0)
    cased = first.isupper() or first.isdigit()
    return needed < width * (0.8 if cased else 0.6)


def _opening(text: str) -> str:
    """The first letter or digit after quotes and brackets, or nothing."""
    match = _NEXT.match(text)
    at = match.end() if match else 0
    return text[at : at + 1]


def _stops(text: str, start: int, end: int) -> list[int]:
    while end > start and text[end - 1].isspace():
        end -= 1
    return [match.end() for match in _STOP.finditer(text, start, end) if _is_stop(text, start, end, match)]


def _is_stop(text: str, start: int, end: int, match: re.Match[str]) -> bool:
    at, stop = match.end(), match.group()
    if at >= end:
        return False
    if any(char in _WIDE_STOPS for char in stop):
        return stop[-1] not in "」』" or text[at] not in "とってのなに、,"
    if not text[at].isspace():
        return False
    after = text[at : at + _LOOK]
    if _opening(after).islower():
        return False
    return stop[0] != "." or stop.startswith("..") or not _is_abbreviation(text, start, match.start(), after)


def _is_abbreviation(text: str, start: int, stop: int, after: str) -> bool:
    """True when the full stop at `stop` belongs to its word, not to the sentence."""
    before = text[max(start, stop - _LOOK) : stop]
    found = _LAST_WORD.search(before)
    word = found.group() if found else ""
    key = word.lower().lstrip("-–—")
    alone = stop - start <= _LOOK and not before[: len(before) - len(word)].strip()
    if key in NUMBERED:
        return _opening(after).isdigit() or _is_roman(after)
    if key in ABBREVIATIONS or _is_initial(word):
        return True
    if word.isdigit():
        ordinal = _first_word(after) in MONTHS or _word_before(before, word) in BEFORE_ORDINALS
        return (alone and len(word) <= 3) or (ordinal and len(word) <= 2)
    return alone and len(word) == 1


def _word_before(before: str, word: str) -> str:
    earlier = before[: len(before) - len(word)].split()
    return earlier[-1].lower() if earlier else ""


def _is_initial(word: str) -> bool:
    """J or e.g or U.S: single letters between stops."""
    return all(len(part) == 1 and part.isalpha() for part in word.split(".")) and (
        "." in word or word.isupper()
    )


def _is_roman(after: str) -> bool:
    return re.fullmatch("[IVXLCDMivxlcdm]+", _first_word(after).upper()) is not None


def _first_word(after: str) -> str:
    match = re.match(r"\s*(\w+)", after)
    return match[1].lower() if match else ""


def _bounded(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Trim one sentence; cut what has no stops (Thai) or never ends at the next best place."""
    cuts = _cuts_at(text, start, end, _THAI_GAP, _THAI_LEAST)
    if end - start > _LONGEST:
        cuts = sorted({*cuts, *_cuts_at(text, start, end, _SOFT_GAP, _LONGEST // 4)})
    pieces = zip([start, *cuts], [*cuts, end], strict=True)
    return [span for a, b in pieces if (span := _trimmed(text, a, b))]


def _cuts_at(text: str, start: int, end: int, gap: re.Pattern[str], least: int) -> list[int]:
    cuts: list[int] = []
    for match in gap.finditer(text, start, end):
        if match.end() - (cuts[-1] if cuts else start) >= least and end - match.end() >= least // 2:
            cuts.append(match.end())
    return cuts


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = end - (len(piece) - len(piece.rstrip()))
    return (left, right) if left < right else None
