"""Which ids and lines a piece of a marker names, against the ids offered in this request."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from chat.core.marker_events import Cite, Dropped, DropReason, Ref, Repair
from sources.core.passages import LineRange

HOSTED_ID = re.compile(r"turn\d{1,6}[a-z]{1,20}\d{1,6}")
HOSTED_RUN = re.compile(r"(?:turn\d{1,6}[a-z]{1,20}\d{1,6}){1,40}")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ue203-\ue206\ufeff]")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−－~～〜", "-"))
_LOCATOR = re.compile(
    r"[#(\[]?(?:L|lines?[ .]?)(\d{1,9})(?:[-:](?:L|lines?[ .]?)?(\d{1,9}))?[)\]]?", re.IGNORECASE
)
_CANONICAL_LOCATOR = re.compile(r"L[0-9]+(?:-L[0-9]+)?")
_LIKE_LOCATOR = re.compile(r"[#]?L\w{0,12}(?:-L?\w{0,12})?")
_TAIL_LOCATOR = re.compile(r"(.+?)[#:@,†]?(L\d{1,9}(?:-L?\d{1,9})?)", re.IGNORECASE)
_ID_SHAPE = re.compile(
    r"block_[a-z0-9]{4,40}|toolu(?:se)?_[A-Za-z0-9_-]{4,60}|(?:block|chunk|passage|source|src|doc)[_-]?[A-Za-z0-9_-]*\d[A-Za-z0-9_-]*",
    re.ASCII,
)
_LIST = re.compile(r"[\s,;|،؛、，；]+")
_IN_A_LIST = re.compile(r"[\w.:#†-]+")
_WRAPPERS = frozenset(('""', "''", "``", "<>", "[]", "()", "{}", "“”", "«»"))
_MAX_LINE = 100_000_000


def fold_digits(text: str) -> str:
    """Return the text with the decimal digits of every script as ASCII digits."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)


def without_invisible(text: str) -> str:
    """Return the text without zero-width characters, soft hyphens and the reserved private-use ones."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def read_locator(token: str) -> LineRange | None:
    """Return the lines that a locator such as L8, L8-L13, L3-9 or L۳-L۵ names, or None if it is unusable.

    A reversed range is swapped.
    """
    match = _LOCATOR.fullmatch(fold_digits(token.translate(_DASHES)))
    if match is None:
        return None
    first = int(match[1])
    last = int(match[2]) if match[2] else first
    if not (0 < first <= _MAX_LINE and 0 < last <= _MAX_LINE):
        return None
    return LineRange(min(first, last), max(first, last))


class OfferedIds:
    """The source ids that were offered in one request, in their order. Ids are compared exactly."""

    def __init__(self, known_ids: Sequence[str], *, numbered: bool = True) -> None:
        self._numbered = tuple(known_ids) if numbered else ()
        self._known = set(known_ids)

    def __contains__(self, source_id: object) -> bool:
        return source_id in self._known

    def add(self, source_id: str) -> None:
        """Offer one more id, as a hosted tool does in mid-answer; it has no number."""
        self._known.add(source_id)

    def at(self, number: int) -> str | None:
        """Return the id of the 1-based `number`th block, or None."""
        return self._numbered[number - 1] if 1 <= number <= len(self._numbered) else None

    def __len__(self) -> int:
        return len(self._numbered)

    def starting(self, prefix: str) -> bool:
        """Say whether an offered id starts with `prefix`; for a marker that the stream's end cut."""
        return any(known.startswith(prefix) for known in self._known)

    def resembles(self, token: str) -> bool:
        """Say whether a token has the shape of an id, so that it is a marker even if it names nothing."""
        return bool(HOSTED_ID.fullmatch(token) or _ID_SHAPE.fullmatch(token))


