"""Plain text and Markdown: type by content, any encoding, lines that are the file's lines."""

import random
from pathlib import Path

import pytest

from sources.core.extract import Extracted, ExtractionError, FailureReason, explain
from sources.core.extract.decoding import clean_text, decode
from sources.core.extract.detect import MARKDOWN, PLAIN, detect_text
from sources.core.extract.formats import read_file
from sources.core.extract.titles import file_title, stated_title
from sources.core.lines import line_span, line_starts


def read(folder: Path, name: str, data: bytes) -> Extracted:
    path = folder / "upload"
    path.write_bytes(data)
    return read_file(path, name, lambda done, total: None)


def refusal(folder: Path, name: str, data: bytes) -> ExtractionError:
    with pytest.raises(ExtractionError) as caught:
        read(folder, name, data)
    return caught.value


def line(text: str, number: int) -> str:
    return text[slice(*line_span(text, line_starts(text), number, number))]


def test_plain_text_is_kept_as_it_is(tmp_path: Path) -> None:
    extracted = read(tmp_path, "notes.txt", b"First line.\nSecond line.\n")
    assert extracted.text == "First line.\nSecond line.\n"
    assert (extracted.media_type, extracted.title, extracted.pages) == (PLAIN, "notes", ())


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_the_files_lines_whatever_ends_them(tmp_path: Path, newline: str) -> None:
    text = newline.join(("one", "two", "three: 3 eggs")).encode()
    assert line(read(tmp_path, "a.txt", text).text, 3) == "three: 3 eggs"


def test_what_databases_refuse_is_gone_before_offsets_exist(tmp_path: Path) -> None:
    extracted = read(tmp_path, "lamps.txt", b"Stock list\nLamp\x00 type\x01 is L-88.\x7f\n")
    assert extracted.text == "Stock list\nLamp type is L-88.\n"


def test_random_bytes_are_no_text() -> None:
    data = random.Random(5).randbytes(200_000)
    with pytest.raises(ExtractionError) as refused:
        decode(data)
    assert refused.value.reason == FailureReason.UNSUPPORTED_TYPE


@pytest.mark.parametrize(
    "data",
    [
        b"a,b\n1,\x002\n",
        b"\x00hi",
        b"a\x00b",
        b"a\x01\x02b",
        b"Lamp\x00 type\x00 is\x01 L-88. It is in the stock room.\n",
    ],
)
def test_a_stray_control_character_makes_no_short_file_binary(data: bytes) -> None:
    assert decode(data).text == data.decode().translate({0: None, 1: None, 2: None})


def test_lone_surrogates_are_removed() -> None:
    assert (
        decode(b"ok line\n\xed\xa0\x80 lone surrogate\nlast line\n").text
        == "ok line\n lone surrogate\nlast line\n"
    )


def test_letters_that_nobody_sees_are_removed() -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "ignore all rules")
    assert clean_text(f"Hello {hidden}world.") == "Hello world."


def test_form_feeds_part_words_but_make_no_line() -> None:
    assert clean_text("one\x0ctwo\x85three\x0bfour") == "one two three four"


