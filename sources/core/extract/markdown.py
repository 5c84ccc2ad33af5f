"""Markdown: the canonical text is the file's own text, so that its lines are the file's lines."""

import re
from collections.abc import Iterator

from sources.core.extract.types import Heading, Table

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:#{1,6}\s|[-*+] |\d+[.)] |>|\||<)|\s{4,}\S|\s*$")
_FRONT_MATTER = re.compile(r"---\n(.*?)\n(?:---|\.\.\.)(?:\n|$)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*[\"']?(.+?)[\"']?[ \t]*$", re.MULTILINE | re.IGNORECASE)
_INLINE = re.compile(
    r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|(\*{1,3}|_{2,3}|`+|~~)(?=\S)|(?<=\S)(\*{1,3}|_{2,3}|`+|~~)"
)
_DELIMITER_ROW = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_BAR = re.compile(r"(?<!\\)\|")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def markdown_headings(text: str) -> tuple[Heading, ...]:
    """Find ATX and setext headings outside fences and front matter; a span covers the heading's words."""
    return tuple(_headings(text))


def markdown_tables(text: str) -> tuple[Table, ...]:
    """Find the tables outside fences; their rows don't name the columns, which stand in the header alone."""
    return tuple(_tables(list(_open_lines(text))))


def front_title(text: str) -> str:
    """Return the `title` of the YAML front matter, or ""."""
    front = _FRONT_MATTER.match(text)
    found = _FRONT_TITLE.search(front[1]) if front else None
    return found[1].strip() if found else ""


def _headings(text: str) -> Iterator[Heading]:
    paragraph: tuple[int, int] | None = None
    for start, line in _open_lines(text):
        atx = _ATX.match(line)
        underline = _SETEXT.match(line)
        if atx and atx[2]:
            yield _heading(start + atx.start(2), atx[2], len(atx[1]))
        elif underline and paragraph:
            yield _heading(paragraph[0], text[slice(*paragraph)], 1 if underline[1][0] == "=" else 2)
        elif not _NO_PARAGRAPH.match(line):
            # A setext heading may be a paragraph of several lines.
            paragraph = (paragraph[0] if paragraph else start, start + len(line))
            continue
        paragraph = None


def _tables(lines: list[tuple[int, str]]) -> Iterator[Table]:
    index = 1
    while index < len(lines):
        (start, header), (_, delimiter) = lines[index - 1 : index + 1]
        index += 1
        if "|" not in header or "|" not in delimiter or not _DELIMITER_ROW.match(delimiter):
            continue
        while index < len(lines) and "|" in lines[index][1]:
            index += 1
        last, row = lines[index - 1]
        yield Table(start, last + len(row), tuple(map(_plain, _cells(header))), names_in_rows=False)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in _BAR.split(row.strip().removeprefix("|").removesuffix("|"))]


def _open_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their offsets; a fenced line comes as an empty one."""
    front = _FRONT_MATTER.match(text)
    offset = front.end() if front else 0
    fence = ""
    for line in text[offset:].split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and not line[mark.end() :].strip())):
            fence = "" if fence else mark[1]
            yield offset, ""
        else:
            yield offset, "" if fence else line
        offset += len(line) + 1


def _heading(start: int, words: str, level: int) -> Heading:
    lead = len(words) - len(words.lstrip())
    trimmed = words.strip()
    return Heading(start + lead, start + lead + len(trimmed), level, _plain(trimmed))


def _plain(words: str) -> str:
    """A heading's words without its inline marks, for paths and titles."""
    shown = _INLINE.sub(lambda match: match[1] or "", words)
    return " ".join(_ESCAPED.sub(r"\1", shown).split())
