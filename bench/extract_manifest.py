"""Extract every file of a manifest and show what was expected of it beside what came out.

    python -m bench.extract_manifest FOLDER [KIND …] [--write DOCS_FILE]

The manifest is FOLDER/manifest.tsv with the columns file, kind, special, expected_outcome, pages and text_contains.
Without kinds all files are taken. `--write` keeps the table as Markdown; docs/formats-measured.md is made so.
"""

import argparse
import csv
import re
import resource
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from sources.core.chunking import chunk_spans
from sources.core.extract import Extracted, ExtractionError, FailureReason, extract_in_child
from sources.core.model_size import MOST_TOKENS, tokens_of

_BIDI = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
_LONGEST_NAME = 60
# What a curator is told though all that readers of the file see was read.
_BY_THE_WAY = ("Hidden", "Some cells hold formulas", "Attachments")
_ALIKE = {"text", "partial", "text_low_quality"}


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a file. `verdict` is ok, close (a warning more or less) or WRONG."""

    name: str
    special: str
    expected: str
    ours: str
    verdict: str
    told: str
    seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    with (arguments.folder / "manifest.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    kinds = set(arguments.kinds)
    results = []
    for row in rows:
        if not kinds or row["kind"] in kinds:
            results.append(_result(arguments.folder / row["file"], row))
            print(_line(results[-1]), flush=True)
    summary = _summary(results)
    print(summary)
    if arguments.write:
        arguments.write.write_text(_markdown(results, summary), encoding="utf-8")
    return 1 if any(result.verdict == "WRONG" for result in results) else 0


def _result(path: Path, row: dict[str, str]) -> Result:
    started = time.perf_counter()
    extracted: Extracted | None = None
    try:
        extracted = extract_in_child(path, file_name=path.name)
        ours, told = _kind(extracted), " ".join(extracted.warnings)
    except ExtractionError as exc:
        ours, told = f"error:{exc.reason}", exc.detail
    seconds = time.perf_counter() - started
    doubts = _doubts(extracted, row) if extracted else []
    return Result(
        name=row["file"],
        special=row["special"],
        expected=row["expected_outcome"],
        ours=ours,
        verdict="WRONG" if doubts else _verdict(row["expected_outcome"], ours),
        told="; ".join(doubts) or told,
        seconds=seconds,
    )


def _kind(extracted: Extracted) -> str:
    warnings = [one for one in extracted.warnings if not one.startswith(_BY_THE_WAY)]
    if any("damaged text layer" in warning for warning in warnings):
        return "text_low_quality"
    return "partial" if warnings else "text"


def _doubts(extracted: Extracted, row: dict[str, str]) -> list[str]:
    """What is wrong with a text: parts that are missing, pages too few or many, chunks too long for the model."""
    text = _plain(extracted.text)
    doubts = [
        f"{part!r} is missing" for part in row["text_contains"].split(" || ") if _plain(part) not in text
    ]
    if row["pages"] and extracted.pages and len(extracted.pages) != int(row["pages"]):
        doubts.append(f"{len(extracted.pages)} pages instead of {row['pages']}")
    chunks = chunk_spans(extracted)
    long = [one for one in chunks if tokens_of(extracted.text[one.start : one.end]) > MOST_TOKENS]
    return [*doubts, *(f"the chunk at {one.start} is too long" for one in long)]


def _plain(text: str) -> str:
    return " ".join(_BIDI.sub("", text).split())


def _verdict(expected: str, ours: str) -> str:
    if ours == expected or (expected == "text_or_error" and ours != f"error:{FailureReason.CRASHED}"):
        return "ok"
    return "close" if expected in _ALIKE and ours in _ALIKE else "WRONG"


def _line(result: Result) -> str:
    return (
        f"{result.verdict:5} {result.name[:44]:44} {result.expected:24} {result.ours:24}"
        f" {result.seconds:5.2f} s  {result.told[:100]}"
    )


def _summary(results: list[Result]) -> str:
    counts = Counter(result.verdict for result in results)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    slowest = max(result.seconds for result in results)
    told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items(), reverse=True))
    return f"{len(results)} files: {told}. Peak memory of a child {peak} MB, slowest file {slowest:.1f} s."


def _markdown(results: list[Result], summary: str) -> str:
    head = (
        "# What comes of real and hostile files\n\n"
        "Made by `python -m bench.extract_manifest FOLDER --write docs/formats-measured.md` over the files of a\n"
        "manifest, public and crafted ones. `text_or_error` means that either is right, as long as it ends in time\n"
        "and says what it is; `close` is a warning more or less than expected.\n\n"
    )
    rows = [
        f"| {_cell(result.name[:_LONGEST_NAME])} | {_cell(result.special)} | {result.expected} | {result.ours} |"
        f" {result.verdict} | {_cell(result.told)} | {result.seconds:.2f} |"
        for result in results
    ]
    table = "| file | what is special | expected | ours | | told the curator | s |\n|---|---|---|---|---|---|--:|\n"
    return f"{head}{summary}\n\n{table}" + "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    plain = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
    return plain if len(plain) < 160 else f"{plain[:157]}…"


if __name__ == "__main__":
    sys.exit(main())
