"""How likely a passage speaks of what was asked, on a scale that compares questions and models.

Cosines of unrelated texts differ from model to model and from language to language, so a cosine counts by how
far it stands out from those of everything the person may read. The figures were fitted with `bench/retrieval.py`
on questions whose passage was there, in the same and in another language, and on questions about other things.
"""

import math
from dataclasses import dataclass

# How many passages of unknown cosine the expectation of a model weighs as much as.
_PRIOR_COUNT = 20


@dataclass(frozen=True, slots=True)
class Background:
    """Mean and standard deviation of the cosines of a question with `count` passages, nearly all unrelated.

    They rest on `known` passages, those of a model's expectation included.
    """

    mean: float
    deviation: float
    count: int = _PRIOR_COUNT
    known: int = _PRIOR_COUNT

    def toward(self, expected: "Background") -> "Background":
        """Return what to believe of few passages, when a model's unrelated texts are known to be like `expected`."""
        total = self.count + expected.count
        if not total:
            return self
        return Background(
            (self.count * self.mean + expected.count * expected.mean) / total,
            (self.count * self.deviation + expected.count * expected.deviation) / total,
            self.count,
            total,
        )

    @property
    def known_enough(self) -> bool:
        """Whether a cosine can be judged by this."""
        return self.known >= _PRIOR_COUNT

    def standing(self, similarity: float) -> float | None:
        """Return by how many deviations a cosine is above the highest that chance would give.

        The highest of n independent normal figures is about sqrt(2 ln n) deviations above their mean. None where
        too little is known to tell.
        """
        if not self.known_enough:
            return None
        by_chance = math.sqrt(2 * math.log(max(self.count, 2)))
        return (similarity - self.mean) / max(self.deviation, 1e-6) - by_chance


def relevance(coverage: float, standing: float | None = None) -> float:
    """Return a figure from 0 to 1 from the share of the question's words and the standing of the cosine, if any."""
    if standing is None:
        return _logistic(10 * (coverage - 0.4)) if coverage else 0.0
    return _logistic(0.35 + 1.6 * standing + 5.2 * coverage)


def _logistic(evidence: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, evidence))))
