"""The reader in a real browser: marks over the words at any size, many pages, search, keys, hearing, and no script."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Locator, Page, Route, expect

from chat.models import Citation
from citeweb.threads import in_thread
from sources.models import Document, Grant
from tests.browser import browser_context, sign_in, strict
from tests.citing import answered, cite
from tests.conftest import House
from tests.displayed import Box, covered, displayed_characters, near
from tests.files import Page as PdfPage
from tests.files import Words, lines_of, make_pdf, text_page
from tests.sources import add_document
from tests.web_server import WebServer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SENTENCE = "Valve torque is 35 newton metres."
SLACK = 1.0  # points between PDFium's own boxes and ours
CITED = ".mark--cited"

PASSAGE = """The committee found that the
pump must be closed by hand
before the valve is opened and
that nobody may stand beside it."""
BESIDE = """In the year that followed the
prices of copper rose faster
than those of steel, which had
been stable for two decades."""


def turned_pdf() -> bytes:
    """A page turned by 90 degrees whose box doesn't begin at the origin, after an upright one."""
    lines = [
        "Service manual of the pump",
        "The pump is blue and new.",
        SENTENCE,
        "The hose is two metres long.",
    ]
    words = [Words(150, 600 - 30 * row, line) for row, line in enumerate(lines)]
    turned = PdfPage(words, media_box=(100, 50, 712, 842), rotate=90)
    cropped = PdfPage(
        lines_of("A cover page.", x=200), media_box=(0, 0, 800, 900), crop_box=(100, 60, 695, 860)
    )
    return make_pdf([cropped, turned])


def column_pdf() -> bytes:
    """Two columns of four lines each, low on the page."""
    left = lines_of(f"{BESIDE}\n\n{PASSAGE}", x=60, y=400)
    right = lines_of(f"{BESIDE.replace('copper', 'silver')}\n\nAnd so on it went.", x=320, y=400)
    return make_pdf([text_page("The first page."), PdfPage([*left, *right])])


def ledger_pdf(count: int) -> bytes:
    return make_pdf(
        [
            text_page(f"Ledger page {number}.\nThe code of room {number} is K{number}.")
            for number in range(1, count + 1)
        ]
    )


@pytest.fixture
async def context(server: WebServer, house: House) -> AsyncIterator[BrowserContext]:
    """A browser in which the owner is signed in."""
    async with browser_context(server, viewport={"width": 1280, "height": 900}) as context:
        page = await context.new_page()
        await sign_in(page, house.owner.user.email)
        await page.close()
        yield context


@pytest.fixture
async def page(context: BrowserContext) -> AsyncIterator[Page]:
    """A page that must not do anything that the policy forbids."""
    problems: list[str] = []
    page = await context.new_page()
    strict(page, problems)
    yield page
    assert problems == []


async def put(house: House, name: str, content: bytes | str) -> Document:
    return await in_thread(add_document, house.open_shelf, name, content)


async def cited(house: House, document: Document, sentence: str) -> Citation:
    turn = await in_thread(answered, house.owner)
    return await in_thread(cite, turn, document, sentence)


async def boxes(page: Page, number: int, selector: str = CITED) -> list[Box]:
    """Return the marks on a page as left, top, right, bottom in points, as they lie over its picture."""
    return [
        tuple(box)
        for box in await page.locator(f"#page-{number}").evaluate(
            """(figure, selector) => {
                const [, , width, height] = figure.querySelector("svg").getAttribute("viewBox").split(" ").map(Number);
                const image = figure.querySelector("img").getBoundingClientRect();
                const across = (x) => ((x - image.left) / image.width) * width;
                const down = (y) => ((y - image.top) / image.height) * height;
                return [...figure.querySelectorAll(selector)].map((rect) => {
                    const box = rect.getBoundingClientRect();
                    return [across(box.left), down(box.top), across(box.right), down(box.bottom)];
                });
            }""",
            selector,
        )
    ]


def assert_over(marks: Sequence[Box], pdf: Path, words: str, number: int) -> None:
    inside, outside = displayed_characters(pdf, words, number)
    assert marks
    assert all(covered(inside, marks, SLACK))
    assert not any(covered(outside, marks))


