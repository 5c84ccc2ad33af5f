"""The whole job in a real browser: sign in, upload, ask, watch it stream, open the chip, see the right words marked."""

import re
import uuid
from collections.abc import Sequence
from pathlib import Path

import pypdfium2
import pytest
from playwright.async_api import Page, expect

from chat.models import Citation
from citeweb.threads import in_thread
from sources.models import Document
from tests.browser import ask, browser_context, sign_in, strict
from tests.conftest import House
from tests.files import Page as PdfPage
from tests.files import Words, make_pdf
from tests.model_server import Gate, ModelServer, chat_chunk, chat_text
from tests.sources import PRICING, add_document
from tests.test_socket import marker_in
from tests.web_server import WebServer, job_worker, web_server

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SENTENCE = "Valve torque is 35 newton metres."
QUESTION = "What is the valve torque?"
Point = tuple[float, float]
Box = tuple[float, float, float, float]
SLACK = 1.0  # points between PDFium's own boxes and ours


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """A turned page whose box doesn't begin at the origin, with the sentence between others."""
    lines = [
        "Service manual of the pump",
        "The pump is blue and new.",
        SENTENCE,
        "The hose is two metres long.",
    ]
    words = [Words(150, 600 - 30 * row, line) for row, line in enumerate(lines)]
    page = PdfPage(words, media_box=(100, 50, 712, 842), rotate=90)
    path = tmp_path / "Pump manual.pdf"
    path.write_bytes(make_pdf([page]))
    return path


async def test_the_whole_job(house: House, pdf: Path, model: ModelServer, models_file: Path) -> None:
    problems: list[str] = []
    file, name = str(models_file), "patient-model"
    with (
        web_server(CITEWEB_MODELS_FILE=file, CITEWEB_MODEL=name) as server,
        job_worker(CITEWEB_MODELS_FILE=file, CITEWEB_MODEL=name),
    ):
        async with browser_context(server, viewport={"width": 1440, "height": 900}) as context:
            page = await context.new_page()
            strict(page, problems)
            await sign_in(page, house.owner.user.email)
            await upload(page, pdf, collection="Restricted")
            await page.goto("/")
            await watch_two_stages(page, model)
            citation = await in_thread(Citation.objects.get)
            await page.locator(".chip").first.click()
            await expect(page.locator("#passage-panel img")).to_be_visible()
            await expect(page.locator("#passage-panel")).to_contain_text("Valve torque")
            await expect(page.locator("#passage-panel rect.mark:not(.mark--chunk)").first).to_be_visible()
            boxes = await marks(page)
            assert_over_the_words(boxes, pdf, SENTENCE)
            await page.reload()
            await expect(page.locator(".chip")).to_have_count(1)
            await expect(page.locator(".answer").last).to_contain_text("The torque is 35")
            await page.goto(f"/cite/{citation.pk}/")
            await expect(page.locator("rect.mark:not(.mark--chunk)").first).to_be_visible()
        await stranger_sees_nothing(server, house, citation)
    assert problems == []


async def upload(page: Page, path: Path, *, collection: str) -> None:
    await page.goto("/sources/")
    await page.get_by_label(re.compile("collection", re.IGNORECASE)).first.select_option(label=collection)
    await page.locator("input[type=file]").set_input_files(path)
    if await page.locator("[data-upload-button] button").is_visible():
        await page.locator("[data-upload-button] button").click()
    row = page.locator("tr", has_text="Pump manual.pdf")
    await expect(row).to_contain_text("ready", timeout=30_000)


