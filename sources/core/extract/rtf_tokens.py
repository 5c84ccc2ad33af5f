"""The words of an RTF file: control words, groups and text, with bytes decoded by the font they are set in."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    rb"\\([a-z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)",
    re.IGNORECASE | re.DOTALL,
)
# By \fcharset of the font table.
_CHARSETS = {
    0: "cp1252",
    2: "cp1252",
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "big5",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    255: "cp437",
}
_DEFAULT = "cp1252"


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is open, close, word (with its number), sign (an escaped one) or bytes."""

    kind: str
    word: str = ""
    number: int | None = None
    data: bytes = b""


def tokens(data: bytes) -> Iterator[Token]:
    """Yield the tokens of a file; what fits nowhere is passed over. Line ends in the file mean nothing."""
    at = 0
    while at < len(data):
        match = _TOKEN.match(data, at)
        if match is None:
            at += 1
            continue
        at = match.end()
        word, number, byte, sign, brace, text = match.groups()
        if word:
            value = int(number) if number else None
            yield Token("word", word.decode(), value)
            if word == b"bin" and value and value > 0:
                at += value
        elif byte:
            yield Token("bytes", data=bytes([int(byte, 16)]))
        elif sign:
            yield Token("sign", sign.decode("latin-1"))
        elif brace:
            yield Token("open" if brace == b"{" else "close")
        elif text:
            yield Token("bytes", data=text)


def charset_encoding(charset: int | None) -> str:
    """Return the encoding of a font's \\fcharset; an unknown one is that of western Windows."""
    return _CHARSETS.get(charset or 0, _DEFAULT)


def page_encoding(page: int | None) -> str:
    """Return the encoding of an \\ansicpg."""
    name = {10000: "mac_roman", 936: "gb18030", 65001: "utf-8"}.get(page or 0, f"cp{page}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return _DEFAULT
