"""Keeping processes running, and cleaning up after a kill -9."""

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from citeweb.supervisor import AlreadyRunning, Child, RunFile, end_tree

SLEEP = (sys.executable, "-c", "import time; time.sleep(60)")
# Starts a child of its own and ignores the polite request to end.
STUBBORN = (
    sys.executable,
    "-c",
    "import signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); print(child.pid, flush=True);"
    "time.sleep(60)",
)


def process_of(child: Child) -> subprocess.Popen[bytes] | None:
    return child.process


def test_a_dead_child_is_started_again_after_its_wait() -> None:
    child = Child("sleeper", SLEEP, grace=1)
    child.start(now=0)
    first = process_of(child)
    assert first is not None
    first.kill()
    first.wait()
    child.keep_running(now=1.0)
    assert process_of(child) is None
    child.keep_running(now=1.0 + 0.6)
    again = process_of(child)
    assert again is not None
    assert again.pid != first.pid
    child.stop()
    assert again.poll() is not None


def test_a_polite_child_lets_others_go_first() -> None:
    own = psutil.Process().nice()
    for politeness in (0, 5):
        child = Child("sleeper", SLEEP, grace=1, politeness=own + politeness)
        child.start(now=0)
        process = process_of(child)
        assert process is not None
        assert psutil.Process(process.pid).nice() == own + politeness
        child.stop()


def test_a_stubborn_family_is_ended_whole() -> None:
    process = subprocess.Popen(STUBBORN, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    grandchild = int(process.stdout.readline())
    end_tree(psutil.Process(process.pid), grace=0.3)
    process.wait(timeout=5)
    process.stdout.close()
    assert not psutil.pid_exists(grandchild) or psutil.Process(grandchild).status() == psutil.STATUS_ZOMBIE


def test_orphans_of_a_killed_supervisor_are_ended(tmp_path: Path) -> None:
    orphan = subprocess.Popen(SLEEP)
    dead = subprocess.Popen((sys.executable, "-c", ""))
    dead.wait()
    entries = [
        {"name": "supervisor", "pid": dead.pid, "created": 1.0},
        {"name": "web server", "pid": orphan.pid, "created": psutil.Process(orphan.pid).create_time()},
    ]
    run_file = RunFile(tmp_path / "serve.json")
    run_file.path.write_text(json.dumps(entries))
    run_file.claim()
    orphan.wait(timeout=5)
    assert not psutil.pid_exists(orphan.pid)


def test_a_reused_pid_is_left_alone(tmp_path: Path) -> None:
    bystander = subprocess.Popen(SLEEP)
    run_file = RunFile(tmp_path / "serve.json")
    run_file.path.write_text(json.dumps([{"name": "web server", "pid": bystander.pid, "created": 1.0}]))
    run_file.claim()
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def test_a_second_supervisor_is_refused(tmp_path: Path) -> None:
    RunFile(tmp_path / "serve.json").claim()
    with pytest.raises(AlreadyRunning, match="already runs as process"):
        RunFile(tmp_path / "serve.json").claim()


def test_a_broken_run_file_is_no_obstacle(tmp_path: Path) -> None:
    run_file = RunFile(tmp_path / "serve.json")
    run_file.path.write_text("{")
    run_file.claim()
    run_file.remove()
    assert not run_file.path.exists()
