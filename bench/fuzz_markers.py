"""Feed random strings of marker fragments to the parser; by hand, because it takes minutes.

    python -m bench.fuzz_markers [COUNT] [SEED]

Stops at the first string that raises, leaks a reserved character or a spelled-out one into running text,
holds more than 512 code points, or gives other events when sliced otherwise.
"""

import random
import sys

from tests.marker_fuzz import check, random_string


def main(count: int, seed: int) -> None:
    """Check `count` random strings."""
    chance = random.Random(seed)
    for index in range(count):
        text = random_string(chance)
        try:
            check(text, chance)
        except Exception:
            print(f"string {index} of seed {seed}: {text!a}")
            raise
    print(f"{count} strings, seed {seed}: nothing raised, nothing leaked, every slicing alike")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
