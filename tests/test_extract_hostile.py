"""Files made to harm end as one failed file with a reason, within bounds, and leave nothing behind."""

import http.server
import struct
import threading
import time
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from sources.core.extract import Extracted, ExtractionError, FailureReason, Limits, extract_in_child
from tests.office_files import W, make_docx, make_epub, make_odf, make_xlsx, make_zip, paragraph, sheet_row

MEGABYTE = 1 << 20
REFUSED = (
    FailureReason.TOO_LARGE,
    FailureReason.CORRUPT,
    FailureReason.OUT_OF_MEMORY,
    FailureReason.TIMED_OUT,
)


def attempt(folder: Path, data: bytes, limits: Limits | None = None) -> Extracted | ExtractionError:
    path = folder / "upload"
    path.write_bytes(data)
    try:
        return extract_in_child(path, file_name="upload", limits=limits or Limits(wall_seconds=60))
    except ExtractionError as exc:
        return exc


def reason(folder: Path, data: bytes, limits: Limits | None = None) -> FailureReason | None:
    ended = attempt(folder, data, limits)
    return ended.reason if isinstance(ended, ExtractionError) else None


def zeros(prefix: str, megabytes: int, suffix: str) -> Iterator[bytes]:
    yield prefix.encode()
    for _ in range(megabytes):
        yield b" " * MEGABYTE
    yield suffix.encode()


def bomb(name: str, pieces: Iterator[bytes], others: dict[str, str | bytes]) -> bytes:
    """A ZIP file with one part that unpacks to far more than it takes."""
    target = BytesIO(make_zip(others))
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as archive, archive.open(name, "w") as part:
        for piece in pieces:
            part.write(piece)
    return target.getvalue()


def unzipped(data: bytes, without: str) -> dict[str, str | bytes]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != without}


def understated(data: bytes, name: str) -> bytes:
    """The same archive, whose directory says that a part unpacks to ten bytes."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        real = archive.getinfo(name).file_size
    changed = data.replace(struct.pack("<I", real), struct.pack("<I", 10))
    assert changed != data
    return changed


def word_bomb(megabytes: int) -> bytes:
    document = zeros(f'<w:document xmlns:w="{W}"><w:body>', megabytes, "</w:body></w:document>")
    return bomb("word/document.xml", document, unzipped(make_docx(""), "word/document.xml"))


def test_a_document_that_unpacks_to_too_much_is_too_large(tmp_path: Path) -> None:
    started = time.monotonic()
    assert reason(tmp_path, word_bomb(200)) == FailureReason.TOO_LARGE
    assert time.monotonic() - started < 20


def test_what_an_archive_says_of_its_sizes_is_not_believed(tmp_path: Path) -> None:
    lying = understated(word_bomb(200), "word/document.xml")
    assert reason(tmp_path, lying) in {FailureReason.TOO_LARGE, FailureReason.CORRUPT}


def test_an_archive_of_very_many_files_is_too_large(tmp_path: Path) -> None:
    parts: dict[str, str | bytes] = {f"f{number}": "" for number in range(20_001)}
    assert reason(tmp_path, make_zip(parts)) == FailureReason.TOO_LARGE


def test_a_row_without_end_is_too_large(tmp_path: Path) -> None:
    cells = "".join(f"<c><v>{number}</v></c>" for number in range(17_000))
    assert reason(tmp_path, make_xlsx({"A": f'<row r="1">{cells}</row>'})) == FailureReason.CORRUPT


def test_a_sheet_of_far_too_many_cells_is_too_large(tmp_path: Path) -> None:
    row = sheet_row(1, "x" * 1000).replace(' r="1"', "").replace(' r="A1"', "")
    assert reason(tmp_path, make_xlsx({"A": row * 25_000})) == FailureReason.TOO_LARGE


def test_entities_that_multiply_are_stopped(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    laughs = f'<!DOCTYPE d [<!ENTITY e0 "lol">{entities}]><w:document xmlns:w="{W}"><w:body>&e9;</w:body></w:document>'
    assert reason(tmp_path, make_docx("", parts={"word/document.xml": laughs})) == FailureReason.CORRUPT


def test_an_entity_from_a_file_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    document = (
        f'<!DOCTYPE d [<!ENTITY x SYSTEM "{secret.as_uri()}">]><w:document xmlns:w="{W}"><w:body>'
        f"{paragraph('Host: WORD').replace('WORD', '&x;')}</w:body></w:document>"
    )
    ended = attempt(tmp_path, make_docx("", parts={"word/document.xml": document}))
    assert "the secret" not in (ended.text if isinstance(ended, Extracted) else ended.detail)


@pytest.fixture
def canary() -> Iterator[tuple[str, list[str]]]:
    """A server on this machine that must not be asked for anything, and what it was asked for."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    server.server_close()


