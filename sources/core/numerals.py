"""Numbers as people write them: 1,234.5 and 1.234,5 and ۱٬۲۳۴٫۵ are one number."""

import re

_GROUPED = re.compile(r"(\d{1,3})((?:[,.'\u066c]\d{3})+)(?:([.,\u066b])(\d+))?")
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.(\d+))?")
_DECIMAL = re.compile(r"(\d+)[.,\u066b](\d+)")


def number_forms(word: str) -> tuple[str, ...]:
    """Return the plain decimal forms that `word` (ASCII digits and separators) may mean, likeliest first.

    `1,234` and `1.234` mean 1234 in one country and 1.234 in another, so both come back. Empty when `word` is
    not one number (a date, a version, a part number).
    """
    grouped = _GROUPED.fullmatch(word)
    if grouped and _one_separator(grouped):
        whole = re.sub(r"\D", "", grouped[1] + grouped[2])
        if grouped[4]:
            return (_decimal(whole, grouped[4]),)
        if len(grouped[2]) == 4 and grouped[2][0] in ".,":
            both = (whole, _decimal(grouped[1], grouped[2][1:]))
            return both if grouped[1] != "0" else both[1:]
        return (whole,)
    indian = _INDIAN.fullmatch(word)
    if indian:
        whole = re.sub(r"\D", "", word.split(".")[0])
        return (_decimal(whole, indian[1] or ""),)
    decimal = _DECIMAL.fullmatch(word)
    return (_decimal(decimal[1], decimal[2]),) if decimal else ()


def _one_separator(grouped: re.Match[str]) -> bool:
    marks = set(re.sub(r"\d", "", grouped[2]))
    return len(marks) == 1 and grouped[3] not in marks


def _decimal(whole: str, fraction: str) -> str:
    fraction = fraction.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{fraction}" if fraction else whole
