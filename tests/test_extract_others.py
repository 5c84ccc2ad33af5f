"""E-books, e-mails, RTF, OpenDocument texts and JSON."""

import base64
from pathlib import Path

import pytest

from sources.core.extract import FailureReason
from tests.extracting import extract, headings, refused
from tests.office_files import make_epub, make_odf


def page(body: str) -> str:
    return f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>{body}</body></html>'


def test_a_book_in_reading_order_with_its_particulars(tmp_path: Path) -> None:
    said = "<dc:title>Two Rooms</dc:title><dc:creator>Ada Byron</dc:creator><dc:date>1999-05</dc:date>"
    said += "<dc:language>en-GB</dc:language><dc:identifier>ISBN 1</dc:identifier>"
    book = make_epub(
        {"b.xhtml": page("<h1>One</h1><p>Hall.</p>"), "a.xhtml": page("<h1>Two</h1>Cellar.")}, metadata=said
    )
    extracted = extract(tmp_path, book)
    assert extracted.text == "One\n\nHall.\n\nTwo\n\nCellar."
    assert headings(extracted) == [(1, "One"), (1, "Two")]
    assert (extracted.title, extracted.author, extracted.year) == ("Two Rooms", "Ada Byron", "1999")
    assert (extracted.language, extracted.reference) == ("en", "ISBN 1")


def test_a_book_with_copy_protection_is_encrypted(tmp_path: Path) -> None:
    locked = (
        '<encryption><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></encryption>'
    )
    book = make_epub({"a.xhtml": page("x")}, parts={"META-INF/encryption.xml": locked})
    assert refused(tmp_path, book).reason == FailureReason.ENCRYPTED


def test_a_message_with_its_heads(tmp_path: Path) -> None:
    body = base64.b64encode("الاجتماع يوم الخميس.".encode("cp1256")).decode()
    message = (
        "From: Ada Byron <ada@example.org>\r\nTo: Carl <carl@example.org>\r\nSubject: =?UTF-8?B?2KrZgtix2YrYsQ==?=\r\n"
        "Date: Mon, 3 Mar 2025 10:00:00 +0000\r\nMIME-Version: 1.0\r\n"
        "Content-Type: text/plain; charset=windows-1256\r\n"
        f"Content-Transfer-Encoding: base64\r\n\r\n{body}\r\n"
    )
    extracted = extract(tmp_path, message.encode())
    assert headings(extracted) == [(1, "تقرير")]
    assert "From: Ada Byron <ada@example.org>\nTo: Carl <carl@example.org>\nDate: " in extracted.text
    assert extracted.text.endswith("\n\nالاجتماع يوم الخميس.")
    assert (extracted.title, extracted.author, extracted.year) == ("تقرير", "Ada Byron", "2025")


def test_of_two_forms_the_plain_one_is_read_and_attachments_are_named(tmp_path: Path) -> None:
    message = (
        'From: a@example.org\nSubject: Dues\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="o"\n\n'
        '--o\nContent-Type: multipart/alternative; boundary="i"\n\n--i\nContent-Type: text/plain\n\nNine euro.\n'
        "--i\nContent-Type: text/html\n\n<p>Nine <b>euro</b>.</p>\n--i--\n--o\nContent-Type: application/pdf\n"
        'Content-Disposition: attachment; filename="dues.pdf"\n\n%PDF\n--o--\n'
    )
    extracted = extract(tmp_path, message.encode())
    assert extracted.text.endswith("From: a@example.org\n\nNine euro.")
    assert extracted.warnings == ("Attachments were not read: dues.pdf. Upload them as files of their own.",)


def test_a_message_in_html_alone(tmp_path: Path) -> None:
    message = (
        "From: a@example.org\nSubject: Dues\nContent-Type: text/html\n\n<p>Nine.</p><script>steal()</script>"
    )
    assert extract(tmp_path, message.encode()).text.endswith("\n\nNine.")


def test_a_header_that_says_no_encoding_is_read_all_the_same(tmp_path: Path) -> None:
    message = "From: a@example.org\nSubject: Crème brûlée\nMIME-Version: 1.0\n\nNine euro.".encode("cp1252")
    assert headings(extract(tmp_path, message)) == [(1, "Crème brûlée")]


def test_a_page_saved_with_all_its_parts(tmp_path: Path) -> None:
    page = (
        "From: <Saved by Blink>\nSubject: Rules\nMIME-Version: 1.0\n"
        'Content-Type: multipart/related; type="text/html"; boundary="b"\n\n'
        "--b\nContent-Type: text/html\n\n<html><body><h1>Rules</h1>No dogs.</body></html>\n--b--\n"
    )
    extracted = extract(tmp_path, page.encode())
    assert extracted.text.endswith("Rules\n\nNo dogs.")
    assert extracted.author == ""


