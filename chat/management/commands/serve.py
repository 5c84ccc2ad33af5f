"""`manage.py serve`: everything of Citeweb on one machine."""

import os
import shutil
import signal
import time
from argparse import ArgumentParser
from pathlib import Path
from types import FrameType

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from citeweb.embedded_postgres import EmbeddedPostgres
from citeweb.metrics import FOLDER_VARIABLE
from citeweb.supervisor import (
    AlreadyRunning,
    Child,
    ReadyCheck,
    RunFile,
    wait_until,
    web_command,
    worker_command,
)
from sources.demo.documents import DEMO_PASSWORD, TENANTS

READY_SECONDS = 60


class Command(BaseCommand):
    """Migrates, starts the web server and the job worker, and keeps them running until Ctrl-C."""

    help = "Run Citeweb on this machine: database (unless DATABASE_URL is set), web server and job worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take where to listen and how wide to run."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument(
            "--workers", type=int, default=1, help="web processes; more than 1 wants REDIS_URL"
        )
        parser.add_argument("--demo", action="store_true", help="load demo data once and print its accounts")

    def handle(self, *, host: str, port: int, workers: int, demo: bool, **_: object) -> None:
        """Serve until told to stop."""
        run_file = RunFile(Path(settings.DATA_DIR) / "run" / "serve.json")
        try:
            run_file.claim()
        except AlreadyRunning as exc:
            raise CommandError(str(exc)) from exc
        # SIGTERM must unwind like Ctrl-C, so that the database is stopped too.
        signal.signal(signal.SIGTERM, _interrupt)
        _gather_metrics(Path(settings.DATA_DIR) / "run" / "metrics")
        try:
            self._prepare(demo=demo)
            self._supervise(
                _children(host, port, workers), run_file, ReadyCheck(host, port), f"{host}:{port}", demo
            )
        except KeyboardInterrupt:
            self.stdout.write("Citeweb stops.")
        finally:
            run_file.remove()

    def _prepare(self, *, demo: bool) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        if demo:
            call_command("load_demo", stdout=self.stdout)
        connections.close_all()

    def _supervise(
        self, children: list[Child], run_file: RunFile, ready: ReadyCheck, address: str, demo: bool
    ) -> None:
        try:
            for child in children:
                child.start(time.monotonic())
            _note(run_file, children)
            if not wait_until(ready, seconds=READY_SECONDS):
                raise CommandError(
                    f"The web server gave no answer on {address} within {READY_SECONDS} seconds."
                )
            self.stdout.write(f"Citeweb is ready: http://{address}/")
            self._print_accounts() if demo else None
            self.stdout.flush()
            while True:
                _keep_running(children, run_file)
                time.sleep(0.5)
        finally:
            # A second Ctrl-C must not leave orphans behind.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            for child in children:
                child.stop()

    def _print_accounts(self) -> None:
        self.stdout.write(f"Demo accounts (password: {DEMO_PASSWORD}):")
        for tenant in TENANTS:
            for user in tenant.users:
                self.stdout.write(f"  {user.email:<28} {tenant.name}: {', '.join(user.roles)}")


def _gather_metrics(folder: Path) -> None:
    """Let all processes count into one folder, which begins empty; see citeweb.metrics."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ[FOLDER_VARIABLE] = str(folder)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _children(host: str, port: int, workers: int) -> list[Child]:
    manage = Path(settings.BASE_DIR) / "manage.py"
    return [
        Child("web server", web_command(host=host, port=port, workers=workers), grace=12),
        # A thousand files may be waiting: whoever asks something meanwhile comes first.
        Child("job worker", worker_command(manage, settings.WORKER_CONCURRENCY), grace=8, politeness=5),
    ]


def _keep_running(children: list[Child], run_file: RunFile) -> None:
    before = [child.process for child in children]
    _keep_database()
    for child in children:
        child.keep_running(time.monotonic())
    if before != [child.process for child in children]:
        _note(run_file, children)


def _keep_database() -> None:
    if not os.environ.get("CITEWEB_DATABASE_IS_EMBEDDED"):
        return
    database = EmbeddedPostgres(Path(settings.DATA_DIR) / "postgres")
    if not database.is_running():
        database.restart()


def _note(run_file: RunFile, children: list[Child]) -> None:
    pids = [(child.name, child.process.pid) for child in children if child.process is not None]
    run_file.write([("supervisor", os.getpid()), *pids])
