"""What the worker does: process uploads, make vectors, and take up what a dead worker left."""

import logging

from procrastinate import JobContext, RetryStrategy
from procrastinate.contrib.django import app
from procrastinate.exceptions import JobAborted
from procrastinate.jobs import Status

from citeweb.accounts.row_security import acting_as_system, acting_for
from sources import removal
from sources.embedding import configured_embedder
from sources.index import write_title
from sources.ingest import Interrupted, process_version
from sources.queue import (
    EMBED,
    INGEST,
    PURGE,
    QUEUE,
    RELABEL,
    defer_embedding,
    defer_ingest,
    defer_purge,
    documents_in_queue,
    versions_in_queue,
)
from sources.vectors import embed_version, versions_to_embed
from sources.versions import MOST_ATTEMPTS, all_waiting, tenant_of, tenant_of_document

logger = logging.getLogger(__name__)

# A worker says every 5 s that it lives; silent for this many seconds it counts as dead.
SILENT_SECONDS = 20
# About ten seconds of work on one core: a new upload waits no longer to be found by its words.
_CHUNKS_A_JOB = 64
_RETRY_INGEST = RetryStrategy(max_attempts=MOST_ATTEMPTS, wait=5)
# Storage may be away for a while; after that the periodic job queues it again.
_RETRY_PURGE = RetryStrategy(max_attempts=8, exponential_wait=5)
# A model service may be away for hours: 30 s, then doubling, about 17 hours in all.
_RETRY_EMBED = RetryStrategy(max_attempts=11, exponential_wait=30)


@app.task(name=INGEST, queue=QUEUE, retry=_RETRY_INGEST, pass_context=True)
def ingest(context: JobContext, *, version_id: str) -> None:
    """Process an upload; its vectors follow as a job of their own."""
    try:
        with acting_for(tenant=tenant_of(version_id)):
            process_version(version_id, should_stop=context.should_abort)
    except Interrupted as exc:
        raise JobAborted from exc
    if configured_embedder() is not None:
        defer_embedding(version_id)


@app.task(name=EMBED, queue=QUEUE, retry=_RETRY_EMBED, pass_context=True)
def embed(context: JobContext, *, version_id: str) -> None:
    """Make some of the vectors that a version lacks; for a long one the rest queues behind new uploads."""
    try:
        with acting_for(tenant=tenant_of(version_id)):
            made = embed_version(version_id, should_stop=context.should_abort, most=_CHUNKS_A_JOB)
    except Interrupted as exc:
        raise JobAborted from exc
    if made >= _CHUNKS_A_JOB:
        defer_embedding(version_id)


@app.task(name=PURGE, queue=QUEUE, retry=_RETRY_PURGE)
def purge(*, document_id: str) -> None:
    """Remove a deleted document for good."""
    with acting_for(tenant=tenant_of_document(document_id)):
        removal.purge(document_id)


@app.task(name=RELABEL, queue=QUEUE, retry=_RETRY_INGEST)
def relabel(*, document_id: str) -> None:
    """Index a document under its new title; the vectors, which know the title too, follow."""
    with acting_for(tenant=tenant_of_document(document_id)):
        version_id = write_title(document_id)
    if version_id is not None and configured_embedder() is not None:
        defer_embedding(version_id)


# The sixth field is seconds.
@app.periodic(cron="* * * * * */15")
@app.task(name="sources.take_up", queue=QUEUE, queueing_lock="sources.take_up", priority=100)
async def take_up(timestamp: int) -> None:
    """Return the jobs of dead workers to the queue."""
    await take_up_stalled_jobs()


async def take_up_stalled_jobs() -> None:
    """Return to the queue each running job whose worker is silent; also for a worker that starts."""
    for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=SILENT_SECONDS):
        if job.task_name in (INGEST, EMBED, PURGE, RELABEL):
            logger.warning("Taking up job %s (%s) of a dead worker", job.id, job.task_name)
            await app.job_manager.retry_job(job)
        else:
            # A periodic job comes by itself, and its queueing lock may be taken by the next one.
            await app.job_manager.finish_job(job, Status.FAILED, delete_job=True)


@app.periodic(cron="*/10 * * * *")
@app.task(name="sources.requeue", queue=QUEUE, queueing_lock="sources.requeue", priority=50)
def requeue(timestamp: int) -> None:
    """Queue what ought to be queued: uploads whose job got lost, and vectors of a newly configured model."""
    requeue_all()


def requeue_all() -> None:
    """Queue each waiting upload, each version that lacks vectors and each ordered purge, unless a job is about it.

    Also at a start.
    """
    with acting_as_system("what ought to be queued"):
        waiting = [str(pk) for pk in all_waiting().values_list("pk", flat=True)]
        lacking = versions_to_embed()
        doomed = removal.purges_to_do()
    queued = versions_in_queue(INGEST)
    for version_id in waiting:
        if version_id not in queued:
            defer_ingest(version_id)
    queued = versions_in_queue(EMBED)
    for version_id in lacking:
        if version_id not in queued:
            defer_embedding(version_id)
    queued = documents_in_queue(PURGE)
    for document_id in doomed:
        if document_id not in queued:
            defer_purge(document_id)