def rtf(body: str) -> bytes:
    fonts = r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset238 Arial CE;}{\f2\fcharset128 Mincho;}}"
    return ("{\\rtf1\\ansi\\ansicpg1252" + fonts + body + "}").encode("latin-1")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"One\par Two\line three\par", "One\n\nTwo\nthree"),
        (r"caf\'e9 \f1\'e8l\'e1nek \f2\'83\'5d\'83\'8b", "café článek ゾル"),
        (r"\uc1\u1587?\u1604?\uc0\u1575\u1605", "سلام"),
        (r"\u-10179?\u-8704?", "😀"),
        (r"a{\v secret}b{\*\unknown secret}c{\pict 89504e}d{\header secret}e", "abcde"),
        (r"a\{b\}\~c\emdash d", "a{b}\xa0c—d"),
        (r"Agreed{\footnote See the minutes.}.\par End.", "Agreed.\n\n¹ See the minutes.\n\nEnd."),
        (
            r"\trowd\pard\intbl Room\cell Fee\cell\row\pard\intbl Hall\cell 90\cell\row\pard After",
            "Room | Fee\nRoom: Hall | Fee: 90\n\nAfter",
        ),
    ],
    ids=["lines", "fonts", "unicode", "pairs", "unseen", "signs", "notes", "tables"],
)
def test_rich_text(tmp_path: Path, body: str, text: str) -> None:
    assert extract(tmp_path, rtf(body)).text == text


def test_rich_text_with_headings_and_particulars(tmp_path: Path) -> None:
    info = r"{\info{\title House Rules}{\author Ada Byron}{\creatim\yr1999\mo5\dy2}}"
    extracted = extract(tmp_path, rtf(info + r"\pard\outlinelevel0 Rules\par\pard No dogs.\par"))
    assert (headings(extracted), extracted.text) == ([(1, "Rules")], "Rules\n\nNo dogs.")
    assert (extracted.title, extracted.author, extracted.year) == ("House Rules", "Ada Byron", "1999")


def test_rich_text_nested_without_end_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, b"{\\rtf1" + b"{" * 100_000).reason == FailureReason.CORRUPT


def test_an_opendocument_text(tmp_path: Path) -> None:
    note = (
        "<text:note-citation>1</text:note-citation><text:note-body><text:p>Minutes.</text:p></text:note-body>"
    )
    cells = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    row = f"<table:table-row>{cells}{cells}</table:table-row>"
    body = (
        '<text:h text:outline-level="2">Dues</text:h>'
        f'<text:p>Nine<text:s text:c="1"/><text:span>euro</text:span><text:note>{note}</text:note>.'
        "<text:line-break/>Paid.</text:p>"
        "<text:list><text:list-item><text:p>dot</text:p><text:list><text:list-item><text:p>deep</text:p></text:list-item>"
        "</text:list></text:list-item></text:list>"
        f"<table:table><table:table-header-rows>{row.format('Room', 'Fee')}</table:table-header-rows>"
        f"{row.format('Hall', '90')}</table:table>"
        '<text:p text:style-name="h">secret</text:p><office:annotation><text:p>remark</text:p></office:annotation>'
    )
    unseen = '<style:text-properties text:display="none"/>'
    style = f'<style:style style:name="h" style:family="text">{unseen}</style:style>'
    meta = "<dc:title>House Rules</dc:title><dc:date>1999-05-02</dc:date>"
    meta += "<meta:initial-creator>Ada Byron</meta:initial-creator>"
    extracted = extract(tmp_path, make_odf("text", body, styles=style, meta=meta))
    assert extracted.text.split("\n\n") == [
        "Dues",
        "Nine euro.\nPaid.",
        "¹ Minutes.",
        "- dot\n  - deep",
        "Room | Fee\nRoom: Hall | Fee: 90",
    ]
    assert headings(extracted) == [(2, "Dues")]
    assert (extracted.title, extracted.author, extracted.year) == ("House Rules", "Ada Byron", "1999")
    assert len(extracted.warnings) == 1


def test_json_with_lines_stays_as_it_is(tmp_path: Path) -> None:
    text = '{\n  "fee": 9.50,\n  "room": "Hall"\n}'
    extracted = extract(tmp_path, text.encode(), "fees.json")
    assert (extracted.text, extracted.media_type) == (text, "application/json")


def test_json_in_one_line_is_set_in_lines_and_says_the_same(tmp_path: Path) -> None:
    entry = '{"room":"Hall: \\"A\\", {1}","fee":9.50,"none":[],"big":1e400}'
    extracted = extract(tmp_path, f"[{','.join([entry] * 20)}]".encode(), "fees.txt")
    assert extracted.text.startswith(
        '[\n  {\n    "room": "Hall: \\"A\\", {1}",\n    "fee": 9.50,\n    "none": [],'
    )
    assert "".join(extracted.text.split()) == "".join(f"[{','.join([entry] * 20)}]".split())


@pytest.mark.parametrize(
    ("sign", "words"),
    [
        ("EncryptedPackage", FailureReason.ENCRYPTED),
        ("WordDocument", FailureReason.UNSUPPORTED_TYPE),
        ("Workbook", FailureReason.UNSUPPORTED_TYPE),
        ("__substg1.0_", FailureReason.UNSUPPORTED_TYPE),
    ],
)
def test_older_and_protected_office_files_are_told_apart(
    tmp_path: Path, sign: str, words: FailureReason
) -> None:
    container = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500 + sign.encode("utf-16-le") + b"\0" * 500
    assert refused(tmp_path, container).reason == words
