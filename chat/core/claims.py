"""Which sentence a citation is there to support: the one that ends where its marker stands."""

import re

from sources.core.sentences import sentence_spans

# A claim longer than this is cut at its start; the words nearest to the marker matter.
LONGEST_CLAIM = 1_200
_MARKUP = re.compile(r"[*_`>#|]+|^\s*(?:[-+•]|\d+[.)])\s+", re.MULTILINE)


def claim_before(text: str) -> str:
    """Return the last sentence of an answer so far, without Markdown's signs; empty if there is none."""
    tail = text[-LONGEST_CLAIM:].rstrip()
    # A citation that stands alone below a paragraph or a table row belongs to what is above it.
    spans = sentence_spans(tail)
    if not spans:
        return ""
    start, end = spans[-1]
    return " ".join(_MARKUP.sub(" ", tail[start:end]).split())