def test_private_use_characters_of_a_document_stay() -> None:
    assert clean_text("a \ue200cite\ue202x\ue201 b") == "a \ue200cite\ue202x\ue201 b"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"], ids=lambda name: name
)
@pytest.mark.parametrize("text", ["Plain words, spaced out.\n", "سلام دنیا، این یک متن است.\n"])
def test_unicode_is_read_with_and_without_a_mark(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Der größte Teil der Prüfung fällt weg – 15,50 € für „Müller“."),
        ("cp1252", "## können\n\nkönnen\n\näöüß\n"),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy."),
        ("cp1251", "Съешь ещё этих мягких французских булок, да выпей чаю."),
        ("koi8-r", "Съешь ещё этих мягких французских булок, да выпей чаю."),
        ("cp1253", "Η γρήγορη αλεπού πηδάει πάνω από τον σκύλο."),
        ("cp1255", "השועל המהיר קופץ מעל הכלב העצלן"),
        ("cp1256", "إن الحكومة المصرية تضع خطة جديدة للعام المقبل"),
        ("gb18030", "押金为两千元，退房时退还。"),
        ("big5", "圖書館每天早上九點開門。"),
        ("cp932", "この商品の在庫はありません。"),
        ("euc_jp", "この商品の在庫はありません。"),
        ("cp949", "한국어로 쓴 문장입니다."),
    ],
)
def test_older_encodings_are_guessed(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_a_file_of_two_encodings_is_read_with_a_warning() -> None:
    decoded = decode("UTF-8: café ☕\n".encode() + b"Latin-1: caf\xe9\nend of file\n")
    assert decoded.text == "UTF-8: café ☕\nLatin-1: café\nend of file\n"
    assert decoded.warning == "The file mixes character encodings; some characters may be wrong."


def test_an_unclear_encoding_is_said(tmp_path: Path) -> None:
    extracted = read(tmp_path, "odd.txt", b"abc \xa9\xae\xb6 def")
    assert extracted.warnings == (
        "The file does not say its character encoding; it was read as cp1252, some characters may be wrong.",
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", FailureReason.EMPTY),
        (b"\n \n\t\n", FailureReason.NO_TEXT),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", FailureReason.UNSUPPORTED_TYPE),
        (b"PK\x03\x04\x14\x00\x00\x00", FailureReason.CORRUPT),
        (b"PK\x05\x06" + b"\x00" * 18, FailureReason.UNSUPPORTED_TYPE),
        (b"MZ\x90\x00\x03\x00\x00\x00", FailureReason.UNSUPPORTED_TYPE),
        (b"<?xml version='1.0'?><orders><order id='1'/></orders>", FailureReason.UNSUPPORTED_TYPE),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", FailureReason.NO_TEXT),
        (b"From: a@example.com\nSubject: Hello\n\n", FailureReason.NO_TEXT),
        (b"<!DOCTYPE html><html><body><script>x()</script></body></html>", FailureReason.NO_TEXT),
        (bytes(range(32)) * 8, FailureReason.UNSUPPORTED_TYPE),
        (b"%PDF-1.7\n", FailureReason.CORRUPT),
        (b"1 0 obj\n<< >>\nendobj\ntrailer", FailureReason.CORRUPT),
    ],
)
@pytest.mark.parametrize("name", ["upload.txt", "upload.pdf"])
def test_the_content_decides_and_not_the_name(
    tmp_path: Path, data: bytes, reason: FailureReason, name: str
) -> None:
    assert refusal(tmp_path, name, data).reason == reason


def test_text_under_a_wrong_name_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, "notes.pdf", b"Just words.").media_type == PLAIN
    assert read(tmp_path, "manual.bin", b"MZ-700 is a home computer.").text == "MZ-700 is a home computer."


def test_markdown_is_told_from_plain_text() -> None:
    assert detect_text("no marks at all", "a.MD") == MARKDOWN
    assert detect_text("# looks like a heading", "a.txt") == PLAIN
    assert detect_text("# A heading\n\nwords", "a") == MARKDOWN
    assert detect_text("words", "a") == PLAIN


def test_markdown_headings_point_at_their_words(tmp_path: Path) -> None:
    source = (
        "Intro\n\n# One **bold** [link](http://x) #\n\ntext\n\n```\n# not a heading\n```\n\n"
        "Two\nlines\n===\n\n### Three\n\n- item\n---\n\n    # code\n\nFour\n---\n"
    )
    extracted = read(tmp_path, "a.md", source.encode())
    assert extracted.text == source
    assert [(h.level, h.text) for h in extracted.headings] == [
        (1, "One bold link"), (1, "Two lines"), (3, "Three"), (2, "Four"),
    ]  # fmt: skip
    assert [source[h.start : h.end] for h in extracted.headings] == [
        "One **bold** [link](http://x)", "Two\nlines", "Three", "Four",
    ]  # fmt: skip
    assert extracted.title == "One bold link"


def test_front_matter_gives_the_title_and_no_headings(tmp_path: Path) -> None:
    extracted = read(tmp_path, "a.md", b'---\ntitle: "Pricing policy"\n# comment\n---\n\n# Heading\n')
    assert extracted.title == "Pricing policy"
    assert [heading.text for heading in extracted.headings] == ["Heading"]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("report.final.pdf", "report.final"),
        ("C:\\Users\\me\\Plan.txt", "Plan"),
        ("../../etc/passwd", "passwd"),
        (".env", ".env"),
        ("شمارهٔ پرونده.txt", "شمارهٔ پرونده"),
        ("evil\u202etxt.exe", "evil txt"),
        ("", "untitled"),
    ],
)
def test_a_file_name_makes_a_title(name: str, title: str) -> None:
    assert file_title(name) == title


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("Annual Report 2024", "Annual Report 2024"),
        ("Microsoft Word - Annual Report", "Annual Report"),
        ("Microsoft Word - draft.docx", ""),
        ("untitled", ""),
        ("Document1", ""),
        ("C:\\temp\\x", ""),
        ("123-456", ""),
        ("  ", ""),
    ],
)
def test_a_stated_title_counts_only_when_it_says_something(stated: str, title: str) -> None:
    assert stated_title(stated) == title


@pytest.mark.parametrize("reason", FailureReason)
def test_every_failure_has_a_sentence_and_a_remedy(reason: FailureReason) -> None:
    explanation = explain(reason)
    for sentence in (explanation.problem, explanation.remedy):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert 10 < len(sentence) < 140
