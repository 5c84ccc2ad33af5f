"""Walking through an HTML tree without calling itself, however deep it is, and past all that nobody sees."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

_UNSEEN_NAMES = (
    "script style noscript template iframe frame object embed canvas audio video map head nav "
    "datalist select rt rp annotation annotation-xml metadata defs symbol noframes"
)
UNSEEN = frozenset(_UNSEEN_NAMES.split())
_NOT_SHOWN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:font-size|opacity)\s*:\s*0(?![.\d]*[1-9])",
    re.IGNORECASE,
)


def walk(root: LexborNode) -> Iterator[tuple[bool, LexborNode]]:
    """Yield (True, node) where a node opens and (False, node) where an element closes, below `root`.

    Elements that aren't seen are left out with all that is in them.
    """
    node, is_new = root.first_child, True
    while node is not None:
        below = None
        if is_new and not is_unseen(node):
            yield True, node
            below = node.first_child
            if below is None and node.is_element_node:
                yield False, node
        if below is not None:
            node = below
            continue
        following, parent = node.next, node.parent
        if following is not None:
            node, is_new = following, True
        elif parent is None or parent.mem_id == root.mem_id:
            return
        else:
            node, is_new = parent, False
            yield False, parent


def seen_text(root: LexborNode) -> str:
    """Return the text below a node as a browser shows it in one line."""
    parts = []
    for opens, node in walk(root):
        if node.is_text_node:
            parts.append(node.text_content or "")
        elif opens and node.tag in {"br", "p", "div", "li", "tr", "td", "th"}:
            parts.append(" ")
    return " ".join("".join(parts).split())


def is_unseen(node: LexborNode) -> bool:
    """Whether a browser shows nothing of a node; style sheets aren't looked at."""
    if not node.is_element_node:
        return not node.is_text_node
    if node.tag in UNSEEN:
        return True
    said = node.attributes
    if "hidden" in said or said.get("aria-hidden") == "true":
        return True
    return bool(_NOT_SHOWN.search(said.get("style") or ""))
