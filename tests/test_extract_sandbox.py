"""No file can take the server down: every way for the child process to end is one reason."""

import os
import subprocess
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path

import psutil
import pytest
from PIL import Image

from sources.core.extract import (
    Extracted,
    ExtractionError,
    FailureReason,
    Limits,
    extract_in_child,
    render_page_in_child,
)
from sources.core.extract.formats import read_file
from tests.files import A4, Page, Words, lines_of, make_pdf, text_page

MEGABYTE = 1 << 20


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    return save(
        tmp_path, [text_page(f"The code of room {number} is {number * 7919}.") for number in range(40)]
    )


@pytest.fixture
def slow_pdf(tmp_path: Path) -> Path:
    """A file that takes several seconds to read and isn't large."""
    page = Page(lines_of("\n".join(["words of a long page " * 5] * 60), size=8))
    return save(tmp_path, [page] * 500)


def save(folder: Path, pages: list[Page]) -> Path:
    path = folder / "upload"
    path.write_bytes(make_pdf(pages))
    return path


def failure(path: Path, limits: Limits) -> ExtractionError:
    with pytest.raises(ExtractionError) as caught:
        extract_in_child(path, file_name="upload.pdf", limits=limits)
    return caught.value


def child() -> psutil.Process:
    return next(
        process
        for process in psutil.Process().children()
        if "sources.core.extract.child" in process.cmdline()
    )


def test_the_child_gives_what_reading_here_gives(pdf: Path) -> None:
    extracted = extract_in_child(pdf, file_name="rooms.pdf")
    assert isinstance(extracted, Extracted)
    assert extracted == read_file(pdf, "rooms.pdf", lambda done, total: None)
    assert len(extracted.pages) == 40


def test_text_of_any_script_comes_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_text("سلام دنیا 📄\n# 押金", encoding="utf-8")
    assert extract_in_child(path, file_name="نام \udcff.md").text == "سلام دنیا 📄\n# 押金"


