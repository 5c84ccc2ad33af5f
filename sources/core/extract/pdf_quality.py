"""Signs that the text layer of a PDF page does not say what the page shows."""

import re
import unicodedata
from string import ascii_lowercase

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

# Replacement and private-use characters: fonts without a usable table of meanings.
_MEANINGLESS = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")
# No word of an Arabic-script language has a letter three times in a row; broken kashidas come out so.
_TRIPLED = re.compile(r"([\u0621-\u063a\u0641-\u064a\u067e-\u06d3])\1\1")
# Signs inside words, as bad text recognition has them; addresses are left alone.
_SIGN_IN_WORD = re.compile(r"[^\W\d_][*^&<>~|$«»©®{}£§\\;][^\W\d_]|[«»©®*^~|]\w+[»«©®*^~|]\w")
_SIGN = re.compile(r"[*^&<>~|$«»©®{}£§\\;]")
_ADDRESS = re.compile(r"://|@|www\.|&\w+;|[<>]/?\w")
_MOST_MEANINGLESS = 0.05
_MOST_TRIPLED = 0.02
_MOST_SIGNS = 0.025
_LEAST_WORDS = 20
# In a few words, what no word begins with: signs that a font uses for letters.
_ODD_WORD = re.compile(r"[<>^~|{}\\§][^\W\d_]")
_UNREADABLE = 0.5
_LEAST_LETTERS = 20
# Of the letters of a text in any language with Latin letters, y among them; fonts without a table give others.
_VOWELS = "aeiouy"
_FEWEST_VOWELS, _MOST_VOWELS = 0.22, 0.65
_SAMPLE = 300


def is_unreadable(text: str, text_page: pdfium.PdfTextPage) -> bool:
    """Whether a page's characters mean nothing: their fonts name no characters, and what is guessed is no language."""
    if not text.isascii():
        letters = "".join(text.split())
        if len(_MEANINGLESS.findall(letters)) > _UNREADABLE * len(letters):
            return bool(letters)
    return not _could_be_language(text) and _share_of_guesses(text_page) > _UNREADABLE


def _could_be_language(text: str) -> bool:
    plain = (text if text.isascii() else unicodedata.normalize("NFD", text)).lower()
    counted = {letter: plain.count(letter) for letter in ascii_lowercase}
    latin = sum(counted.values())
    vowels = sum(counted[letter] for letter in _VOWELS)
    return latin < _LEAST_LETTERS or _FEWEST_VOWELS < vowels / latin < _MOST_VOWELS


def _share_of_guesses(text_page: pdfium.PdfTextPage) -> float:
    """The share of the first characters whose meaning PDFium had to guess."""
    count = min(text_page.count_chars(), _SAMPLE)
    guessed = sum(pdfium_c.FPDFText_HasUnicodeMapError(text_page, index) == 1 for index in range(count))
    return float(guessed / max(count, 1))


def is_garbled(text: str) -> bool:
    """Whether so much of a page's text is nonsense that quotes from it may be wrong."""
    if not text.isascii() and len(_MEANINGLESS.findall(text)) > _MOST_MEANINGLESS * len(text):
        return True
    words = len(text.split())
    if words < _LEAST_WORDS:
        return 2 * len([word for word in text.split() if _ODD_WORD.search(word)]) > words
    if not text.isascii() and len(_TRIPLED.findall(text)) > _MOST_TRIPLED * words:
        return True
    return _odd_words(text) > _MOST_SIGNS * words


def _odd_words(text: str) -> int:
    # Splitting comes last: a page without such signs, the usual one, costs one scan.
    if not _SIGN.search(text) or not _SIGN_IN_WORD.search(text):
        return 0
    return sum(bool(_SIGN_IN_WORD.search(word)) and not _ADDRESS.search(word) for word in text.split())
