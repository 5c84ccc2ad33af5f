"""RTF: paragraphs, headings, lists, tables and footnotes; hidden text, pictures and comments stay out."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from sources.core.extract.about import authors, year_of
from sources.core.extract.canonical import CanonicalText
from sources.core.extract.docx import HIDDEN
from sources.core.extract.rtf_tokens import Token, charset_encoding, page_encoding, tokens
from sources.core.extract.types import Extracted, ExtractionError, FailureReason

RTF = "application/rtf"
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Groups whose words are not the text of the document.
_UNSEEN = {
    "stylesheet", "colortbl", "pict", "object", "themedata", "colorschememapping", "datastore", "latentstyles",
    "listtable", "listoverridetable", "rsidtbl", "generator", "xmlnstbl", "header", "headerf", "headerl", "headerr",
    "footer", "footerf", "footerl", "footerr", "annotation", "atnid", "atnauthor", "fldinst", "bkmkstart", "bkmkend",
    "pntext", "pnseclvl", "filetbl", "revtbl", "ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "template", "mmathPr",
    "shpinst", "nonshppict", "pgdsctbl", "txe", "rxe", "xe", "tc", "operator", "company", "manager", "category",
    "keywords", "comment", "doccomm", "hlinkbase", "private", "passwordhash", "userprops", "factoidname",
}  # fmt: skip
_STARRED_SEEN = {"shptxt", "footnote", "listtext", "fonttbl", "shppict", "ud"}
_ABOUT = {"title", "author", "creatim", "subject"}
_SIGNS = {
    "tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "zwj": "\u200d", "zwnj": "\u200c",
    "ltrmark": "\u200e", "rtlmark": "\u200f", "zwbo": "", "zwnbo": "",
}  # fmt: skip
_ESCAPED = {"~": "\xa0", "_": "\u2011", "-": "", "\\": "\\", "{": "{", "}": "}", "\r": "\n", "\n": "\n"}
_DEEPEST = 500


@dataclass(slots=True)
class _State:
    """What a group inherits from the one around it. `target` is where words go: text, note, or a field of info."""

    target: str = "text"
    encoding: str = "cp1252"
    is_hidden: bool = False
    skip: int = 1
    in_table: bool = False
    level: int | None = None


def read_rtf(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a document. Raises ExtractionError."""
    canonical = CanonicalText()
    document = _Document(canonical)
    for token in tokens(path.read_bytes()):
        document.take(token)
    document.finish()
    progress(1, 1)
    about = {name: "".join(parts) for name, parts in document.about.items()}
    return canonical.extracted(
        RTF,
        file_name,
        title=about.get("title", ""),
        author=authors(about.get("author", "").split(";")),
        year=year_of(about.get("year", "")),
    )