def test_progress_arrives_in_order_and_ends_with_the_last_page(pdf: Path) -> None:
    seen: list[tuple[int, int]] = []
    extract_in_child(pdf, file_name="x.pdf", on_progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (40, 40)


def test_a_stated_failure_comes_through(tmp_path: Path) -> None:
    assert failure(save(tmp_path, [Page(picture=A4)]), Limits()).reason == FailureReason.NO_TEXT


def test_an_empty_or_too_large_file_starts_no_child(pdf: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert failure(tmp_path / "empty", Limits()).reason == FailureReason.EMPTY
    with (tmp_path / "large").open("wb") as large:
        large.truncate(200 * MEGABYTE)
    assert failure(tmp_path / "large", Limits()).reason == FailureReason.TOO_LARGE


def test_too_many_pages_are_too_large(pdf: Path) -> None:
    error = failure(pdf, Limits(max_pages=39))
    assert (error.reason, error.detail) == (FailureReason.TOO_LARGE, "40 pages, 39 are allowed")


def test_too_much_text_is_too_large(pdf: Path) -> None:
    assert failure(pdf, Limits(max_characters=100)).reason == FailureReason.TOO_LARGE


def test_a_too_large_result_is_too_large(pdf: Path) -> None:
    assert failure(pdf, Limits(result_bytes=1000)).reason == FailureReason.TOO_LARGE


def test_time_on_the_clock_is_limited(slow_pdf: Path) -> None:
    started = time.monotonic()
    assert failure(slow_pdf, Limits(wall_seconds=0.5)).reason == FailureReason.TIMED_OUT
    assert time.monotonic() - started < 5


def test_processor_time_is_limited(slow_pdf: Path) -> None:
    assert failure(slow_pdf, Limits(cpu_seconds=1)).reason == FailureReason.TIMED_OUT


def test_memory_is_limited(tmp_path: Path) -> None:
    bomb = save(tmp_path, [Page([Words(72, 700, "x" * 30_000_000)])])
    assert failure(bomb, Limits(memory_bytes=150 * MEGABYTE)).reason == FailureReason.OUT_OF_MEMORY


def test_a_crash_of_the_parser_is_one_failure(slow_pdf: Path) -> None:
    def crash(done: int, total: int) -> None:
        child().send_signal(11)

    with pytest.raises(ExtractionError) as caught:
        extract_in_child(slow_pdf, file_name="x.pdf", on_progress=crash)
    assert caught.value.reason == FailureReason.CRASHED


def test_raising_in_progress_cancels_and_leaves_nothing_behind(
    slow_pdf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))

    class Cancelled(Exception):
        pass

    found: list[psutil.Process] = []

    def cancel(done: int, total: int) -> None:
        found.append(child())
        raise Cancelled

    with pytest.raises(Cancelled):
        extract_in_child(slow_pdf, file_name="x.pdf", on_progress=cancel)
    assert not found[0].is_running()
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_the_child_dies_with_a_killed_worker(slow_pdf: Path) -> None:
    program = (
        "import sys, pathlib, psutil\n"
        "from sources.core.extract import extract_in_child\n"
        "def tell(done, total):\n"
        "    print(psutil.Process().children()[0].pid, flush=True)\n"
        "extract_in_child(pathlib.Path(sys.argv[1]), file_name='x.pdf', on_progress=tell)\n"
    )
    worker = subprocess.Popen([sys.executable, "-c", program, str(slow_pdf)], stdout=subprocess.PIPE)
    assert worker.stdout
    reader = psutil.Process(int(worker.stdout.readline()))
    worker.kill()
    worker.communicate()
    assert psutil.wait_procs([reader], timeout=10)[1] == []


def test_the_child_knows_no_secret_and_no_network(slow_pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    seen: dict[str, object] = {}

    class Seen(Exception):
        pass

    def look(done: int, total: int) -> None:
        process = child()
        seen["environment"] = process.environ()
        seen["network"] = os.readlink(f"/proc/{process.pid}/ns/net")
        seen["memory"] = process.rlimit(psutil.RLIMIT_AS)
        seen["core"] = process.rlimit(psutil.RLIMIT_CORE)
        raise Seen

    with pytest.raises(Seen):
        extract_in_child(slow_pdf, file_name="x.pdf", on_progress=look)
    assert "sk-secret" not in str(seen["environment"])
    assert set(seen["environment"]) <= {  # type: ignore[call-overload]  # a dict, kept as an object
        "PATH", "PYTHONPATH", "HOME", "TMPDIR", "LANG", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "LC_CTYPE",
    }  # fmt: skip
    if may_leave_network():
        assert seen["network"] != os.readlink("/proc/self/ns/net")
    assert seen["memory"] == (Limits().memory_bytes, Limits().memory_bytes)
    assert seen["core"] == (0, 0)


def may_leave_network() -> bool:
    return subprocess.run(["unshare", "--net", "--map-root-user", "true"], check=False).returncode == 0


def test_the_child_never_loads_django() -> None:
    modules = ("child", "formats", "pdf", "pdf_image", "plain")
    lines = [f"import sources.core.extract.{module}" for module in modules]
    lines.append("import sys; sys.exit(any(name.split('.')[0] == 'django' for name in sys.modules))")
    assert subprocess.run([sys.executable, "-c", "\n".join(lines)], check=False).returncode == 0


def test_a_page_is_drawn_as_it_is_displayed(tmp_path: Path) -> None:
    path = save(tmp_path, [text_page("One."), Page(lines_of("Two.", x=172), (100, 50, 712, 842), rotate=90)])
    picture = drawn(path, 2, 2.0, Limits())
    assert picture.size == (1584, 1224)
    assert picture.convert("L").histogram()[:100] != [0] * 100


@pytest.mark.parametrize("box", [(0, 0, 2_000_000, 2_000_000), (0, 0, 2_000_000, 10), (0, 0, 10, 2_000_000)])
def test_a_giant_page_makes_a_bounded_picture(tmp_path: Path, box: tuple[float, float, float, float]) -> None:
    picture = drawn(save(tmp_path, [Page([Words(5, 5, "x")], box)]), 1, 3.0, Limits(max_pixels=1_000_000))
    assert picture.width * picture.height <= 1_010_000
    assert max(picture.size) <= 16_383


@pytest.mark.parametrize("number", [0, 2, -1])
def test_a_page_that_is_not_there_is_refused(tmp_path: Path, number: int) -> None:
    with pytest.raises(ExtractionError):
        render_page_in_child(save(tmp_path, [text_page("One.")]), number, 1.0)


def drawn(path: Path, number: int, scale: float, limits: Limits) -> Image.Image:
    return Image.open(BytesIO(render_page_in_child(path, number, scale, limits=limits)))
