"""Answers with the reader alone, or with one more part of it, to the scripts of a page that shows it already."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from sources.reader import Grow, Reading, grow_of
from sources.reader_state import number_in


def asked_for_page(request: HttpRequest) -> bool:
    """Tell whether a whole page is wanted: by a browser, or by htmx when it goes back to one."""
    restoring = request.headers.get("HX-History-Restore-Request") == "true"
    return restoring or request.headers.get("HX-Request") != "true"


def asks_for_part(request: HttpRequest) -> bool:
    """Tell whether somebody who has the reader before them asks for more of it."""
    return "part" in request.GET or (
        not asked_for_page(request) and request.headers.get("HX-Target") == "reader"
    )


def part_of_reader(request: HttpRequest, reading: Reading) -> HttpResponse | None:
    """Return the part of the reader that is asked for (`?part=`), or None for the whole page."""
    first, last = number_in(request.GET, "first"), number_in(request.GET, "last")
    match request.GET.get("part", ""):
        case "pages" if reading.drawn:
            context: dict[str, object] = {"body": reading.page_part(first, last), "zoom": reading.state.zoom}
            return render(request, "sources/reader_pages.html", context)
        case "earlier":
            return render(request, "sources/reader_lines.html", _earlier(reading, last))
        case "later":
            return render(request, "sources/reader_lines.html", _later(reading, first))
        case "strip" if reading.drawn:
            return render(request, "sources/strip.html", {"strip": reading.strip_part(first, last)})
        case _:
            if asked_for_page(request) or not asks_for_part(request):
                return None
            return render(request, "sources/reader.html", {"reader": reading.reader()})


def _earlier(reading: Reading, last: int) -> dict[str, object]:
    """Return lines up to `last`, with the way to still earlier ones."""
    body = reading.earlier_lines(last)
    ways = grow_of(reading.state, body)
    return {"body": body, "grow": Grow(before=ways.before, part_before=ways.part_before)}


def _later(reading: Reading, first: int) -> dict[str, object]:
    """Return lines from `first` on, with the way to still later ones."""
    body = reading.later_lines(first)
    ways = grow_of(reading.state, body)
    return {"body": body, "grow": Grow(after=ways.after, part_after=ways.part_after)}
