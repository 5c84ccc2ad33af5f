"""How likely a passage speaks of what was asked, on a scale that compares questions."""

import math


def relevance(coverage: float, similarity: float | None) -> float:
    """Return a figure from 0 to 1 from the share of the question's words and the cosine of the vectors."""
    if similarity is None:
        return coverage
    return 1 / (1 + math.exp(-(8 * (coverage - 0.5) + 40 * (similarity - 0.85))))
