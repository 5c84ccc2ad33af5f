"""The character encoding of HTML: what a mark or the markup says, if the bytes agree, and a guess otherwise."""

import re
from contextlib import suppress

from sources.core.extract.decoding import Decoded, clean_text, decode

_STATED = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w:.-]{2,40})|encoding=[\"']([\w:.-]{2,40})[\"']",
    re.IGNORECASE,
)
_WITHIN = 4096
# As browsers read them: the wider tables that Windows programs meant.
_WIDER = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "cp1252",
    "gb2312": "gb18030",
}
_WIDER |= {
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "x-sjis": "cp932",
    "iso-8859-9": "cp1254",
    "ks_c_5601-1987": "cp949",
}


def decode_markup(data: bytes, stated: str = "") -> Decoded:
    """Decode HTML or XHTML; `stated` is what a mail says of it. Raises ExtractionError for binary content."""
    for name in (stated, _declared(data)):
        encoding = _WIDER.get(name.lower(), name.lower())
        # UTF-16 that a declaration in plain letters claims can't be true.
        if encoding and not encoding.startswith("utf-16"):
            with suppress(UnicodeDecodeError, LookupError):
                return Decoded(clean_text(data.decode(encoding).removeprefix("\ufeff")), encoding)
    return decode(data)


def _declared(data: bytes) -> str:
    found = _STATED.search(data[:_WITHIN])
    return (found[1] or found[2]).decode("ascii") if found else ""