def test_nothing_is_fetched_from_elsewhere(tmp_path: Path, canary: tuple[str, list[str]]) -> None:
    address, asked = canary
    picture = (
        f'<img src="{address}/a.png"><link rel="stylesheet" href="{address}/b.css"><iframe src="{address}/c">'
    )
    picture += "</iframe>"
    outside = make_docx(
        paragraph("Words."), relations=(("image", f"{address}/d.png"), ("attachedTemplate", f"{address}/e"))
    )
    entity = f'<!DOCTYPE d SYSTEM "{address}/f.dtd"><w:document xmlns:w="{W}"><w:body>'
    entity += f"{paragraph('Words.')}</w:body></w:document>"
    files = [
        f"<!doctype html><html><head></head><body><p>Words.</p>{picture}</body></html>".encode(),
        outside,
        make_docx("", parts={"word/document.xml": entity}),
        make_epub({"a.xhtml": f"<html><body><p>Words.</p>{picture}</body></html>"}),
        f'<svg xmlns="http://www.w3.org/2000/svg"><image href="{address}/g"/><text>Words.</text></svg>'.encode(),
    ]
    for data in files:
        ended = attempt(tmp_path, data)
        assert isinstance(ended, Extracted)
        assert "Words." in ended.text
    assert asked == []


@pytest.mark.parametrize(
    "data",
    [
        ("<div>" * 30_000 + "deep").encode(),
        b"<!doctype html><table><tr><td>" * 3_000 + b"deep",
        make_docx("<w:sdt>" * 3000 + paragraph("deep") + "</w:sdt>" * 3000),
        make_odf("text", "<text:section>" * 3000 + "<text:p>deep</text:p>" + "</text:section>" * 3000),
        b"{\\rtf1" + b"{" * 500_000 + b"deep",
        b"[" * 500_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    ],
    ids=["divs", "tables", "docx", "odt", "rtf", "json", "json closed"],
)
def test_deep_nesting_ends_in_time(tmp_path: Path, data: bytes) -> None:
    started = time.monotonic()
    ended = attempt(tmp_path, data)
    assert isinstance(ended, Extracted) or ended.reason in REFUSED
    assert time.monotonic() - started < 60


def test_a_tag_without_end_and_thousands_of_attributes_end_in_time(tmp_path: Path) -> None:
    attributes = " ".join(f"a{number}=1" for number in range(10_000))
    ended = attempt(tmp_path, f"<html><body><p {attributes}>words</p><b {'x' * 1_000_000}".encode())
    assert isinstance(ended, Extracted)
    assert ended.text == "words"


def test_names_that_lead_out_of_an_archive_lead_nowhere(tmp_path: Path) -> None:
    parts = {f"../../{tmp_path.name}-outside": "x", "/tmp/citeweb-outside": "x"}
    assert reason(tmp_path, make_zip(dict(parts))) == FailureReason.UNSUPPORTED_TYPE
    assert not (tmp_path.parent / f"{tmp_path.name}-outside").exists()
    assert not Path("/tmp/citeweb-outside").exists()


def test_nothing_is_left_in_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    assert reason(tmp_path, word_bomb(200)) == FailureReason.TOO_LARGE
    assert isinstance(attempt(tmp_path, make_docx(paragraph("Words."))), Extracted)
    assert list(scratch.iterdir()) == []
