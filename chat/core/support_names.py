"""Names, codes and other words of a claim that its source lacks, or has others in the place of."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from chat.core.support_lexicon import FUNCTION_SIGNS, LIGHT_VERBS
from chat.core.support_words import (
    Alignment,
    Exchange,
    Reading,
    Word,
    capital_runs,
    initials,
    is_cased,
    is_run,
    local_exchanges,
    may_be_name,
    same_name,
)

NEAR_COPY = 0.7  # share of words in place from which a claim counts as a copy of its source
_CODE = re.compile(r"(?=.*[a-z])(?=.*[0-9])(?!.*[^\W\d_]{6}).{2,}")
_ORDINARY = re.compile("[0-9.]+(?:[^\\W\\d_]{2,}|[a-z]{1,2}[23]|[smkxcf])")
# New characters from which a stretch without spaces is likelier a name than another common word.
_NAME_CHARS = {"cjk": 3, "thai": 5}
# Pairs that two known words make where they meet.
_SLACK = {"cjk": 4, "thai": 6}
_FEWEST_OTHERS = 3  # words beside a strange one that make it stand out
_ALIKE = 0.75  # how like two spellings of one word are at least


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason against a claim. A grave one makes it unsupported, another weak, a mere note neither."""

    reason: str
    grave: bool
    note: bool = False


def strange_codes(claim: Reading, source: Reading, context: Reading) -> list[Finding]:
    """Part numbers, versions and the like must stand in the source letter for letter."""
    known = source.vocabulary | context.vocabulary
    return [
        Finding(f"name not in source: {claim.text[word.start : word.end]}", True)
        for word in claim.words
        if not _ORDINARY.fullmatch(word.text) and word.text not in known and _is_strange_code(word, known)
    ]


def _is_strange_code(word: Word, known: frozenset[str]) -> bool:
    """True for a code; with a long word in it, as in Internet2, only when its number is unknown."""
    if _CODE.fullmatch(word.text):
        return True
    return any(char.isalpha() for char in word.text) and any(
        part.isdigit() and part not in known for part in word.parts
    )


def strange_names(claim: Reading, source: Reading, context: Reading) -> list[Finding]:
    """Capitalised words that the source lacks. In German every noun has a capital, so only runs count there."""
    if claim.text.isupper():
        return []
    faults: list[Finding] = []
    for run in capital_runs(claim):
        if run[0].script != source.script or ("de" in (claim.language, source.language) and len(run) == 1):
            continue
        missing = [
            w
            for w in run
            if not same_name(w, source)
            and not same_name(w, context)
            and not _is_code(w)
            and not _is_inflected(w, claim, source)
        ]
        if not missing or initials(run) in source.vocabulary or _spelled_out(run, source):
            continue
        shown = claim.text[run[0].start : run[-1].end]
        whole = len(missing) == len(run)
        same_language = claim.script != source.script or not _languages_differ(claim, source)
        faults.append(Finding(f"name not in source: {shown}", whole and same_language))
    return faults


def _is_inflected(name: Word, claim: Reading, source: Reading) -> bool:
    """True for a name of the source with an ending behind an apostrophe, as Turkish sets it: ABC'nin."""
    front, apostrophe, _ = claim.text[name.start : name.end].replace("’", "'").partition("'")
    return bool(apostrophe) and len(front) > 1 and front.casefold() in source.vocabulary


def _languages_differ(claim: Reading, source: Reading) -> bool:
    return bool(claim.language and source.language and claim.language != source.language)


def _is_code(word: Word) -> bool:
    return any(char.isdigit() for char in word.text)


def _spelled_out(run: tuple[Word, ...], source: Reading) -> bool:
    """True when a lone acronym stands in the source in full: UN for United Nations."""
    if len(run) != 1 or not 2 <= len(run[0].text) <= 6:
        return False
    wanted = run[0].text
    firsts = "".join(word.text[0] for word in source.words if word.content)
    return wanted in firsts and len(wanted) > 2


