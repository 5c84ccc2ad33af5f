"""What a supervisor, a load balancer and Prometheus ask."""

import asyncio
import hmac
import os
from collections.abc import Awaitable
from datetime import timedelta

from channels.layers import get_channel_layer
from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateWorker
from prometheus_client import CONTENT_TYPE_LATEST

from citeweb import metrics
from citeweb.database import roles
from citeweb.threads import in_thread

SECONDS = 5
_LOOPBACK = frozenset({"127.0.0.1", "::1"})
_migrated: set[bool] = set()


class NotReady(Exception):
    """Something that answers need is missing; the message says what."""


async def alive(request: HttpRequest) -> HttpResponse:
    """Say that the event loop turns: whatever blocks it blocks this too. Nothing else is asked."""
    await asyncio.sleep(0)
    return HttpResponse("ok\n", content_type="text/plain")


async def ready(request: HttpRequest) -> HttpResponse:
    """Say whether this process can answer questions, part by part; 503 if it can't.

    A worker that gives no sign is told and no fault: pages and answers don't need one.
    """
    lines, faults = [], 0
    for name, check in (("database", _database), ("storage", _storage)):
        problem = await _problem(in_thread(check))
        lines.append(f"{name}: {problem or 'ok'}")
        faults += bool(problem)
    problem = await _problem(_channel_layer())
    lines.append(f"channels: {problem or 'ok'}")
    faults += bool(problem)
    if not faults:
        lines.append(f"worker: {await in_thread(_worker)}")
    head = "not ready" if faults else "ok"
    status = 503 if faults else 200
    return HttpResponse("\n".join([head, *lines, ""]), content_type="text/plain", status=status)


async def figures(request: HttpRequest) -> HttpResponse:
    """Give the metrics to who brings CITEWEB_METRICS_TOKEN; without one set, to this machine itself."""
    if not _may_scrape(request):
        raise Http404
    return HttpResponse(await in_thread(metrics.exposition), content_type=CONTENT_TYPE_LATEST)


def _may_scrape(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return hmac.compare_digest(given.encode(), settings.METRICS_TOKEN.encode())
    # Behind a proxy everybody seems to come from this machine.
    forwarded = any(name in request.headers for name in ("X-Forwarded-For", "Forwarded", "X-Real-Ip"))
    return request.META.get("REMOTE_ADDR") in _LOOPBACK and not forwarded


async def _problem(check: Awaitable[None]) -> str:
    try:
        async with asyncio.timeout(SECONDS):
            await check
    except NotReady as exc:
        return str(exc)
    except TimeoutError:
        return f"no answer within {SECONDS} seconds"
    except Exception as exc:  # whatever is wrong with it, it is not ready
        return f"does not answer ({type(exc).__name__})"
    return ""


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    if not _migrated:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise NotReady("migrations are missing, run manage.py migrate")
        roles.check_bound(connection)
        _migrated.add(True)


def _storage() -> None:
    if isinstance(default_storage, FileSystemStorage):
        folder = default_storage.location
        os.makedirs(folder, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise NotReady("the folder of the uploads can't be written")
    else:
        # Whatever it says of this name, it answers, and lets us in.
        default_storage.exists("citeweb-ready")


async def _channel_layer() -> None:
    layer = get_channel_layer()
    assert layer is not None
    await layer.group_send("citeweb.ready", {"type": "ready"})


def _worker() -> str:
    newest = ProcrastinateWorker.objects.order_by("-last_heartbeat").first()
    if newest is None or newest.last_heartbeat < timezone.now() - timedelta(minutes=1):
        return "none gives a sign of life; uploads wait"
    return "ok"
