"""What speaks against a claim: numbers, dates, names, codes or denials that its source has otherwise."""

import re
from decimal import Decimal
from itertools import pairwise

from chat.core.support_dates import Day
from chat.core.support_names import (
    NEAR_COPY,
    Finding,
    exchanged_words,
    left_over,
    strange_codes,
    strange_names,
    strange_opening,
)
from chat.core.support_numbers import Quantity
from chat.core.support_words import Alignment, Reading, Word, is_run

_SMALL = 12  # small whole numbers are often counts that no source states
_SURE_COPY = 0.85  # share from which a number elsewhere in the sentence counts as moved
_MOST_FAULTS = 5  # of one kind; more tell a reader nothing and would make hostile input slow
_LIST_MARK = re.compile(r"\s*[(\[]?[0-9]{1,3}[.)\]]\s")


def find_faults(
    claim: Reading, source: Reading, context: Reading, alignment: Alignment, lexical: float, *, foreign: bool
) -> list[Finding]:
    """Return what speaks against the claim, gravest kinds first, each reason once."""
    faults = [
        *_dates(claim, source, context, foreign=foreign),
        *_numbers(claim, source, context, alignment, foreign=foreign),
        *strange_codes(claim, source, context),
        *strange_names(claim, source, context),
    ]
    if not foreign:
        faults += _negation(claim, source, alignment, lexical)
        if not any(fault.grave for fault in faults):
            faults += (
                exchanged_words(claim, source, context, alignment, lexical)
                or left_over(claim, source, context)
                or strange_opening(claim, source, context)
            )
    return list({fault.reason: fault for fault in faults}.values())[: 2 * _MOST_FAULTS]


def _dates(claim: Reading, source: Reading, context: Reading, *, foreign: bool) -> list[Finding]:
    known = [*source.dates, *context.dates]
    faults: list[Finding] = []
    for date in claim.dates:
        if not date.sure or any(date.agrees(other) for other in known):
            continue
        other = max(
            (theirs for theirs in source.dates if theirs.sure), key=lambda d: _likeness(date, d), default=None
        )
        shown = _show_date(date)
        if other:
            grave = not foreign or _likeness(date, other) > 0
            faults.append(Finding(f"date differs: {shown} / {_show_date(other)}", grave))
        else:
            faults.append(Finding(f"date not in source: {shown}", not foreign))
        if len(faults) >= _MOST_FAULTS:
            break
    return faults


def _likeness(date: Day, other: Day) -> int:
    """How many of year, month and day both give alike."""
    return max(
        sum(bool(a) and a == b for a, b in zip(mine, theirs, strict=True))
        for mine in date.readings
        for theirs in other.readings
    )


def _show_date(date: Day) -> str:
    year, _, day = min(date.readings)
    parts = [
        str(day) if day else "",
        date.shown if not date.shown[0].isdigit() else "",
        str(year) if year else "",
    ]
    return date.shown if date.shown[0].isdigit() else " ".join(part for part in parts if part)


def _numbers(
    claim: Reading, source: Reading, context: Reading, alignment: Alignment, *, foreign: bool
) -> list[Finding]:
    pool = _by_value((*source.numbers, *context.numbers))
    faults: list[Finding] = []
    for number in _stated_numbers(claim):
        matching = _matching(number, pool)
        if matching:
            faults += _units(number, matching)
            faults += _moved(number, claim, source, alignment)
        elif not _known_otherwise(number, source):
            copied = alignment.shared >= NEAR_COPY
            faults.append(_missing_number(number, claim, source, foreign=foreign, copied=copied))
        if len(faults) >= _MOST_FAULTS:
            break
    return faults


def _stated_numbers(claim: Reading) -> list[Quantity]:
    """The numbers of a claim, each value and unit once, without its list mark and what its dates cover."""
    list_mark = _LIST_MARK.match(claim.text)
    begin = list_mark.end() if list_mark else 0
    dated = {place for date in claim.dates for place in range(date.start, date.end)}
    stated = [number for number in claim.numbers if number.start >= begin and number.start not in dated]
    return list(
        {(number.values, number.unit, number.hedged): number for number in reversed(stated)}.values()
    )[::-1]


def _by_value(numbers: tuple[Quantity, ...]) -> dict[Decimal, list[Quantity]]:
    pool: dict[Decimal, list[Quantity]] = {}
    for number in numbers:
        for value in number.values:
            pool.setdefault(value, []).append(number)
    return pool


def _matching(number: Quantity, pool: dict[Decimal, list[Quantity]]) -> list[Quantity]:
    found = [other for value in number.values for other in pool.get(value, [])]
    if found or not (number.hedged or number.decade):
        return found
    return [others[0] for others in pool.values() if number.agrees(others[0])]


def _known_otherwise(number: Quantity, source: Reading) -> bool:
    """True when the number is a part of a date or of a compound word in the source."""
    of_dates = {
        Decimal(part) for date in source.dates for y, _, d in date.readings for part in (y, d) if part
    }
    return bool(number.values & of_dates) or any(f"{value:f}" in source.vocabulary for value in number.values)


def _missing_number(
    number: Quantity, claim: Reading, source: Reading, *, foreign: bool, copied: bool
) -> Finding:
    said = {value for own in claim.numbers for value in own.values}
    free = [other for other in source.numbers if not other.values & said]
    alike = [other for other in free if other.unit == number.unit and other.spelled == number.spelled]
    other = _nearest_value(number, alike if number.spelled else alike or free)
    small = all(value <= _SMALL and value == value.to_integral() for value in number.values)
    near = [theirs for theirs in alike if _magnitude(number) == _magnitude(theirs)]
    # Outside a copy "two advisers" may count what the source only lists.
    counted = number.spelled and (not alike or (small and not copied))
    doubtful = counted or (small and not alike) or (foreign and (number.spelled or not near))
    if other:
        return Finding(f"number differs: {number.shown} / {other.shown}", not doubtful)
    return Finding(f"number not in source: {number.shown}", not doubtful)


def _magnitude(number: Quantity) -> int:
    return max(number.values).adjusted()


def _nearest_value(number: Quantity, others: list[Quantity]) -> Quantity | None:
    mine = max(number.values)
    return min(others, key=lambda other: min(abs(mine - value) for value in other.values), default=None)


def _stands_beside(number: Quantity, place: int, source: Reading) -> bool:
    """True when the number stands elsewhere in the source's sentence around a place."""
    start, end = next(((a, b) for a, b in source.sentences if a <= place < b), (place, place))
    return any(number.agrees(other) for other in source.numbers if start <= other.start < end)


def units_clash(number: Quantity, other: Quantity) -> bool:
    """True when both have a known unit and not the same."""
    return bool(number.unit and other.unit and number.unit != other.unit)


def _units(number: Quantity, matching: list[Quantity]) -> list[Finding]:
    """A number whose every match in the source has another known unit."""
    units = {other.unit for other in matching}
    if not number.unit or "" in units or number.unit in units:
        return []
    return [Finding(f"unit differs: {number.unit} / {', '.join(sorted(units))}", True)]


def _moved(number: Quantity, claim: Reading, source: Reading, alignment: Alignment) -> list[Finding]:
    """A number that stands in the passage, but not where the copied sentence has another."""
    if alignment.shared < NEAR_COPY:
        return []
    for exchange in alignment.exchanges:
        if not exchange.framed or not exchange.source or not 1 <= len(exchange.claim) <= 2:
            continue
        if not exchange.claim[0].start <= number.start < exchange.claim[-1].end:
            continue
        theirs = [n for n in source.numbers if exchange.source[0].start <= n.start < exchange.source[-1].end]
        if not theirs or any(number.agrees(other) for other in theirs):
            continue
        if alignment.shared >= _SURE_COPY or not _stands_beside(number, exchange.source[0].start, source):
            return [Finding(f"number differs: {number.shown} / {theirs[0].shown}", True)]
    return []


def _negation(claim: Reading, source: Reading, alignment: Alignment, lexical: float) -> list[Finding]:
    """A denial on one side only, among words that the two share."""
    mine = _denied_alone(claim.words, source.words)
    theirs = _denied_alone(source.words, claim.words)
    if alignment.shared >= 0.4:
        mine = mine or any(_denies(each.claim, each.source, source.words) for each in alignment.exchanges)
        theirs = theirs or any(_denies(each.source, each.claim, claim.words) for each in alignment.exchanges)
    if mine == theirs:
        return []
    grave = alignment.shared >= NEAR_COPY or lexical >= 0.8
    return [Finding("negated only in the claim" if mine else "negated in source", grave)]


def _denied_alone(words: tuple[Word, ...], others: tuple[Word, ...]) -> bool:
    """True when a denial stands between two words that the other text has side by side."""
    beside = {(a.stem, b.stem) for a, b in pairwise(others)}
    return any(
        middle.negative and (before.stem, after.stem) in beside and (before.content or after.content)
        for before, middle, after in zip(words, words[1:], words[2:], strict=False)
    )


def _denies(words: tuple[Word, ...], others: tuple[Word, ...], elsewhere: tuple[Word, ...]) -> bool:
    """True when a short stretch denies and neither its counterpart nor the same words elsewhere do."""
    # A Persian verb is denied by one letter in front of it.
    if any(word.text == f"ن{other.text}" for word in words for other in others):
        return True
    if not any(word.negative for word in words) or any(word.negative for word in others):
        return False
    limit = 8 if is_run(words[0]) else 4
    if len(words) > limit:
        return False
    beside = {(a.text, b.text) for a, b in pairwise(elsewhere)}
    return not any((a.text, b.text) in beside for a, b in pairwise(words) if a.negative or b.negative)
