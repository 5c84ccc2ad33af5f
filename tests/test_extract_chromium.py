"""PDFs as browsers print them: embedded fonts, joined scripts, mixed directions."""

import io
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sources.core.extract import Extracted
from sources.core.extract.formats import read_file
from sources.core.extract.pdf_image import render_page
from sources.core.geometry import Rect, rectangles

pytestmark = pytest.mark.browser
SCALE = 3
PAGE = """<!doctype html><meta charset=utf-8><title>سیاست قیمت‌گذاری</title>
<style>@page {{ size: A4; margin: 2cm }} body {{ font: 13pt/1.8 sans-serif }}</style><body dir=rtl>{}"""
PERSIAN = (
    "مشتریان سازمانی هشدار بودجه را در ۸۰٪ و ۱۰۰٪ از بودجهٔ ماهانه دریافت می‌کنند. کالا پس از پرداخت کامل ارسال "
    "می‌شود و لازم است شمارهٔ سفارش (K-7731-B) روی بسته درج شود."
)
ARABIC = (
    "يحصل العملاء على دعم فني على مدار 24 ساعة (باستثناء العطل) بقيمة 1,250.50 دولار في 2024-05-01 من الله."
)
HEBREW = "השועל המהיר (החום) קופץ מעל הכלב העצלן ב-12 במאי 2023 בשעה 10:30."


@pytest.fixture(scope="module")
def chromium() -> str:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not found:
        pytest.skip("there is no Chromium")
    return found


def printed(chromium: str, folder: Path, body: str) -> Path:
    page, path = folder / "page.html", folder / "page.pdf"
    page.write_text(PAGE.format(body), encoding="utf-8")
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-pdf-header-footer",
        f"--print-to-pdf={path}",
    ]
    subprocess.run(
        [chromium, *options, f"--user-data-dir={folder}/profile", page.as_uri()],
        check=True,
        capture_output=True,
    )
    return path


def read(path: Path) -> Extracted:
    return read_file(path, path.name, lambda done, total: None)


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("words", [PERSIAN, ARABIC, HEBREW], ids=["persian", "arabic", "hebrew"])
def test_right_to_left_prose_is_read_as_it_was_written(chromium: str, tmp_path: Path, words: str) -> None:
    assert one_line(read(printed(chromium, tmp_path, f"<p>{words}</p>")).text) == words


def test_foreign_words_in_a_left_to_right_line_are_in_order(chromium: str, tmp_path: Path) -> None:
    words = "English line with فارسی words inside, and (العربية) too."
    assert one_line(read(printed(chromium, tmp_path, f"<p dir=ltr>{words}</p>")).text) == words


def test_rows_of_a_persian_table_begin_at_the_right(chromium: str, tmp_path: Path) -> None:
    table = "<table style='width:100%'><tr><td>پایه<td>۱۲٬۰۰۰ تومان<tr><td>سازمانی<td>۲۵٬۰۰۰ تومان</table>"
    assert read(printed(chromium, tmp_path, table)).text.split("\n") == [
        "پایه\t۱۲٬۰۰۰ تومان",
        "سازمانی\t۲۵٬۰۰۰ تومان",
    ]


def test_rectangles_cover_the_words_and_nothing_else(chromium: str, tmp_path: Path) -> None:
    path = printed(chromium, tmp_path, f"<p>{PERSIAN}</p><p dir=ltr>Valve torque is 35 newton metres.</p>")
    extracted = read(path)
    layout = extracted.pages[0]
    picture = Image.open(io.BytesIO(render_page(path, 1, SCALE, 50_000_000))).convert("L")
    ink = np.asarray(picture) < 128
    assert outside(ink, rectangles(layout, layout.start, layout.end)) == 0
    start = extracted.text.index("Valve")
    others = rectangles(layout, layout.start, start)
    valve = rectangles(layout, start, start + len("Valve torque is 35 newton metres."))
    assert len(valve) == 1
    assert outside(ink, others) > 200
    assert not any(overlap(valve[0], other) for other in others)


def outside(ink: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]", areas: list[Rect]) -> int:
    """Dark pixels that no rectangle covers, a pixel and a half around each left aside."""
    rest = ink.copy()
    for area in areas:
        top, left = int(area.y * SCALE) - 2, int(area.x * SCALE) - 2
        rest[
            max(top, 0) : int((area.y + area.height) * SCALE) + 3,
            max(left, 0) : int((area.x + area.width) * SCALE) + 3,
        ] = False
    return int(rest.sum())


def overlap(one: Rect, two: Rect) -> bool:
    across = min(one.x + one.width, two.x + two.width) - max(one.x, two.x)
    down = min(one.y + one.height, two.y + two.height) - max(one.y, two.y)
    return across > 0 and down > 0