async def drawn_scale(page: Page, number: int) -> int:
    """Wait for the picture of a page and return how many pixels a point it was drawn with."""
    picture = page.locator(f"#page-{number} img")
    await picture.evaluate("(image) => image.decode()")
    address: str = await picture.evaluate("(image) => image.currentSrc")
    return int(address.rpartition("scale=")[2])


async def shown_width(page: Page, number: int) -> float:
    width: float = await page.locator(f"#page-{number} img").evaluate(
        "(image) => image.getBoundingClientRect().width"
    )
    return width


async def in_pane(place: Locator) -> bool:
    """Tell whether one sees where a place begins."""
    inside: bool = await place.evaluate(
        """(element) => {
            const box = element.getBoundingClientRect();
            const pane = element.closest(".reader__pane").getBoundingClientRect();
            const beside = box.right < pane.left || box.left > pane.right;
            return box.top >= pane.top && box.top < pane.bottom && !beside;
        }"""
    )
    return inside


# --- Marks over the words -------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "zooms"), [(1280, (0, 50, 125, 300)), (800, (0, 200)), (390, (0, 100))])
async def test_marks_lie_over_the_words_of_a_turned_page_at_any_size(
    house: House, page: Page, tmp_path: Path, width: int, zooms: Sequence[int]
) -> None:
    pdf = tmp_path / "turned.pdf"
    pdf.write_bytes(turned_pdf())
    document = await put(house, "turned.pdf", pdf.read_bytes())
    citation = await cited(house, document, SENTENCE)
    await page.set_viewport_size({"width": width, "height": 800})
    for zoom in zooms:
        await page.goto(f"/cite/{citation.pk}/?zoom={zoom or ''}")
        await expect(page.locator(".reader--live")).to_be_visible()
        assert_over(await boxes(page, 2), pdf, SENTENCE, 2)
        assert await in_pane(page.locator(CITED).first)
        # The page is 792 points wide as displayed; zoom is of 96 pixels an inch.
        shown = await shown_width(page, 2)
        assert not zoom or near(shown, 792 * 96 / 72 * zoom / 100, by=1)
        assert await drawn_scale(page, 2) * 792 >= shown - 1


async def test_marks_stay_on_the_words_while_the_size_changes(
    house: House, page: Page, tmp_path: Path
) -> None:
    pdf = tmp_path / "turned.pdf"
    pdf.write_bytes(turned_pdf())
    document = await put(house, "turned.pdf", pdf.read_bytes())
    citation = await cited(house, document, SENTENCE)
    await page.goto(f"/cite/{citation.pk}/")
    shown = page.locator("[data-zoom-shown]")
    await expect(page.locator(".reader--live")).to_be_visible()
    at_first = await shown_width(page, 2)
    sizes = []
    for control in ("Larger", "Larger", "Printed size", "Smaller", "Fit the width"):
        await page.get_by_role("link", name=control).click()
        assert_over(await boxes(page, 2), pdf, SENTENCE, 2)
        assert await in_pane(page.locator(CITED).first), control
        sizes.append(await shown.inner_text())
    assert sizes[2:4] == ["100", "75"]
    assert near(await shown_width(page, 2), at_first, by=1)
    for width in (700, 1600):
        await page.set_viewport_size({"width": width, "height": 800})
        assert_over(await boxes(page, 2), pdf, SENTENCE, 2)
        await expect(page.locator(CITED).first).to_be_in_viewport()


async def test_a_sharp_screen_gets_a_larger_picture(server: WebServer, house: House) -> None:
    document = await put(house, "one.pdf", make_pdf([text_page("One page.")]))
    scales = {}
    for ratio in (1, 2):
        async with browser_context(
            server, viewport={"width": 1280, "height": 900}, device_scale_factor=ratio
        ) as context:
            page = await context.new_page()
            await sign_in(page, house.owner.user.email)
            await page.goto(f"/d/{document.pk}/?zoom=100")
            await expect(page.locator(".reader--live")).to_be_visible()
            scales[ratio] = await drawn_scale(page, 1)
    # A page of 595 points is 793 pixels wide: 595 would be too few, and at two pixels each also 1190.
    assert scales == {1: 2, 2: 3}