async def watch_two_stages(page: Page, model: ModelServer) -> None:
    """Ask twice: the first time to learn the block's id, the second time to watch the chip come."""
    model.script(chat_text("Just a moment."))
    await ask(page, "Pump?")
    await expect(page.locator('.turn__status[data-state="complete"]')).to_have_count(1)
    marker = marker_in(model.requests[-1])
    gate = Gate()
    model.script(
        [chat_chunk({"content": "The torque is 35"}), gate, *chat_text(f" newton metres.{marker}")[1:]]
    )
    await ask(page, QUESTION)
    last = page.locator(".turn").last
    await expect(last.locator(".answer")).to_contain_text("The torque is 35")
    assert "newton" not in await last.locator(".answer").inner_text()
    assert await last.locator(".chip").count() == 0
    gate.open()
    await expect(last.locator(".answer")).to_contain_text("newton metres.")
    await expect(last.locator(".chip")).to_have_count(1)
    await expect(last.locator('.turn__status[data-state="complete"]')).to_have_count(1)


async def marks(page: Page) -> list[Box]:
    """Return the strong marks as left, top, right, bottom in points, as the browser lays them over the picture."""
    return [
        tuple(box)
        for box in await page.evaluate(
            """() => {
                const svg = document.querySelector('#passage-panel .page-image__overlay');
                const image = document.querySelector('#passage-panel .page-image__picture').getBoundingClientRect();
                const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
                const across = (x) => (x - image.left) / image.width * width;
                const down = (y) => (y - image.top) / image.height * height;
                return [...svg.querySelectorAll('rect.mark:not(.mark--chunk)')].map(rect => {
                    const r = rect.getBoundingClientRect();
                    return [across(r.left), down(r.top), across(r.right), down(r.bottom)];
                });
            }"""
        )
    ]


def assert_over_the_words(boxes: Sequence[Box], pdf: Path, sentence: str) -> None:
    """Compare with PDFium's own boxes: every character of the sentence is covered, and no other."""
    inside, outside = displayed_characters(pdf, sentence)
    assert boxes
    assert [point for point in inside if not covered(point, boxes, SLACK)] == []
    assert [point for point in outside if covered(point, boxes, 0)] == []


def covered(point: Point, boxes: Sequence[Box], slack: float) -> bool:
    x, y = point
    return any(
        left - slack <= x <= right + slack and top - slack <= y <= bottom + slack
        for left, top, right, bottom in boxes
    )


def displayed_characters(pdf: Path, sentence: str) -> tuple[list[Point], list[Point]]:
    """Return the centres of the sentence's characters and of all others, on the page as it is displayed."""
    page = pypdfium2.PdfDocument(pdf)[0]
    text_page = page.get_textpage()
    text = text_page.get_text_range()
    start = text.index(sentence)
    left, bottom, _right, _top = page.get_mediabox()
    inside: list[Point] = []
    outside: list[Point] = []
    for index in range(text_page.count_chars()):
        if text_page.get_text_range(index, 1).isspace():
            continue
        x0, y0, x1, y1 = text_page.get_charbox(index)
        # Turned by 90 degrees clockwise, the page's bottom becomes its left side and its left side its top.
        centre = ((y0 + y1) / 2 - bottom, (x0 + x1) / 2 - left)
        (inside if start <= index < start + len(sentence) else outside).append(centre)
    return inside, outside


async def stranger_sees_nothing(server: WebServer, house: House, citation: Citation) -> None:
    document = await in_thread(Document.objects.get, pk=citation.document_id)
    async with browser_context(server) as context:
        page = await context.new_page()
        await sign_in(page, house.stranger.user.email)
        foreign = await context.request.get(f"/cite/{citation.pk}/")
        random = await context.request.get(f"/cite/{uuid.uuid4()}/")
        assert foreign.status == random.status == 404
        assert without_tokens(await foreign.text()) == without_tokens(await random.text())
        for path in (
            "/",
            "/sources/",
            f"/cite/{citation.pk}/",
            f"/d/{document.pk}/",
            f"/d/{document.pk}/pages/1.png",
        ):
            response = await context.request.get(path)
            assert document.title not in await response.text(), path
            assert "Pump manual" not in await response.text(), path


def without_tokens(html: str) -> str:
    """Leave out what differs on every page: the CSRF token and the address itself."""
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|value=\"[A-Za-z0-9]{64}\"|\"X-CSRFToken\"[^}]*", "", html)


