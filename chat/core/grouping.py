"""Putting questions together that ask for the same thing, by the stems they share."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from sources.core.lexemes import search_terms

# Two questions are one when they share this much of their stems (Jaccard).
LIKENESS = 0.5


@dataclass(slots=True)
class QuestionGroup:
    """Questions about one thing: the first that came, how many, and the words most of them share."""

    sample: str
    count: int = 1
    stems: frozenset[str] = frozenset()
    words: Counter[str] = field(default_factory=Counter)

    @property
    def common_words(self) -> list[str]:
        """The words that at least half of the questions have, the most frequent first."""
        return [word for word, count in self.words.most_common(5) if 2 * count >= self.count]


def group_questions(questions: Iterable[str]) -> list[QuestionGroup]:
    """Return the groups of questions, the largest first; a question joins the likest group that came before it."""
    groups: list[QuestionGroup] = []
    holders: dict[str, list[int]] = defaultdict(list)
    for question in questions:
        terms = search_terms(question)
        stems = frozenset(term.stem for term in terms)
        words = dict.fromkeys(term.word for term in terms)
        index = _likest(stems, groups, holders)
        if index is None:
            for stem in stems:
                holders[stem].append(len(groups))
            groups.append(QuestionGroup(question, 1, stems, Counter(words.keys())))
        else:
            groups[index].count += 1
            groups[index].words.update(words.keys())
    return sorted(groups, key=lambda group: -group.count)


def _likest(stems: frozenset[str], groups: list[QuestionGroup], holders: dict[str, list[int]]) -> int | None:
    shared: Counter[int] = Counter(index for stem in stems for index in holders[stem])
    best, likeness = None, 0.0
    for index, count in shared.items():
        value = count / (len(stems) + len(groups[index].stems) - count)
        if value >= LIKENESS and value > likeness:
            best, likeness = index, value
    return best
