"""What speaks against a claim: numbers, dates, names, codes or denials that its source has otherwise."""

import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from chat.core.support_dates import Day
from chat.core.support_numbers import Quantity
from chat.core.support_words import (
    Alignment,
    Exchange,
    Reading,
    Word,
    capital_runs,
    initials,
    is_cased,
    is_run,
    local_exchanges,
    may_be_name,
    same_name,
)

_CODE = re.compile(r"(?=.*[a-z])(?=.*[0-9])(?!.*[^\W\d_]{6}).{2,}")
_ORDINARY = re.compile("[0-9.]+(?:[^\\W\\d_]{2,}|[a-z]{1,2}[23]|[smkxcf])")
_NEAR_COPY = 0.7  # share of words in place from which a claim counts as a copy of its source
# New characters from which a stretch without spaces is likelier a name than another common word.
_NAME_CHARS = {"cjk": 3, "thai": 5}
_SMALL = 12  # small whole numbers are often counts that no source states
_MOST_FAULTS = 5  # of one kind; more tell a reader nothing and would make hostile input slow
_LIST_MARK = re.compile(r"\s*[(\[]?[0-9]{1,3}[.)\]]\s")


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason against a claim. A grave one makes it unsupported, another weak, a mere note neither."""

    reason: str
    grave: bool
    note: bool = False


def find_faults(
    claim: Reading, source: Reading, context: Reading, alignment: Alignment, lexical: float, *, foreign: bool
) -> list[Finding]:
    """Return what speaks against the claim, gravest kinds first, each reason once."""
    faults = [
        *_dates(claim, source, context, foreign=foreign),
        *_numbers(claim, source, context, alignment, foreign=foreign),
        *_codes(claim, source, context),
        *_names(claim, source, context, alignment, lexical, foreign=foreign),
    ]
    if not foreign:
        faults += _negation(claim, source, alignment, lexical)
        if not any(fault.grave for fault in faults):
            faults += _exchanged(claim, source, context, alignment, lexical) or _left_over(
                claim, source, context
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
            faults.append(_missing_number(number, claim, source, foreign=foreign))
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


def _missing_number(number: Quantity, claim: Reading, source: Reading, *, foreign: bool) -> Finding:
    said = {value for own in claim.numbers for value in own.values}
    free = [other for other in source.numbers if not other.values & said]
    alike = [other for other in free if other.unit == number.unit and other.spelled == number.spelled]
    other = _nearest_value(number, alike if number.spelled else alike or free)
    small = all(value <= _SMALL and value == value.to_integral() for value in number.values)
    near = [theirs for theirs in alike if _magnitude(number) == _magnitude(theirs)]
    doubtful = ((small or number.spelled) and not alike) or (foreign and (number.spelled or not near))
    if other:
        return Finding(f"number differs: {number.shown} / {other.shown}", not doubtful)
    return Finding(f"number not in source: {number.shown}", not doubtful)


def _magnitude(number: Quantity) -> int:
    return max(number.values).adjusted()


def _nearest_value(number: Quantity, others: list[Quantity]) -> Quantity | None:
    mine = max(number.values)
    return min(others, key=lambda other: min(abs(mine - value) for value in other.values), default=None)


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
    if alignment.shared < _NEAR_COPY:
        return []
    for exchange in alignment.exchanges:
        if not exchange.framed or not exchange.source or not 1 <= len(exchange.claim) <= 2:
            continue
        if not exchange.claim[0].start <= number.start < exchange.claim[-1].end:
            continue
        theirs = [n for n in source.numbers if exchange.source[0].start <= n.start < exchange.source[-1].end]
        if theirs and not any(number.agrees(other) for other in theirs):
            return [Finding(f"number differs: {number.shown} / {theirs[0].shown}", True)]
    return []


def _codes(claim: Reading, source: Reading, context: Reading) -> list[Finding]:
    """Part numbers, versions and the like must stand in the source letter for letter."""
    known = source.vocabulary | context.vocabulary
    return [
        Finding(f"name not in source: {claim.text[word.start : word.end]}", True)
        for word in claim.words
        if not _ORDINARY.fullmatch(word.text) and word.text not in known and _is_strange_code(word, known)
    ]


def _is_strange_code(word: Word, known: frozenset[str]) -> bool:
    """True for a code; with a long word in it, as in Internet2, only when its number is unknown."""
    if _CODE.fullmatch(word.text):
        return True
    return any(char.isalpha() for char in word.text) and any(
        part.isdigit() and part not in known for part in word.parts
    )


def _names(
    claim: Reading, source: Reading, context: Reading, alignment: Alignment, lexical: float, *, foreign: bool
) -> list[Finding]:
    """Capitalised words that the source lacks. In German every noun has a capital, so only runs count there."""
    if claim.text.isupper():
        return []
    faults: list[Finding] = []
    for run in capital_runs(claim):
        if run[0].script != source.script or ("de" in (claim.language, source.language) and len(run) == 1):
            continue
        missing = [
            w for w in run if not same_name(w, source) and not same_name(w, context) and not _is_code(w)
        ]
        if not missing or initials(run) in source.vocabulary or _spelled_out(run, source):
            continue
        shown = claim.text[run[0].start : run[-1].end]
        whole = len(missing) == len(run)
        same_language = claim.script != source.script or not _languages_differ(claim, source)
        faults.append(Finding(f"name not in source: {shown}", whole and same_language))
    return faults


def _languages_differ(claim: Reading, source: Reading) -> bool:
    return bool(claim.language and source.language and claim.language != source.language)


def _is_code(word: Word) -> bool:
    return any(char.isdigit() for char in word.text)


def _spelled_out(run: tuple[Word, ...], source: Reading) -> bool:
    """True when a lone acronym stands in the source in full: UN for United Nations."""
    if len(run) != 1 or not 2 <= len(run[0].text) <= 6:
        return False
    wanted = run[0].text
    firsts = "".join(word.text[0] for word in source.words if word.content)
    return wanted in firsts and len(wanted) > 2


def _negation(claim: Reading, source: Reading, alignment: Alignment, lexical: float) -> list[Finding]:
    """A denial on one side only, among words that the two share."""
    mine = _denied_alone(claim.words, source.words)
    theirs = _denied_alone(source.words, claim.words)
    if alignment.shared >= 0.4:
        mine = mine or any(_denies(each.claim, each.source, source.words) for each in alignment.exchanges)
        theirs = theirs or any(_denies(each.source, each.claim, claim.words) for each in alignment.exchanges)
    if mine == theirs:
        return []
    grave = alignment.shared >= _NEAR_COPY or lexical >= 0.8
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


def _exchanged(
    claim: Reading, source: Reading, context: Reading, alignment: Alignment, lexical: float
) -> list[Finding]:
    """Content words put in the place of others in a sentence that is otherwise copied."""
    faults: list[Finding] = []
    exchanges = list(alignment.exchanges)
    if alignment.shared < _NEAR_COPY:
        exchanges = local_exchanges(claim, source, context) if lexical >= _NEAR_COPY else []
    for exchange in exchanges:
        new = [w for w in exchange.claim if w.content and not source.knows(w) and not context.knows(w)]
        new = [w for w in new if not w.text[0].isdigit()]
        old = [w for w in exchange.source if w.content]
        if not new or not old or not exchange.framed or not _same_size(exchange):
            continue
        shown = f"{claim.text[new[0].start : new[-1].end]} / {source.text[old[0].start : old[-1].end]}"
        grave = _names_something(claim, new, source.text[old[0].start : old[-1].end])
        faults.append(Finding(f"differs: {shown}", grave, note=not grave and len(new) == 1))
    return faults


def _left_over(claim: Reading, source: Reading, context: Reading) -> list[Finding]:
    """One run of words that the source lacks, in a claim whose other words it has; a single word is no sign."""
    content = [word for word in claim.words if word.content and not word.text[0].isdigit()]
    strange = [i for i, w in enumerate(content) if not source.knows(w) and not context.knows(w)]
    if not strange or is_cased(content[strange[0]]):
        return []
    run = strange[-1] - strange[0] + 1
    least, most = (3, 8) if is_run(content[strange[0]]) else (2, 4)
    if run != len(strange) or not least <= run <= most or len(content) - run < max(4, 0.7 * len(content)):
        return []
    shown = claim.text[content[strange[0]].start : content[strange[-1]].end]
    return [Finding(f"not in source: {shown}", False)]


def _same_size(exchange: Exchange) -> bool:
    """True when one name could stand for the other."""
    mine, theirs = (16, 30) if is_run(exchange.claim[0]) else (5, 8)
    return len(exchange.claim) <= mine and len(exchange.source) <= theirs


def _names_something(claim: Reading, new: list[Word], instead: str) -> bool:
    """True when the new words may be a name: by a capital, or by their form in a script without capitals."""
    if any(is_cased(word) for word in new):
        return any(claim.text[word.start].isupper() for word in new)
    if is_run(new[0]):
        stretch = claim.text[new[0].start : new[-1].end]
        return sum(char not in instead for char in stretch) >= _NAME_CHARS[new[0].script]
    return any(may_be_name(word) for word in new)
