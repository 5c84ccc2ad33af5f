"""A worker that is killed (-9) at each step of a file: the next one reads it whole, once."""

import io
import time

import psutil
import pytest
from django.core.files.base import File
from django.db import connection

from sources.models import Chunk, Version, VersionState
from sources.uploads import accept_as_system
from sources.versions import WORKING
from tests.conftest import House
from tests.test_ingest_jobs import take_up, work
from tests.web_server import job_worker

pytestmark = pytest.mark.django_db(transaction=True)

LINES = 12_000
TEXT = "\n".join(f"Room {number} is opened by code K{number}." for number in range(LINES))


def kill_at(version: Version, state: str) -> None:
    """Let a worker begin with the file and kill it, with all that it started, at this step or right after it."""
    with job_worker(CITEWEB_EMBEDDINGS="none") as worker:
        end = time.monotonic() + 60
        while WORKING.index(Version.objects.values_list("state", flat=True).get()) < WORKING.index(state):
            assert time.monotonic() < end
        process = psutil.Process(worker.pid)
        for one in (process, *process.children(recursive=True)):
            one.kill()
        worker.wait(timeout=10)


def let_it_be_missed() -> None:
    """Pass the time after which a worker that says nothing counts as dead."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'")


@pytest.mark.parametrize("state", [VersionState.EXTRACTING, VersionState.CHUNKING, VersionState.INDEXING])
def test_the_next_worker_reads_the_file_whole(house: House, state: VersionState) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")
    file = File(io.BytesIO(TEXT.encode()))
    version = accept_as_system(collection=house.open_shelf, file=file, file_name="codes.txt").version
    kill_at(version, state)
    version.refresh_from_db()
    assert version.state in WORKING
    assert not Chunk.objects.exists()
    let_it_be_missed()
    take_up()
    work()
    version.refresh_from_db()
    assert (version.state, version.attempts, version.text) == (VersionState.READY, 2, TEXT)
    spans = list(Chunk.objects.order_by("ordinal").values_list("ordinal", "start", "end"))
    assert [ordinal for ordinal, _start, _end in spans] == list(range(version.chunk_count))
    assert (spans[0][1], spans[-1][2]) == (0, len(TEXT))