@dataclass(slots=True)
class _Document:
    """Takes the tokens one by one and writes paragraphs and rows as they end."""

    canonical: CanonicalText
    about: dict[str, list[str]] = field(default_factory=dict)
    _state: _State = field(default_factory=_State)
    _around: list[_State] = field(default_factory=list)
    _encodings: dict[int, str] = field(default_factory=dict)
    _page: str = "cp1252"
    _font: int = 0
    _words: dict[str, list[str]] = field(default_factory=dict)
    _bytes: bytearray = field(default_factory=bytearray)
    _to_skip: int = 0
    _starred: bool = False
    _high: int = 0
    _row: list[str] = field(default_factory=list)
    _rows: list[list[str]] = field(default_factory=list)
    _notes: list[str] = field(default_factory=list)
    _number: "count[int]" = field(default_factory=lambda: count(1))

    def take(self, token: Token) -> None:
        if token.kind == "bytes":
            self._take_bytes(token.data)
            return
        self._decode_bytes()
        if token.kind == "open":
            if len(self._around) > _DEEPEST:
                raise ExtractionError(FailureReason.CORRUPT, "nested too deeply")
            self._around.append(replace(self._state))
            self._to_skip = 0
        elif token.kind == "close":
            self._close()
        elif token.kind == "sign":
            self._take_sign(token.word)
        else:
            self._take_word(token.word, token.number)

    def finish(self) -> None:
        self._decode_bytes()
        self._end_paragraph()
        self._end_table()

    def _close(self) -> None:
        if not self._around:
            return
        outer = self._around.pop()
        if self._state.target == "note" and outer.target != "note":
            self._notes.append(" ".join("".join(self._words.pop("note", [])).split()))
        self._state, self._to_skip = outer, 0

    def _take_sign(self, sign: str) -> None:
        if sign == "*":
            self._starred = True
        elif sign in _ESCAPED:
            self._say(_ESCAPED[sign])

    def _take_word(self, word: str, number: int | None) -> None:
        starred, self._starred = self._starred, False
        state = self._state
        if word in _UNSEEN or (starred and word not in _STARRED_SEEN):
            state.target = "nowhere"
        elif word in _SIGNS:
            self._say(_SIGNS[word])
        elif word in _ABOUT and state.target in {"info", *_ABOUT}:
            state.target = word
            self.about[word] = []
        elif word in {"info", "fonttbl", "footnote"}:
            state.target = "note" if word == "footnote" else word
        elif word == "u" and number is not None:
            self._say_code(number)
            self._to_skip = state.skip
        elif word == "yr" and state.target == "creatim" and number:
            self.about["year"] = [str(number)]
        else:
            self._take_property(word, number)

    def _take_property(self, word: str, number: int | None) -> None:
        state = self._state
        if word == "f":
            self._font = number or 0
            state.encoding = self._encodings.get(self._font, self._page)
        elif word == "fcharset" and state.target == "fonttbl":
            self._encodings[self._font] = charset_encoding(number) if number else self._page
        elif word == "ansicpg":
            self._page = state.encoding = page_encoding(number)
        elif word == "mac":
            self._page = state.encoding = "mac_roman"
        elif word == "uc":
            state.skip = max(number if number is not None else 1, 0)
        elif word in {"v", "deleted"}:
            state.is_hidden = number != 0
        elif word == "plain":
            state.is_hidden = False
        elif state.target == "text":
            self._take_layout(word, number)

    def _take_layout(self, word: str, number: int | None) -> None:
        state = self._state
        if word == "pard":
            state.in_table, state.level = False, None
        elif word == "intbl":
            state.in_table = True
        elif word == "outlinelevel":
            state.level = number
        elif word in {"par", "sect", "page"}:
            if state.in_table:
                self._say(" ")
            else:
                self._end_paragraph()
        elif word in {"cell", "nestcell"}:
            self._row.append("".join(self._words.pop("text", [])))
        elif word in {"row", "nestrow"}:
            self._rows.append(self._row)
            self._row = []

    def _take_bytes(self, data: bytes) -> None:
        dropped = min(self._to_skip, len(data))
        self._to_skip -= dropped
        self._bytes += data[dropped:]

    def _decode_bytes(self) -> None:
        if self._bytes:
            data, self._bytes = bytes(self._bytes), bytearray()
            self._say(data.decode(self._state.encoding, "replace"))

    def _say_code(self, number: int) -> None:
        """A code point as RTF writes it: sixteen bits, negative from 32,768 on; a pair of them for the rest."""
        code = number & 0xFFFF
        if 0xD800 <= code < 0xDC00:
            self._high = code
        elif 0xDC00 <= code < 0xE000:
            if self._high:
                self._say(chr(0x10000 + ((self._high - 0xD800) << 10) + code - 0xDC00))
            self._high = 0
        else:
            self._say(chr(code))

    def _say(self, text: str) -> None:
        target = self._state.target
        if self._state.is_hidden:
            if text.strip() and target == "text":
                self.canonical.warn(HIDDEN)
        elif target in _ABOUT:
            self.about.setdefault(target, []).append(text)
        elif target in {"text", "note"}:
            self._words.setdefault(target, []).append(text)

    def _end_paragraph(self) -> None:
        text = "".join(self._words.pop("text", []))
        self._end_table()
        if text.strip() and self._state.level is not None and self._state.level < 9:
            self.canonical.heading(text, self._state.level + 1)
        else:
            self.canonical.paragraph(text)
        self._write_notes()

    def _end_table(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            self.canonical.table(rows)
            self._write_notes()

    def _write_notes(self) -> None:
        for note in filter(None, self._notes):
            self.canonical.paragraph(f"{str(next(self._number)).translate(_SUPERSCRIPT)} {note}")
        self._notes = []
