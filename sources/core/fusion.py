"""Putting ranked lists together, and choosing among what is ranked."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)

# Cormack, Clarke and Büttcher 2009: the constant that makes the first few ranks nearly equal.
_RANK_CONSTANT = 60


def reciprocal_ranks(
    rankings: Sequence[Sequence[Item]], weights: Sequence[float] | None = None
) -> dict[Item, float]:
    """Return the fused score of each item, best first; an item that a list lacks gets nothing from it."""
    scores: dict[Item, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + weight / (_RANK_CONSTANT + rank)
    return dict(sorted(scores.items(), key=lambda pair: -pair[1]))


def spread(items: Iterable[tuple[Item, Hashable]], most: int) -> list[Item]:
    """Reorder (item, group) pairs so that at most `most` of a group stand before the first of the surplus.

    Nothing is lost: where one group is all there is, it fills the list.
    """
    seen: Counter[Hashable] = Counter()
    first: list[Item] = []
    surplus: list[Item] = []
    for item, group in items:
        seen[group] += 1
        (first if seen[group] <= most else surplus).append(item)
    return first + surplus
