"""The child process: `python -m sources.core.extract.child`, with a job in JSON on its standard input.

It limits itself before it reads a byte of the file, and imports neither Django nor anything of the server.
"""

import ctypes
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from sources.core.extract.formats import read_file
from sources.core.extract.result_file import write_extracted
from sources.core.extract.sandbox import FAILED, RESULT_NAME, Limits
from sources.core.extract.types import ExtractionError, FailureReason

_PR_SET_PDEATHSIG = 1
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_POLITENESS = 5
_OPEN_FILES = 64
_CPU_GRACE = 5


def main() -> int:
    job = json.load(sys.stdin)
    limits = Limits(**job["limits"])
    _confine(limits)
    result = Path.cwd() / RESULT_NAME
    try:
        _work(job, limits, result)
    except ExtractionError as exc:
        return _fail(result, exc.reason, exc.detail)
    except MemoryError:
        return _fail(result, FailureReason.OUT_OF_MEMORY, "MemoryError")
    except RecursionError:
        return _fail(result, FailureReason.CORRUPT, "nested too deeply")
    return 0


def _work(job: dict[str, str], limits: Limits, result: Path) -> None:
    path = Path(job["path"])
    if job["task"] == "render":
        renderer = import_module("sources.core.extract.pdf_image")
        renderer.render_pages(path, job["pages"], job["scale"], limits.max_pixels, job["box"], Path.cwd())
        return
    extracted = read_file(path, job["file_name"], _reporter(int(job["progress"]), limits))
    if len(extracted.text) > limits.max_characters:
        raise ExtractionError(
            FailureReason.TOO_LARGE, f"{len(extracted.text)} characters, {limits.max_characters} are allowed"
        )
    write_extracted(result, extracted)


def _reporter(descriptor: int, limits: Limits) -> Callable[[int, int], None]:
    def report(done: int, total: int) -> None:
        if total > limits.max_pages:
            raise ExtractionError(FailureReason.TOO_LARGE, f"{total} pages, {limits.max_pages} are allowed")
        os.write(descriptor, b"%d %d\n" % (done, total))

    return report


def _fail(result: Path, reason: FailureReason, detail: str) -> int:
    result.write_text(json.dumps({"reason": reason, "detail": detail}))
    return FAILED


def _confine(limits: Limits) -> None:
    """Limit memory, CPU time, file sizes and files; leave the network; die with the parent; be polite."""
    if sys.platform == "win32":
        return
    import resource

    bounds = {
        resource.RLIMIT_AS: (limits.memory_bytes, limits.memory_bytes),
        resource.RLIMIT_CPU: (limits.cpu_seconds, limits.cpu_seconds + _CPU_GRACE),
        resource.RLIMIT_FSIZE: (limits.result_bytes, limits.result_bytes),
        resource.RLIMIT_NOFILE: (_OPEN_FILES, _OPEN_FILES),
        resource.RLIMIT_CORE: (0, 0),
    }
    for kind, bound in bounds.items():
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, bound)
    # Python ignores SIGXFSZ, then a too large result would be an OSError among others.
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    os.nice(_POLITENESS)
    if sys.platform == "linux":
        _leave_network()


def _leave_network() -> None:
    """Move into a network namespace without any interface, where the system allows it; go on otherwise."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if libc.unshare(_CLONE_NEWNET):
        libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)


if __name__ == "__main__":
    sys.exit(main())
