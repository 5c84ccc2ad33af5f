"""Signs that the text layer of a PDF page does not say what the page shows."""

import re

# Replacement and private-use characters: fonts without a usable table of meanings.
_MEANINGLESS = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")
# No word of an Arabic-script language has a letter three times in a row; broken kashidas come out so.
_TRIPLED = re.compile(r"([\u0621-\u063a\u0641-\u064a\u067e-\u06d3])\1\1")
# Signs inside words, as bad text recognition has them; addresses are left alone.
_SIGN_IN_WORD = re.compile(r"[^\W\d_][*^&<>~|$«»©®{}£§\\;][^\W\d_]|[«»©®*^~|]\w+[»«©®*^~|]\w")
_ADDRESS = re.compile(r"://|@|www\.|&\w+;|[<>]/?\w")
_MOST_MEANINGLESS = 0.05
_MOST_TRIPLED = 0.02
_MOST_SIGNS = 0.025
_LEAST_WORDS = 20


def is_garbled(text: str) -> bool:
    """Whether so much of a page's text is nonsense that quotes from it may be wrong."""
    if len(_MEANINGLESS.findall(text)) > _MOST_MEANINGLESS * len(text):
        return True
    words = len(text.split())
    if words < _LEAST_WORDS:
        return False
    if len(_TRIPLED.findall(text)) > _MOST_TRIPLED * words:
        return True
    return _odd_words(text) > _MOST_SIGNS * words


def _odd_words(text: str) -> int:
    # Splitting comes second: a page without such signs, the usual one, costs one scan.
    if not _SIGN_IN_WORD.search(text):
        return 0
    return sum(bool(_SIGN_IN_WORD.search(word)) and not _ADDRESS.search(word) for word in text.split())