async def test_a_passage_of_several_lines_in_a_column_is_one_passage(
    house: House, page: Page, tmp_path: Path
) -> None:
    pdf = tmp_path / "columns.pdf"
    pdf.write_bytes(column_pdf())
    document = await put(house, "columns.pdf", pdf.read_bytes())
    citation = await cited(house, document, PASSAGE)
    await page.set_viewport_size({"width": 1280, "height": 700})
    await page.goto(f"/cite/{citation.pk}/")
    await expect(page.locator(".reader--live")).to_be_visible()
    marks = await boxes(page, 2)
    assert len(marks) == 4
    assert_over(marks, pdf, PASSAGE, 2)
    assert await in_pane(page.locator(CITED).first)
    aloud = page.locator("#page-2 .aloud")
    await expect(aloud).to_match_aria_snapshot(f'- mark: "Cited passage: {" ".join(PASSAGE.split())}"')
    # What is read aloud runs down one column, then down the other.
    words = " ".join((await aloud.text_content() or "").split())
    assert words.index("decades. Cited passage: The committee") < words.index("silver")


# --- Many pages -------------------------------------------------------------------------------------------


async def test_of_many_pages_only_those_near_are_there(house: House, page: Page) -> None:
    document = await put(house, "ledger.pdf", ledger_pdf(300))
    await page.goto(f"/d/{document.pk}/")
    await expect(page.locator(".reader--live")).to_be_visible()
    pane = page.locator("#reader-pane")
    full = await pane.evaluate("(pane) => pane.scrollHeight")
    await pane.evaluate("(pane) => { pane.scrollTop = pane.scrollHeight * 0.5; }")
    await expect(page.locator("#page-151 img")).to_be_attached()
    assert int(await page.locator("[data-page-input]").input_value()) in (150, 151)
    await pane.evaluate("(pane) => { pane.scrollTop = pane.scrollHeight; }")
    await expect(page.locator("#page-300")).to_be_in_viewport()
    for _ in range(30):
        await pane.evaluate("(pane) => { pane.scrollTop -= 900; }")
        assert await page.locator(".sheet").count() <= 15
    assert await pane.evaluate("(pane) => pane.scrollHeight") == full


async def test_a_page_number_leads_to_its_page_and_the_address_follows(house: House, page: Page) -> None:
    document = await put(house, "ledger.pdf", ledger_pdf(60))
    await page.goto(f"/d/{document.pk}/")
    await expect(page.locator(".reader--live")).to_be_visible()
    number = page.get_by_label("Go to page")
    await number.fill("57")
    await number.press("Enter")
    await expect(page.locator("#page-57")).to_be_in_viewport()
    await expect(page).to_have_url(f"/d/{document.pk}/?page=57")
    await page.reload()
    await expect(page.locator("#page-57")).to_be_in_viewport()


async def test_the_strip_leads_to_pages_and_holds_only_some(house: House, page: Page) -> None:
    document = await put(house, "ledger.pdf", ledger_pdf(300))
    citation = await cited(house, document, "The code of room 250 is K250.")
    await page.goto(f"/cite/{citation.pk}/")
    await page.get_by_role("link", name="Show the page strip").click()
    strip = page.get_by_role("navigation", name="Page strip")
    await expect(strip.locator("[aria-current]")).to_have_text("Page 250, cited")
    await strip.evaluate("(strip) => { strip.scrollTop = 0; }")
    await strip.get_by_role("link", name="Page 3", exact=True).click()
    await expect(page.locator("#page-3")).to_be_in_viewport()
    await expect(strip.locator("[aria-current]")).to_have_text("Page 3")
    assert await strip.locator("li").count() <= 40


# --- Searching ----------------------------------------------------------------------------------------------


