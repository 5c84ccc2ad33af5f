"""The soft forms: what stands between brackets or in an element, and which offered blocks it names.

Each reader returns None for what merely looks like a citation: it counts only if every part resolves.
"""

import re

from chat.core.marker_events import DropReason, Ref, Repair
from chat.core.marker_ids import (
    HOSTED_ID,
    HOSTED_RUN,
    OfferedIds,
    Reading,
    fold_digits,
    read_locator,
    without_invisible,
)

BRACKET_LIMIT = 160
"""Code points between two brackets beyond which they are prose."""
_MAX_RANGE = 20
_PART = re.compile(r"\s*[,;،؛、，；]\s*|\s+(?:and|und|et|y|e|و)\s+|\s*&\s*")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−－~～〜", "-"))
_LABEL = re.compile(
    r"(?:doc(?:ument)?s?|sources?|src|ref(?:erence)?s?|citations?|cite|blocks?|passages?|chunks?|سند|منبع|مصدر"
    r"|来源|來源|文档|文件|資料|出典)[ \t.:#_-]{0,2}(?=\d)",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"#?(\d{1,3})(?:[ ]?-[ ]?(\d{1,3}))?")
_NAMED = re.compile(r"(?:cite|filecite|citation|source|id|ref)[ ]?[:=][ ]?[\"']?(.+?)[\"']?", re.IGNORECASE)
# A word of any language before an id that can't be prose itself: [doc block_k7m2], [see block_k7m2].
_WORD_AND_ID = re.compile(r"[^\W\d_]{2,12}[ ]?[.:]?[ ]?(\S+)")
_EMPHASIS = "*`_\"'"
_ID_AND_LINES = re.compile(r"(.+?)(?:[ ]?[:#@†|][ ]?|[ ])(L.{1,20}|lines?.{1,20})", re.IGNORECASE)
_OLD_HOSTED = re.compile(r"\d{1,4}:\d{1,4}")


def distinctive(source_id: str) -> bool:
    """Say whether an id can't be mistaken for an ordinary word, number or index."""
    return (
        len(source_id) >= 4
        and any(char.isalpha() for char in source_id)
        and any(char.isdigit() or char in "_-" for char in source_id)
    )


def read_bracket(content: str, ids: OfferedIds) -> Reading | None:
    """Read the inside of [..], or return None unless every part names an offered block."""
    text = without_invisible(content).strip()
    if not text or len(text) > BRACKET_LIMIT:
        return None
    reading = Reading(ids)
    for part in _PART.split(text):
        if not _read_part(part.strip(), reading, ids):
            return None
    return reading if reading.refs and not reading.dropped else None


def read_footnote(content: str, ids: OfferedIds) -> Reading | None:
    """Read the inside of [^..], such as ^1, ^1^ or ^block_1; return None if it names no offered block."""
    inner = read_bracket(content.replace("^", " "), ids)
    if inner:
        inner.repair = Repair.FOOTNOTE
    return inner


def unresolved_footnote(content: str, ids: OfferedIds) -> Reading | None:
    """Return the rejection of a footnote mark that names nothing, or None if it is something else."""
    token = content.strip("^ ")
    if not (fold_digits(token).isdigit() and len(token) <= 3) and not ids.resembles(token):
        return None
    return _rejection(token, ids)


def read_lenticular(content: str, ids: OfferedIds) -> Reading | None:
    """Read the inside of 【..】; return None for prose, and a reading without refs for a mark of nothing."""
    text = without_invisible(content).strip()
    reading = _read_dagger(text, ids) if "†" in text else read_bracket(text, ids)
    if reading is None and (ids.resembles(text) or HOSTED_RUN.fullmatch(text) or _OLD_HOSTED.fullmatch(text)):
        reading = _rejection(text, ids)
    if reading is not None:
        reading.repair = Repair.LENTICULAR_BRACKETS
    return reading


def read_double(content: str, ids: OfferedIds) -> Reading | None:
    """Read the inside of [[..]], the plain-text marker style; return None for prose."""
    reading = read_bracket(content, ids)
    if reading is not None:
        if reading.repair == Repair.BRACKETED_ID:
            reading.repair = None
        return reading
    parts = _PART.split(content.strip())
    if not all(ids.resembles(part) or part in ids or read_locator(part) for part in parts):
        return None
    reading = Reading(ids)
    for part in parts:
        if not reading.take_token(part):
            reading.drop(part)
    return reading


