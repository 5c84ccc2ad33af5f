"""Numbers with their units, in digits or words, as the support check compares them."""

import re
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from typing import NamedTuple

from chat.core.support_lexicon import (
    DOUBTFUL_NUMBERS,
    HEDGES,
    NUMBER_LINKS,
    SCALES,
    SMALL_NUMBERS,
    UNIT_SIGNS,
    UNITS,
)
from sources.core.folding import Folded
from sources.core.numerals import number_forms

_DIGITS = re.compile(
    r"(?<![0-9a-z\u00df-\u024f\u0370-\u052f])(?<![a-z]-)(?:[0-9]{1,3}(?: [0-9]{3})+(?![0-9])"
    r"|\.?[0-9]+(?:[.,'\u066b\u066c][0-9]+)*)"
)
_HAN_NUMBER = re.compile("[〇零一二三四五六七八九十百千万萬亿億两兩]+")
_HAN_VALUES = {
    char: value
    for value, chars in enumerate(("〇零", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九"))
    for char in chars
}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_WORD = re.compile(r"[^\W\d_]+(?:[\u0900-\u0903\u093a-\u094f]+[^\W\d_]*)*")
_MONEY_SCALES = {"k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9}
_AROUND = 12  # characters looked at for a sign or unit beside a number


class Word(NamedTuple):
    """A folded word with its span in the folded text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that a text states: every value it may mean, its unit if known, and its span in the input."""

    values: frozenset[Decimal]
    unit: str
    start: int
    end: int
    shown: str
    spelled: bool = False
    hedged: bool = False
    decade: bool = False

    def agrees(self, other: "Quantity") -> bool:
        """True when both may mean the same value, or a hedged claim gives the other one rounded."""
        if self.values & other.values:
            return True
        if self.decade:
            # The 70s are those of some century.
            return any(
                0 <= (theirs % 100 if mine < 100 <= theirs else theirs) - mine < 10
                for mine in self.values
                for theirs in other.values
            )
        return self.hedged and any(
            _rounds_to(theirs, mine) for mine in self.values for theirs in other.values
        )


def _rounds_to(exact: Decimal, rough: Decimal) -> bool:
    """True when `rough` is `exact` written with fewer significant figures."""
    figures = len(rough.as_tuple().digits)
    return bool(rough) and exact.normalize(Context(prec=figures)) == rough


def quantities(folded: Folded) -> list[Quantity]:
    """Return the numbers in `folded` in order of place, with spans of the input."""
    found = _in_digits(folded.text) + _in_han(folded.text)
    if not folded.text.isascii() or re.search("[a-z]", folded.text):
        found += _in_words(folded.text)
    placed = [replace(each, start=folded.starts[each.start], end=folded.ends[each.end - 1]) for each in found]
    return sorted(placed, key=lambda quantity: quantity.start)


def _in_digits(text: str) -> list[Quantity]:
    return [quantity for match in _DIGITS.finditer(text) if (quantity := _digits(text, match))]


def _digits(text: str, match: re.Match[str]) -> Quantity | None:
    shown = match.group()
    forms = number_forms(shown.replace(" ", "")) or ((shown,) if shown.isdigit() else ())
    if " " in shown:
        forms = (shown.replace(" ", ""),)
    if shown.startswith("."):
        forms = (f"0{shown}",)
    if not forms:
        return None
    after = text[match.end() : match.end() + _AROUND]
    if re.match(r"[a-z]{1,3}-?[0-9]|-[0-9]*[a-z]\b", after):
        return None  # a code such as 7731b2
    factor, width = _scale(after, money=text[match.start() - 1 : match.start()] in tuple(UNIT_SIGNS))
    end = match.end() + width
    return Quantity(
        frozenset((Decimal(form) * factor).normalize() for form in forms),
        _unit(text, match.start(), end),
        match.start(),
        end,
        text[match.start() : end],
        hedged=_hedged(text, match.start()),
        decade=re.match("'?s\\b", after) is not None,
    )


def _scale(after: str, *, money: bool) -> tuple[int, int]:
    """The factor of a scale word after a number, and how many characters it takes."""
    han = re.match("[千万萬亿億]+", after)
    if han:
        factor = 1
        for char in han.group():
            factor *= _HAN_SCALES[char]
        return factor, han.end()
    short = re.match(r"(m|mn|bn|k)\b", after)
    if short and money:
        return _MONEY_SCALES[short[1]], short.end()
    word = re.match(r"[\s-]?([^\W\d_]+)", after)
    if word and word[1] in SCALES and SCALES[word[1]] > 100:
        return SCALES[word[1]], word.end()
    return 1, 0


def _unit(text: str, start: int, end: int) -> str:
    before, after = text[max(start - 4, 0) : start].rstrip(), text[end : end + 2 * _AROUND].lstrip(" -\u200c")
    if after[:1] in UNIT_SIGNS:
        return UNIT_SIGNS[after[0]]
    if before and before[-1] in UNIT_SIGNS:
        return UNIT_SIGNS[before[-1]]
    if "百分之" in text[max(start - 4, 0) : start]:
        return "%"
    if re.match("per cent|por ciento|pour cent|per cento|por cento", after):
        return "%"
    word = _WORD.match(after)
    return UNITS.get(word.group(), "") if word else ""


def _hedged(text: str, start: int) -> bool:
    return any(word in HEDGES for word in text[max(start - 24, 0) : start].split()[-2:])


def _in_han(text: str) -> list[Quantity]:
    found: list[Quantity] = []
    for match in _HAN_NUMBER.finditer(text):
        run = match.group()
        if len(run) == 1 or text[match.start() - 1 : match.start()].isdigit():
            continue
        value = _han_value(run)
        found.append(
            Quantity(
                frozenset({Decimal(value).normalize()}),
                _unit(text, match.start(), match.end()),
                *match.span(),
                run,
                spelled=True,
            )
        )
    return found


def _han_value(run: str) -> int:
    if not any(char in _HAN_SCALES for char in run):
        return int("".join(str(_HAN_VALUES[char]) for char in run))
    total = group = digit = 0
    for char in run:
        if char in _HAN_VALUES:
            digit = _HAN_VALUES[char]
        elif _HAN_SCALES[char] < 10**4:
            group += (digit or 1) * _HAN_SCALES[char]
            digit = 0
        else:
            total += (group + digit or 1) * _HAN_SCALES[char]
            group = digit = 0
    return total + group + digit


def _in_words(text: str) -> list[Quantity]:
    found: list[Quantity] = []
    run: list[Word] = []
    for match in _WORD.finditer(text):
        word = Word(match.group(), *match.span())
        gap = text[run[-1].end : word.start] if run else ""
        if run and gap.strip(" -\u200c"):
            found += _spelled(text, run)
            run = []
        if word.text in SMALL_NUMBERS or word.text in SCALES or (run and word.text in NUMBER_LINKS):
            run.append(word)
        elif run:
            found += _spelled(text, run)
            run = []
    return found + (_spelled(text, run) if run else [])


def _spelled(text: str, run: list[Word]) -> list[Quantity]:
    while run and run[-1].text in NUMBER_LINKS:
        run = run[:-1]
    if not run or (len(run) == 1 and (run[0].text in DOUBTFUL_NUMBERS or run[0].text in SCALES)):
        return []
    if text[: run[0].start].rstrip()[-1:].isdigit() and run[0].text in SCALES:
        return []
    start, end = run[0].start, run[-1].end
    value = _spelled_value([word.text for word in run])
    if value is None:
        return []
    unit = _unit(text, start, end)
    return [
        Quantity(
            frozenset({Decimal(value).normalize()}),
            unit,
            start,
            end,
            text[start:end],
            True,
            _hedged(text, start),
        )
    ]


def _spelled_value(run: list[str]) -> int | None:
    total = group = 0
    for word in run:
        if word in SMALL_NUMBERS:
            group += SMALL_NUMBERS[word]
        elif word in SCALES and SCALES[word] == 100:
            group = (group or 1) * 100
        elif word in SCALES:
            total += (group or 1) * SCALES[word]
            group = 0
    return total + group
