"""Makes the files that tests upload, at run time: a small PDF writer and a few broken relatives.

Text is set in Helvetica (base 14, so nothing is embedded); other scripts go through a font without glyphs
that only says what its codes mean, which is enough for extraction.
"""

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

A4 = (0.0, 0.0, 595.0, 842.0)
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Words:
    """Text at a place in PDF user space (origin at the lower left), turned counterclockwise by `angle` degrees.

    `spread` is extra space after each character, in points.
    """

    x: float
    y: float
    text: str
    size: float = 12
    angle: float = 0
    spread: float = 0


@dataclass(frozen=True, slots=True)
class Page:
    words: Sequence[Words] = ()
    media_box: Box = A4
    crop_box: Box | None = None
    rotate: int = 0
    # Lower left and upper right corner of a grey picture.
    picture: Box | None = None


@dataclass(slots=True)
class _Objects:
    bodies: list[bytes] = field(default_factory=list)

    def add(self, body: str | bytes) -> int:
        self.bodies.append(body.encode("latin-1") if isinstance(body, str) else body)
        return len(self.bodies)

    def stream(self, data: bytes, entries: str = "") -> int:
        packed = zlib.compress(data)
        head = f"<< /Length {len(packed)} /Filter /FlateDecode {entries} >>\nstream\n".encode()
        return self.add(head + packed + b"\nendstream")


def lines_of(
    text: str, *, x: float = 72, y: float = 770, size: float = 12, leading: float = 1.2
) -> list[Words]:
    """Set each line of `text` below the one before; an empty line leaves a gap."""
    rows = text.split("\n")
    return [Words(x, y - index * size * leading, row, size) for index, row in enumerate(rows) if row]


def text_page(text: str) -> Page:
    """A page with one column of lines."""
    return Page(lines_of(text))


def make_pdf(
    pages: Sequence[Page],
    *,
    title: str = "",
    labels: str = "",
    outline: Sequence[tuple[str, int]] = (),
) -> bytes:
    """Write a PDF. `labels` is the /Nums array of the page labels, `outline` has titles with page indices."""
    objects = _Objects()
    catalogue, tree = objects.add(""), objects.add("")
    resources = _resources(objects)
    kids = [_page(objects, page, tree, resources) for page in pages]
    objects.bodies[tree - 1] = (
        f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>".encode()
    )
    extra = f"/PageLabels << /Nums [{labels}] >>" if labels else ""
    if outline:
        extra += f" /Outlines {_outline(objects, outline, kids)} 0 R"
    objects.bodies[catalogue - 1] = f"<< /Type /Catalog /Pages {tree} 0 R {extra} >>".encode()
    info = objects.add(f"<< /Title {_literal(title)} >>") if title else 0
    return _file(objects.bodies, info)


def _resources(objects: _Objects) -> str:
    latin = objects.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    meaning = objects.stream(
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /U def /CMapType 2 def\n"
        b"1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        + b"".join(
            b"1 beginbfrange <%02x00> <%02xff> <%02x00> endbfrange\n" % (row, row, row) for row in range(256)
        )
        + b"endcmap end end"
    )
    shape = objects.add(
        "<< /Type /FontDescriptor /FontName /Plain /Flags 4 /FontBBox [0 -200 500 800] /ItalicAngle 0"
        " /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>"
    )
    below = objects.add(
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Plain /DW 500 /CIDToGIDMap /Identity"
        f" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor {shape} 0 R >>"
    )
    wide = objects.add(
        "<< /Type /Font /Subtype /Type0 /BaseFont /Plain /Encoding /Identity-H"
        f" /DescendantFonts [{below} 0 R] /ToUnicode {meaning} 0 R >>"
    )
    picture = objects.stream(
        bytes([150]) * 64,
        "/Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 8 /ColorSpace /DeviceGray",
    )
    return f"<< /Font << /L {latin} 0 R /W {wide} 0 R >> /XObject << /P {picture} 0 R >> >>"


def _page(objects: _Objects, page: Page, tree: int, resources: str) -> int:
    content = objects.stream("\n".join([*_drawn(page.picture), *map(_shown, page.words)]).encode("latin-1"))
    crop = f"/CropBox [{_numbers(page.crop_box)}]" if page.crop_box else ""
    return objects.add(
        f"<< /Type /Page /Parent {tree} 0 R /MediaBox [{_numbers(page.media_box)}] {crop}"
        f" /Rotate {page.rotate} /Resources {resources} /Contents {content} 0 R >>"
    )


def _drawn(picture: Box | None) -> list[str]:
    if not picture:
        return []
    left, bottom, right, top = picture
    return [f"q {right - left:g} 0 0 {top - bottom:g} {left:g} {bottom:g} cm /P Do Q"]


def _shown(words: Words) -> str:
    turn = math.radians(words.angle)
    cos, sin = math.cos(turn), math.sin(turn)
    place = _numbers((cos, sin, -sin, cos, words.x, words.y))
    try:
        font, text = "L", _literal(words.text)
    except UnicodeEncodeError:
        font, text = "W", f"<{words.text.encode('utf-16-be').hex()}>"
    return f"BT /{font} {words.size:g} Tf {words.spread:g} Tc {place} Tm {text} Tj ET"


def _literal(text: str) -> str:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    # The file is written as Latin-1 in the end; the font's codes are those of Windows.
    return f"({escaped.encode('cp1252').decode('latin-1')})"


def _outline(objects: _Objects, entries: Sequence[tuple[str, int]], kids: Sequence[int]) -> int:
    root = objects.add("")
    numbers = [objects.add("") for _ in entries]
    for index, ((title, page), number) in enumerate(zip(entries, numbers, strict=True)):
        following = f"/Next {numbers[index + 1]} 0 R" if index + 1 < len(numbers) else ""
        objects.bodies[number - 1] = (
            f"<< /Title {_literal(title)} /Parent {root} 0 R /Dest [{kids[page]} 0 R /Fit] {following} >>".encode(
                "latin-1"
            )
        )
    objects.bodies[root - 1] = (
        f"<< /Type /Outlines /First {numbers[0]} 0 R /Last {numbers[-1]} 0 R >>".encode()
    )
    return root


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.4f}" for value in values)


def _file(bodies: Sequence[bytes], info: int) -> bytes:
    parts, offsets, at = [b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"], [], 15
    for number, body in enumerate(bodies, 1):
        offsets.append(at)
        parts.append(b"%d 0 obj\n%b\nendobj\n" % (number, body))
        at += len(parts[-1])
    entries = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n%b" % (len(bodies) + 1, entries))
    stated = b" /Info %d 0 R" % info if info else b""
    parts.append(
        b"trailer\n<< /Size %d /Root 1 0 R%b >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, stated, at)
    )
    return b"".join(parts)
