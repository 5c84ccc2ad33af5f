"""A list of which a page shows the beginning, and says how much there is."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """The first of `total` things. `open_end`: there are more than that, and nobody counted them."""

    first: Sequence[T]
    total: int
    open_end: bool = False

    def __iter__(self) -> Iterator[T]:
        return iter(self.first)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def is_cut(self) -> bool:
        """Whether there are more than these."""
        return self.open_end or self.total > len(self.first)


def part_of(things: Sequence[S], shown: Callable[[S], T], *, most: int | None) -> Part[T]:
    """Return the first `most` (None: all) as they are shown; only for these the work is done."""
    return Part([shown(one) for one in things[:most]], len(things))
