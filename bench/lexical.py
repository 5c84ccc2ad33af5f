"""Measure how well words alone find the right passage: BM25 over our tokens, per language.

Run as `python -m bench.lexical [DATA_DIR]`; DATA_DIR holds the `SET.qa.jsonl.gz` and `SET.docs.jsonl.gz` files
(default `../shared/data/qa`). Prints recall@1, @5 and @10 of the question's own document for the words, for
their stems and for both together.
"""

import gzip
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from sources.core.normalise import query_tokens, tokens
from sources.core.stemming import stem

WIDTH = 1000  # characters of a chunk, where documents are long
Change = Callable[[str], list[str]]


def rows(path: Path) -> Iterator[dict[str, object]]:
    """Yield the JSON objects of a gzipped JSONL file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Bm25:
    """A small in-memory BM25 (k1 1.2, b 0.75) over lists of words."""

    def __init__(self, documents: list[tuple[str, list[str]]]) -> None:
        self.ids = [doc_id for doc_id, _ in documents]
        self.lengths = [len(words) for _, words in documents]
        self.mean = sum(self.lengths) / max(len(self.lengths), 1)
        self.postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for index, (_, words) in enumerate(documents):
            for word, count in Counter(words).items():
                self.postings[word].append((index, count))

    def rank(self, query: list[str]) -> list[str]:
        """Return document ids, best first, each once."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(query):
            found = self.postings.get(word, [])
            weight = math.log(1 + (len(self.ids) - len(found) + 0.5) / (len(found) + 0.5))
            for index, count in found:
                norm = 1.2 * (0.25 + 0.75 * self.lengths[index] / self.mean)
                scores[index] += weight * count * 2.2 / (count + norm)
        ordered = sorted(scores, key=lambda index: (-scores[index], index))
        return list(dict.fromkeys(self.ids[index] for index in ordered))


def measure(folder: Path, name: str, change: Change) -> tuple[int, list[float]]:
    """Return the number of questions and recall@1, @5, @10 with words passed through `change`."""
    documents: list[tuple[str, list[str]]] = []
    for row in rows(folder / f"{name}.docs.jsonl.gz"):
        text = str(row["text"])
        for start in range(0, len(text), WIDTH) if len(text) > 3 * WIDTH else [0]:
            piece = text[start : start + WIDTH] if len(text) > 3 * WIDTH else text
            documents.append((str(row["doc_id"]), [word for t in tokens(piece) for word in change(t.text)]))
    index = Bm25(documents)
    hits, asked = [0, 0, 0], 0
    for row in rows(folder / f"{name}.qa.jsonl.gz"):
        if not row["answerable"] or row.get("cross_lingual"):
            continue
        asked += 1
        query = [word for t in query_tokens(str(row["question"])) for word in change(t.text)]
        ranked = index.rank(query)[:10]
        for slot, depth in enumerate((1, 5, 10)):
            hits[slot] += row["doc_id"] in ranked[:depth]
    return asked, [hit / max(asked, 1) for hit in hits]


def main() -> None:
    """Print one line a set."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data/qa")
    variants: dict[str, Change] = {
        "words": lambda word: [word],
        "stems": lambda word: [stem(word)],
        "both": lambda word: [word, "~" + stem(word)],
    }
    print(f"{'set':12} {'asked':>5}  " + "  ".join(f"{name + ' @1 @5 @10':>22}" for name in variants))
    for path in sorted(folder.glob("*.qa.jsonl.gz")):
        name = path.name.removesuffix(".qa.jsonl.gz")
        cells = []
        asked = 0
        for change in variants.values():
            asked, recalls = measure(folder, name, change)
            cells.append("  ".join(f"{recall:.3f}" for recall in recalls))
        print(f"{name:12} {asked:5}  " + "  ".join(f"{cell:>22}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
