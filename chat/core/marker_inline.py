"""Read the soft form that may start at a given character of running text.

`read` looks at the start of `text` and returns a verdict: how many characters stay, or are lifted out and
what they cite. None means that more text is needed. Every look-ahead is bounded.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from chat.core.marker_blocks import LOOK_AHEAD
from chat.core.marker_events import DropReason, Repair
from chat.core.marker_ids import HOSTED_ID, OfferedIds, Reading
from chat.core.marker_soft import (
    BRACKET_LIMIT,
    distinctive,
    read_bracket,
    read_double,
    read_footnote,
    read_lenticular,
    read_stripped,
    read_zero_based,
    unresolved_footnote,
)
from chat.core.marker_spellings import SPELLED, is_beginning

SPECIAL = re.compile(r"[`\n\\\[［【〖<({&]|(?ai:filecite|cite)")
_BRACKET = re.compile(
    r"[\[［](?:[^\[\]［］\\\n]|\\.|[\[［](?:[^\[\]［］\\\n]|\\.)*+[\]］])*+[\]］]", re.DOTALL
)
_MATRIX = re.compile(r"\[\[[\d\s.,;\[\]-]*\]\]")
_ESCAPED = re.compile(r"\\[!-/:-@\[-`{-~]")
_DOUBLE = re.compile(r"[\[［]{2}([^\[\]［］\n]*)[\]］]{2}")
_TRIPLE = re.compile(r"\[\[\[([^\[\]\n]*)\]\]\]")
# What may stand before the id in a link to a block, and as a label that says nothing.
_LINK_LEADS = ("", "#", "cite:")
_EMPTY_LABEL = re.compile(
    r"\^?\d{0,3}|sources?|citations?|cite|refs?|references?|links?|منبع|مصدر|来源|來源|出典", re.IGNORECASE
)
_LENTICULAR = re.compile(r"[【〖]([^【】〖〗\n]*)[】〗]")
_CUT_BRACKET = re.compile(r"(\[\[|[\[［【〖])\^?([\w.:†-]*)\]?")
_ELEMENT = re.compile(r"<(?:antml:)?(?:cite|citation)([ \t][^<>\n]*|/)?>", re.IGNORECASE)
_ELEMENT_END = re.compile(r"</ ?(?:antml:)?(?:cite|citation|co(?::[\d, ]*)?) ?>", re.IGNORECASE)
_ELEMENT_BODY = re.compile(r"([^<>\n]*)</(?:antml:)?(?:cite|citation) ?>", re.IGNORECASE)
_CO_ELEMENT = re.compile(r"<co(?::| ) ?([\d, ]+)>", re.IGNORECASE)
_TAG = re.compile(r"<[A-Za-z/!?][^<>\n]*>")
_TAG_BEGINNING = re.compile(r"<(?:[A-Za-z/!?][^<>\n]*)?")
_ATTRIBUTE = re.compile(
    r"\b(?:ids?|refs?|src|source(?:[_-]?ids?)?|doc|block|key|data-[a-z-]+)\s?=\s?(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>/]+))",
    re.IGNORECASE,
)
_LEAKED_ELEMENT = re.compile(r"\(cite index=\"[^\"<>\n]*\">", re.IGNORECASE)
_PARENTHESES = re.compile(r"\(([^()\n]*)\)")
_WORD = re.compile(r"[\w.:-]*")
_LABEL = re.compile(r"(?:doc(?:ument)?s?|sources?|blocks?|منبع|سند|来源|來源)[.:_-]?\d*", re.IGNORECASE)
_STRIPPED = re.compile(
    r"(?:filecite|cite)((?:turn\d{1,6}[a-z]{1,20}\d{1,6}){1,12}(?:L\d{1,9}(?:-L?\d{1,9})?)?)", re.IGNORECASE
)
_STRIPPED_BEGINNING = re.compile(r"(?:filecite|cite)(?:t(?:u(?:r(?:n[\da-z-]*)?)?)?)?", re.IGNORECASE)
_STRIPPED_ID = re.compile(r"(?:filecite|cite):?([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_MINTED = re.compile(r"block_[a-z0-9]{4,40}")
_NO_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u31ff\u3400-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`keep` characters stay (`literal`: untouched as in code), or `cut` characters go for a `reading`.

    `opens` and `closes` tell that the cut is the start or the end of an element around a claim.
    """

    keep: int = 0
    cut: int = 0
    reading: Reading | None = None
    reason: DropReason | None = None
    literal: bool = False
    opens: bool = False
    closes: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the text: the character before ("" after a lifted marker), and whether the line starts here."""

    previous: str
    line_start: bool
    final: bool

    @property
    def admits_soft_forms(self) -> bool:
        """Say whether [1] may be a citation here: not in arr[1], x[a][1], https://example.org/[1]."""
        char = self.previous
        if not char or _NO_SPACES.match(char):
            return True
        return not (char.isalnum() or char in "_/=&?#%@\\~$[]" or "\u0300" <= char <= "\u036f")


