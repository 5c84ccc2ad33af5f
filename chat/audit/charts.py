"""Pictures of numbers as SVG that stands in the page: no script, no style of its own; colours come from audit.css."""

from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree

import pygal
from django.utils.safestring import SafeString

from chat.turn_view import safe_html

_WIDTH, _HEIGHT = 720, 240
# What pygal adds for its own script and style sheet.
_UNWANTED = frozenset({"defs", "script", "style", "desc", "title"})
Series = Mapping[str, Sequence[float | None]]


def stacked_bars(labels: Sequence[str], series: Series) -> SafeString:
    """Return bars that stand on each other, one bar a label."""
    chart = pygal.StackedBar(**_options(labels))
    chart.y_labels = _whole_numbers(sum(values) for values in zip(*_filled(series), strict=True))
    return _picture(chart, labels, series)


def bars(labels: Sequence[str], series: Series) -> SafeString:
    """Return horizontal bars, one a label."""
    height = 60 + 30 * max(len(labels), 1)
    chart = pygal.HorizontalBar(**{**_options(labels), "height": height})
    chart.y_labels = _whole_numbers(value for values in _filled(series) for value in values)
    return _picture(chart, labels, series)


def lines(labels: Sequence[str], series: Series) -> SafeString:
    """Return lines over the labels."""
    return _picture(pygal.Line(**_options(labels), dots_size=2), labels, series)


def _filled(series: Series) -> list[list[float]]:
    return [[value or 0 for value in values] for values in series.values()]


def _whole_numbers(values: Iterable[float]) -> list[int]:
    """Return about five signs for an axis of counts: 0, then steps of 1, 2 or 5 times a power of ten."""
    most = int(max(values, default=0))
    steps = (factor * 10**power for power in range(12) for factor in (1, 2, 5))
    step = next(step for step in steps if step * 5 >= most)
    return list(range(0, max(most, 1) + step, step))


def _options(labels: Sequence[str]) -> dict[str, object]:
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "js": (),
        "css": (),
        "show_legend": False,
        "margin": 8,
        # A point may stand at the very edge, and the name of its day under it.
        "margin_right": 32,
        "x_labels_major_count": 8 if len(labels) > 8 else None,
        "show_minor_x_labels": len(labels) <= 8,
        "truncate_label": 24,
        "no_data_text": "",
        "include_x_axis": True,
    }


def _picture(chart: pygal.Graph, labels: Sequence[str], series: Series) -> SafeString:
    chart.x_labels = list(labels)
    for name, values in series.items():
        chart.add(name, list(values))
    root = chart.render_tree()
    _clean(root)
    root.attrib.pop("id", None)
    # The numbers stand in a table beside it.
    root.set("aria-hidden", "true")
    root.set("class", "chart")
    root.set("direction", "ltr")
    return safe_html(ElementTree.tostring(root, encoding="unicode"))


def _clean(element: ElementTree.Element) -> None:
    """Take out what a strict policy refuses: elements of script and style, and attributes with either."""
    for name in list(element.attrib):
        if name == "style" or name.startswith("on") or name == "id":
            del element.attrib[name]
    for child in list(element):
        if not isinstance(child.tag, str) or child.tag.rpartition("}")[2] in _UNWANTED:
            element.remove(child)
        else:
            _clean(child)