async def test_a_phone_reads_an_answer_and_its_passage(server: WebServer, house: House) -> None:
    await in_thread(add_document, house.open_shelf, "pricing.md", PRICING)
    problems: list[str] = []
    async with browser_context(server, viewport={"width": 390, "height": 844}, has_touch=True) as context:
        page = await context.new_page()
        strict(page, problems)
        await sign_in(page, house.stranger.user.email)
        await ask(page, "When do enterprise customers get budget alerts?")
        await expect(page.locator('.turn__status[data-state="complete"]')).to_have_count(1)
        await page.locator(".chip").first.tap()
        await expect(page.locator("#passage-panel mark").first).to_be_in_viewport()
        width = await page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390
    assert problems == []


async def test_a_long_question_and_an_open_passage_leave_the_composer_in_its_column(
    server: WebServer, house: House
) -> None:
    await in_thread(add_document, house.open_shelf, "pricing.md", PRICING)
    async with browser_context(server, viewport={"width": 1240, "height": 800}) as context:
        page = await context.new_page()
        await sign_in(page, house.stranger.user.email)
        await ask(
            page, "When do enterprise customers get budget alerts, and when does everybody else get theirs?"
        )
        await expect(page.locator('.turn__status[data-state="complete"]')).to_have_count(1)
        await page.locator(".chip").first.click()
        await expect(page.locator("#passage-panel mark").first).to_be_in_viewport()
        panel = await page.locator("#passage-panel").bounding_box()
        for part in (".composer", ".turn"):
            box = await page.locator(part).bounding_box()
            assert panel
            assert box
            assert box["x"] + box["width"] < panel["x"], part


async def test_a_persian_answer_is_laid_out_right_to_left(server: WebServer, house: House) -> None:
    text = "# سیاست قیمت\n\nمشتریان سازمانی در ۸۰٪ و ۱۰۰٪ بودجهٔ ماهانه هشدار مصرف دریافت می‌کنند.\n"
    await in_thread(add_document, house.open_shelf, "قیمت.md", text)
    async with browser_context(server, locale="fa-IR") as context:
        page = await context.new_page()
        await sign_in(page, house.stranger.user.email)
        await ask(page, "مشتریان سازمانی چه زمانی هشدار بودجه می‌گیرند؟")
        await expect(page.locator('.turn__status[data-state="complete"]')).to_have_count(1)
        answer = page.locator(".answer__blocks")
        await expect(answer).to_contain_text("۸۰٪")
        await expect(answer).to_contain_text("۱۰۰٪")
        direction = "getComputedStyle(document.querySelector('.answer__blocks > :last-child')).direction"
        assert await page.evaluate(direction) == "rtl"
        await page.locator(".chip").first.click()
        await expect(page.locator("#passage-panel mark").first).to_be_visible()


async def test_hostile_words_run_nothing_and_load_nothing(
    server: WebServer, house: House, model: ModelServer
) -> None:
    payload = '"><img src=x onerror=window.__x=1><svg/onload=window.__x=1>[a](javascript:window.__x=1)'
    picture = "![s](http://127.0.0.2:9777/p.png?d=secret)"
    await in_thread(
        add_document,
        house.open_shelf,
        f"{payload.replace('/', '')}.md",
        f"# {payload}\n\nThe lamp is blue.\n",
    )
    requests: list[str] = []
    async with browser_context(server) as context:
        page = await context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        await sign_in(page, house.stranger.user.email)
        await ask(page, f"lamp {payload}")
        await expect(page.locator('.turn__status[data-state="complete"]')).to_have_count(1)
        await page.locator(".chip").first.click()
        await expect(page.locator("#passage-panel mark").first).to_be_visible()
        model.script(chat_text(f"{picture} {payload}"))
        await page.locator("#model").select_option("chat-model")
        await ask(page, "again")
        await expect(page.locator('.turn__status[data-state="complete"]')).to_have_count(2)
        await page.reload()
        await page.goto("/sources/")
        assert await page.evaluate("window.__x") is None
    assert [url for url in requests if "9777" in url or "/x" in url] == []
