"""`manage.py serve`: ready, stopped, killed in parts, started again."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psutil
import pytest

from tests.web_server import ROOT, free_port

# Five starts of everything.
pytestmark = pytest.mark.timeout(300)


@dataclass
class Served:
    """A running `serve`; what it prints goes to a file, which orphans may hold open without harm."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    def wait_for(self, text: str, seconds: float = 90) -> None:
        end = time.monotonic() + seconds
        while text not in self.log.read_text():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < end, self.log.read_text()
            time.sleep(0.05)

    def part(self, name: str) -> psutil.Process:
        """Return the child whose command holds `name`."""
        children = psutil.Process(self.process.pid).children()
        return next(child for child in children if name in " ".join(child.cmdline()))

    def answers(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2) as response:
                return bool(response.status == 200)
        except (URLError, OSError):
            return False

    def wait_until_it_answers(self, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not self.answers():
            assert time.monotonic() < end, self.log.read_text()


@contextmanager
def served(data: Path, *options: str) -> Iterator[Served]:
    """Run serve with a data folder and an embedded database of its own."""
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment |= {"CITEWEB_DATA_DIR": str(data), "CITEWEB_EMBEDDINGS": "none"}
    command = [sys.executable, "-u", "manage.py", "serve", "--port", str(port), *options]
    log = data / f"serve-{port}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
    try:
        yield Served(process, port, log)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(timeout=60)


def test_the_whole_life_of_serve(tmp_path: Path) -> None:
    with served(tmp_path, "--demo") as first:
        first.wait_for("Citeweb is ready: http://127.0.0.1:")
        first.wait_for("ada@aurora.example")
        assert first.answers()
        second = subprocess.run(
            [sys.executable, "manage.py", "serve", "--port", str(free_port())],
            cwd=ROOT,
            env=os.environ | {"CITEWEB_DATA_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert second.returncode != 0
        assert "already runs as process" in second.stderr
        killed_parts_come_back(first)
        family = [first.part("uvicorn"), first.part("procrastinate")]
        first.process.send_signal(signal.SIGINT)
        assert first.process.wait(timeout=40) == 0
        assert not any(part.is_running() for part in family)
        assert not database_runs(tmp_path)
    again_after_a_kill(tmp_path)


def killed_parts_come_back(running: Served) -> None:
    web, worker = running.part("uvicorn"), running.part("procrastinate")
    web.kill()
    worker.kill()
    web.wait(10)
    running.wait_until_it_answers()
    assert running.part("uvicorn").pid != web.pid


def again_after_a_kill(data: Path) -> None:
    """Kill the supervisor itself: its orphans are ended by the next start, which is quick and keeps the data."""
    with served(data, "--demo") as second:
        second.wait_for("Citeweb is ready")
        assert "Loading the demo" not in second.log.read_text()
        orphans = [second.part("uvicorn"), second.part("procrastinate")]
        second.process.kill()
    with served(data, "--demo") as third:
        third.wait_for("Citeweb is ready")
        assert not any(orphan.is_running() and orphan.status() != psutil.STATUS_ZOMBIE for orphan in orphans)
    assert not database_runs(data)


def database_runs(data: Path) -> bool:
    pid_file = data / "postgres" / "postmaster.pid"
    found = re.match(r"\d+", pid_file.read_text()) if pid_file.exists() else None
    return bool(found and psutil.pid_exists(int(found[0])))
