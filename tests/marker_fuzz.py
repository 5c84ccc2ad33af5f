"""Random strings of marker fragments, and what must hold for each; bench/fuzz_markers.py runs many more."""

import random
import re
from collections.abc import Sequence

from chat.core.marker_spellings import SPELLED
from chat.core.markers import Event, MarkerParser, Text

IDS = ("block_1", "block_2", "block_12", "turn0file1", "b3f9c2d1-7a10-4a55-9f6e-2f0c1d9e8a77", "doc7.p3")
RESERVED = re.compile("[\ue200-\ue206]")
CODE_OR_LINK = re.compile(r"[`<(]|~~|    |\t|\[\[")
HELD_LIMIT = 512
PIECES: Sequence[str] = (
    *"\ue200\ue200\ue201\ue201\ue202\ue202\ue203\ue204\ue206\uf8ff\ufffd",
    *" \n\n\r\t`~[]()【】〖〗［］†<>*_|:.,;\\&{}$^-#1۲３abzé是🎉\u200c\u200b",
    *IDS, "block_9", "turn1view2", "cite", "Cite", "filecite", "navlist", "entity", "L8-L13", "L3", "L9-2", "L۳",
    "\ue200cite\ue202", "\ue202block_1\ue201", "\\ue200", "\\\\ue202", "\\ue201", "\\u{e200}", "U+E200", "&#xE200;",
    "&#57857;", "{CITATION_START}", "{CITATION_DELIMITER}", "{CITATION_STOP}", "```", "````", "~~~", "``", "\n```\n",
    "\n~~~py\n", "- ", "> ", "1. ", "    ", "\n\n", "\r\n", "  ", "<cite>", "</cite>", '<cite id="block_1">',
    "<cite id='x'/>", "<co: 0,1>", "</co: 0,1>", '(cite index="1-0">', "<br>", "<a href='", "[1]", "[2, 3]", "[1-3]",
    "[^1]", "[^block_2]", "[^9]: ", "\n[^1]: x\n", "[[block_1]]", "[[block_2 L3-L4]]", "[[", "]]", "[doc 2]", "](",
    "(source 1)", "【4:0†source】", "【block_1†L2】", "【重要】", "citeturn0file1", "citeturn0search2turn1view0",
    "arr[0]",
    "[2019] UKSC 41", "[x](http://a.b/c)", "A plain sentence of prose. ", "x" * 90, "a b " * 40,
)  # fmt: skip


def run(pieces: Sequence[str]) -> list[Event]:
    """Return the joined events of an answer in pieces, and check what is held on the way."""
    parser = MarkerParser(IDS)
    events: list[Event] = []
    for piece in pieces:
        events += parser.feed(piece)
        assert parser.held <= HELD_LIMIT, parser.held
    return joined(events + parser.flush())


def joined(events: Sequence[Event]) -> list[Event]:
    """Join adjacent texts."""
    out: list[Event] = []
    for event in events:
        if isinstance(event, Text) and out and isinstance(out[-1], Text):
            out[-1] = Text(out[-1].text + event.text)
        else:
            out.append(event)
    return out


def random_string(chance: random.Random) -> str:
    """Return a string of random fragments, some of them cut."""
    parts = []
    for _ in range(chance.randint(1, 14)):
        part = chance.choice(PIECES)
        parts.append(part[: chance.randint(1, len(part))] if chance.random() < 0.15 else part)
    return "".join(parts)


def random_slices(text: str, chance: random.Random) -> list[str]:
    """Return the text in random pieces."""
    cuts = sorted(chance.randint(0, len(text)) for _ in range(chance.randint(1, 8)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def is_subsequence(part: str, whole: str) -> bool:
    """Say whether `part` is `whole` with characters taken out."""
    rest = iter(whole)
    return all(char in rest for char in part)


def leaks_spelling(shown: str) -> bool:
    """Say whether a spelled-out reserved character is left, other than the name U+E200 in so many words."""
    return any("u+" not in found.group().lower() for found in SPELLED.finditer(shown))


def check_offsets(text: str, shown: str) -> None:
    """Raise AssertionError unless each kept character is found again at its clean offset."""
    parser = MarkerParser(IDS)
    parser.feed(text)
    parser.flush()
    places = [parser.clean_offset(offset) for offset in range(len(text) + 1)]
    assert places[0] == 0, ("offsets", text, places)
    assert places[-1] == len(shown), ("offsets", text, places)
    for offset, char in enumerate(text):
        step = places[offset + 1] - places[offset]
        assert step in (0, 1), ("offsets", text, places)
        assert not step or shown[places[offset]] == char, ("offsets", text, places)


def check(text: str, chance: random.Random) -> None:
    """Raise AssertionError if the parser misbehaves on a text."""
    whole = run([text])
    shown = "".join(event.text for event in whole if isinstance(event, Text))
    assert not RESERVED.search(shown), ("leak", text, shown)
    assert is_subsequence(shown, text), ("invented", text, shown)
    assert CODE_OR_LINK.search(text) or not leaks_spelling(shown), ("spelled-out leak", text, shown)
    check_offsets(text, shown)
    ways = [list(text), random_slices(text, chance), random_slices(text, chance)]
    for way in ways:
        assert run(way) == whole, ("slicing", text, way, whole, run(way))
