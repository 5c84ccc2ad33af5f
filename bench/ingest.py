"""How fast files become searchable, and how much memory that takes: a text PDF of 1,000 pages, and 1,000 small files.

    python -m bench.ingest [--pages N] [--files N] [--vectors N]

Extraction (in its child process), chunking and the index, as the worker does it, one file after another. Vectors are
made for the first N chunks (300) only, and counted in chunks a second: a whole document's take minutes. Uses the
database that manage.py would use, in a temporary tenant; set CITEWEB_DATA_DIR to keep away from real data.
"""

import argparse
import io
import os
import random
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import django
import psutil

from manage import provide_database

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "citeweb.settings")
provide_database()
django.setup()

from django.core.files.base import File  # noqa: E402
from django.db import connection  # noqa: E402

from sources.evaluation import temporary_seat  # noqa: E402
from sources.ingest import process_version  # noqa: E402
from sources.models import Chunk, Collection, Version, VersionState  # noqa: E402
from sources.uploads import accept_as_system  # noqa: E402
from sources.vectors import embed_version  # noqa: E402
from tests.files import Page, lines_of, make_pdf  # noqa: E402

_WORDS = """the report of valve torque pump and its pressure shows that each seal under load was checked by hand
before a new filter came into use while older parts were kept for tests in spring so engineers could compare them"""
_LINES = 46
_LINE_WORDS = 13
_GOAL = 150.0
_MOST_MEGABYTES = 600


@dataclass(frozen=True, slots=True)
class Peak:
    """The most memory held so far, in MB: of this process, which is the worker, and of the largest child."""

    worker: int
    child: int


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds on the clock, and of processor time by who used it; on quiet cores the one is no more than the other."""

    clock: float
    child: float
    worker: float
    database: float

    @property
    def processor(self) -> float:
        return self.child + self.worker + self.database


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--vectors", type=int, default=300)
    arguments = parser.parse_args()
    chance = random.Random(7)
    with temporary_seat() as (_, shelf):
        pages = [Page(lines_of(_prose(chance), size=10, leading=1.5)) for _ in range(arguments.pages)]
        pdf = _accepted(shelf, make_pdf(pages), "prose.pdf")
        taken = _timed(lambda: process_version(pdf.pk))
        _ready(pdf)
        _tell(f"a PDF of {arguments.pages} pages", arguments.pages, "pages", taken)
        _tell_vectors(pdf, arguments.vectors)
        files = [_accepted(shelf, _note(chance, n), f"note {n}.md") for n in range(arguments.files)]
        taken = _timed(lambda: _process_all(files))
        list(map(_ready, files))
        _tell(f"{arguments.files} small files", arguments.files, "files", taken)
    peak = _peak()
    print(f"peak memory: worker {peak.worker} MB, child {peak.child} MB ({_MOST_MEGABYTES} MB are allowed)")


def _prose(chance: random.Random) -> str:
    lines = [" ".join(chance.choices(_WORDS.split(), k=_LINE_WORDS)) for _ in range(_LINES)]
    return "\n".join(f"{line.capitalize()}." if chance.random() < 0.4 else line for line in lines)


def _note(chance: random.Random, number: int) -> bytes:
    return f"# Note {number}\n\n{_prose(chance)[:2000]}\n".encode()


def _accepted(shelf: Collection, data: bytes, name: str) -> Version:
    return accept_as_system(collection=shelf, file=File(io.BytesIO(data)), file_name=name).version


def _process_all(files: list[Version]) -> None:
    for file in files:
        process_version(file.pk)


def _ready(version: Version) -> None:
    version.refresh_from_db(fields=["state", "detail"])
    if version.state != VersionState.READY:
        sys.exit(f"{version.file_name} is {version.state}: {version.detail}")


def _timed(work: Callable[[], object]) -> Taken:
    before, started = _processor_seconds(), time.perf_counter()
    work()
    taken = time.perf_counter() - started
    return Taken(
        taken, *(after - earlier for earlier, after in zip(before, _processor_seconds(), strict=True))
    )


def _processor_seconds() -> tuple[float, float, float]:
    """Seconds of processor time so far: of the children that ended, this process, and its database connection."""
    children, own = (resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = psutil.Process(cursor.fetchone()[0]).cpu_times()
    return (
        children.ru_utime + children.ru_stime,
        own.ru_utime + own.ru_stime,
        backend.user + backend.system,
    )


def _tell(what: str, count: int, unit: str, taken: Taken) -> None:
    for name, seconds in (("on the clock", taken.clock), ("of processor time", taken.processor)):
        goal = f", {count / seconds / _GOAL:.1f} times the {_GOAL:.0f} asked for" if unit == "pages" else ""
        print(f"{what}: {seconds:.1f} s {name}, {count / seconds:.0f} {unit} a second{goal}")
    parts = (
        f"reading {taken.child:.1f} s, chunks and index {taken.worker:.1f} s, database {taken.database:.1f} s"
    )
    print(f"  {parts}", flush=True)


def _tell_vectors(version: Version, most: int) -> None:
    """Say how long vectors take, and what that makes of the pages a second with them."""
    chunks = Chunk.objects.filter(version=version).count()
    pages = version.page_layouts.count()
    seconds = _timed(lambda: embed_version(version.pk, most=most)).clock
    made = min(most, chunks)
    if not made or not seconds:
        return
    rate = made / seconds
    print(
        f"vectors: {rate:.1f} chunks a second, {rate * pages / chunks:.1f} pages a second; "
        f"they follow after {chunks / rate:.0f} s for {chunks} chunks",
        flush=True,
    )


def _peak() -> Peak:
    own, children = (
        resource.getrusage(who).ru_maxrss // 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return Peak(own, children)


if __name__ == "__main__":
    main()
