"""What is counted and timed, in Prometheus's format: never a person, a tenant, a word of a question or a document.

With PROMETHEUS_MULTIPROC_DIR set (`serve` sets it), all processes of this machine count into one folder and any of
them answers for all.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil
from django.db import DatabaseError, connection
from django.db.models import Count
from procrastinate.contrib.django.models import ProcrastinateJob
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)

STEP_SECONDS = Histogram(
    "citeweb_step_seconds",
    "Seconds that a step of an answer took: retrieval, first_text and generation (upstream), total",
    ["step", "model"],
    buckets=_SECONDS,
)
TURNS = Counter("citeweb_turns", "Turns that ended, by their end", ["state", "model"])
REJECTED = Counter("citeweb_rejected_markers", "Markers that are no citation", ["reason", "model"])
CITATIONS = Counter("citeweb_citations", "Citations by what the support check says", ["verdict", "model"])
TOKENS = Counter("citeweb_tokens", "Tokens as the provider counts them", ["kind", "model"])
UPSTREAM_ERRORS = Counter("citeweb_upstream_errors", "Calls of a model that failed", ["error", "model"])
WRITING = Gauge("citeweb_active_answers", "Answers being written now", multiprocess_mode="livesum")
SOCKETS = Gauge("citeweb_open_sockets", "Chat sockets that are open", multiprocess_mode="livesum")
REQUESTS = Histogram(
    "citeweb_http_seconds",
    "Seconds until a response began, by the name of its address",
    ["method", "address", "status"],
    buckets=_SECONDS,
)
CONNECTIONS = Gauge(
    "citeweb_database_connections",
    "Connections of the pools: open, free, and requests that wait for one",
    ["state"],
    multiprocess_mode="livesum",
)
_POOL = {"pool_size": "open", "pool_available": "free", "requests_waiting": "waited_for"}


def observe_turn(
    *, model: str, state: str, timings: Mapping[str, object], usage: Mapping[str, object], reasons: list[str]
) -> None:
    """Count a turn that ended, with the seconds of its steps."""
    TURNS.labels(state, model).inc()
    for step, seconds in timings.items():
        STEP_SECONDS.labels(step, model).observe(float(str(seconds)))
    for kind, tokens in usage.items():
        TOKENS.labels(kind, model).inc(float(str(tokens)))
    for reason in reasons:
        REJECTED.labels(reason, model).inc()


def sample_pool() -> None:
    """Note how this process's pool stands; the lifespan does so every few seconds."""
    pool = getattr(connection, "pool", None)
    stats = pool.get_stats() if pool is not None else {}
    for name, state in _POOL.items():
        CONNECTIONS.labels(state).set(stats.get(name, 0))


def exposition() -> bytes:
    """Return all figures as text."""
    sample_pool()
    if folder := os.environ.get(FOLDER_VARIABLE):
        _forget_the_dead(Path(folder))
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=folder)  # type: ignore[no-untyped-call]  # theirs
    else:
        registry = REGISTRY
    queue = CollectorRegistry()
    queue.register(_Queue())
    return generate_latest(registry) + generate_latest(queue)


def _forget_the_dead(folder: Path) -> None:
    """Take away what processes that are gone say about now; what they counted stays."""
    for path in folder.glob("gauge_live*.db"):
        found = re.search(r"_(\d+)\.db$", path.name)
        if found and not psutil.pid_exists(int(found[1])):
            path.unlink(missing_ok=True)


class _Queue(Collector):
    """Jobs in the database, asked when the figures are."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield how many jobs wait, run and have failed."""
        jobs = GaugeMetricFamily("citeweb_jobs", "Jobs by state and queue", labels=["state", "queue"])
        counts = dict.fromkeys([("todo", "sources"), ("doing", "sources"), ("failed", "sources")], 0)
        try:
            rows = ProcrastinateJob.objects.values_list("status", "queue_name")
            counts |= {(status, queue): count for status, queue, count in rows.annotate(Count("pk"))}
        except DatabaseError:
            return
        for (status, queue), count in counts.items():
            jobs.add_metric([status, queue], count)
        yield jobs
