"""Where the last block of a streamed answer can be cut, so that a new line need not read all of it again.

A list is cut before its last item, a table before its last row, a paragraph before its last line. What stands
before the cut keeps its HTML, and the rest is parsed by itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from chat.core.render_parse import Block
from chat.core.render_places import Place, cell_text, cells


@dataclass(frozen=True, slots=True)
class Seam:
    """A cut of a block: `opening` tokens open it, those from `cut` on may still change.

    They begin at the offset `unit` of the block's source and are read after the lines of `lead`.
    """

    opening: int
    cut: int
    unit: int
    lead: str = ""


def seam_of(block: Block) -> Seam | None:
    """Return where a block can be cut so that its last text is behind the cut, or None."""
    match block.tokens[0].type:
        case "bullet_list_open" | "ordered_list_open":
            seam = Seam(1, _last(block, "list_item_open", 1), block.items[-1] - block.origin)
            return seam if _has_text(block, seam.cut) else None
        case "table_open":
            return _table_seam(block)
        case "paragraph_open":
            return Seam(1, 1, _line_of(block, block.tokens[1].meta["place"].runs[-1][1]))
    return None


def _has_text(block: Block, index: int) -> bool:
    return any("place" in token.meta for token in block.tokens[index:])


def loose(block: Block) -> bool | None:
    """Tell whether a list's items are paragraphs; None if it has no text of its own to tell by."""
    hidden = [token.hidden for token in block.tokens if token.level == 2 and token.type == "paragraph_open"]
    return not all(hidden) if hidden else None


def loosen(block: Block) -> None:
    """Make paragraphs of a list's items, as a blank line between earlier items does."""
    for token in block.tokens:
        if token.level == 2 and token.type in ("paragraph_open", "paragraph_close"):
            token.hidden = False


def _last(block: Block, kind: str, level: int) -> int:
    return max(
        index for index, token in enumerate(block.tokens) if token.type == kind and token.level == level
    )


def _table_seam(block: Block) -> Seam | None:
    """Cut a table with rows before the last that has words in it."""
    body = next((index for index, token in enumerate(block.tokens) if token.type == "tbody_open"), None)
    if body is None:
        return None
    cut = _last(block, "tr_open", 2)
    cell = next((token for token in block.tokens[cut:] if "place" in token.meta), None)
    if cell is None:
        return None
    head = block.line - block.origin
    second = block.source.index("\n", head) + 1
    body_begin = block.source.index("\n", second) + 1
    return Seam(body + 1, cut, _line_of(block, cell.meta["place"].start), block.source[head:body_begin])


def _line_of(block: Block, offset: int) -> int:
    return block.source.rfind("\n", 0, offset) + 1


def rows_like(last_row: Sequence[Token], text: str, lead: str) -> tuple[Block, Seam] | None:
    """Return lines as rows of the table that ends with the tokens `last_row`, and the seam before the last of them.

    None if the last of them has no cell of its own.
    """
    end = next(index for index, token in enumerate(last_row) if token.type == "tr_close") + 1
    tokens: list[Token] = []
    cut = begin = after = 0
    for line in text.split("\n"):
        cut, begin = len(tokens), after
        tokens += _row_like(last_row[:end], text, cells(line, begin))
        after = begin + len(line) + 1
    if not any("place" in token.meta for token in tokens[cut:]):
        return None
    return Block((*tokens, *last_row[end:]), text, 0, 0, 0, len(text)), Seam(0, cut, begin, lead)


def _row_like(row: Sequence[Token], text: str, places: list[Place]) -> Iterator[Token]:
    left = iter(places)
    for token in row:
        if token.type == "inline":
            token = Token("inline", "", 0, level=token.level)
            place = next(left, None)
            if place:
                token.content, token.meta["place"] = cell_text(text, place), place
        yield token