async def test_a_search_marks_its_hits_over_the_words_and_goes_from_one_to_the_next(
    house: House, page: Page, tmp_path: Path
) -> None:
    pdf = tmp_path / "ledger.pdf"
    pdf.write_bytes(ledger_pdf(40))
    document = await put(house, "ledger.pdf", pdf.read_bytes())
    await page.goto(f"/d/{document.pk}/")
    await page.get_by_role("searchbox").fill("ROOM 2")
    await page.get_by_role("searchbox").press("Enter")
    found = page.get_by_role("region", name="Found in this document")
    await expect(found.get_by_role("status")).to_have_text("1 of 11")
    assert_over(await boxes(page, 2, ".mark--hit"), pdf, "room 2", 2)
    await page.get_by_role("searchbox").press("Enter")
    await expect(found.get_by_role("status")).to_have_text("2 of 11")
    await expect(page.locator("#page-20 .hit--current")).to_be_in_viewport()
    await page.get_by_role("link", name="Previous place").click()
    await page.get_by_role("link", name="Previous place").click()
    await expect(found.get_by_role("status")).to_have_text("11 of 11")
    await expect(page.locator("#page-29 .hit--current")).to_be_in_viewport()
    await found.get_by_role("link", name=re.compile("^page 24")).click()
    await expect(page.locator("#page-24 .hit--current")).to_be_in_viewport()
    assert await page.locator(".reader__pane .hit--current").count() == 1


async def test_a_search_in_lines_finds_every_writing_of_a_word(house: House, page: Page) -> None:
    text = "\n".join(["سطر"] * 600 + ["كتاب‌هاي خانه"] + ["سطر"] * 600)
    document = await put(house, "lines.md", text)
    await page.goto(f"/d/{document.pk}/")
    await page.get_by_role("searchbox").fill("کتابهای خانه")
    await page.get_by_role("searchbox").press("Enter")
    await expect(page.locator(".reader__pane mark.hit--current")).to_have_text("كتاب‌هاي خانه")
    assert await in_pane(page.locator(".reader__pane mark.hit--current"))
    await expect(page.locator(".line__text").first).to_have_css("direction", "rtl")


async def test_more_lines_come_as_one_reads_on(house: House, page: Page) -> None:
    document = await put(house, "lines.md", "\n\n".join(f"Paragraph {number}." for number in range(1, 2001)))
    await page.goto(f"/d/{document.pk}/?line=2001")
    pane = page.locator("#reader-pane")
    await expect(page.locator("#L2001")).to_be_in_viewport()
    assert await page.locator(".line").count() == 400
    await pane.evaluate("(pane) => { pane.scrollTop = pane.scrollHeight; }")
    await expect(page.locator("#L2500")).to_be_attached()
    await page.locator("#L2001").evaluate("(line) => line.scrollIntoView()")
    await pane.evaluate("(pane) => { pane.scrollTop = 0; }")
    await expect(page.locator("#L1900")).to_be_attached()
    # What one reads stays where it was.
    await expect(page.locator("#L1981")).to_be_in_viewport()


# --- From citation to citation, and out -----------------------------------------------------------------


async def conversation(house: House, document: Document, sentences: Sequence[str]) -> str:
    """Store an answer with a citation after each of its sentences; return the address of its conversation."""

    def store() -> str:
        turn = answered(house.owner)
        turn.text = "".join(f"Claim {number}. " for number, _ in enumerate(sentences, 1))
        turn.save()
        for number, sentence in enumerate(sentences, 1):
            cite(turn, document, sentence, position=number * 9, position_utf16=number * 9)
        return f"/c/{turn.conversation_id}/"

    return await in_thread(store)


async def test_keys_lead_from_citation_to_citation_and_back_to_the_chip(house: House, page: Page) -> None:
    document = await put(house, "ledger.pdf", ledger_pdf(20))
    rooms = (3, 11, 19)
    address = await conversation(house, document, [f"The code of room {room} is K{room}." for room in rooms])
    await page.goto(address)
    await page.locator(".chip").first.click()
    panel = page.locator("#passage-panel")
    await expect(panel).to_contain_text("Citation 1 of 3")
    await expect(panel.locator("#page-3 .mark--cited")).to_be_in_viewport()
    await page.keyboard.press("n")
    await expect(panel).to_contain_text("Citation 2 of 3")
    await expect(panel.locator("#page-11 .mark--cited")).to_be_in_viewport()
    await expect(page.locator(".chip").nth(1)).to_have_attribute("aria-pressed", "true")
    await page.keyboard.press("n")
    await expect(panel).to_contain_text("Citation 3 of 3")
    await page.keyboard.press("p")
    await expect(panel).to_contain_text("Citation 2 of 3")
    await page.keyboard.press("Escape")
    await expect(page.locator("#passage")).to_be_hidden()
    await expect(page.locator(".chip").nth(1)).to_be_focused()