Reader = Callable[[str, Place, OfferedIds], Verdict | None]


def read(text: str, place: Place, ids: OfferedIds) -> Verdict | None:
    """Return the verdict on the special character at the start of `text`."""
    spelled = _read_spelled(text, place)
    if spelled is None or spelled.cut:
        return spelled
    return _READERS.get(text[0], _read_stripped)(text, place, ids)


def _read_spelled(text: str, place: Place) -> Verdict | None:
    """Lift a spelled-out delimiter that belongs to no marker; U+E200 in so many words is prose."""
    if text[0] not in "\\&{<[":
        return Verdict(keep=1)
    match = SPELLED.match(text)
    if match and "u+" not in match.group().lower():
        return Verdict(cut=match.end(), reason=DropReason.STRAY_DELIMITER)
    if match or not is_beginning(text):
        return Verdict(keep=1)
    if not place.final:
        return None
    cut_off = len(text) > 3 and text[0] in "\\&{"
    return Verdict(cut=len(text), reason=DropReason.CUT_OFF) if cut_off else Verdict(keep=1)


def _read_escape(text: str, place: Place, ids: OfferedIds) -> Verdict | None:
    if not place.final and (len(text) < 2 or is_beginning(text[1:])):
        return None
    return Verdict(keep=2 if _ESCAPED.match(text) and not SPELLED.match(text, 1) else 1)


def _read_bracket(text: str, place: Place, ids: OfferedIds) -> Verdict | None:
    window = text[:BRACKET_LIMIT]
    triple = _TRIPLE.match(window)
    reading = read_double(triple[1], ids) if triple else None
    if triple and reading and reading.repair is None and reading.refs:
        return Verdict(cut=triple.end(), reading=reading)
    match = _BRACKET.match(window)
    if match is None:
        if not place.final and len(text) < BRACKET_LIMIT and "\n" not in text:
            return None
        return _cut_bracket(text, place, ids)
    end = match.end()
    if end == len(text) and not place.final:
        return None
    following, inner = text[end : end + 1], match.group()[1:-1]
    if following == "(":
        if place.previous == "!":
            return Verdict(keep=end)
        return _read_link(text, end, inner, place, ids)
    if inner.startswith("^"):
        return _footnote(text, inner, end, place, ids)
    if following == ":" and place.line_start:
        return Verdict(keep=end)
    double = _DOUBLE.fullmatch(match.group())
    reading = read_double(double[1], ids) if double else None
    if double and reading and (reading.repair is None or place.admits_soft_forms):
        return Verdict(cut=end, reading=reading)
    if _MATRIX.fullmatch(match.group()):
        return Verdict(keep=end)
    if "†" in inner and "[" not in inner:
        return Verdict(cut=end, reading=read_lenticular(inner, ids))
    reading = read_bracket(inner, ids)
    if reading and (place.admits_soft_forms or _all_distinctive(reading, place)):
        return Verdict(cut=end, reading=reading)
    return Verdict(keep=1)


