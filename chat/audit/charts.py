"""Pictures of numbers as SVG that stands in the page: no script, no style of its own; colours come from audit.css."""

from collections.abc import Mapping, Sequence
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
    return _picture(pygal.StackedBar(**_options(labels)), labels, series)


def bars(labels: Sequence[str], series: Series) -> SafeString:
    """Return horizontal bars, one a label."""
    height = 60 + 30 * max(len(labels), 1)
    return _picture(pygal.HorizontalBar(**{**_options(labels), "height": height}), labels, series)


def lines(labels: Sequence[str], series: Series) -> SafeString:
    """Return lines over the labels."""
    return _picture(pygal.Line(**_options(labels), dots_size=2), labels, series)


def _options(labels: Sequence[str]) -> dict[str, object]:
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "js": (),
        "css": (),
        "show_legend": False,
        "margin": 8,
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