async def test_what_one_types_is_no_key(house: House, page: Page) -> None:
    document = await put(house, "ledger.pdf", ledger_pdf(4))
    sentences = [f"The code of room {room} is K{room}." for room in (1, 2)]
    await page.goto(await conversation(house, document, sentences))
    await page.locator(".chip").first.click()
    await expect(page.locator("#passage-panel")).to_contain_text("Citation 1 of 2")
    await page.locator("#question").press_sequentially("nn")
    await page.locator("#passage-panel").get_by_role("searchbox").press_sequentially("n")
    await expect(page.locator("#question")).to_have_value("nn")
    await expect(page.locator("#passage-panel")).to_contain_text("Citation 1 of 2")


async def test_who_writes_while_a_passage_comes_goes_on_writing(house: House, page: Page) -> None:
    document = await put(house, "ledger.pdf", ledger_pdf(4))
    await page.goto(await conversation(house, document, ["The code of room 1 is K1."]))
    held = asyncio.Event()

    async def hold(route: Route) -> None:
        await held.wait()
        await route.continue_()

    await page.route("**/cite/**", hold)
    await page.locator(".chip").first.click()
    await page.locator("#question").press_sequentially("n")
    held.set()
    await expect(page.locator("#passage-panel")).to_contain_text("K1")
    await page.keyboard.type("ext")
    await expect(page.locator("#question")).to_have_value("next")


async def test_a_link_to_the_place_is_copied_and_works_for_another_reader(
    server: WebServer, house: House, context: BrowserContext, page: Page
) -> None:
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    document = await put(house, "ledger.pdf", ledger_pdf(20))
    sentence = "The code of room 11 is K11."
    await page.goto(await conversation(house, document, [sentence]))
    await page.locator(".chip").first.click()
    await page.get_by_role("link", name="Copy a link to this place").click()
    await expect(page.locator("#announcer")).to_have_text("Link copied")
    link = await page.evaluate("navigator.clipboard.readText()")
    async with browser_context(server) as other:
        theirs = await other.new_page()
        await sign_in(theirs, house.stranger.user.email)
        await theirs.goto(link)
        await expect(theirs.locator("#page-11 .mark--cited")).to_be_in_viewport()


async def test_words_of_a_picture_can_be_selected_and_copied(house: House, page: Page) -> None:
    document = await put(
        house, "one.pdf", make_pdf([text_page("The valve is closed by hand.\nNobody stands near.")])
    )
    await page.goto(f"/d/{document.pk}/")
    await expect(page.locator(".reader--live")).to_be_visible()
    first, second = [await line.bounding_box() for line in await page.locator(".text-layer__line").all()]
    assert first is not None
    assert second is not None
    await page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    await page.mouse.down()
    await page.mouse.move(second["x"] + second["width"] - 1, second["y"] + second["height"] / 2, steps=5)
    await page.mouse.up()
    selected = await page.evaluate("String(getSelection())")
    assert " ".join(selected.split()) == "The valve is closed by hand. Nobody stands near."


# --- What may go wrong ----------------------------------------------------------------------------------


HOSTILE = {
    "drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg" onload="window.__pwn=1"><script>window.__pwn=2</script>'
    "<text>Crane load is 4 tonnes.</text></svg>",
    "page.html": "<html><body><p>Mooring fee is 61 euro.</p><script>window.__pwn=3</script></body></html>",
}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("drawing.svg", "Crane load is 4 tonnes."), ("page.html", "Mooring fee is 61 euro.")],
)
async def test_a_file_with_a_script_runs_nothing_anywhere(
    house: House, context: BrowserContext, page: Page, name: str, sentence: str
) -> None:
    document = await put(house, name, HOSTILE[name])
    await page.goto(await conversation(house, document, [sentence]))
    await page.locator(".chip").first.click()
    await expect(page.locator("#passage-panel mark.cited")).to_have_text(sentence)
    assert await page.evaluate("window.__pwn") is None
    raw = await context.new_page()
    await raw.goto(f"/d/{document.pk}/")
    assert await raw.evaluate("window.__pwn") is None
    original = f"/d/{document.pk}/original"
    async with raw.expect_download() as download:
        await raw.evaluate("(address) => { location = address; }", original)
    assert (await download.value).suggested_filename == name
    assert await raw.evaluate("window.__pwn") is None
    headers = (await context.request.get(original)).headers
    assert headers["content-type"] == "application/octet-stream"
    assert headers["content-disposition"].startswith("attachment")
    assert headers["x-content-type-options"] == "nosniff"
    assert "script-src 'self'" in headers["content-security-policy"]