def _read_link(text: str, end: int, inner: str, place: Place, ids: OfferedIds) -> Verdict | None:
    """Lift a link whose target is an offered id and whose label is one too, a number or a word such as source."""
    target, closing, _ = text[end + 1 : end + BRACKET_LIMIT].partition(")")
    if not closing:
        waits = not place.final and len(text) < end + BRACKET_LIMIT
        return None if waits and _may_lead_to_block(target, ids) else Verdict(keep=end)
    named = next(
        (lead for lead in _LINK_LEADS if target.startswith(lead) and target[len(lead) :] in ids), None
    )
    label = inner.strip(" []")
    if named is None or not distinctive(target[len(named) :]):
        return Verdict(keep=end)
    if not (_EMPTY_LABEL.fullmatch(label) or read_bracket(label, ids)):
        return Verdict(keep=end)
    reading = Reading(ids, repair=Repair.ID_AS_LINK)
    reading.take_token(target[len(named) :])
    return Verdict(cut=end + len(target) + 2, reading=reading)


def _may_lead_to_block(target: str, ids: OfferedIds) -> bool:
    return any(
        lead.startswith(target) or (target.startswith(lead) and ids.starting(target[len(lead) :]))
        for lead in _LINK_LEADS
    )


def _all_distinctive(reading: Reading, place: Place) -> bool:
    return (
        place.previous not in ("[", "]")
        and reading.repair == Repair.BRACKETED_ID
        and all(distinctive(ref.source_id) for ref in reading.refs)
    )


def _footnote(text: str, inner: str, end: int, place: Place, ids: OfferedIds) -> Verdict | None:
    reading = read_footnote(inner, ids)
    if text[end : end + 1] == ":" and place.line_start and (reading or unresolved_footnote(inner, ids)):
        return _definition(text, end, place, whole=reading is not None)
    reading = reading or unresolved_footnote(inner, ids)
    return Verdict(cut=end, reading=reading) if reading else Verdict(keep=1)


def _definition(text: str, end: int, place: Place, *, whole: bool) -> Verdict | None:
    """Lift the line of a footnote that resolves, or just its mark when it doesn't or the line is long."""
    line = text[:LOOK_AHEAD].partition("\n")[0].removesuffix("\r")
    if len(line) == min(len(text), LOOK_AHEAD) and not place.final and len(text) < LOOK_AHEAD:
        return None
    if text.startswith("\r", len(line)) and len(text) == len(line) + 1 and not place.final:
        return None
    cut = len(line) if whole and len(line) < LOOK_AHEAD else end + 1
    return Verdict(cut=cut, reason=DropReason.FOOTNOTE_DEFINITION)


def _cut_bracket(text: str, place: Place, ids: OfferedIds) -> Verdict:
    """Lift a bracket that the end of the answer cut off, if it was about to name an offered block."""
    match = _CUT_BRACKET.fullmatch(text) if place.final else None
    if match is None:
        return Verdict(keep=1)
    token = match[2].partition("†")[0]
    named = len(token) > 2 and (ids.starting(token) or ids.resembles(token))
    if named or (match[1] == "[[" and (not token or ids.starting(token))) or "†" in match[2]:
        return Verdict(cut=len(text), reason=DropReason.CUT_OFF)
    return Verdict(keep=1)


def _read_lenticular(text: str, place: Place, ids: OfferedIds) -> Verdict | None:
    match = _LENTICULAR.match(text[:BRACKET_LIMIT])
    if match is None:
        if not place.final and len(text) < BRACKET_LIMIT and re.fullmatch(r"[^【】〖〗\n]*", text[1:]):
            return None
        return _cut_bracket(text, place, ids)
    reading = read_lenticular(match[1], ids)
    return Verdict(cut=match.end(), reading=reading) if reading else Verdict(keep=1)


def _read_tag(text: str, place: Place, ids: OfferedIds) -> Verdict | None:
    window = text[:LOOK_AHEAD]
    if _ELEMENT_END.match(window):
        return Verdict(cut=window.index(">") + 1, closes=True)
    element = _ELEMENT.match(window)
    if element:
        return _read_element(window, element, place, ids)
    claim = _CO_ELEMENT.match(window)
    if claim:
        return Verdict(cut=claim.end(), reading=read_zero_based(claim[1], ids), opens=True)
    tag = _TAG.match(window)
    if tag:
        return Verdict(keep=tag.end(), literal=True)
    if len(text) < LOOK_AHEAD and _TAG_BEGINNING.fullmatch(text):
        if not place.final:
            return None
        if re.fullmatch(r"</?(?:antml:)?(?:cit[a-z]*|co:).*", text, re.IGNORECASE):
            return Verdict(cut=len(text), reason=DropReason.CUT_OFF)
    return Verdict(keep=1)


