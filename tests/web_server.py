"""The real product over the tests' database: uvicorn, and a job worker where asked, as processes of their own."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote

import psutil
from django.conf import settings
from django.db import connection
from django.test import Client

from citeweb.accounts.models import User
from citeweb.supervisor import web_command, worker_command

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    """Return a loopback port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_database_url() -> str:
    """Return the URL of the database that the running tests use."""
    used = connection.settings_dict
    return f"postgresql://{quote(used['USER'])}@/{used['NAME']}?host={quote(str(used['HOST']), safe='/')}"


test_database_url.__test__ = False  # type: ignore[attr-defined]  # a helper, not a test


@dataclass
class WebServer:
    """A running uvicorn; `url` without a final slash."""

    environment: dict[str, str]
    port: int = field(default_factory=free_port)
    workers: int = 1
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = web_command(host="127.0.0.1", port=self.port, workers=self.workers)
        self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, start_new_session=True)
        self._wait()

    def stop(self) -> int:
        """Ask it to end and return its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=30)

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        assert self.process is not None
        for child in psutil.Process(self.process.pid).children(recursive=True):
            child.kill()
        self.process.kill()
        self.process.wait(timeout=10)

    def _wait(self) -> None:
        end = time.monotonic() + 40
        while time.monotonic() < end:
            assert self.process is not None
            assert self.process.poll() is None, "the web server ended while starting"
            try:
                ask = HTTPConnection("127.0.0.1", self.port, timeout=1)
                ask.request("GET", "/readyz")
                if ask.getresponse().status == 200:
                    return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the web server did not become ready")


@contextmanager
def web_server(*, workers: int = 1, **variables: str) -> Iterator[WebServer]:
    """Run the web server with these environment variables over the tests' database."""
    server = WebServer(environment_with(**variables), workers=workers)
    server.start()
    try:
        yield server
    finally:
        if server.process is not None and server.process.poll() is None:
            server.stop()


@contextmanager
def job_worker(**variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run the job worker with these environment variables over the tests' database."""
    command = worker_command(ROOT / "manage.py", 1)
    process = subprocess.Popen(command, cwd=ROOT, env=environment_with(**variables), start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=20)


def environment_with(**variables: str) -> dict[str, str]:
    """Return this process's environment, pointed at the tests' database and folders."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": test_database_url(),
        "CITEWEB_DATA_DIR": str(settings.DATA_DIR),
        "SECRET_KEY": settings.SECRET_KEY,
        **variables,
    }


def session_cookie(user: User) -> str:
    """Sign a user in and return the cookie header that proves it."""
    client = Client()
    client.force_login(user)
    return f"sessionid={client.cookies['sessionid'].value}"
