"""Putting work into the queue; `sources.jobs` holds the tasks that take it up.

Jobs are rows: they exist from the commit of the transaction that defers them, or not at all. A job too many is
harmless: it finds nothing left to do.
"""

import uuid

from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob

INGEST = "sources.ingest"
EMBED = "sources.embed"
PURGE = "sources.purge"
RELABEL = "sources.relabel"
QUEUE = "sources"


def defer_ingest(version_id: uuid.UUID | str) -> None:
    """Queue the processing of an upload."""
    app.configure_task(INGEST, queue=QUEUE).defer(version_id=str(version_id))


def take_over(version_id: uuid.UUID | str) -> None:
    """Take an upload out of the queue, for who reads it at once; nothing to do where a worker has begun.

    In the transaction that queued it, no worker ever sees it. If the reader dies, the upload is queued again.
    """
    waiting = ProcrastinateJob.objects.filter(
        task_name=INGEST, status="todo", args__version_id=str(version_id)
    )
    for job_id in waiting.values_list("pk", flat=True):
        app.job_manager.cancel_job_by_id(job_id, delete_job=True)


def defer_embedding(version_id: uuid.UUID | str) -> None:
    """Queue the vectors of a version, behind all uploads: words find it meanwhile."""
    app.configure_task(EMBED, queue=QUEUE, priority=-10).defer(version_id=str(version_id))


def defer_purge(document_id: uuid.UUID | str) -> None:
    """Queue the removal of a document for good, before all else."""
    app.configure_task(PURGE, queue=QUEUE, priority=20).defer(document_id=str(document_id))


def defer_relabel(document_id: uuid.UUID | str) -> None:
    """Queue the indexing of a document under its new title."""
    app.configure_task(RELABEL, queue=QUEUE, priority=10).defer(document_id=str(document_id))


def documents_in_queue(task_name: str) -> set[str]:
    """Return the ids of the documents that a waiting or running job of this kind is about."""
    jobs = ProcrastinateJob.objects.filter(task_name=task_name, status__in=("todo", "doing"))
    return set(jobs.values_list("args__document_id", flat=True))


def versions_in_queue(task_name: str) -> set[str]:
    """Return the ids of the versions that a waiting or running job of this kind is about."""
    jobs = ProcrastinateJob.objects.filter(task_name=task_name, status__in=("todo", "doing"))
    return set(jobs.values_list("args__version_id", flat=True))
