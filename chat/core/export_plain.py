"""Read rendered HTML back as plain text, so that there is one renderer and not two.

The input is our own output, whose tags are known and closed in order; it is no tool for other HTML.
"""

from dataclasses import dataclass
from html.parser import HTMLParser

from chat.core.render_chips import WORD_JOINER

_SPACED = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "div", "blockquote", "hr"}
_BLOCKS = _SPACED | {"pre", "table", "tr", "ul", "ol", "li"}
_CELLS = ("td", "th")


def plain_text(html: str) -> str:
    """Return the text of rendered blocks: list marks, quote marks, cells between bars, links with address."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return "\n".join(reader.lines)


@dataclass
class _Margin:
    """What stands before each line inside a list item or quote; the mark before the first only."""

    mark: str
    rest: str
    fresh: bool = True

    def take(self) -> str:
        """Return what stands before the next line."""
        margin = self.mark if self.fresh else self.rest
        self.fresh = False
        return margin


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self._text = ""
        self._cells = 0
        self._margins: list[_Margin] = []
        self._numbers: list[int | None] = []
        self._links: list[tuple[str, int]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in _BLOCKS:
            self._end_line()
            self._space_before(tag, given.get("class", ""))
        if tag in ("ul", "ol"):
            self._numbers.append(int(given.get("start", "1")) if tag == "ol" else None)
        elif tag == "li":
            self._margins.append(self._item())
        elif tag == "blockquote":
            self._margins.append(_Margin("> ", "> "))
        elif tag == "a":
            self._links.append((given.get("href", ""), len(self._text)))
        else:
            self._text += self._sign(tag)

    def _sign(self, tag: str) -> str:
        if tag == "tr":
            self._cells = 0
        if tag in _CELLS:
            self._cells += 1
            return " | " if self._cells > 1 else ""
        return {"br": "\n", "hr": "* * *"}.get(tag, "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            address, begin = self._links.pop()
            if address not in self._text[begin:]:
                self._text += f" ({address})"
        if tag in _BLOCKS:
            self._end_line()
        if tag in ("ul", "ol"):
            self._numbers.pop()
        elif tag in ("li", "blockquote"):
            if self._margins[-1].fresh:
                self._write("")
            self._margins.pop()

    def handle_data(self, data: str) -> None:
        self._text += data.replace(WORD_JOINER, "")

    def _item(self) -> _Margin:
        number = self._numbers[-1]
        if number is None:
            return _Margin("- ", "  ")
        self._numbers[-1] = number + 1
        return _Margin(f"{number}. ", " " * len(f"{number}. "))

    def _space_before(self, tag: str, css: str) -> None:
        """Leave a line empty before a block, but not before the first in a list item or quote."""
        spaced = tag in _SPACED or (tag in ("ul", "ol") and not self._margins and css != "list--more")
        first = not self.lines or (bool(self._margins) and self._margins[-1].fresh)
        if spaced and not first and self.lines[-1].strip("> "):
            self._write("")

    def _end_line(self) -> None:
        text, self._text = self._text.removesuffix("\n"), ""
        if text:
            for line in text.split("\n"):
                self._write(line)

    def _write(self, line: str) -> None:
        margin = "".join([margin.take() for margin in self._margins])
        self.lines.append((margin + line).rstrip())
