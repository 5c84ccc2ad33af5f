"""Formulas of Office documents as a line of text: a/b, x^2, √(x)."""

from collections.abc import Callable

from sources.core.extract.xml_reading import Element, attribute, child, children, local


def formula_text(element: Element) -> str:
    """Return an `m:oMath` or any part of one in a line."""
    shape = _SHAPES.get(local(element))
    if shape:
        return shape(element)
    if local(element) == "t":
        return element.text or ""
    return "".join(formula_text(one) for one in element if not local(one).endswith("Pr"))


def _part(element: Element, name: str) -> str:
    found = child(element, name)
    return formula_text(found) if found is not None else ""


def _grouped(text: str) -> str:
    return text if len(text) < 2 or text.isalnum() else f"({text})"


def _sign(element: Element, properties: str, name: str, default: str) -> str:
    found = child(element, properties, name)
    return attribute(found, "val", default) if found is not None else default


def _fraction(element: Element) -> str:
    return f"{_grouped(_part(element, 'num'))}/{_grouped(_part(element, 'den'))}"


def _raised(element: Element) -> str:
    return f"{_part(element, 'e')}^{_grouped(_part(element, 'sup'))}"


def _lowered(element: Element) -> str:
    return f"{_part(element, 'e')}_{_grouped(_part(element, 'sub'))}"


def _both(element: Element) -> str:
    return f"{_lowered(element)}^{_grouped(_part(element, 'sup'))}"


def _root(element: Element) -> str:
    degree = _part(element, "deg")
    return f"{degree}√{_grouped(_part(element, 'e'))}"


def _bracketed(element: Element) -> str:
    opening, closing = _sign(element, "dPr", "begChr", "("), _sign(element, "dPr", "endChr", ")")
    between = _sign(element, "dPr", "sepChr", "|")
    return opening + between.join(map(formula_text, children(element, "e"))) + closing


def _large(element: Element) -> str:
    sign = _sign(element, "naryPr", "chr", "∫")
    low, high = _part(element, "sub"), _part(element, "sup")
    bounds = (f"_{_grouped(low)}" if low else "") + (f"^{_grouped(high)}" if high else "")
    return f"{sign}{bounds} {_part(element, 'e')}"


def _function(element: Element) -> str:
    return f"{_part(element, 'fName')} {_part(element, 'e')}"


_SHAPES: dict[str, Callable[[Element], str]] = {
    "f": _fraction,
    "sSup": _raised,
    "sSub": _lowered,
    "sSubSup": _both,
    "rad": _root,
    "d": _bracketed,
    "nary": _large,
    "func": _function,
}