def exchanged_words(
    claim: Reading, source: Reading, context: Reading, alignment: Alignment, lexical: float
) -> list[Finding]:
    """Content words put in the place of others in a sentence that is otherwise copied."""
    faults: list[Finding] = []
    exchanges = list(alignment.exchanges)
    copied = alignment.shared >= NEAR_COPY
    if not copied:
        exchanges = local_exchanges(claim, source, context) if lexical >= NEAR_COPY else []
    for exchange in exchanges:
        new = [w for w in exchange.claim if w.content and not source.knows(w) and not context.knows(w)]
        new = [w for w in new if not w.text[0].isdigit() and not _is_inflected(w, claim, source)]
        old = [w for w in exchange.source if w.content]
        if not new or not old or not exchange.framed or not _same_size(exchange):
            continue
        mine, theirs = claim.text[new[0].start : new[-1].end], source.text[old[0].start : old[-1].end]
        alike = all(any(_alike(word.text, other.text) for other in old) for word in new)
        grave = (
            not alike
            and _names_something(claim, new, theirs)
            and (copied or _is_only_stranger(claim, source, new))
        )
        faults.append(
            Finding(f"differs: {mine} / {theirs}", grave, note=alike or (not grave and len(new) == 1))
        )
    return faults


def _is_only_stranger(claim: Reading, source: Reading, new: list[Word]) -> bool:
    """True when the source has all other words: in a free paraphrase one of them says little, capitals apart."""
    strange = [w for w in claim.words if w.content and not w.text[0].isdigit() and not source.knows(w)]
    return is_cased(new[0]) or len(strange) <= len(new) + _SLACK.get(new[0].script, 0)


def left_over(claim: Reading, source: Reading, context: Reading) -> list[Finding]:
    """One run of words that the source lacks, in a claim whose other words it has; a single word is no sign."""
    content = [word for word in claim.words if word.content and not word.text[0].isdigit()]
    strange = [i for i, w in enumerate(content) if not source.knows(w) and not context.knows(w)]
    if not strange or is_cased(content[strange[0]]):
        return []
    run = strange[-1] - strange[0] + 1
    least, most = (3, 8) if is_run(content[strange[0]]) else (2, 4)
    if run != len(strange) or not least <= run <= most or len(content) - run < max(4, 0.7 * len(content)):
        return []
    shown = claim.text[content[strange[0]].start : content[strange[-1]].end]
    return [Finding(f"not in source: {shown}", False)]


def strange_opening(claim: Reading, source: Reading, context: Reading) -> list[Finding]:
    """A lone capitalised word at the start of a claim that the source lacks, when it has all the others.

    Its capital may come from its place alone, so that this makes a claim weak, never unsupported.
    """
    content = [word for word in claim.words if word.content and not word.text[0].isdigit()]
    if len(content) < _FEWEST_OTHERS + 1 or "de" in (claim.language, source.language):
        return []
    first, *others = content
    capital = is_cased(first) and claim.text[first.start].isupper() and first.start == claim.words[0].start
    if (
        not capital
        or same_name(first, source)
        or same_name(first, context)
        or _is_inflected(first, claim, source)
    ):
        return []
    if not all(source.knows(word) or context.knows(word) for word in others):
        return []
    return [Finding(f"not in source: {claim.text[first.start : first.end]}", False)]


def _same_size(exchange: Exchange) -> bool:
    """True when one name could stand for the other."""
    mine, theirs = (16, 30) if is_run(exchange.claim[0]) else (5, 8)
    return len(exchange.claim) <= mine and len(exchange.source) <= theirs


def _names_something(claim: Reading, new: list[Word], instead: str) -> bool:
    """True when the new words may be a name: by a capital, or by their form in a script without capitals."""
    if any(is_cased(word) for word in new):
        return any(claim.text[word.start].isupper() for word in new)
    stretch = claim.text[new[0].start : new[-1].end]
    if is_run(new[0]):
        strange = sum(char not in instead for char in stretch) >= _NAME_CHARS[new[0].script]
        return strange and not any(sign in stretch and sign not in instead for sign in FUNCTION_SIGNS)
    return not _is_predicate(claim, new) and any(may_be_name(word) for word in new)


def _is_predicate(claim: Reading, new: list[Word]) -> bool:
    """True when the words end in a verb that makes the word before it what somebody does, or one follows."""
    last = claim.words.index(new[-1])
    return any(word.text in LIGHT_VERBS for word in claim.words[last : last + 2])


def _alike(one: str, other: str) -> bool:
    """True for two spellings or inflections of one word."""
    if min(len(one), len(other)) < 4:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE
