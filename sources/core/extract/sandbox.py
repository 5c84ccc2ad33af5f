"""Reading hostile files in a child process with limits, so that no file can take the server down.

The child is a fresh interpreter without Django, secrets, network (where the system lets it go) or a way to
write more than its result. It is killed with its whole process group.
"""

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from sources.core.extract.result_file import read_extracted
from sources.core.extract.types import Extracted, ExtractionError, FailureReason

MEGABYTE = 1 << 20
_PROJECT = Path(__file__).resolve().parents[3]
_CHILD = "sources.core.extract.child"
RESULT_NAME = "result"
# The child's exit status when the result file holds a stated failure instead of a result.
FAILED = 3
_TICK = 0.25
_GRACE = 5.0
_NEAR_LIMIT = 0.7
_LAST_WORDS = 2000
_NO_MEMORY = re.compile("MemoryError|[Mm]emory allocation|[Cc]annot allocate|failed to map")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one child process. `memory_bytes` is address space; the resident part stays well below."""

    max_bytes: int = 100 * MEGABYTE
    wall_seconds: float = 300.0
    cpu_seconds: int = 240
    memory_bytes: int = 600 * MEGABYTE
    result_bytes: int = 256 * MEGABYTE
    max_pages: int = 10_000
    max_characters: int = 20_000_000
    max_pixels: int = 16_000_000


DEFAULT_LIMITS = Limits()


def _no_tick() -> None:
    """Waiting that nobody watches."""


def _no_progress(done: int, total: int) -> None:
    """Progress that nobody follows."""


def extract_in_child(
    path: Path,
    *,
    file_name: str,
    limits: Limits = DEFAULT_LIMITS,
    on_progress: Callable[[int, int], None] = _no_progress,
    on_tick: Callable[[], None] = _no_tick,
) -> Extracted:
    """Extract a file under limits; `on_progress` gets pages done and pages in all.

    `on_tick` is called a few times a second while no page comes. Both may raise to cancel.

    Raises ExtractionError with the reason, whatever the file does.
    """
    check_size(path, limits)
    job: dict[str, object] = {
        "task": "extract",
        "path": str(path.resolve()),
        "file_name": file_name,
        "limits": asdict(limits),
    }
    with tempfile.TemporaryDirectory(prefix="citeweb-extract-") as scratch:
        result = run_child(job, Path(scratch), limits, on_progress, on_tick)
        try:
            return read_extracted(result)
        except (OSError, ValueError, KeyError, TypeError) as exc:
            raise ExtractionError(FailureReason.CRASHED, f"unreadable result: {exc!r}") from exc


def check_size(path: Path, limits: Limits) -> None:
    """Raise ExtractionError for a file that is empty or larger than allowed."""
    size = path.stat().st_size
    if not size:
        raise ExtractionError(FailureReason.EMPTY)
    if size > limits.max_bytes:
        raise ExtractionError(FailureReason.TOO_LARGE, f"{size} bytes, {limits.max_bytes} are allowed")


def run_child(
    job: dict[str, object],
    scratch: Path,
    limits: Limits,
    on_progress: Callable[[int, int], None] = _no_progress,
    on_tick: Callable[[], None] = _no_tick,
) -> Path:
    """Run one job in a child process that works in `scratch`, and return the file with its result.

    Raises ExtractionError with the reason, whatever the child does.
    """
    deadline = time.monotonic() + limits.wall_seconds
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb", buffering=0) as progress, (scratch / "errors").open("wb") as errors:
        try:
            child = _start({**job, "progress": writer}, scratch, errors, writer)
        finally:
            os.close(writer)
        memory = 0
        try:
            memory = _follow(child, progress, deadline, on_progress, on_tick)
            child.wait(max(deadline - time.monotonic(), _TICK))
        except subprocess.TimeoutExpired as exc:
            raise ExtractionError(FailureReason.TIMED_OUT, f"stopped after {limits.wall_seconds} s") from exc
        finally:
            _kill(child)
    _judge(child.returncode, scratch, near_limit=memory > _NEAR_LIMIT * limits.memory_bytes)
    return scratch / RESULT_NAME


def _start(job: dict[str, object], scratch: Path, errors: IO[bytes], writer: int) -> subprocess.Popen[bytes]:
    child = subprocess.Popen(
        [sys.executable, "-s", "-X", "utf8", "-m", _CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        cwd=scratch,
        env=_environment(scratch),
        pass_fds=(writer,),
        start_new_session=True,
    )
    with suppress(BrokenPipeError), child.stdin or open(os.devnull, "wb") as stdin:
        stdin.write(json.dumps(job).encode())
    return child


def _environment(scratch: Path) -> dict[str, str]:
    """All that the child sees of the environment; no variable of the server gets in."""
    return {
        "PATH": os.defpath,
        "PYTHONPATH": str(_PROJECT),
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        # More threads would only cost address space.
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }


def _follow(
    child: subprocess.Popen[bytes],
    progress: IO[bytes],
    deadline: float,
    on_progress: Callable[[int, int], None],
    on_tick: Callable[[], None],
) -> int:
    """Pass on progress until the child closes its end; return the most address space seen, in bytes."""
    memory, rest = 0, b""
    with selectors.DefaultSelector() as selector:
        selector.register(progress, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise subprocess.TimeoutExpired(_CHILD, 0)
            ready = selector.select(min(left, _TICK))
            memory = max(memory, _address_space(child.pid))
            if not ready:
                on_tick()
                continue
            data = progress.read(65536)
            if not data:
                return memory
            *lines, rest = (rest + data).split(b"\n")
            if lines:
                # Only the newest counts: a slow follower must not hold up the child.
                _report(lines[-1], on_progress)
            rest = rest[-_LAST_WORDS:]


def _report(line: bytes, on_progress: Callable[[int, int], None]) -> None:
    done, _, total = line.partition(b" ")
    if done.isdigit() and total.isdigit():
        on_progress(int(done), int(total))


def _address_space(pid: int) -> int:
    """The process's address space in bytes, 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _kill(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        child.wait(_GRACE)


def _judge(status: int, scratch: Path, *, near_limit: bool) -> None:
    """Turn every way for the child to end but a result into an ExtractionError."""
    if status == 0:
        return
    if status == FAILED:
        raise _stated_failure(scratch / RESULT_NAME)
    last_words = (scratch / "errors").read_bytes()[-_LAST_WORDS:].decode(errors="replace")
    detail = f"exit status {status}; {last_words}"
    if status == -signal.SIGXCPU:
        raise ExtractionError(FailureReason.TIMED_OUT, detail)
    if status == -signal.SIGXFSZ:
        raise ExtractionError(FailureReason.TOO_LARGE, detail)
    # PDFium ends itself without a word when it gets no memory; others say what broke.
    # The kernel's killer sends SIGKILL.
    is_silent_end = status == -signal.SIGABRT and not last_words.strip()
    if near_limit or is_silent_end or status == -signal.SIGKILL or _NO_MEMORY.search(last_words):
        raise ExtractionError(FailureReason.OUT_OF_MEMORY, detail)
    raise ExtractionError(FailureReason.CRASHED, detail)


def _stated_failure(result: Path) -> ExtractionError:
    try:
        stated = json.loads(result.read_bytes())
        return ExtractionError(FailureReason(stated["reason"]), str(stated["detail"]))
    except (OSError, ValueError, KeyError, TypeError) as exc:
        return ExtractionError(FailureReason.CRASHED, f"unreadable failure: {exc!r}")
