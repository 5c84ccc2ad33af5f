"""One paragraph of a Word document: its text as it is seen, and what hangs on it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sources.core.extract.docx_formulas import formula_text
from sources.core.extract.docx_styles import Styles, list_of, outline_of
from sources.core.extract.office import is_on
from sources.core.extract.xml_reading import Element, attribute, child, descendants, local

# What is not seen: deleted and moved text, field codes, properties, the phonetic guide over a word.
_UNSEEN = {"del", "moveFrom", "instrText", "delText", "delInstrText", "pPr", "rPr", "rt", "sdtPr", "rubyPr"}
_SIGNS = {"tab": "\t", "cr": "\n", "noBreakHyphen": "\u2011", "ptab": "\t"}
_NOTES = {"footnoteReference": "footnote", "endnoteReference": "endnote"}
_BREAKS_OF_PAGES = {"page", "column"}
# Fonts of signs keep them in a private range; the commonest ones have a character of their own.
_SIGN_FONTS = {0xF0B7: "•", 0xF0A7: "▪", 0xF0FC: "✓", 0xF0E0: "→", 0xF0D8: "➢", 0xF0A8: "□", 0xF0FE: "☑"}


@dataclass(slots=True)
class Paragraph:
    """`outline` and `list_depth` count from 0; `notes` are kinds and keys; `boxes` text boxes beside the text."""

    style: str = ""
    outline: int | None = None
    list_id: str = ""
    list_depth: int = 0
    has_hidden_text: bool = False
    notes: list[tuple[str, str]] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.parts)


def read_paragraph(element: Element, styles: Styles) -> Paragraph:
    """Read a `w:p`."""
    properties = child(element, "pPr")
    style = child(properties, "pStyle")
    list_id, depth = list_of(properties)
    paragraph = Paragraph(
        style=attribute(style, "val") if style is not None else "",
        outline=outline_of(properties),
        list_id=list_id,
        list_depth=depth,
    )
    _read(element, paragraph, styles)
    return paragraph


def _read(element: Element, paragraph: Paragraph, styles: Styles) -> None:
    for one in element:
        name = local(one)
        if name == "t":
            paragraph.parts.append(one.text or "")
        elif name == "r" and _is_hidden(one, paragraph, styles):
            paragraph.has_hidden_text |= next(descendants(one, "t"), None) is not None
        elif name in _SIGNS:
            paragraph.parts.append(_SIGNS[name])
        elif name == "br":
            paragraph.parts.append(" " if attribute(one, "type") in _BREAKS_OF_PAGES else "\n")
        elif name == "sym":
            paragraph.parts.append(_sign(attribute(one, "char")))
        elif name in _NOTES:
            paragraph.notes.append((_NOTES[name], attribute(one, "id")))
        elif name in {"oMath", "oMathPara"}:
            paragraph.parts.append(formula_text(one))
        elif name in {"drawing", "pict", "object"}:
            paragraph.boxes += _boxes(one)
        elif name == "AlternateContent":
            _read_alternative(one, paragraph, styles)
        elif name not in _UNSEEN:
            _read(one, paragraph, styles)


def _read_alternative(element: Element, paragraph: Paragraph, styles: Styles) -> None:
    """One thing in two forms, for newer and older programs: the first that says anything counts."""
    for form in element:
        before = len(paragraph.parts) + len(paragraph.boxes)
        _read(form, paragraph, styles)
        if len(paragraph.parts) + len(paragraph.boxes) > before:
            return


def _is_hidden(run: Element, paragraph: Paragraph, styles: Styles) -> bool:
    properties = child(run, "rPr")
    own = child(properties, "vanish")
    if own is not None:
        return is_on(own)
    style = child(properties, "rStyle")
    named = attribute(style, "val") if style is not None else ""
    return styles.of(named).is_hidden or styles.of(paragraph.style).is_hidden


def _boxes(drawing: Element) -> Iterator[Element]:
    """The text boxes of a drawing; a box inside a box comes with its outer one."""
    for one in drawing:
        if local(one) == "txbxContent":
            yield one
        else:
            yield from _boxes(one)


def _sign(code: str) -> str:
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    if 0xF000 <= number <= 0xF0FF:
        return _SIGN_FONTS.get(number, "")
    return chr(number) if 0x20 <= number < 0xD800 else ""
