"""Signs that the text layer of a PDF page does not say what the page shows."""

import re

# Replacement and private-use characters: fonts without a usable table of meanings.
_MEANINGLESS = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")
# No word of an Arabic-script language has a letter three times in a row; broken kashidas come out so.
_TRIPLED = re.compile(r"([\u0621-\u063a\u0641-\u064a\u067e-\u06d3])\1\1")
_WORD = re.compile(r"\S*[^\W\d_]\S*")
# Signs inside words, as bad text recognition has them; addresses are left alone.
_SIGN_IN_WORD = re.compile(
    r"[^\W\d_][*^&<>~|$«»©®{}£§\\;][^\W\d_]|[«»©®*^~|]\w+[»«©®*^~|]\w"
)
_ADDRESS = re.compile(r"://|@|www\.|&\w+;|[<>]/?\w")
_MOST_MEANINGLESS = 0.05
_MOST_TRIPLED = 0.02
_MOST_SIGNS = 0.025
_LEAST_WORDS = 20


def is_garbled(text: str) -> bool:
    """Whether so much of a page's text is nonsense that quotes from it may be wrong."""
    if len(_MEANINGLESS.findall(text)) > _MOST_MEANINGLESS * len(text):
        return True
    words = _WORD.findall(text)
    if len(words) < _LEAST_WORDS:
        return False
    if len(_TRIPLED.findall(text)) > _MOST_TRIPLED * len(words):
        return True
    odd = sum(bool(_SIGN_IN_WORD.search(word)) and not _ADDRESS.search(word) for word in words)
    return odd > _MOST_SIGNS * len(words)
