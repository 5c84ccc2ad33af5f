"""E-mails: who wrote to whom, when and about what, then the message; attachments are named, not read."""

import email
import email.policy
from collections.abc import Callable
from contextlib import suppress
from email.message import EmailMessage
from pathlib import Path

from sources.core.extract.about import authors, year_of
from sources.core.extract.canonical import CanonicalText
from sources.core.extract.decoding import decode
from sources.core.extract.html import write_html
from sources.core.extract.markup_encoding import decode_markup
from sources.core.extract.types import Extracted, ExtractionError, FailureReason

MAIL = "message/rfc822"
_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_MOST_NAMED = 20
_LONGEST_HEADER = 2000


def read_mail(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a message. Raises ExtractionError."""
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    headers = {name: _header(message, name) for name in _SHOWN}
    canonical = CanonicalText()
    canonical.heading(headers["Subject"], 1)
    canonical.paragraph(
        "\n".join(f"{name}: {value}" for name, value in headers.items() if value and name != "Subject")
    )
    if not _write_body(canonical, message):
        raise ExtractionError(FailureReason.NO_TEXT, "The message has no text.")
    attached = _attachments(message)
    if attached:
        canonical.warn(
            f"Attachments were not read: {', '.join(attached)}. Upload them as files of their own."
        )
    progress(1, 1)
    return canonical.extracted(
        MAIL,
        file_name,
        title=headers["Subject"],
        author=authors([headers["From"].partition("<")[0].strip(' "') or headers["From"].strip("<> ")]),
        year=year_of(headers["Date"]),
    )


def _header(message: EmailMessage, name: str) -> str:
    """A header as text; what breaks the rules of mail comes as it stands there."""
    try:
        value = str(message[name] or "")
    except (ValueError, IndexError, AttributeError, LookupError, TypeError):
        value = "\ufffd"
    if "\ufffd" in value:
        raw = next((str(found) for key, found in message.raw_items() if key.lower() == name.lower()), "")
        value = decode(raw.encode("utf-8", "surrogateescape")).text
    return " ".join(value.split())[:_LONGEST_HEADER]


def _write_body(canonical: CanonicalText, message: EmailMessage) -> bool:
    """Write the plain text, or else the HTML; False when there is neither."""
    body = None
    with suppress(KeyError, AttributeError, ValueError):
        body = message.get_body(("plain", "html"))
    if body is None:
        return False
    data = body.get_payload(decode=True)
    stated = body.get_content_charset("") or ""
    if not isinstance(data, bytes) or not data.strip():
        return False
    text = decode_markup(data, stated).text if stated else decode(data).text
    if body.get_content_subtype() == "html":
        write_html(canonical, text, with_title=False)
    else:
        for paragraph in text.split("\n\n"):
            canonical.paragraph(paragraph)
    return bool(text.strip())


def _attachments(message: EmailMessage) -> list[str]:
    names = []
    for part in message.iter_attachments():
        with suppress(KeyError, AttributeError, ValueError, LookupError, TypeError):
            names.append(" ".join((part.get_filename() or part.get_content_type()).split())[:100])
    more = len(names) - _MOST_NAMED
    return names[:_MOST_NAMED] + ([f"{more} more"] if more > 0 else [])
