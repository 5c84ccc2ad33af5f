"""From an uploaded file to a searchable document: extract, chunk and index it, outside the request."""

import logging
import time
import uuid
from collections.abc import Callable

from django.conf import settings

from sources.core.chunking import chunk_spans
from sources.core.extract.sandbox import MEGABYTE, Limits, extract_in_child
from sources.core.extract.types import Extracted, ExtractionError, FailureReason
from sources.index import write_version
from sources.models import Version, VersionState
from sources.originals import on_disk
from sources.versions import (
    MOST_ATTEMPTS,
    claim,
    enter,
    fail,
    give_back,
    is_waiting,
    report_pages,
)

logger = logging.getLogger(__name__)

# Progress is saved at most this often, in seconds.
_PROGRESS_EVERY = 0.5


class Interrupted(Exception):
    """Processing was stopped from outside: the worker ends, or the file was cancelled or deleted."""


def process_version(version_id: uuid.UUID | str, *, should_stop: Callable[[], bool] = lambda: False) -> None:
    """Extract, chunk and index a waiting upload; it ends as ready, or as failed with a reason.

    Raises Interrupted when `should_stop` answers yes meanwhile, and whatever unexpected error arose as long as
    attempts are left. Cancelled or deleted meanwhile, it is left as it then is.
    """
    version = claim(version_id)
    if version is None:
        return
    try:
        _process(version, should_stop)
    except ExtractionError as exc:
        fail(version, exc.reason, exc.detail)
    except Interrupted:
        if give_back(version):
            raise
    except Exception as exc:
        logger.exception("Processing version %s failed", version.pk)
        if version.attempts < MOST_ATTEMPTS:
            raise
        fail(version, FailureReason.CRASHED, f"{type(exc).__name__}: {exc}")


def _process(version: Version, should_stop: Callable[[], bool]) -> None:
    extracted = _extract(version, should_stop)
    _enter(version, VersionState.CHUNKING)
    spans = chunk_spans(extracted)
    if not spans:
        raise ExtractionError(FailureReason.NO_TEXT)
    _enter(version, VersionState.INDEXING)
    write_version(version, extracted, spans)


def _enter(version: Version, state: VersionState) -> None:
    if not enter(version, state):
        raise Interrupted


def _extract(version: Version, should_stop: Callable[[], bool]) -> Extracted:
    limits = Limits(
        max_bytes=settings.MAX_FILE_BYTES,
        wall_seconds=settings.EXTRACT_SECONDS,
        cpu_seconds=settings.EXTRACT_SECONDS,
        memory_bytes=settings.EXTRACT_MEMORY_MB * MEGABYTE,
    )
    follower = _Follower(version, should_stop)
    with on_disk(version) as path:
        return extract_in_child(
            path,
            file_name=version.file_name,
            limits=limits,
            on_progress=follower.pages,
            on_tick=follower.tick,
        )


class _Follower:
    """Saves how far extraction has come, and ends it when it is no longer wanted."""

    def __init__(self, version: Version, should_stop: Callable[[], bool]) -> None:
        self._version, self._should_stop = version, should_stop
        self._last = time.monotonic()

    def pages(self, done: int, pages: int) -> None:
        """Save pages done of pages. Raises Interrupted."""
        if self._due() and (self._should_stop() or not report_pages(self._version, done, pages)):
            raise Interrupted

    def tick(self) -> None:
        """Look whether to go on while no page comes. Raises Interrupted."""
        if self._due() and (self._should_stop() or not is_waiting(self._version)):
            raise Interrupted

    def _due(self) -> bool:
        now = time.monotonic()
        due = now - self._last >= _PROGRESS_EVERY
        if due:
            self._last = now
        return due
