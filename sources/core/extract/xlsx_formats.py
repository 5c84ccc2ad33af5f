"""How Excel shows a number: dates, shares, decimals, currencies, by the format code of its cell.

Dates come out as ISO 8601, whatever order of day and month the cell shows, so that nobody can misread them.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

_BUILT_IN = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    14: "yyyy-mm-dd",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm",
    19: "h:mm:ss",
    20: "h:mm",
    21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm",
    37: "#,##0",
    38: "#,##0",
    39: "#,##0.00",
    40: "#,##0.00",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss",
    48: "0.0E+0",
}
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|[_*].|\[(?![hms]+\])[^\]]*\]', re.IGNORECASE)
_ELAPSED = re.compile(r"\[[hms]+\]", re.IGNORECASE)
_DAYS, _TIME = re.compile(r"[yd]|m{3,}", re.IGNORECASE), re.compile(r"[hs]|AM/PM", re.IGNORECASE)
_DIGITS = re.compile(r"[#0?](?:[#0?,. ]*[#0?,.])?(?:E[+-]0+)?", re.IGNORECASE)
_FIRST_DAY, _FIRST_DAY_OF_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_LAST_DAY = 2_958_465
_SIGNIFICANT = 15


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """`kind` is general, number, date, time, moment (date and time), elapsed or text."""

    kind: str = "general"
    decimals: int = 0
    thousands: bool = False
    percent: bool = False
    before: str = ""
    after: str = ""

    def show(self, value: float, *, from_1904: bool = False) -> str:
        """Return a cell's number as it is read."""
        if self.kind in {"date", "time", "moment"}:
            return _shown_date(value, self.kind, from_1904=from_1904)
        if self.kind == "elapsed":
            minutes = round(value * 24 * 60)
            return f"{minutes // 60}:{minutes % 60:02}"
        if self.kind != "number":
            return _plain(value)
        number = abs(value) * (100 if self.percent else 1)
        digits = f"{number:,.{self.decimals}f}" if self.thousands else f"{number:.{self.decimals}f}"
        sign = "-" if value < 0 and digits.strip("0,.") else ""
        return f"{sign}{self.before}{digits}{self.after}{'%' if self.percent else ''}"


def built_in_format(number: int) -> NumberFormat:
    """Return one of the formats that every workbook has by number."""
    return number_format(_BUILT_IN.get(number, "General"))


def number_format(code: str) -> NumberFormat:
    """Read a format code; of its sections, the one for positive numbers counts."""
    section = _sections(code)[0]
    bare = _LITERAL.sub("", section)
    if _ELAPSED.search(bare):
        return NumberFormat("elapsed")
    if "@" in bare or "general" in bare.lower() or not bare.strip():
        return NumberFormat("text" if "@" in bare else "general")
    days, time = bool(_DAYS.search(bare)), bool(_TIME.search(bare))
    if days or time:
        return NumberFormat("moment" if days and time else "date" if days else "time")
    return _with_digits(section)


def _with_digits(section: str) -> NumberFormat:
    shown = _LITERAL.sub(lambda match: match[1] or match[2] or match[3] or "", section)
    digits = _DIGITS.search(shown)
    if not digits or "E" in digits[0].upper() or "/" in shown:
        return NumberFormat()
    whole, _, part = digits[0].rstrip(", ").partition(".")
    return NumberFormat(
        kind="number",
        decimals=sum(sign in "0#?" for sign in part),
        thousands="," in whole,
        percent="%" in shown,
        before=_around(shown[: digits.start()]),
        after=_around(shown[digits.end() :]),
    )


def _around(text: str) -> str:
    """What stands beside the digits, without the signs that format itself uses."""
    return re.sub(r"[%#0?()]", "", text)


def _sections(code: str) -> list[str]:
    """The parts between semicolons that aren't quoted."""
    parts, quoted = [""], False
    for sign in code:
        quoted ^= sign == '"'
        if sign == ";" and not quoted:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _shown_date(value: float, kind: str, *, from_1904: bool) -> str:
    if not 0 <= value <= _LAST_DAY:
        return _plain(value)
    # Excel counts a 29 February 1900 that never was; before it, days are off by one.
    early = 1 if value < 60 and not from_1904 else 0
    first = _FIRST_DAY_OF_1904 if from_1904 else _FIRST_DAY
    moment = first + timedelta(days=value + (early if kind != "time" else 0))
    moment = (moment + timedelta(milliseconds=500)).replace(microsecond=0)
    clock = moment.strftime("%H:%M:%S").removesuffix(":00")
    if kind == "time":
        return clock
    day = f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
    return day if kind == "date" else f"{day} {clock}"


def _plain(value: float) -> str:
    """A number without format: no decimals that are none, no more digits than are stored."""
    if value == int(value) and abs(value) < 10**_SIGNIFICANT:
        return str(int(value))
    return f"{value:.{_SIGNIFICANT}g}"
