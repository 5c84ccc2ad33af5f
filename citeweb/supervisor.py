"""Keeps the processes of one machine running: starts them, restarts what dies, stops them in order."""

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import psutil

logger = logging.getLogger(__name__)

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0


@dataclass
class Child:
    """A process that should always run. After a death it is started again, each time a little later.

    `politeness` is added to its niceness: what others have to do on a busy machine comes first.
    """

    name: str
    command: Sequence[str]
    grace: float
    politeness: int = 0
    process: subprocess.Popen[bytes] | None = None
    wait: float = FIRST_WAIT
    due: float = 0.0
    started: float = 0.0

    def keep_running(self, now: float) -> None:
        """Start the process if it isn't running and its waiting time is over."""
        if self.process is not None and self.process.poll() is None:
            # Ten quiet seconds earn a quick restart next time.
            self.wait = FIRST_WAIT if now - self.started > 10 else self.wait
            return
        if self.process is not None:
            logger.error("%s ended with code %s; starting it again", self.name, self.process.returncode)
            self.process, self.due = None, now + self.wait
            self.wait = min(self.wait * 2, LONGEST_WAIT)
        if now >= self.due:
            self.start(now)

    def start(self, now: float) -> None:
        """Start the process in a session of its own, so that Ctrl-C reaches only the supervisor."""
        self.process = subprocess.Popen(self.command, start_new_session=True)
        self.started = now
        if self.politeness:
            with suppress(psutil.NoSuchProcess):
                psutil.Process(self.process.pid).nice(self.politeness)

    def stop(self) -> None:
        """Ask the process to end and, after its time of grace, end it with all that it started."""
        if self.process is None or self.process.poll() is not None:
            return
        end_tree(psutil.Process(self.process.pid), self.grace)
        self.process.wait()


def end_tree(process: psutil.Process, grace: float) -> None:
    """Terminate a process; kill it and its children if they are still there after `grace` seconds."""
    try:
        family = [process, *process.children(recursive=True)]
        process.terminate()
    except psutil.NoSuchProcess:
        return
    _, alive = psutil.wait_procs(family, timeout=grace)
    for left in alive:
        left.kill()
    psutil.wait_procs(alive, timeout=5)


class AlreadyRunning(Exception):
    """Another supervisor serves from the same data folder."""


@dataclass
class RunFile:
    """Who runs from this data folder, as JSON: found again after a kill -9 of the supervisor."""

    path: Path
    entries: list[dict[str, object]] = field(default_factory=list)

    def claim(self) -> None:
        """Take the folder: end the orphans of a killed supervisor. Raises AlreadyRunning."""
        running = [process for entry in self._read() if (process := _same_process(entry))]
        supervisors = [entry for entry in self._read() if entry.get("name") == "supervisor"]
        if any(_same_process(entry) for entry in supervisors):
            raise AlreadyRunning(f"Citeweb already runs as process {supervisors[0]['pid']}")
        for orphan in running:
            logger.warning("ending process %s, left over from a killed start", orphan.pid)
            end_tree(orphan, grace=3)
        self.write([("supervisor", os.getpid())])

    def write(self, processes: Sequence[tuple[str, int]]) -> None:
        """Note the processes; the start time tells a reused pid from the real one."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        entries = [
            {"name": name, "pid": pid, "created": psutil.Process(pid).create_time()}
            for name, pid in processes
            if psutil.pid_exists(pid)
        ]
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(entries))
        new.replace(self.path)

    def remove(self) -> None:
        """Give the folder back."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> list[dict[str, object]]:
        try:
            entries: list[dict[str, object]] = json.loads(self.path.read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            return []
        return entries


def _same_process(entry: dict[str, object]) -> psutil.Process | None:
    try:
        process = psutil.Process(int(str(entry["pid"])))
        return process if abs(process.create_time() - float(str(entry["created"]))) < 1 else None
    except psutil.NoSuchProcess:
        return None


def web_command(*, host: str, port: int, workers: int) -> list[str]:
    """Return the command of the ASGI server."""
    return [
        *(sys.executable, "-m", "uvicorn", "citeweb.asgi:application"),
        *("--host", host, "--port", str(port), "--workers", str(workers)),
        *("--ws-max-size", "262144", "--ws-ping-interval", "20", "--ws-ping-timeout", "20"),
        *("--timeout-graceful-shutdown", "8", "--no-access-log", "--log-level", "warning"),
    ]


def worker_command(manage: Path, concurrency: int) -> list[str]:
    """Return the command of the job worker."""
    return [
        *(sys.executable, str(manage), "procrastinate", "worker"),
        *("--concurrency", str(concurrency), "--shutdown-graceful-timeout", "5"),
    ]


def wait_until(ready: "ReadyCheck", *, seconds: float) -> bool:
    """Ask again and again until the answer is yes or the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if ready():
            return True
        time.sleep(0.1)
    return False


class ReadyCheck:
    """Asks `/readyz` over HTTP."""

    def __init__(self, host: str, port: int) -> None:
        self._host = "127.0.0.1" if host in ("0.0.0.0", "::") else host
        self._port = port

    def __call__(self) -> bool:
        connection = HTTPConnection(self._host, self._port, timeout=2)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()
