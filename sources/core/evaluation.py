"""How good retrieval is on questions with known passages: recall at k and the mean reciprocal rank."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass

from sources.core.normalise import fold
from sources.core.passages import Passage

CUTS = (1, 3, 5, 10)
DEPTH = max(CUTS)
# A passage this relevant is taken to speak of the question.
_SPEAKS = 0.5
# So many letters of the gold passage in a row prove that a passage overlaps it.
_WINDOW = 60


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the passage that answers it; `document_name` is the file name of its document, if known."""

    text: str
    passage: str = ""
    answers: tuple[str, ...] = ()
    document_name: str = ""
    answerable: bool = True


@dataclass(frozen=True, slots=True)
class Quality:
    """Figures from 0 to 1. `refused` is the share of unanswerable questions for which nothing relevant came."""

    asked: int
    recall: dict[int, float]
    reciprocal_rank: float
    unanswerable: int
    refused: float

    def as_json(self) -> dict[str, object]:
        """Return the figures, rounded, under the names that `manage.py evaluate` prints."""
        figures = asdict(self)
        figures["recall"] = {f"@{cut}": round(share, 4) for cut, share in self.recall.items()}
        figures["reciprocal_rank"] = round(self.reciprocal_rank, 4)
        figures["refused"] = round(self.refused, 4)
        return figures


def measure(
    questions: Iterable[Question],
    search: Callable[[str], Sequence[Passage]],
    name_of: Callable[[Passage], str] = lambda passage: "",
) -> Quality:
    """Ask each question and judge the first 10 passages; `name_of` gives the file name of a passage's document."""
    ranks: list[int | None] = []
    refusals: list[bool] = []
    for question in questions:
        found = search(question.text)[:DEPTH]
        if question.answerable:
            ranks.append(_rank(question, found, name_of))
        else:
            refusals.append(all(passage.relevance < _SPEAKS for passage in found))
    return Quality(
        asked=len(ranks),
        recall={cut: _share(rank is not None and rank <= cut for rank in ranks) for cut in CUTS},
        reciprocal_rank=sum(1 / rank for rank in ranks if rank) / max(len(ranks), 1),
        unanswerable=len(refusals),
        refused=_share(refusals),
    )


def _rank(question: Question, found: Sequence[Passage], name_of: Callable[[Passage], str]) -> int | None:
    for rank, passage in enumerate(found, start=1):
        if question.document_name and question.document_name != name_of(passage):
            continue
        if answers(question, passage.text):
            return rank
    return None


def answers(question: Question, text: str) -> bool:
    """Tell whether a passage's text overlaps the gold passage or, where there is none, holds an answer."""
    have = _level(text)
    if question.passage:
        gold = _level(question.passage)
        last = max(len(gold) - _WINDOW, 0)
        return have in gold or any(
            gold[start : start + _WINDOW] in have for start in [*range(0, last, _WINDOW // 2), last]
        )
    return any(_level(answer) in have for answer in question.answers if answer.strip())


def _level(text: str) -> str:
    return " ".join(fold(text).split())


def _share(outcomes: Iterable[bool]) -> float:
    all_of_them = list(outcomes)
    return sum(all_of_them) / max(len(all_of_them), 1)
