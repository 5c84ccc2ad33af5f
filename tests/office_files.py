"""Makes Office, OpenDocument and EPUB files part by part, so that a test shows all that is in them."""

import io
import zipfile
from xml.sax.saxutils import escape

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
_ODF_NAMES = " ".join(
    f'xmlns:{name}="{_ODF}{name}:1.0"'
    for name in ("office", "text", "table", "draw", "style", "presentation", "meta")
)


def make_zip(parts: dict[str, str | bytes]) -> bytes:
    """Pack parts in their order."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


def links(*entries: tuple[str, str]) -> str:
    """A part of relationships: kinds and targets, with the ids r1, r2 …; a target with "://" lies outside."""
    rows = "".join(
        f'<Relationship Id="r{number}" Type="{_OFFICE}/{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if "://" in target else "/>")
        for number, (kind, target) in enumerate(entries, 1)
    )
    return f'<Relationships xmlns="{_RELATIONS}">{rows}</Relationships>'


def core(title: str = "", author: str = "", created: str = "") -> str:
    """The properties of an Office document."""
    return (
        '<p:coreProperties xmlns:p="p" xmlns:dc="d" xmlns:dcterms="t">'
        f"<dc:title>{escape(title)}</dc:title><dc:creator>{escape(author)}</dc:creator>"
        f"<dcterms:created>{created}</dcterms:created></p:coreProperties>"
    )


def make_docx(
    body: str,
    *,
    parts: dict[str, str | bytes] | None = None,
    relations: tuple[tuple[str, str], ...] = (),
    properties: str = "",
) -> bytes:
    """A Word document; `body` is what stands in `w:body`, `relations` are those of the main part."""
    names = f'xmlns:w="{W}" xmlns:r="{_OFFICE}" xmlns:m="m" xmlns:mc="mc"'
    document = f"<w:document {names}><w:body>{body}</w:body></w:document>"
    all_parts: dict[str, str | bytes] = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": links(
            ("officeDocument", "word/document.xml"), ("core-properties", "docProps/core.xml")
        ),
        "word/document.xml": document,
        "word/_rels/document.xml.rels": links(*relations),
        "docProps/core.xml": properties or core(),
    }
    return make_zip(all_parts | (parts or {}))


def paragraph(text: str, *, style: str = "", properties: str = "", run: str = "") -> str:
    """A `w:p` with one run."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    about = f"<w:pPr>{named}{properties}</w:pPr>" if named or properties else ""
    return f"<w:p>{about}<w:r><w:rPr>{run}</w:rPr><w:t>{escape(text)}</w:t></w:r></w:p>"


def word_table(*rows: list[str], header: bool = False) -> str:
    """A `w:tbl` of plain cells."""
    marked = "<w:trPr><w:tblHeader/></w:trPr>" if header else ""
    return (
        "<w:tbl>"
        + "".join(
            f"<w:tr>{marked if not number else ''}{''.join(f'<w:tc>{paragraph(cell)}</w:tc>' for cell in row)}</w:tr>"
            for number, row in enumerate(rows)
        )
        + "</w:tbl>"
    )


def make_pptx(slides: list[str], notes: dict[int, str] | None = None) -> bytes:
    """A presentation; each slide is what stands in its shape tree, `notes` go by the slide's index."""
    parts: dict[str, str | bytes] = {"[Content_Types].xml": _TYPES}
    parts["_rels/.rels"] = links(("officeDocument", "ppt/presentation.xml"))
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in range(1, len(slides) + 1))
    parts["ppt/presentation.xml"] = (
        f'<p:presentation xmlns:p="p" xmlns:r="{_OFFICE}"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>'
    )
    parts["ppt/_rels/presentation.xml.rels"] = links(
        *(("slide", f"slides/slide{n}.xml") for n in range(1, len(slides) + 1))
    )
    for index, shapes in enumerate(slides):
        opening = 'sld show="0"' if shapes.startswith("hidden:") else "sld"
        tree = shapes.removeprefix("hidden:")
        parts[f"ppt/slides/slide{index + 1}.xml"] = _shape_tree(opening, "sld", tree)
        if notes and index in notes:
            parts[f"ppt/slides/_rels/slide{index + 1}.xml.rels"] = links(
                ("notesSlide", f"../notes{index}.xml")
            )
            parts[f"ppt/notes{index}.xml"] = _shape_tree("notes", "notes", shape(notes[index], place="body"))
    return make_zip(parts)


