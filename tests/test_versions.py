"""Two workers on one version: what the first has finished, the second leaves alone."""

import threading

import pytest
from django.db import connection, connections, transaction

from citeweb.accounts.row_security import acting_as_system
from sources import versions
from sources.core.chunking import chunk_spans
from sources.core.extract import Extracted
from sources.index import add_text, write_version
from sources.models import Chunk, Version, VersionState
from tests.conftest import House
from tests.sources import PRICING

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_finished_version_is_not_unfinished_by_a_worker_that_waited(house: House) -> None:
    version = add_text(house.open_shelf, title="Pricing", text=PRICING, file_name="p.md").current_version
    assert version is not None
    Version.objects.filter(pk=version.pk).update(state=VersionState.INDEXING)
    answers: list[bool] = []
    held = threading.Event()

    @acting_as_system("a worker")
    def slower_worker() -> None:
        held.wait()
        try:
            answers.append(versions.enter(version, VersionState.CHUNKING))
        finally:
            connections.close_all()

    thread = threading.Thread(target=slower_worker)
    thread.start()
    with transaction.atomic():
        Version.objects.filter(pk=version.pk).update(state=VersionState.READY)
        held.set()
        wait_until_somebody_waits_for_a_lock()
    thread.join(timeout=20)
    version.refresh_from_db()
    assert (answers, version.state) == ([False], VersionState.READY)


def wait_until_somebody_waits_for_a_lock() -> None:
    waiting = 0
    while not waiting:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE wait_event_type = 'Lock' AND datname = current_database()"
            )
            waiting = cursor.fetchone()[0]


def test_a_version_that_is_written_again_keeps_its_text(house: House) -> None:
    document = add_text(house.open_shelf, title="Pricing", text=PRICING, file_name="p.md")
    version = document.current_version
    assert version is not None
    Version.objects.filter(pk=version.pk).update(state=VersionState.INDEXING)
    extracted = Extracted(text=PRICING, media_type="text/plain")
    assert write_version(version, extracted, chunk_spans(extracted))
    chunks = Chunk.objects.filter(version=version)
    assert chunks.exists()
    assert all(chunk.text == PRICING[chunk.start : chunk.end] and chunk.lexemes for chunk in chunks)
