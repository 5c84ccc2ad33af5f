"""Bytes to text, once: encoding, newlines and the characters that no database or JSON takes.

All this happens before any offset exists, so that offsets agree with what is stored.
"""

import codecs
import re
import unicodedata
from dataclasses import dataclass

from sources.core.extract.legacy_encodings import guess_legacy
from sources.core.extract.types import ExtractionError, FailureReason

# C0 and C1 controls but tab and line feed, lone surrogates, and the code points that are no characters.
_REFUSED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# Tag characters: nobody sees them, and models read them as letters, so that they carry hidden orders.
_UNSEEN = re.compile("[\U000e0000-\U000e007f]")
# These part words, so they become a space; as line ends they would shift the numbers that editors show.
_SPACING = re.compile("[\x0b\x0c\x85]")
_NEWLINES = re.compile("\r\n?")
# The order matters: UTF-32 little-endian begins like UTF-16.
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 65536
# Of random bytes, as in what is encrypted or packed, a tenth are. In a short file a few that strayed in weigh more.
_MOST_CONTROLS, _MOST_IN_SHORT, _SHORT = 0.04, 0.1, 1000
# So many control characters a text may have however short it is.
_A_FEW = 2
_WIDE_NULS = 0.1
_MOST_UNASSIGNED = 0.02
_HIGH_BYTE = re.compile("[\udc80-\udcff]")
_GUESSED = "The file does not say its character encoding; it was read as {}, some characters may be wrong."
_MIXED = "The file mixes character encodings; some characters may be wrong."
_SURE = 0.6


@dataclass(frozen=True, slots=True)
class Decoded:
    """Clean text, the encoding it was read in, and a sentence for the curator where that was a weak guess."""

    text: str
    encoding: str
    warning: str = ""


def clean_text(text: str) -> str:
    """Make every line end "\\n" and take out what PostgreSQL and JSON refuse and what nobody would see."""
    return _UNSEEN.sub("", _REFUSED.sub("", _SPACING.sub(" ", _NEWLINES.sub("\n", text))))


def decode(data: bytes) -> Decoded:
    """Decode a text file of unknown encoding.

    Raises ExtractionError(UNSUPPORTED_TYPE) for binary content.
    """
    read = _by_mark(data) or _by_nuls(data)
    if not read:
        _refuse_binary(data[:_SAMPLE])
        read = _as_utf8(data) or _as_legacy(data)
    return Decoded(clean_text(read.text.removeprefix("\ufeff")), read.encoding, read.warning)


def _by_mark(data: bytes) -> Decoded | None:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return Decoded(data.decode(encoding, "replace"), encoding)
    return None


def _by_nuls(data: bytes) -> Decoded | None:
    """UTF-16 without a byte order mark: NULs in every second byte only, as spaces and line ends have them."""
    sample = data[:_SAMPLE]
    if sample.count(0) < _A_FEW:
        # One that strayed into a small file is no sign of anything.
        return None
    halves = sample[0::2], sample[1::2]
    even, odd = (half.count(0) / max(len(half), 1) for half in halves)
    if max(even, odd) < _WIDE_NULS or min(even, odd) > _WIDE_NULS * max(even, odd):
        return None
    encoding = "utf-16-be" if even > odd else "utf-16-le"
    text = data.decode(encoding, "replace")
    return Decoded(text, encoding) if _is_assigned(text[:_SAMPLE]) else None


def _is_assigned(text: str) -> bool:
    odd = sum(
        char not in "\t\n\r" and unicodedata.category(char) in {"Cc", "Cn", "Co", "Cs"} for char in text
    )
    return odd + text.count("\ufffd") <= _MOST_UNASSIGNED * len(text)


def _refuse_binary(sample: bytes) -> None:
    controls = sum(byte < 9 or (13 < byte < 32 and byte != 27) for byte in sample)
    most = _MOST_IN_SHORT if len(sample) < _SHORT else _MOST_CONTROLS
    if controls > max(most * len(sample), _A_FEW):
        raise ExtractionError(FailureReason.UNSUPPORTED_TYPE, "The content is binary.")


def _as_utf8(data: bytes) -> Decoded | None:
    """UTF-8, also with lone surrogates in it, also with a few bytes of another encoding."""
    try:
        return Decoded(data.decode("utf-8", "surrogatepass"), "utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
    broken = len(_HIGH_BYTE.findall(text))
    right = sum(char > "\x7f" for char in text) - broken
    if right < broken:
        return None
    return Decoded(_HIGH_BYTE.sub(lambda match: _as_cp1252(match.group()), text), "utf-8", _MIXED)


def _as_cp1252(escaped: str) -> str:
    return bytes([ord(escaped) - 0xDC00]).decode("cp1252", "replace")


def _as_legacy(data: bytes) -> Decoded:
    encoding, certainty = guess_legacy(data[:_SAMPLE])
    warning = "" if certainty >= _SURE else _GUESSED.format(encoding)
    return Decoded(data.decode(encoding, "replace"), encoding, warning)
