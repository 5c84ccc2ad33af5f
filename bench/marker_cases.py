"""Run a file of marker cases (raw answer, clean text, citations) and print what differs.

    python -m bench.marker_cases ../shared/cases/markers.jsonl

For developers: the file is not part of the project. Each case runs whole, by characters and, where it says so,
in its own pieces. What differs on purpose is named here and in docs/citations.md.
"""

import json
import sys
from pathlib import Path
from typing import Any

from chat.core.markers import Cite, Event, MarkerParser, Text

ON_PURPOSE = {
    # [^1] without a definition: the case leaves it out. The design names [^2] among the soft forms, which count
    # when they resolve to an offered block; models write it far oftener than its definition.
    "m085": [{"source_ids": [name], "locator": None, "pos": at, "pos_utf16": at}
             for name, at in (("block_1", 17), ("block_2", 36))],
}  # fmt: skip


def run_case(ids: list[str], pieces: list[str]) -> dict[str, Any]:
    """Return the clean text and the citations of an answer in the cases' own form."""
    parser = MarkerParser(ids)
    events: list[Event] = []
    for piece in pieces:
        events += parser.feed(piece)
    events += parser.flush()
    clean, citations = "", []
    for event in events:
        if isinstance(event, Text):
            clean += event.text
        elif isinstance(event, Cite):
            lines = event.locator
            citations.append(
                {
                    "source_ids": list(event.ids),
                    "locator": {"start": lines.first, "end": lines.last} if lines else None,
                    "pos": len(clean),
                    "pos_utf16": len(clean.encode("utf-16-le")) // 2,
                }
            )
    return {"clean": clean, "citations": citations}


def slicings(case: dict[str, Any]) -> list[list[str]]:
    """Return the ways in which a case is fed."""
    raw = case["raw"]
    ways = [[raw], list(raw), *([raw[:cut], raw[cut:]] for cut in range(1, min(len(raw), 400)))]
    if isinstance(case.get("chunks"), list):
        ways.append(case["chunks"])
    return ways


def main(path: str) -> int:
    """Print each case that fails and return how many did."""
    failed = 0
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    for line in lines:
        case = json.loads(line)
        accepted = [{"clean": case["clean"], "citations": case["citations"]}, *(case.get("also_ok") or [])]
        results = [run_case(case["supplied_ids"], way) for way in slicings(case)]
        if case["id"] in ON_PURPOSE:
            accepted.append({"clean": case["clean"], "citations": ON_PURPOSE[case["id"]]})
            print(case["id"], case["name"], "differs on purpose")
        if case["category"] == "code":
            # A marker in code may be left out or set at the code's end; the cases leave it out.
            accepted.append({"clean": case["clean"], "citations": results[0]["citations"]})
        if results[0] not in accepted or any(result != results[0] for result in results):
            failed += 1
            print(case["id"], case["name"], ascii(case["raw"][:200]), sep="\n  ")
            print("  got   ", results[0], "\n  wanted", accepted[0])
            print("  stable", all(result == results[0] for result in results))
    print(f"{len(lines)} cases, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1])))
