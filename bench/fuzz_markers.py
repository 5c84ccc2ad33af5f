"""Feed random answers of marker fragments to the parser and the collector; by hand, because it takes minutes.

    python -m bench.fuzz_markers [COUNT] [SEED]

With blocks and hosted ids, some of them offered in mid-answer, numbers that name blocks or do not, and annotations
of hosted tools over random spans and the providers' own marks. Stops at the first answer that raises, leaks a
reserved character or a spelled-out one into running text, holds more than 512 code points, numbers or places a
citation wrongly, or gives other events or citations when sliced otherwise.
"""

import random
import sys

from tests.marker_fuzz import check, random_answer


def main(count: int, seed: int) -> None:
    """Check `count` random answers."""
    chance = random.Random(seed)
    for index in range(count):
        answer = random_answer(chance)
        try:
            check(answer, chance)
        except Exception:
            print(f"answer {index} of seed {seed}: {answer!a}")
            raise
    print(f"{count} answers, seed {seed}: nothing raised, nothing leaked, every slicing alike")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
