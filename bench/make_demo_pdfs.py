"""Rebuild the demo's PDFs from their HTML: `.venv/bin/python bench/make_demo_pdfs.py [NAME …]`.

Needs Chromium, qpdf (Debian package `qpdf`) and the fonts of `fonts-noto-core`; the product needs none of
them, because the result is committed. Rebuilding gives the same bytes with the same Chromium, except for the
encrypted file.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pypdfium2
from PIL import Image, ImageFilter

DEMO = Path(__file__).resolve().parent.parent / "sources" / "demo"
HTML = DEMO / "html"
USER_PASSWORD = "cleaning-2026"  # of the encrypted file; nobody needs it, the demo shows that it is refused

CHROMIUM = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-sync",
    "--no-pdf-header-footer",
)

# Chromium brings no hyphenation dictionaries when headless, so the words of the two-column report that may
# end a line are listed here with their parts.
ENGLISH_PARTS = """
ac-count-ing ac-cu-mu-lated ac-cu-rate ac-knowl-edge-ment ac-knowl-edge-ments ad-di-tion-al al-erts
au-to-mat-i-cal-ly back-log bro-ker bro-kers bud-get cal-cu-lated can-celled cer-tifi-cate clas-si-fied
com-pares com-plete com-plete-ly com-plet-ed com-po-nent con-fig-u-ra-tion con-fig-ured con-se-quences
con-tact-ed con-tribut-ing cor-rect-ed cus-tomer cus-tomers data-base de-lay de-layed de-liv-ered
differ-ence di-rec-to-ry en-gi-neer en-gi-neer-ing en-ter-prise es-ca-lated ex-ceed-ed ex-ceeds ex-er-cise
how-ev-er iden-ti-fied im-me-di-ate im-me-di-ate-ly in-cor-rect in-de-pen-dent in-di-vid-u-al-ly in-formed
in-struc-tions in-ter-rupt-ed in-ter-rup-tion in-ter-ven-tion ma-chine ma-chines man-u-al me-ter-ing
mon-i-tor-ing month-ly no-tice no-ticed op-er-a-tions out-dat-ed out-stand-ing par-ti-tion pe-ri-od
pipe-line planned plat-form point-ed pol-i-cy pre-served pri-or-i-ty pro-cessed pro-cess-ing pro-duc-er
pro-duc-ers prom-is-es re-cal-cu-lated rec-og-nised records re-cov-ery re-gions re-main-ing re-new-al
re-paired rep-li-ca-tion re-port-ed re-pos-i-to-ry re-quired re-quires re-start-ed re-stored re-sumed
re-turned rev-e-nue re-vert-ed re-writ-ten rou-tine sep-a-rate sep-a-rate-ly set-ting sig-nifi-cance sta-tus
stor-age suffi-cient sup-port sys-tem tick-et trans-ferred un-der-stand un-nec-es-sar-i-ly ver-i-fied
ver-sion warn-ing with-out work-loads
"""
LATIN_SYLLABLE = re.compile(
    r"(?i)(?<=[aeiouy])(?=(?:ch|ph|th|qu|gn|[bcdfgpt][lr]|[bcdfghjklmnpqrstvxz])[aeiouy])"
)
LATIN_CLUSTER = re.compile(
    r"(?i)(?<=[aeiouy][lmnrscptbdg])(?=(?:qu|[bcdfgpt][lr]|[bcdfgklmnpqrstvxz])[aeiouy])"
)


ZERO_WIDTH = "\u200c"
EMPTY_GLYPH = b"0007"  # an unused glyph number: a subset font keeps unused glyphs as empty ones
# A lam-alef ligature must be one character: PDFium would turn two round, and takes this one apart rightly.
LAM_ALEFS = {"لا": "\ufefb", "لأ": "\ufef7", "لإ": "\ufef9", "لآ": "\ufef5"}


@dataclass(frozen=True, slots=True)
class Recipe:
    """One file to make: where it goes, the HTML it comes from, the day it claims to be made, and the last step."""

    target: str
    source: str
    day: str
    finish: Callable[[bytes], bytes]


def unchanged(pdf: bytes) -> bytes:
    """Return the PDF as it is."""
    return pdf


def encrypt(pdf: bytes) -> bytes:
    """Lock the PDF with a user password (AES, 256 bits)."""
    return _qpdf(pdf, "--encrypt", USER_PASSWORD, "aurora-owner", "256", "--")


def truncate(pdf: bytes) -> bytes:
    """Cut the file as a broken transfer does: its page tree and cross-reference table are missing."""
    return pdf[: len(pdf) * 2 // 5]


def scan(pdf: bytes) -> bytes:
    """Turn the first page into a slightly skewed grey picture in a PDF: it can be read, but holds no text."""
    page = _picture(pdf, scale=1.6).convert("L").rotate(0.7, expand=False, fillcolor=246)
    noise = Image.effect_noise(page.size, 14).filter(ImageFilter.GaussianBlur(0.6))
    out = BytesIO()
    day = datetime(2026, 2, 3, tzinfo=UTC).timetuple()
    Image.blend(page, noise, 0.12).save(
        out, "PDF", resolution=115, quality=45, creationDate=day, modDate=day, title="Letter of 1991"
    )
    return out.getvalue()


def picture(pdf: bytes) -> bytes:
    """Return the first page's upper half as a PNG file."""
    page = _picture(pdf, scale=1.2)
    out = BytesIO()
    page.crop((0, 0, page.width, page.height // 2)).quantize(16).save(out, "PNG", optimize=True)
    return out.getvalue()


RECIPES = (
    Recipe("aurora/pricing-policy.pdf", "pricing-policy", "20251203", unchanged),
    Recipe("aurora/pricing-policy-fa.pdf", "pricing-policy-fa", "20251210", unchanged),
    Recipe("aurora/travel-policy-2022.pdf", "travel-policy-2022", "20220214", unchanged),
    Recipe("aurora/incident-review-metering.pdf", "incident-review-metering", "20260424", unchanged),
    Recipe("aurora/salary-bands-2026.pdf", "salary-bands-2026", "20260312", unchanged),
    Recipe("aurora/supplier-agreement.pdf", "supplier-agreement", "20260105", encrypt),
    Recipe("aurora/usage-archive-2019.pdf", "usage-archive-2019", "20200110", truncate),
    Recipe("aurora/office-floor-plan.pdf", "office-floor-plan", "20260105", picture),
    Recipe("collegium/chronicon-collegii.pdf", "chronicon-collegii", "20251111", unchanged),
    Recipe("collegium/course-catalogue-2026.pdf", "course-catalogue-2026", "20260504", unchanged),
    Recipe("collegium/council-minutes-2026-03.pdf", "council-minutes-2026-03", "20260311", unchanged),
    Recipe("collegium/letter-of-1991.pdf", "letter-of-1991", "20260203", scan),
)


def hyphenate(html: str) -> str:
    """Put soft hyphens into the words of a two-column body; the page's `lang` chooses the rules."""
    head, mark, body = html.partition('<div class="columns">')
    split = _latin_parts if '<html lang="la"' in head else _english_parts
    return head + mark + re.sub(r"(?<![<&/\w])[A-Za-z]{6,}(?![\w>])", lambda word: split(word[0]), body)


def _english_parts(word: str) -> str:
    known = {entry.replace("-", ""): re.sub(r"-(?=\w\w$)", "", entry) for entry in ENGLISH_PARTS.split()}
    parts = known.get(word.lower(), word)
    letters = iter(word)
    return "".join("&shy;" if char == "-" else next(letters) for char in parts)


def _latin_parts(word: str) -> str:
    marked = LATIN_CLUSTER.sub("-", LATIN_SYLLABLE.sub("-", word))
    while match := re.match(r"^\w-|^.*-\w$", marked):  # no single letter stands alone
        place = 1 if match[0][1] == "-" else len(marked) - 2
        marked = marked[:place] + marked[place + 1 :]
    return marked.replace("-", "&shy;")


def print_pdf(html: str) -> bytes:
    """Print HTML with Chromium (no header, no footer) and return the PDF."""
    with tempfile.TemporaryDirectory() as folder:
        for sheet in HTML.glob("*.css"):
            shutil.copy(sheet, folder)
        page, pdf = Path(folder, "page.html"), Path(folder, "page.pdf")
        page.write_text(html, encoding="utf-8")
        profile = f"--user-data-dir={folder}/profile"
        command = (_chromium(), *CHROMIUM, profile, f"--print-to-pdf={pdf}", page.as_uri())
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        return pdf.read_bytes()


def settle(pdf: bytes, day: str) -> bytes:
    """Give the PDF its day (YYYYMMDD), plain glyph-to-text maps, and compact streams."""
    plain = _qpdf(pdf, "--qdf", "--object-streams=disable")
    plain = re.sub(rb"\(D:\d{14}", f"(D:{day}090000".encode(), plain)
    plain = re.sub(rb"  /ID \[.*?\]\n", b"", plain)
    plain = re.sub(rb"/Creator \(.*?\)\n", b"/Creator (Chromium)\n", plain)
    fixed = subprocess.run(["fix-qdf"], input=spell_out(plain), check=True, capture_output=True).stdout
    compact = (
        "--object-streams=generate",
        "--recompress-flate",
        "--compression-level=9",
        "--deterministic-id",
    )
    return _qpdf(fixed, *compact)


def spell_out(qdf: bytes) -> bytes:
    """Move the text of right-to-left glyphs from /ActualText spans into the fonts' ToUnicode maps.

    Chromium wraps each joined Arabic letter in a span of its own inside /ReversedChars. PDFium (and others)
    then read most words backwards and lose the zero-width non-joiners. With plain maps the text comes out in
    reading order. A non-joiner, which Chromium draws as a space without width, becomes an empty glyph in
    front of its left neighbour, because PDFium skips text objects that have no width.
    Works on qpdf's QDF form, which has one operator or a few on a line.
    """
    fonts = dict(re.findall(rb"^ +(/F\d+) (\d+) 0 R$", qdf, re.M))
    speller = _Speller()
    lines = [kept for line in qdf.split(b"\n") if (kept := speller.feed(line)) is not None]
    return _rewrite_maps(b"\n".join(lines), fonts, speller.learned)


class _Speller:
    """Takes the spans off a content stream, line by line, and learns from them what each font's glyphs say."""

    def __init__(self) -> None:
        self.learned: dict[bytes, dict[int, str]] = {}
        self._font = b""
        self._opened: list[bytes] = []  # what each open BMC or BDC is: "reversed", "span" or "kept"
        self._span: str | None = None
        self._joint = b""  # a non-joiner that waits for the next glyph

    def feed(self, line: bytes) -> bytes | None:
        """Return the line as it is to stand, or None if it falls away."""
        if font := re.match(rb"(/F\d+) \S+ Tf$", line):
            self._font = font[1]
        if line.endswith((b" BMC", b" BDC")):
            return line if self._open(line) == b"kept" else None
        if line == b"EMC" and self._opened:
            return line if self._close() == b"kept" else None
        if shown := re.match(rb"(.*?)<(\w+)> Tj$", line):
            return self._show(shown[1], shown[2])
        return line

    def _open(self, line: bytes) -> bytes:
        actual = (
            re.match(rb"/Span\s*<<\s*/ActualText <feff(\w+)>", line) if b"reversed" in self._opened else None
        )
        if actual:
            self._span = bytes.fromhex(actual[1].decode()).decode("utf-16-be")
        reversed_run = line.startswith(b"/ReversedChars")
        self._opened.append(b"reversed" if reversed_run else b"span" if actual else b"kept")
        return self._opened[-1]

    def _close(self) -> bytes:
        kind = self._opened.pop()
        self._span = None if kind == b"span" else self._span
        return kind

    def _show(self, move: bytes, glyphs: bytes) -> bytes:
        if self._span == ZERO_WIDTH:
            self._joint = EMPTY_GLYPH
            return move
        if self._span:
            self._span = _learn(int(glyphs, 16), self._span, self.learned.setdefault(self._font, {}))
        joint, self._joint = self._joint, b""
        return b"%s<%s%s> Tj" % (move, joint, glyphs)


def _learn(glyph: int, text: str, known: dict[int, str]) -> str:
    """Note what a glyph says and return what is left of its span's text.

    Several glyphs in one span (a letter with its mark) are drawn in visual order: they take from its end.
    """
    said = LAM_ALEFS.get(text, text[-1])
    if known.setdefault(glyph, said) != said:
        raise ValueError(
            f"glyph {glyph:04x} says {known[glyph]!a} and {said!a}: word the document differently"
        )
    return "" if text in LAM_ALEFS else text[:-1]


def _rewrite_maps(qdf: bytes, fonts: dict[bytes, bytes], learned: dict[bytes, dict[int, str]]) -> bytes:
    for name, own in learned.items():
        head = re.search(rb"^%s 0 obj\n<<.*?/ToUnicode (\d+) 0 R" % fonts[name], qdf, re.M | re.S)
        assert head is not None
        body = re.search(rb"^%s 0 obj\n.*?\bbegincmap.*?endcmap" % head[1], qdf, re.M | re.S)
        assert body is not None
        start = qdf.index(b"endcodespacerange", body.start()) + len(b"endcodespacerange")
        every = _read_map(qdf[start : body.end()]) | own
        if every.setdefault(int(EMPTY_GLYPH, 16), ZERO_WIDTH) != ZERO_WIDTH:
            raise ValueError("the glyph meant for the non-joiner is in use: choose another EMPTY_GLYPH")
        qdf = qdf[:start] + _write_map(every) + qdf[body.end() :]
    return re.sub(
        rb"(/BaseFont /\w+\+Noto\w*Arabic\S*\n[^>]*?>>\n[^>]*?/W \[)",
        rb"\1 %d [ 0 ]" % int(EMPTY_GLYPH, 16),
        qdf,
    )


def _read_map(cmap: bytes) -> dict[int, str]:
    every: dict[int, str] = {}
    for kind, block in re.findall(rb"beginbf(char|range)(.*?)endbf", cmap, re.S):
        codes = [int(code, 16) for code in re.findall(rb"<(\w+)>", block)]
        if kind == b"char":
            every |= {glyph: chr(code) for glyph, code in zip(codes[::2], codes[1::2], strict=True)}
        else:
            for first, last, code in zip(codes[::3], codes[1::3], codes[2::3], strict=True):
                every |= {glyph: chr(code + glyph - first) for glyph in range(first, last + 1)}
    return every


def _write_map(every: dict[int, str]) -> bytes:
    rows = [
        f"<{glyph:04X}> <{text.encode('utf-16-be').hex().upper()}>" for glyph, text in sorted(every.items())
    ]
    blocks = [rows[place : place + 100] for place in range(0, len(rows), 100)]
    parts = ("\n".join((f"{len(block)} beginbfchar", *block, "endbfchar")) for block in blocks)
    return ("\n" + "\n".join(parts) + "\nendcmap").encode()


def _qpdf(pdf: bytes, *options: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.pdf"), Path(folder, "out.pdf")
        source.write_bytes(pdf)
        command = ("qpdf", "--warning-exit-0", str(source), *options, str(target))
        subprocess.run(command, check=True, capture_output=True)
        return target.read_bytes()


def _picture(pdf: bytes, *, scale: float) -> Image.Image:
    image = pypdfium2.PdfDocument(pdf)[0].render(scale=scale).to_pil()
    assert isinstance(image, Image.Image)
    return image.convert("RGB")


def _chromium() -> str:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        raise SystemExit("Chromium was not found: install it or set CHROMIUM to its path.")
    return found


def make(recipe: Recipe) -> Path:
    """Make one file and return where it was written."""
    html = (HTML / f"{recipe.source}.html").read_text(encoding="utf-8")
    if '<div class="columns">' in html:
        html = hyphenate(html)
    target = DEMO / recipe.target
    target.write_bytes(recipe.finish(settle(print_pdf(html), recipe.day)))
    return target


def main(names: list[str]) -> None:
    """Make the files whose source is named, or all."""
    for recipe in RECIPES:
        if not names or recipe.source in names:
            target = make(recipe)
            print(f"{target.relative_to(DEMO)}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