def _read_element(text: str, element: re.Match[str], place: Place, ids: OfferedIds) -> Verdict | None:
    """Read <cite id="x">claim</cite>, <cite id="x"/> or <cite>x</cite>; other <cite> tags just go."""
    attributes = element[1] or ""
    value = _ATTRIBUTE.search(attributes)
    if value:
        reading = _element_reading(value[1] or value[2] or value[3] or "", ids)
        alone = attributes.endswith("/")
        return Verdict(cut=element.end(), reading=reading, opens=not alone, closes=alone)
    rest = text[element.end() :]
    if not place.final and len(text) < LOOK_AHEAD and "\n" not in rest and not re.search(r"<.*>", rest):
        return None
    body = _ELEMENT_BODY.match(rest)
    named = read_bracket(body[1], ids) if body else None
    if body and (named or ids.resembles(body[1].strip())):
        return Verdict(cut=element.end() + body.end(), reading=_element_reading(body[1], ids))
    return Verdict(cut=element.end())


def _element_reading(value: str, ids: OfferedIds) -> Reading:
    reading = read_bracket(value, ids) or Reading(ids)
    if not reading.refs:
        reading.drop(value.strip())
    reading.repair = Repair.CITE_ELEMENT
    return reading


def _read_parentheses(text: str, place: Place, ids: OfferedIds) -> Verdict | None:
    leaked = _LEAKED_ELEMENT.match(text[:BRACKET_LIMIT])
    if leaked:
        return Verdict(cut=leaked.end(), reason=DropReason.MALFORMED)
    match = _PARENTHESES.match(text[:BRACKET_LIMIT])
    if match is None:
        may_close = not place.final and len(text) < BRACKET_LIMIT and not re.search(r"[()\n]", text[1:])
        return None if may_close and _may_name(text[1:], ids) else Verdict(keep=1)
    reading = read_bracket(match[1], ids) if _may_name(match[1], ids) and place.admits_soft_forms else None
    if reading and reading.repair != Repair.NUMBER:
        return Verdict(cut=match.end(), reading=reading)
    return Verdict(keep=1)


def _may_name(inner: str, ids: OfferedIds) -> bool:
    """Say whether what stands in parentheses starts like an offered id or like "source 1"."""
    token = _WORD.match(inner)
    word = token.group() if token else ""
    if word == inner:
        return len(word) <= 64
    if inner.lower()[:12] == 'cite index="'[: len(inner)]:
        return True
    return word in ids or HOSTED_ID.match(word) is not None or _LABEL.fullmatch(word) is not None


def _read_stripped(text: str, place: Place, ids: OfferedIds) -> Verdict | None:
    """Read citeturn0file1 or citeblock_1: a marker whose delimiters were stripped on the way."""
    window = text[:LOOK_AHEAD]
    beginning = _STRIPPED_BEGINNING.fullmatch(window) is not None
    if beginning and not place.final and len(window) < LOOK_AHEAD:
        return None
    match = _STRIPPED.match(window)
    if match:
        return Verdict(cut=match.end(), reading=read_stripped(match[1], ids))
    if beginning and len(window) > 6 and place.final:
        return Verdict(cut=len(text), reason=DropReason.CUT_OFF)
    direct = _STRIPPED_ID.match(window)
    if direct is None:
        return Verdict(keep=4)
    if direct.end() == len(text) and not place.final and len(text) < LOOK_AHEAD:
        return None
    token = direct[1].rstrip(".:-")
    if (token in ids and distinctive(token)) or _MINTED.fullmatch(token):
        return Verdict(cut=direct.start(1) + len(token), reading=read_stripped(token, ids))
    return Verdict(keep=4)


_READERS: dict[str, Reader] = {
    "\\": _read_escape,
    "[": _read_bracket,
    "［": _read_bracket,
    "【": _read_lenticular,
    "〖": _read_lenticular,
    "<": _read_tag,
    "(": _read_parentheses,
    "{": lambda text, place, ids: Verdict(keep=1),
    "&": lambda text, place, ids: Verdict(keep=1),
}
