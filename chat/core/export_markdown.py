"""Put numbers where the chips stand into the Markdown source itself, without changing what it means."""

from collections.abc import Sequence

from markdown_it.token import Token

from chat.core.render_chips import Placed
from chat.core.render_html import share_out_blocks, share_out_leaves
from chat.core.render_inline import behind_word
from chat.core.render_parse import Block, parse_inline
from chat.core.render_places import Place

_MARKS = ("strong", "em", "s")
_Insertion = tuple[int, str]


def with_numbers(source: str, blocks: Sequence[Block], chips: Sequence[Placed]) -> str:
    """Return `source` with `[n]` for each chip; `chips` are in order of place."""
    if not blocks:
        return "".join(_number(placed) for placed in chips)
    insertions: list[_Insertion] = []
    for block, share in zip(blocks, share_out_blocks(blocks, chips), strict=True):
        for index, placed in sorted(share_out_leaves(block, share).items()):
            insertions += _in_leaf(source, block, index, placed)
    return _inserted(source, insertions)


def _number(placed: Placed) -> str:
    return f"[{placed[1].number}]"


def _inserted(source: str, insertions: list[_Insertion]) -> str:
    parts: list[str] = []
    done = 0
    for offset, text in sorted(insertions, key=lambda insertion: insertion[0]):
        parts += (source[done:offset], text)
        done = offset
    return "".join((*parts, source[done:]))


def _in_leaf(source: str, block: Block, index: int, placed: Sequence[Placed]) -> list[_Insertion]:
    if index < 0:
        return [_behind_block(source, block, placed)]
    token = block.tokens[index]
    place: Place = token.meta["place"]
    if token.type != "inline":
        return [_behind_leaf(block, token, place, placed)]
    return [
        (block.origin + place.source_offset(offset), text) for offset, text in _in_text(token.content, placed)
    ]


def _behind_block(source: str, block: Block, placed: Sequence[Placed]) -> _Insertion:
    numbers = "".join(map(_number, placed))
    whole_line = source[: block.end].endswith("\n")
    return block.end, f"\n{numbers}\n\n" if whole_line else f"\n\n{numbers}"


def _behind_leaf(block: Block, token: Token, place: Place, placed: Sequence[Placed]) -> _Insertion:
    """Code and the like get a paragraph of their own behind them, inside the same list or quote."""
    line = block.source.rfind("\n", 0, place.start) + 1
    margin = "".join(char if char in "> \t" else " " for char in block.source[line : place.start])
    fence = f"\n{margin}{token.markup}" if token.type == "fence" and not _is_closed(token) else ""
    if token.type == "code_block":
        margin = margin.rstrip(" \t")
    numbers = "".join(map(_number, placed))
    return block.origin + place.end, f"{fence}\n{margin}\n{margin}{numbers}\n{margin}"


def _is_closed(token: Token) -> bool:
    first, end = token.map or [0, 0]
    lines = token.content.count("\n") + (not token.content.endswith("\n") and token.content != "")
    return end - first == lines + 2


def _in_text(content: str, placed: Sequence[Placed]) -> list[_Insertion]:
    """Place numbers in a text; if they would change its marks, put them all at its end."""
    if not content:
        return [(0, " " + "".join(map(_number, placed)))]
    tokens = parse_inline(content)
    insertions: list[_Insertion] = []
    for offset, chip in placed:
        at = _beside_marks(tokens, behind_word(content, offset))
        number = _guard(content, at) + f"[{chip.number}]"
        insertions.append((at, number))
    if _shape(parse_inline(_inserted(content, insertions))) == _shape(tokens):
        return insertions
    return [(len(content), " " + "".join(map(_number, placed)))]


def _guard(content: str, at: int) -> str:
    """A backslash where the number would be read as a link or its definition, or as escaped."""
    before = content[:at]
    escaped = (len(before) - len(before.rstrip("\\"))) % 2 == 1
    return "\\" if escaped or content[at : at + 1] in ("(", "[", ":") else ""


def _shape(tokens: Sequence[Token]) -> list[tuple[str, str]]:
    """What a text is made of besides its words."""
    return [
        (token.type, "" if token.type == "text_special" else token.content)
        for token in tokens
        if token.type != "text" and not (token.type == "text_special" and token.content in ("[", "]", "\\"))
    ]


def _beside_marks(tokens: Sequence[Token], at: int) -> int:
    """Move a place out of links, code and formulas, behind a closing mark and before an opening one."""
    for token in tokens:
        begin, end = token.meta["at"]
        if token.type in ("softbreak", "hardbreak"):
            at = begin if begin < at <= end else at
        elif _moves_behind(token, at):
            at = end
    for token in reversed(tokens):
        begin, end = token.meta["at"]
        if at == end and token.nesting > 0 and token.tag in _MARKS:
            at = begin
    return at


def _moves_behind(token: Token, at: int) -> bool:
    begin, end = token.meta["at"]
    closes = at == begin and token.nesting < 0 and token.tag in _MARKS
    return closes or (begin < at < end and not token.meta.get("verbatim"))
