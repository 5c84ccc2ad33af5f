"""The queue with a real worker: uploads become ready, and a dead worker's job is taken up by the next."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync
from django.core.files.base import File
from django.db import connection
from procrastinate import PsycopgConnector
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.contrib.django.utils import connector_params
from pytest_django import Settings

from citeweb.accounts.row_security import acting_for
from sources.curation import cancel
from sources.editing import edit
from sources.jobs import requeue_all, take_up_stalled_jobs
from sources.models import Chunk, ChunkEmbedding, Version, VersionState
from sources.queue import EMBED, INGEST, versions_in_queue
from sources.removal import delete, order_purge
from sources.uploads import accept_as_system
from sources.versions import claim
from tests.audited import kinds
from tests.conftest import House, make_house
from tests.embedding_server import DIMENSION, EmbeddingServer, embedding_server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def open_house(settings: Settings, tmp_path: Path) -> House:
    """A house whose rows other connections can see, with nothing in the queue."""
    settings.MEDIA_ROOT = tmp_path
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")
    return make_house("aurora")


def upload(house: House, data: bytes = b"Alerts are sent at 80%.", name: str = "note.txt") -> Version:
    """Upload a file and leave it in the queue."""
    file = File(io.BytesIO(data))
    return accept_as_system(collection=house.open_shelf, file=file, file_name=name).version


def connector() -> PsycopgConnector:
    """A connection to the queue such as a worker has."""
    return PsycopgConnector(kwargs=connector_params())


def work() -> None:
    """Run a worker until the queue is empty; as a process of its own it would begin as nobody."""
    with acting_for(), app.replace_connector(connector()):
        app.run_worker(wait=False, install_signal_handlers=False, listen_notify=False)


async def _take_up() -> None:
    with acting_for(), app.replace_connector(connector()):
        async with app.open_async():
            await take_up_stalled_jobs()


def take_up() -> None:
    """Do what a starting worker does first."""
    async_to_sync(_take_up)()


def states() -> dict[str, str]:
    """The state of each version by its file name."""
    return dict(Version.objects.values_list("file_name", "state"))


def test_a_worker_processes_what_is_queued(open_house: House) -> None:
    upload(open_house)
    upload(open_house, b"%PDF-1.7 broken", "broken.pdf")
    upload(open_house, b"Tickets are answered within an hour.", "sla.txt")
    work()
    assert states() == {
        "note.txt": VersionState.READY,
        "broken.pdf": VersionState.FAILED,
        "sla.txt": VersionState.READY,
    }
    assert versions_in_queue(INGEST) == set()


@pytest.fixture
def vectors(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """An embeddings server on loopback, as the settings have it."""
    with embedding_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        settings.EMBEDDINGS, settings.EMBEDDING_DIM = "openai", DIMENSION
        settings.EMBEDDING_MODEL = f"jobs-{server.url}"
        yield server


def test_vectors_follow_in_a_job_of_their_own(open_house: House, vectors: EmbeddingServer) -> None:
    upload(open_house)
    work()
    assert ChunkEmbedding.objects.count() == Chunk.objects.count() == 1


def test_another_model_embeds_again_while_words_go_on_finding(
    open_house: House, vectors: EmbeddingServer, settings: Settings
) -> None:
    upload(open_house)
    work()
    settings.EMBEDDING_MODEL += "-2"
    requeue_all()
    assert len(versions_in_queue(EMBED)) == 1
    work()
    assert ChunkEmbedding.objects.values("space").distinct().count() == 2


def test_other_documents_do_not_wait_for_all_vectors_of_a_long_one(
    open_house: House, vectors: EmbeddingServer
) -> None:
    long = "\n\n".join(f"Paragraph {number}. " + "Word. " * 140 for number in range(150))
    upload(open_house, long.encode(), "long.txt")
    upload(open_house)
    work()
    count = Chunk.objects.count()
    assert ChunkEmbedding.objects.count() == count > 150
    order = [text.splitlines()[0] for inputs in vectors.inputs for text in inputs]
    assert order.index("note") == 64
    assert order.count("long") == count - 1


def test_a_cancelled_file_is_passed_over(open_house: House) -> None:
    version = upload(open_house)
    assert cancel(version, user=open_house.owner.user)
    work()
    assert states() == {"note.txt": VersionState.FAILED}
    assert versions_in_queue(INGEST) == set()


def test_a_new_title_is_indexed_and_embedded(open_house: House, vectors: EmbeddingServer) -> None:
    version = upload(open_house)
    work()
    edit(version.document, user=open_house.owner.user, values={"title": "Undercroft"})
    work()
    assert ChunkEmbedding.objects.count() == 1
    assert vectors.inputs[-1] == ["Undercroft\nAlerts are sent at 80%."]


def test_an_ordered_purge_is_done(open_house: House) -> None:
    version = upload(open_house)
    work()
    owner = open_house.owner.user
    delete(version.document, user=owner)
    order_purge(version.document, user=owner)
    work()
    assert not Version.objects.exists()
    assert kinds(open_house.tenant)[-1] == "document_purged"


def _die_at_work(version: Version) -> None:
    """Leave everything as a worker leaves it that is killed while it reads the file."""
    assert claim(version.pk) is not None
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() - interval '1 minute') RETURNING id"
        )
        cursor.execute(
            "UPDATE procrastinate_jobs SET status = 'doing', worker_id = %s, attempts = 1"
            " WHERE args->>'version_id' = %s",
            [cursor.fetchone()[0], str(version.pk)],
        )


def test_the_job_of_a_dead_worker_is_taken_up(open_house: House) -> None:
    version = upload(open_house)
    _die_at_work(version)
    work()
    assert states() == {"note.txt": VersionState.EXTRACTING}
    take_up()
    work()
    assert states() == {"note.txt": VersionState.READY}
    version.refresh_from_db()
    assert version.attempts == 2


def test_the_job_of_a_living_worker_is_left_alone(open_house: House) -> None:
    version = upload(open_house)
    _die_at_work(version)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_workers SET last_heartbeat = now()")
    take_up()
    assert ProcrastinateJob.objects.get(task_name=INGEST).status == "doing"


def test_an_upload_without_a_job_is_queued_again(open_house: House) -> None:
    version = upload(open_house)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")
    requeue_all()
    requeue_all()
    assert ProcrastinateJob.objects.filter(task_name=INGEST).count() == 1
    work()
    assert states() == {"note.txt": VersionState.READY}
    requeue_all()
    assert versions_in_queue(INGEST) == set()
    version.refresh_from_db()
    assert version.attempts == 1
