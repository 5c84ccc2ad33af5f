"""Dates and months in many languages, as the support check compares them."""

import re
from dataclasses import dataclass, replace

from chat.core.support_lexicon import DOUBTFUL_MONTHS, MONTHS
from sources.core.folding import Folded

_NUMERIC = re.compile(r"(?<![0-9./-])([0-9]{1,4})([-./])([0-9]{1,2})\2([0-9]{1,4})(?![0-9]|[./-][0-9])")
_HAN = re.compile("(?:([0-9]{2,4})年)?([0-9]{1,2})月(?:([0-9]{1,2})[日号號])?")
_KOREAN = re.compile("(?:([0-9]{2,4})년 ?)?([0-9]{1,2})월(?: ?([0-9]{1,2})일)?")
_WORD = re.compile(r"[^\W\d_]+(?:[\u0900-\u0903\u093a-\u094f]+[^\W\d_]*)*")
_THAI_MONTH = re.compile(
    "|".join(sorted((word for word in MONTHS if "\u0e00" <= word[0] <= "\u0e7f"), key=len))
)
_LINK = r"[\s,.'\u200c-]*(?:(?:de|del|of|the|ماه|year|года|सन)\s+)*"
_DAY_BEFORE = re.compile(r"(?<![0-9])([0-9]{1,2})(?:st|nd|rd|th|er|º|ª|η|ης|\.)?" + _LINK + "$")
_DAY_AFTER = re.compile(_LINK + r"([0-9]{1,2})(?:st|nd|rd|th)?(?![0-9])")
_YEAR_AFTER = re.compile(
    _LINK + r"(?:[0-9]{1,2}(?:st|nd|rd|th)?[\s,.]+)?(?:de\s+|سال\s+)?([0-9]{4})(?![0-9])"
)
_NEAR = 24


@dataclass(frozen=True, slots=True)
class Day:
    """A date as far as a text gives it. `month` is a calendar letter and number such as "g3".

    `readings` holds the (year, month, day) triples it may mean: 5/6/2024 has two.
    """

    readings: frozenset[tuple[int, str, int]]
    start: int
    end: int
    shown: str
    sure: bool = True  # False for a word such as may without a day or year beside it

    def agrees(self, other: "Day") -> bool:
        """True when some reading of both differs in no part that both give."""
        pairs = [(mine, theirs) for mine in self.readings for theirs in other.readings]
        if all(mine[1][0] != theirs[1][0] for mine, theirs in pairs):
            return self.sure and other.sure  # two calendars: nothing to compare
        return any(_compatible(mine, theirs) for mine, theirs in pairs)


def _compatible(mine: tuple[int, str, int], theirs: tuple[int, str, int]) -> bool:
    return all(not a or not b or a == b for a, b in zip(mine, theirs, strict=True))


def days(folded: Folded) -> list[Day]:
    """Return the dates with a month, with spans of the input; bare years are numbers, not dates."""
    return [
        replace(day, start=folded.starts[day.start], end=folded.ends[day.end - 1])
        for day in _days(folded.text)
    ]


def _days(text: str) -> list[Day]:
    found = [day for match in _NUMERIC.finditer(text) if (day := _numeric(match))]
    for pattern in (_HAN, _KOREAN):
        found += [_written(match) for match in pattern.finditer(text)]
    for match in _WORD.finditer(text):
        if match.group() in MONTHS and text[match.end() : match.end() + 1] != "\u200c":  # not the می of می‌کند
            found += _named(text, match)
    found += [day for match in _THAI_MONTH.finditer(text) for day in _named(text, match)]
    return found


def _numeric(match: re.Match[str]) -> Day | None:
    first, second, third = int(match[1]), int(match[3]), int(match[4])
    if len(match[1]) == 4:
        triples = [(first, second, third)]
    elif len(match[4]) in (2, 4):
        year = third if len(match[4]) == 4 else 0
        triples = [(year, second, first), (year, first, second)]
    else:
        return None
    calendar = "j" if any(1300 <= year <= 1499 for year, _, _ in triples) else "g"
    readings = frozenset(
        (year, f"{calendar}{month}", day)
        for year, month, day in triples
        if 1 <= month <= 12 and 1 <= day <= 31
    )
    return Day(readings, *match.span(), match.group()) if readings else None


def _written(match: re.Match[str]) -> Day:
    year, month, day = (int(part or 0) for part in match.groups())
    return Day(frozenset({(year, f"g{month}", day)}), *match.span(), match.group())


def _named(text: str, match: re.Match[str]) -> list[Day]:
    before = text[max(match.start() - _NEAR, 0) : match.start()]
    day_before = _DAY_BEFORE.search(before)
    after = text[match.end() : match.end() + _NEAR]
    day_after = None if day_before else _DAY_AFTER.match(after)
    year = _YEAR_AFTER.match(after)
    sure = match.group() not in DOUBTFUL_MONTHS or bool(day_before or day_after or year)
    day = day_before or day_after
    number = int(day[1]) if day and 1 <= int(day[1]) <= 31 else 0
    reading = (int(year[1]) if year else 0, MONTHS[match.group()], number)
    return [Day(frozenset({reading}), *match.span(), match.group(), sure)]
