"""The numbers and bullets of Word's lists, which stand nowhere in the text: "4.2", "(a)", "iv.", "-"."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from sources.core.extract.xml_reading import Element, attribute, child, children

_PLACE = re.compile(r"%([1-9])")
_DEPTHS = 9
_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)
_MOST_ROMAN = 3999
_BULLET = "-"


@dataclass(frozen=True, slots=True)
class _Level:
    form: str = "bullet"
    pattern: str = ""
    start: int = 1


class Numbering:
    """Counts the items of all lists as they come."""

    def __init__(self, root: Element | None) -> None:
        outlines = {attribute(one, "abstractNumId"): _levels(one) for one in children(root, "abstractNum")}
        self._lists: dict[str, tuple[str, dict[int, _Level]]] = {}
        for one in children(root, "num"):
            key = _value(child(one, "abstractNumId"))
            self._lists[attribute(one, "numId")] = (key, outlines.get(key, {}) | _overrides(one))
        self._counts: dict[str, list[int]] = {}
        self._restarted: set[str] = set()

    def next_mark(self, list_id: str, depth: int) -> str:
        """Return what Word draws before the next item of a list, "" for a list that isn't one."""
        if list_id == "0" or list_id not in self._lists:
            return ""
        outline, levels = self._lists[list_id]
        level = levels.get(depth, _Level())
        counts = self._counts.setdefault(outline, [0] * _DEPTHS)
        self._restart(list_id, counts, levels)
        counts[depth] = counts[depth] + 1 if counts[depth] else level.start
        counts[depth + 1 :] = [0] * (_DEPTHS - depth - 1)
        if level.form in {"bullet", "none"}:
            return _BULLET if level.form == "bullet" else ""
        return _PLACE.sub(lambda place: _number(levels, counts, int(place[1]) - 1), level.pattern)

    def _restart(self, list_id: str, counts: list[int], levels: dict[int, _Level]) -> None:
        """A second list with the same outline goes on counting, unless it says where to start."""
        if list_id not in self._restarted and levels.get(-1):
            counts[:] = [0] * _DEPTHS
        self._restarted.add(list_id)


def _levels(outline: Element) -> dict[int, _Level]:
    return {_depth(one): _level(one) for one in children(outline, "lvl")}


def _overrides(one: Element) -> dict[int, _Level]:
    """What a list changes in its outline; a key of -1 says that it starts anew."""
    changed: dict[int, _Level] = {}
    for override in children(one, "lvlOverride"):
        if (level := child(override, "lvl")) is not None:
            changed[_depth(level)] = _level(level)
        if child(override, "startOverride") is not None:
            changed[-1] = _Level()
    return changed


def _level(one: Element) -> _Level:
    start = _value(child(one, "start"))
    return _Level(
        form=_value(child(one, "numFmt")) or "decimal",
        pattern=_value(child(one, "lvlText")),
        start=int(start) if start.isdigit() else 1,
    )


def _depth(one: Element) -> int:
    depth = attribute(one, "ilvl", "0")
    return min(int(depth), _DEPTHS - 1) if depth.isdigit() else 0


def _number(levels: dict[int, _Level], counts: list[int], depth: int) -> str:
    level = levels.get(depth, _Level("decimal"))
    return _FORMS.get(level.form, str)(counts[depth] or level.start)


def _letters(number: int) -> str:
    """a to z, then aa, bb …, as Word counts."""
    return chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 9)


def _roman(number: int) -> str:
    parts = []
    for value, sign in _ROMAN if number <= _MOST_ROMAN else ():
        parts.append(sign * (number // value))
        number %= value
    return "".join(parts) or str(number)


_FORMS: dict[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "decimalZero": lambda number: f"{number:02}",
}


def _value(element: Element | None) -> str:
    return attribute(element, "val") if element is not None else ""
