"""Extract every file of a manifest and print what was expected of it beside what came out.

    python -m bench.extract_manifest FOLDER [KIND …]

The manifest is FOLDER/manifest.tsv with the columns file, kind, expected_outcome and text_contains. Kinds are those
of the manifest; without any, the files of the kinds that Citeweb reads now are taken, and the others must be refused.
"""

import csv
import re
import resource
import sys
import time
from collections import Counter
from pathlib import Path

from sources.core.chunking import chunk_spans
from sources.core.extract import Extracted, ExtractionError, FailureReason, extract_in_child

_BIDI = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
_READ_NOW = re.compile(r"\.(?:pdf|md|txt|log|csv|tsv|json)$", re.IGNORECASE)


def main(folder: Path, kinds: set[str]) -> int:
    with (folder / "manifest.tsv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if not kinds or row["kind"] in kinds]
    verdicts: Counter[str] = Counter()
    for row in rows:
        started = time.perf_counter()
        ours, doubt = _outcome(folder / row["file"], row["text_contains"])
        verdict = _verdict(row, ours, doubt)
        verdicts[verdict] += 1
        print(
            f"{verdict:7} {row['file'][:44]:44} {row['expected_outcome']:26} {ours} {doubt}"
            f" {time.perf_counter() - started:.2f} s"
        )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"{dict(verdicts)}, peak memory of a child {peak} MB")
    return 1 if verdicts["WRONG"] else 0


def _outcome(path: Path, contains: str) -> tuple[str, str]:
    """What came out, in the manifest's words, and the parts of the text that are missing."""
    try:
        extracted = extract_in_child(path, file_name=path.name)
    except ExtractionError as exc:
        return f"error:{exc.reason}", ""
    chunk_spans(extracted)
    missing = [part for part in contains.split(" || ") if _plain(part) not in _plain(extracted.text)]
    return _kind(extracted), f"missing {missing}" if missing else ""


def _kind(extracted: Extracted) -> str:
    if any("damaged text layer" in warning for warning in extracted.warnings):
        return "text_low_quality"
    return "partial" if extracted.warnings else "text"


def _plain(text: str) -> str:
    return " ".join(_BIDI.sub("", text).split())


def _verdict(row: dict[str, str], ours: str, doubt: str) -> str:
    expected = row["expected_outcome"]
    if not _READ_NOW.search(row["file"]) and ours == f"error:{FailureReason.UNSUPPORTED_TYPE}":
        return "later"
    if doubt:
        return "WRONG"
    if ours == expected or (expected == "text_or_error" and ours != f"error:{FailureReason.CRASHED}"):
        return "ok"
    # A warning more or less is a matter of degree.
    return (
        "close"
        if expected.startswith(("text", "partial")) and ours.startswith(("text", "partial"))
        else "WRONG"
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), set(sys.argv[2:])))
