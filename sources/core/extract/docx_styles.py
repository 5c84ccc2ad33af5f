"""Word's styles, as far as they say what a paragraph is: a heading, part of a list, hidden."""

import re
from dataclasses import dataclass, replace

from sources.core.extract.office import is_on
from sources.core.extract.xml_reading import Element, attribute, child, children

_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_TITLE = re.compile(r"title$", re.IGNORECASE)
_LAST_OUTLINE_LEVEL = 8
_LONGEST_CHAIN = 20


@dataclass(frozen=True, slots=True)
class Style:
    """`outline` counts from 0, None is body text."""

    outline: int | None = None
    list_id: str = ""
    list_depth: int = 0
    is_hidden: bool = False


class Styles:
    """The styles of a document by id, with what they take over from those they are based on."""

    def __init__(self, root: Element | None) -> None:
        found = children(root, "style")
        self._elements = {attribute(one, "styleId"): one for one in found}
        self._read: dict[str, Style] = {"": Style()}

    def of(self, style_id: str) -> Style:
        """Return a style; an unknown one is plain."""
        if style_id not in self._read:
            self._read[style_id] = self._resolved(style_id)
        return self._read[style_id]

    def _resolved(self, style_id: str) -> Style:
        chain: list[Element] = []
        while (element := self._elements.get(style_id)) is not None and len(chain) < _LONGEST_CHAIN:
            chain.append(element)
            style_id = _value(child(element, "basedOn"))
        style = Style()
        for element in reversed(chain):
            style = _with(style, element)
        return style


def outline_of(properties: Element | None) -> int | None:
    """Return the outline level that paragraph properties state, None for none."""
    level = _value(child(properties, "outlineLvl"))
    return int(level) if level.isdigit() and int(level) <= _LAST_OUTLINE_LEVEL else None


def list_of(properties: Element | None) -> tuple[str, int]:
    """Return the list and depth that paragraph properties state, "" for none."""
    depth = _value(child(properties, "numPr", "ilvl"))
    return _value(child(properties, "numPr", "numId")), min(int(depth), 8) if depth.isdigit() else 0


def _with(style: Style, element: Element) -> Style:
    properties = child(element, "pPr")
    outline, (list_id, depth) = outline_of(properties), list_of(properties)
    name = _value(child(element, "name"))
    if heading := _HEADING.match(name):
        outline = int(heading[1]) - 1
    elif _TITLE.match(name):
        outline = 0
    if outline is not None:
        style = replace(style, outline=outline)
    if list_id:
        style = replace(style, list_id=list_id, list_depth=depth)
    hidden = child(element, "rPr", "vanish")
    return replace(style, is_hidden=is_on(hidden)) if hidden is not None else style


def _value(element: Element | None) -> str:
    return attribute(element, "val") if element is not None else ""
