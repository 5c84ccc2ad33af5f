"""What a question in a conversation asks for: "And for Berlin?" is searched with what went before it.

Rules, not a model: the same conversation gives the same search, without a call. A question that stands by itself
is searched as it was typed.
"""

import re
from collections.abc import Sequence

from chat.core.prompt import HistoryTurn
from sources.core.normalise import Token, query_tokens, tokens
from sources.core.sentences import sentence_spans


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LONGEST = 400  # code points that an earlier question or offer adds

_YES = _set(
    """
    yes yeah yep yup ok okay sure please go on continue more ja bitte gerne oui volontiers sí si
    claro da sim да конечно ладно بله آره باشه ادامه بده نعم أجل تابع evet tamam ita etiam immo
    perge はい ええ 是 是的 好 好的 对 继续 네 예 ναι vâng có"""
)
_OPENERS = _set(
    """
    and but also or what about und aber auch oder et mais aussi ou y e pero también o а и но или и و
    اما یا ولی أما أو ve ama peki sed vel atque ac και αλλά și dar và còn"""
)
_POINTERS = _set(
    """
    it its that this those these them they their there he she him her his former latter same one es
    das dies diese dieser dieses davon dafür dort ihn ihr sie er il elle cela ça ceux celle celui y
    eso esto ello ellos esa ese aquello آن این او آنها آن\u200cها ایشان همین همان آنجا هذا هذه ذلك
    تلك هو هي هم هناك это этого этот эта они он она там их его hoc haec id eius eorum illud ibi bu
    şu o onlar orada αυτό αυτή acesta aceasta"""
)
_FEW_AFTER_OPENER, _FEW_WITH_POINTER = 4, 3
# Scripts without spaces fall into overlapping pairs, in which no word stands by itself.
_UNSPACED_OPENER = re.compile("(?:那么?|还有|以及|それ|では|じゃ|그럼|그리고)")
_UNSPACED_POINTER = re.compile("[它这]|那[个些里]|[こそあ]れ|[こそあ]の|그것|그는")
_FEW_PAIRS = 6


def search_query(question: str, history: Sequence[HistoryTurn]) -> str:
    """Return what to search for: the question, with what it leans on behind it if it can't stand by itself.

    `history` is the conversation so far, the oldest turn first.
    """
    before = ""
    for turn in history:
        before = _resolved(turn.question, before)
    offered = _last_question(history[-1].answer) if history else ""
    return _resolved(question, before, offered=offered)


def asks_by_itself(question: str) -> bool:
    """Tell whether the question names anything at all to look for."""
    return not _only(_words(question), _YES) and bool(_content(question))


def _resolved(question: str, before: str, *, offered: str = "") -> str:
    if not before or not leans(question):
        return question
    if _only(_words(question), _YES):
        return offered or before
    return f"{question} {before[:_LONGEST]}"


def leans(question: str) -> bool:
    """Tell whether a question needs what went before it to be understood."""
    words, content = _words(question), _content(question)
    if not words or _only(words, _YES):
        return True
    if len(content) <= _FEW_PAIRS and _leans_unspaced(question):
        return True
    if words[0] in _OPENERS and len(content) <= _FEW_AFTER_OPENER:
        return True
    if _POINTERS.intersection(words) and len(content) <= _FEW_WITH_POINTER:
        return True
    return len(content) <= 1


def _leans_unspaced(question: str) -> bool:
    return bool(_UNSPACED_OPENER.match(question.strip()) or _UNSPACED_POINTER.search(question))


def _only(words: Sequence[str], known: frozenset[str]) -> bool:
    return bool(words) and all(word in known for word in words)


def _words(text: str) -> list[str]:
    """Return the words as they are written, the pieces of the normaliser's compounds left out."""
    return [text[token.start : token.end].casefold() for token in tokens(text) if not token.part]


def _content(question: str) -> list[Token]:
    """Return the words that say what is looked for."""
    return [
        token
        for token in query_tokens(question)
        if question[token.start : token.end].casefold() not in _POINTERS
        and question[token.start : token.end].casefold() not in _OPENERS
    ]


def _last_question(answer: str) -> str:
    """Return the question that an answer ends with, such as "Shall I list the exceptions?"."""
    spans = sentence_spans(answer.rstrip())
    last = answer[slice(*spans[-1])] if spans else ""
    return last[:_LONGEST] if last.rstrip().endswith(("?", "؟", "？")) else ""
