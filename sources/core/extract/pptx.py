"""PowerPoint presentations: slides as pages, with titles as headings, bullets, tables and the speaker's notes."""

from collections.abc import Callable, Iterator
from pathlib import Path

from sources.core.extract.archive import Archive, open_archive
from sources.core.extract.canonical import CanonicalText
from sources.core.extract.docx_formulas import formula_text
from sources.core.extract.office import PPTX, properties, relationships, required
from sources.core.extract.types import Extracted, ExtractionError
from sources.core.extract.xml_reading import (
    Element,
    attribute,
    child,
    children,
    descendants,
    local,
    parse_xml,
)

HIDDEN_SLIDES = "Hidden slides were left out: what isn't shown can't be found or cited here."
_TITLES = {"title", "ctrTitle"}
# Places that say the same on every slide.
_REPEATED = {"dt", "ftr", "hdr", "sldNum", "sldImg"}
_NOTES = "Notes:"


def read_pptx(path: Path, file_name: str, progress: Callable[[int, int], None]) -> Extracted:
    """Read a presentation; a slide's number is that of the file, hidden ones counted. Raises ExtractionError."""
    canonical = CanonicalText()
    with open_archive(path) as archive:
        slides = list(_slide_parts(archive))
        for number, part in enumerate(slides, 1):
            canonical.begin_page(str(number))
            _write_slide(canonical, archive, part)
            progress(number, len(slides))
        return canonical.extracted(PPTX, file_name, **properties(archive))


def _slide_parts(archive: Archive) -> Iterator[str]:
    """The slides in the order in which they are shown."""
    main = required(archive)
    links = relationships(archive, main)
    for entry in children(child(parse_xml(archive.read(main)), "sldIdLst"), "sldId"):
        # Two attributes have the local name "id": the one of the relationship has a namespace.
        key = next((value for name, value in entry.items() if name.endswith("}id")), "")
        if key in links:
            yield links[key].target


def _write_slide(canonical: CanonicalText, archive: Archive, part: str) -> None:
    slide = parse_xml(archive.read(part))
    if slide.get("show") in {"0", "false"}:
        canonical.warn(HIDDEN_SLIDES)
        return
    links = relationships(archive, part)
    shapes = list(_shapes(child(slide, "cSld", "spTree")))
    for shape in sorted(shapes, key=lambda one: _place(one) not in _TITLES):
        if _place(shape) in _TITLES:
            canonical.heading(" ".join(_paragraph(one) for one in descendants(shape, "p")), 1)
        elif _place(shape) not in _REPEATED:
            _write_shape(canonical, shape)
    for link in links.values():
        if link.kind == "diagramData":
            _write_diagram(canonical, archive, link.target)
        elif link.kind == "notesSlide":
            _write_notes(canonical, parse_xml(archive.read(link.target)))


def _shapes(tree: Element | None) -> Iterator[Element]:
    """Shapes in the order of the file, those of groups among them."""
    for one in tree if tree is not None else ():
        name = local(one)
        if name in {"sp", "graphicFrame", "cxnSp"} and not _is_hidden(one):
            yield one
        elif name == "grpSp" and not _is_hidden(one):
            yield from _shapes(one)
        elif name == "AlternateContent":
            yield from _shapes(next(iter(one), None))


def _is_hidden(shape: Element) -> bool:
    about = next(descendants(shape, "cNvPr"), None)
    return about is not None and about.get("hidden") in {"1", "true"}


def _place(shape: Element) -> str:
    """What the layout keeps this shape's place for, "" for a free one."""
    found = next(descendants(shape, "ph"), None)
    return found.get("type", "body") if found is not None else ""


def _write_shape(canonical: CanonicalText, shape: Element) -> None:
    for table in descendants(shape, "tbl"):
        _write_table(canonical, table)
        return
    is_list = _place(shape) in {"body", "obj"}
    for paragraph in children(child(shape, "txBody"), "p"):
        text, properties = _paragraph(paragraph), child(paragraph, "pPr")
        depth = attribute(properties, "lvl", "0") if properties is not None else "0"
        if _has_bullet(properties, is_list):
            canonical.item(text, depth=int(depth) if depth.isdigit() else 0)
        else:
            canonical.paragraph(text)


def _has_bullet(properties: Element | None, is_list: bool) -> bool:
    if child(properties, "buNone") is not None:
        return False
    own = child(properties, "buChar") is not None or child(properties, "buAutoNum") is not None
    return own or is_list


def _paragraph(paragraph: Element) -> str:
    parts = []
    for one in paragraph:
        name = local(one)
        if name in {"r", "fld"}:
            found = child(one, "t")
            parts.append((found.text or "") if found is not None else "")
        elif name == "br":
            parts.append("\n")
        elif name in {"m", "AlternateContent"}:
            parts += [formula_text(formula) for formula in list(descendants(one, "oMath"))[:1]]
    return "".join(parts)


def _write_table(canonical: CanonicalText, table: Element) -> None:
    grid: list[list[str]] = []
    for row in children(table, "tr"):
        above = grid[-1] if grid else []
        grid.append([_cell(cell, column, above) for column, cell in enumerate(children(row, "tc"))])
        if not above and sum(map(bool, grid[0])) > 1:
            _name_spanned(grid[0], children(row, "tc"))
    about = child(table, "tblPr")
    has_header = about is not None and about.get("firstRow") in {"1", "true"}
    canonical.table(grid, header_rows=1 if has_header and len(grid) > 1 else None)


def _cell(cell: Element, column: int, above: list[str]) -> str:
    """A cell's text; one merged with the cell above says the same again."""
    if cell.get("vMerge") in {"1", "true"} and column < len(above):
        return above[column]
    texts = (_paragraph(one) for one in descendants(cell, "p"))
    return " ".join(text for text in texts if text.strip())


def _name_spanned(head: list[str], cells: list[Element]) -> None:
    """Give a name that stands over several columns to each of them."""
    for column, cell in enumerate(cells):
        if column and cell.get("hMerge") in {"1", "true"}:
            head[column] = head[column - 1]


def _write_diagram(canonical: CanonicalText, archive: Archive, part: str) -> None:
    try:
        points = list(descendants(parse_xml(archive.read(part)), "pt"))
    except ExtractionError:
        return
    for point in points:
        canonical.item(" ".join(_paragraph(one) for one in descendants(point, "p")))


def _write_notes(canonical: CanonicalText, notes: Element) -> None:
    bodies = [shape for shape in _shapes(child(notes, "cSld", "spTree")) if _place(shape) == "body"]
    texts = [_paragraph(one) for body in bodies for one in descendants(body, "p")]
    if words := "\n".join(text for text in texts if text.strip()):
        canonical.paragraph(f"{_NOTES} {words}")