@dataclass(slots=True)
class Reading:
    """What the fields of one marker said, gathered field by field."""

    ids: OfferedIds
    refs: list[Ref] = field(default_factory=list)
    dropped: list[tuple[str, DropReason]] = field(default_factory=list)
    repair: Repair | None = None
    locator: LineRange | None = None
    _early_lines: LineRange | None = None
    _after_unknown: bool = False

    def repaired(self, repair: Repair) -> None:
        """Note a repair; the first one names the marker."""
        self.repair = self.repair or repair

    def take_field(self, raw: str) -> None:
        """Read one whole field: an id, a locator, or a list of them."""
        text = without_invisible(raw).strip()
        if not text:
            self.repaired(Repair.STRAY_CHARACTERS if raw.strip(" ") != raw else Repair.DOUBLED_DELIMITER)
        elif self.take_token(text):
            if text != raw:
                self.repaired(Repair.STRAY_CHARACTERS)
        else:
            self._take_list(text)

    def take_token(self, token: str) -> bool:
        """Read one id or locator; return False, and take nothing, if it is neither."""
        if token in self.ids:
            self._cite(Ref(token))
            return True
        lines = read_locator(token)
        if lines is not None:
            self._locate(token, lines)
            return True
        return self._take_hosted_run(token) or self._take_id_with_lines(token) or self._take_wrapped(token)

    def drop(self, token: str) -> None:
        """Note a token that names nothing offered."""
        if self.refs and _LIKE_LOCATOR.fullmatch(token):
            self.dropped.append((token, DropReason.LOCATOR_UNUSABLE))
            return
        hosted = HOSTED_RUN.fullmatch(token)
        reason = DropReason.HOSTED_ID_OF_OTHER_RESPONSE if hosted else DropReason.UNKNOWN_ID
        self.dropped.append((token, reason))
        self._after_unknown = True

    def events(self, raw: str) -> tuple[Cite | Dropped, ...]:
        """Return the citation, if an offered id is left, and what was dropped from the marker."""
        dropped = tuple(Dropped(raw, reason, token) for token, reason in self.dropped)
        if self.refs:
            return (Cite(tuple(self.refs), self.repair, raw, self.locator), *dropped)
        return dropped or (Dropped(raw, DropReason.MALFORMED),)

    def _take_list(self, text: str) -> None:
        tokens = [token for token in _LIST.split(text) if token]
        if len(tokens) == 1 or not all(_IN_A_LIST.fullmatch(token) for token in tokens):
            self.drop(text)
            return
        self.repaired(Repair.ID_LIST)
        for token in tokens:
            if not self.take_token(token):
                self.drop(token)

    def _take_hosted_run(self, token: str) -> bool:
        run = HOSTED_RUN.match(token)
        if run is None:
            return False
        rest = token[run.end() :]
        lines = read_locator(rest)
        if rest and lines is None:
            return False
        if run.group() != token or not HOSTED_ID.fullmatch(token):
            self.repaired(Repair.MISSING_DELIMITER)
        for source_id in HOSTED_ID.findall(run.group()):
            if source_id in self.ids:
                self._cite(Ref(source_id))
            else:
                self.drop(source_id)
        if lines and self.refs:
            self._locate(rest, lines)
        return True

    def _take_id_with_lines(self, token: str) -> bool:
        match = _TAIL_LOCATOR.fullmatch(token)
        if match is None or match[1] not in self.ids:
            return False
        self.repaired(Repair.MISSING_DELIMITER)
        self._cite(Ref(match[1], read_locator(match[2])))
        return True

    def _take_wrapped(self, token: str) -> bool:
        """Take an id in quotes or brackets, but nothing that merely starts or ends with one."""
        if len(token) < 3 or token[0] + token[-1] not in _WRAPPERS or token[1:-1] not in self.ids:
            return False
        self.repaired(Repair.STRAY_CHARACTERS)
        self._cite(Ref(token[1:-1]))
        return True

    def _cite(self, ref: Ref) -> None:
        self._after_unknown = False
        self.locator = ref.lines or self.locator
        if self._early_lines:
            ref, self._early_lines = Ref(ref.source_id, ref.lines or self._early_lines), None
        if ref not in self.refs:
            self.refs.append(ref)

    def _locate(self, token: str, lines: LineRange) -> None:
        if not _CANONICAL_LOCATOR.fullmatch(token):
            self.repaired(Repair.LOCATOR_FORM)
        self.locator = lines
        if self._after_unknown:
            return
        if not self.refs:
            self._early_lines = lines
            return
        last = self.refs[-1]
        if last.lines is None:
            self.refs[-1] = Ref(last.source_id, lines)
        else:
            self.refs.append(Ref(last.source_id, lines))
