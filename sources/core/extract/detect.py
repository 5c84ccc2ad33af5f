"""Deciding the type of a file by its content; a name only helps to tell kinds of plain text apart."""

import codecs
import re
from pathlib import PurePath

from sources.core.extract.types import ExtractionError, FailureReason

PDF = "application/pdf"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"
HTML = "text/html"
SVG = "image/svg+xml"
RTF = "application/rtf"
MAIL = "message/rfc822"
# Containers, whose parts tell the type.
ZIP = "application/zip"
OLE = "application/x-ole-storage"

# Longest first where one begins like another. The words are for staff, in the error's detail.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"RIFF", "an image, sound or film"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a Linux program"),
    (b"%!PS", "a PostScript file"),
    (b"SQLite format 3\x00", "a database"),
    (b"ID3", "a sound"),
    (b"\x00\x00\x01\x00", "an icon"),
)
_READ: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (b"{\\rtf", RTF),
)
_BEFORE_MARKUP = (
    rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*(?:<!doctype\s+(?:html|svg)[^>]*>\s*(?:<!--.*?-->\s*)*)?"
)
_HTML = re.compile(
    _BEFORE_MARKUP + rb"<(?:!doctype\s+html|html|head|body|title|meta|h1|div|p|table)\b",
    re.IGNORECASE | re.DOTALL,
)
_SVG = re.compile(_BEFORE_MARKUP + rb"<svg\b", re.IGNORECASE | re.DOTALL)
_XML = re.compile(rb"\s*<\?xml\b")
_MAIL = re.compile(rb"(?:[A-Za-z][A-Za-z-]*: .*\r?\n(?:[ \t].*\r?\n)*){2,}")
_MAIL_FIELDS = re.compile(rb"^(?:MIME-Version|Message-ID|Received|From): ", re.IGNORECASE | re.MULTILINE)
_PDF_HEADER_WITHIN = 1024
# A text may well begin with "MZ" or "BZh": so short a sign counts only where control characters follow.
_SHORT = 4
_PDF_PARTS = re.compile(rb"\b\d+ \d+ obj\b.*?\bendobj\b", re.DOTALL)
_MARKDOWN_NAMES = {".md", ".markdown", ".mdown", ".mkd", ".mdx"}
_MARKDOWN_SIGN = re.compile(r"^(?:#{1,6} \S|```|\* \S|- \S|\|.*\|$|\[[^\]]+\]\([^)]+\))", re.MULTILINE)
_PLAIN_NAMES = {".txt", ".text", ".log", ".csv", ".tsv", ".json", ".eml"}


def detect_bytes(head: bytes) -> str | None:
    """Return the media type told by the first bytes of a file, or None when it may be text.

    Raises ExtractionError for an empty file and for types that are known and not read.
    """
    if not head:
        raise ExtractionError(FailureReason.EMPTY)
    if b"%PDF-" in head[:_PDF_HEADER_WITHIN] or _PDF_PARTS.match(head):
        return PDF
    for magic, words in _MAGIC:
        if head.startswith(magic) and (len(magic) > _SHORT or _is_binary(head)):
            raise ExtractionError(FailureReason.UNSUPPORTED_TYPE, f"The content is {words}.")
    for magic, media_type in _READ:
        if head.startswith(magic):
            return media_type
    return _detect_markup(_plain_letters(head))


def _plain_letters(head: bytes) -> bytes:
    """The beginning of a marked text in the one-byte letters that patterns look for."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "ignore").encode("utf-8", "ignore")
    return head.removeprefix(codecs.BOM_UTF8)


def _detect_markup(head: bytes) -> str | None:
    for pattern, media_type in ((_SVG, SVG), (_HTML, HTML)):
        if pattern.match(head):
            return media_type
    if _XML.match(head):
        raise ExtractionError(FailureReason.UNSUPPORTED_TYPE, "The content is XML.")
    mail = _MAIL.match(head)
    if mail and _MAIL_FIELDS.search(mail[0]) and b"\nSubject: " in b"\n" + mail[0]:
        return MAIL
    return None


def _is_binary(head: bytes) -> bool:
    return any(byte < 9 or 13 < byte < 27 for byte in head[:512])


def detect_text(text: str, file_name: str) -> str:
    """Tell Markdown from plain text, by the name's ending where it says so and else by the look of the lines."""
    ending = PurePath(file_name).suffix.lower()
    if ending in _MARKDOWN_NAMES:
        return MARKDOWN
    if ending in _PLAIN_NAMES:
        return PLAIN
    return MARKDOWN if re.search(r"^#{1,6} \S", text, re.MULTILINE) and _MARKDOWN_SIGN.search(text) else PLAIN