async def test_a_page_that_can_not_be_drawn_says_so_and_can_still_be_read(
    house: House, context: BrowserContext
) -> None:
    document = await put(house, "one.pdf", make_pdf([text_page("The valve is closed by hand.")]))
    version = await in_thread(lambda: document.current_version)
    assert version is not None
    await in_thread(Path(version.file.path).write_bytes, b"%PDF-1.7 no more")
    page = await context.new_page()
    await page.goto(f"/d/{document.pk}/")
    await expect(page.get_by_text("This page can't be drawn.")).to_be_visible()
    await expect(page.locator("#page-1 .aloud")).to_contain_text("The valve is closed by hand.")


async def test_who_loses_the_right_gets_no_further_page(house: House, context: BrowserContext) -> None:
    document = await in_thread(add_document, house.closed_shelf, "ledger.pdf", ledger_pdf(60))
    page = await context.new_page()
    await page.goto(f"/d/{document.pk}/")
    await expect(page.locator(".reader--live")).to_be_visible()
    await in_thread(Grant.objects.filter(user=house.owner.user).delete)
    await page.locator("#reader-pane").evaluate("(pane) => { pane.scrollTop = pane.scrollHeight; }")
    await expect(page.get_by_text("This part can't be shown.")).to_be_attached()
    assert await page.locator("#page-60").count() == 0


# --- Without a script -----------------------------------------------------------------------------------


async def test_without_scripts_every_control_is_a_page(server: WebServer, house: House) -> None:
    document = await put(house, "ledger.pdf", ledger_pdf(30))
    turn = await in_thread(answered, house.owner)
    for room in (5, 17):
        await in_thread(cite, turn, document, f"The code of room {room} is K{room}.")
    first = await in_thread(Citation.objects.get, turn=turn, ordinal=1)
    async with browser_context(server, java_script_enabled=False) as context:
        page = await context.new_page()
        await page.goto("/accounts/login/")
        await page.locator("input[name=login]").fill(house.owner.user.email)
        await page.locator("input[type=password]").fill("correct horse battery")
        await page.locator("input[type=password]").press("Enter")
        await page.goto(f"/cite/{first.pk}/")
        await expect(page.locator("#page-5 .mark--cited")).to_be_in_viewport()
        await page.get_by_role("link", name="Next").click()
        await expect(page.locator("#page-17 .mark--cited")).to_be_in_viewport()
        await expect(page.get_by_text("Citation 2 of 2")).to_be_visible()
        await page.get_by_role("link", name="Larger").click()
        assert "zoom=125" in page.url
        await page.get_by_role("link", name="Text", exact=True).click()
        await expect(page.locator("mark.cited")).to_have_text("The code of room 17 is K17.")
        await page.get_by_role("searchbox").fill("room 29")
        await page.get_by_role("searchbox").press("Enter")
        await expect(page.locator(".reader__pane mark.hit--current")).to_have_text("room 29")
        await page.get_by_role("link", name="Pages", exact=True).click()
        await page.get_by_label("Go to page").fill("12")
        await page.get_by_label("Go to page").press("Enter")
        await expect(page.locator("#page-12")).to_be_attached()
        await page.get_by_role("link", name="Forward").first.click()
        await expect(page.locator("#page-15")).to_be_attached()
        await page.get_by_role("link", name="Show the page strip").click()
        await page.get_by_role("link", name="Page 20", exact=True).click()
        await expect(page.locator("#page-20")).to_be_attached()