def _shape_tree(opening: str, name: str, tree: str) -> str:
    names = 'xmlns:p="p" xmlns:a="a"'
    return f"<p:{opening} {names}><p:cSld><p:spTree>{tree}</p:spTree></p:cSld></p:{name}>"


def shape(*paragraphs: str, place: str = "", properties: str = "") -> str:
    """A `p:sp`; `place` is what its layout keeps the place for."""
    about = f'<p:nvPr><p:ph type="{place}"/></p:nvPr>' if place else ""
    rows = "".join(f"<a:p>{properties}<a:r><a:t>{escape(text)}</a:t></a:r></a:p>" for text in paragraphs)
    return f"<p:sp><p:nvSpPr>{about}</p:nvSpPr><p:txBody>{rows}</p:txBody></p:sp>"


def make_xlsx(
    sheets: dict[str, str],
    *,
    strings: list[str] | None = None,
    formats: tuple[str, ...] = (),
    hidden: tuple[str, ...] = (),
    from_1904: bool = False,
) -> bytes:
    """A workbook; each sheet is what stands in `sheetData`, cell style n has the n-th of `formats` from 1."""
    about = '<workbookPr date1904="1"/>' if from_1904 else ""
    rows = "".join(
        f'<sheet name="{escape(name)}" r:id="r{n}"' + (' state="hidden"/>' if name in hidden else "/>")
        for n, name in enumerate(sheets, 1)
    )
    relations = [("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)]
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": links(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns:r="{_OFFICE}">{about}<sheets>{rows}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": links(
            *relations, ("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")
        ),
        "xl/sharedStrings.xml": f"<sst>{''.join(f'<si><t>{escape(one)}</t></si>' for one in strings or ())}</sst>",
        "xl/styles.xml": _styles(formats),
    }
    for number, data in enumerate(sheets.values(), 1):
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            data if data.startswith("<worksheet") else f"<worksheet><sheetData>{data}</sheetData></worksheet>"
        )
    return make_zip(parts)


def _styles(formats: tuple[str, ...]) -> str:
    quote = {'"': "&quot;"}
    own = "".join(
        f'<numFmt numFmtId="{164 + n}" formatCode="{escape(code, quote)}"/>' for n, code in enumerate(formats)
    )
    uses = '<xf numFmtId="0"/>' + "".join(f'<xf numFmtId="{164 + n}"/>' for n in range(len(formats)))
    return f"<styleSheet><numFmts>{own}</numFmts><cellXfs>{uses}</cellXfs></styleSheet>"


def sheet_row(number: int, *cells: str | float | None, style: int = 0) -> str:
    """A `row` of inline strings and numbers; None leaves a cell out."""
    parts = []
    for column, cell in enumerate(cells):
        place = f'r="{chr(ord("A") + column)}{number}"'
        if isinstance(cell, str):
            parts.append(f'<c {place} t="inlineStr"><is><t>{escape(cell)}</t></is></c>')
        elif cell is not None:
            parts.append(f'<c {place} s="{style}"><v>{cell}</v></c>')
    return f'<row r="{number}">{"".join(parts)}</row>'


def make_odf(kind: str, body: str, *, styles: str = "", meta: str = "") -> bytes:
    """An OpenDocument file; `kind` is text, spreadsheet or presentation, `body` what stands in that element."""
    return make_zip(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "META-INF/manifest.xml": "<manifest/>",
            "meta.xml": (
                f'<office:document-meta {_ODF_NAMES} xmlns:dc="d"><office:meta>{meta}</office:meta>'
                "</office:document-meta>"
            ),
            "content.xml": (
                f"<office:document-content {_ODF_NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
                f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
            ),
        }
    )


def make_epub(
    chapters: dict[str, str], *, metadata: str = "", parts: dict[str, str | bytes] | None = None
) -> bytes:
    """A book; chapters are HTML pages by file name, in reading order."""
    items = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(chapters)))
    book: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        "OPS/book.opf": (
            f'<package xmlns:dc="d"><metadata>{metadata}</metadata><manifest>{items}</manifest>'
            f"<spine>{spine}</spine></package>"
        ),
    }
    return make_zip(book | {f"OPS/{name}": page for name, page in chapters.items()} | (parts or {}))
