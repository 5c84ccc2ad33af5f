"""Compare the estimate of tokens that budgets a prompt with real tokenizers, language by language.

    npm install --prefix bench/tokenizers && python -m bench.tokens [DATA_DIR] [--each N]

Texts are N passages (60) of each set of `../shared/data/qa`, a piece of Python and a table of numbers. Prints, for
each language and tokenizer, estimate / truth: 1 is exact, below 1 is dangerous (a call may be refused as too long),
2 means that half of the room goes unused. "least" is the worst single passage.
"""

import argparse
import json
import random
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from bench.support import read_json
from chat.core.tokens import TokenWeights, estimate_tokens

_HERE = Path(__file__).parent


def main() -> None:
    """Print a table for each set of weights."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", default="../shared/data/qa", type=Path)
    parser.add_argument("--each", type=int, default=60, help="passages a set")
    options = parser.parse_args()
    texts = sorted(texts_of(options.folder, options.each), key=lambda pair: pair[0])
    counts = real_counts([text for _, text in texts])
    for weights in TokenWeights:
        estimates = [estimate_tokens(text, weights) for _, text in texts]
        print_table(f"{weights} / truth", [kind for kind, _ in texts], estimates, counts)


def print_table(
    title: str, kinds: Sequence[str], estimates: Sequence[int], counts: dict[str, list[int]]
) -> None:
    """Print a line a language, a column a tokenizer."""
    print(f"{title:18} {'texts':>5} " + "".join(f"{name:>24}" for name in counts))
    for kind in dict.fromkeys(kinds):
        at = [index for index, named in enumerate(kinds) if named == kind]
        cells = [cell([estimates[i] for i in at], [truth[i] for i in at]) for truth in counts.values()]
        print(f"{kind:18} {len(at):5} " + "".join(f"{text:>24}" for text in cells))


def cell(estimates: Sequence[int], truth: Sequence[int]) -> str:
    """Return the ratio of the sums and the least single ratio."""
    ratios = [estimate / real for estimate, real in zip(estimates, truth, strict=True) if real]
    return f"{sum(estimates) / sum(truth):.2f} (least {min(ratios):.2f})"


def texts_of(folder: Path, each: int) -> list[tuple[str, str]]:
    """Return (language, text) pairs."""
    passages: dict[str, set[str]] = defaultdict(set)
    for path in sorted(folder.glob("*.qa.jsonl.gz")):
        for row in read_json(path):
            if not row.get("cross_lingual"):
                passages[row["lang"]].add(row["passage"])
    rng = random.Random(7)
    texts = [
        (lang, text)
        for lang, found in passages.items()
        for text in rng.sample(sorted(found), min(each, len(found)))
    ]
    code = Path(__file__).read_text(encoding="utf-8")
    rows = "\n".join(",".join(str(rng.randrange(10**6) / 100) for _ in range(8)) for _ in range(40))
    return [
        *texts,
        ("code", code),
        ("code", (_HERE / "tokenizers" / "count.mjs").read_text()),
        ("numbers", rows),
    ]


def real_counts(texts: Sequence[str]) -> dict[str, list[int]]:
    """Ask the tokenizers, which are JavaScript packages with their vocabularies inside."""
    run = subprocess.run(
        ["node", "count.mjs"],
        cwd=_HERE / "tokenizers",
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    return {name: [int(count) for count in counts] for name, counts in json.loads(run.stdout).items()}


if __name__ == "__main__":
    main()