def read_in_code(content: str, ids: OfferedIds) -> Reading | None:
    """Read the inside of [[..]] in code, where it must spell out offered ids that can't be anything else."""
    reading = read_double(content, ids)
    if reading is None or reading.repair is not None or not reading.refs:
        return None
    return reading if all(distinctive(ref.source_id) for ref in reading.refs) else None


def read_stripped(text: str, ids: OfferedIds) -> Reading:
    """Read the ids of a marker that lost its delimiters, such as turn0file1turn0file2L3-L5."""
    reading = Reading(ids, repair=Repair.STRIPPED_DELIMITERS)
    if not reading.take_token(text):
        reading.drop(text)
    return reading


def read_zero_based(numbers: str, ids: OfferedIds) -> Reading | None:
    """Read the numbers of <co: 0,1>, which count from 0; return None unless all resolve."""
    reading = Reading(ids, repair=Repair.CO_ELEMENT)
    for number in re.findall(r"\d{1,4}", fold_digits(numbers)):
        found = ids.at(int(number) + 1)
        if found is None:
            return None
        reading.refs.append(Ref(found))
    return reading if reading.refs else None


def _rejection(token: str, ids: OfferedIds) -> Reading:
    reading = Reading(ids)
    reading.drop(token)
    return reading


def _read_part(part: str, reading: Reading, ids: OfferedIds) -> bool:
    if part in ids:
        reading.repaired(Repair.BRACKETED_ID)
        return reading.take_token(part)
    if _read_numbers(part, reading, ids):
        return True
    named = _named(part, ids)
    if named:
        reading.repaired(Repair.BRACKETED_ID)
        return reading.take_token(named)
    lines = _ID_AND_LINES.fullmatch(part)
    located = read_locator(lines[2]) if lines else None
    if lines and located and (lines[1] in ids or _read_numbers(lines[1], Reading(ids), ids)):
        return _read_part(lines[1], reading, ids) and reading.take_token(lines[2])
    if reading.refs and read_locator(part):
        return reading.take_token(part)
    if HOSTED_RUN.fullmatch(part) and all(found in ids for found in HOSTED_ID.findall(part)):
        reading.repaired(Repair.BRACKETED_ID)
        return reading.take_token(part)
    return False


def _named(part: str, ids: OfferedIds) -> str:
    """Return the offered id that stands behind a word or in emphasis, or ""."""
    named = _NAMED.fullmatch(part)
    if named and named[1] in ids:
        return named[1]
    word = _WORD_AND_ID.fullmatch(part)
    for token in (word[1] if word else "", part.strip(_EMPHASIS)):
        if token in ids and distinctive(token):
            return token
    return ""


def _read_numbers(part: str, reading: Reading, ids: OfferedIds) -> bool:
    text = fold_digits(part.translate(_DASHES))
    label = _LABEL.match(text)
    match = _NUMBERS.fullmatch(text[label.end() :] if label else text)
    if match is None:
        return False
    first = int(match[1])
    last = int(match[2]) if match[2] else first
    if not (1 <= first <= last <= len(ids) and last - first < _MAX_RANGE):
        return False
    reading.repaired(Repair.LABELLED_NUMBER if label else Repair.NUMBER)
    for number in range(first, last + 1):
        reading.take_token(ids.at(number) or "")
    return True


def _read_dagger(text: str, ids: OfferedIds) -> Reading:
    """Read 4:0†source, 6†L9-L11 or id†L4-L7; a number before the dagger counts from 0 (gpt-oss)."""
    left, _, right = (part.strip() for part in text.partition("†"))
    reading = Reading(ids)
    lines = read_locator(right)
    number = fold_digits(left)
    cursor = ids.at(int(number) + 1) if lines and number.isdigit() and len(number) <= 4 else None
    named = next((found for found in (left, right, cursor) if found is not None and found in ids), None)
    if named is None:
        reading.dropped.append((left, DropReason.HOSTED_ID_OF_OTHER_RESPONSE))
        return reading
    reading.refs.append(Ref(named, lines))
    reading.locator = lines
    return reading
