"""Words as PostgreSQL stores and searches them: tsvector literals with our own tokens, and the terms of a question.

Each word is kept as it is and, with a `~` before it, as its stem. Words of titles and headings get weight B.
PostgreSQL's limits are kept here: lexemes under 2 KB, positions up to 16383.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from sources.core.normalise import query_tokens, word_parts
from sources.core.stemming import stem

_LONGEST = 120  # code points of a lexeme; longer "words" are encoded data
_LAST_POSITION = 16383
_MOST_TERMS = 24


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that a question asks for: a word and the stem it shares with its other forms."""

    word: str
    stem: str


def tsvector(text: str, context: str = "") -> str:
    """Return the literal of a tsvector for `text`, with the words of `context` (title, headings) in weight B."""
    found: dict[str, list[str]] = defaultdict(list)
    position = 0
    for source, weight in ((text, ""), (context, "B")):
        positions: dict[str, list[int]] = defaultdict(list)
        for word, is_part in word_parts(source):
            if not is_part and position < _LAST_POSITION:
                position += 1
            positions[word].append(position or 1)
        for word, at in positions.items():
            places = f"{weight},".join(map(str, at)) + weight
            for lexeme in _quoted(word):
                found[lexeme].append(places)
    return " ".join([f"{lexeme}:{','.join(places)}" for lexeme, places in found.items()])


@lru_cache(maxsize=16384)
def _quoted(word: str) -> tuple[str, str]:
    return quote(_word(word)), quote(_stem(word))


def quote(lexeme: str) -> str:
    """Return the lexeme as it stands in the literal of a tsvector or tsquery."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def search_terms(query: str) -> tuple[Term, ...]:
    """Return what the question asks for, each word once, in order; at most 24 terms of a long text."""
    words = dict.fromkeys(_word(token.text) for token in query_tokens(query))
    return tuple(Term(word, _stem(word)) for word in list(words)[:_MOST_TERMS])


def _word(text: str) -> str:
    return text[:_LONGEST]


def _stem(text: str) -> str:
    return "~" + stem(text[:_LONGEST])
