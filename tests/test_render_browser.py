"""What only a browser can tell: a chip stays with its word, and Persian runs from the right."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page, async_playwright

from chat.core.render import render_markdown
from tests.browser import ARGUMENTS, executable
from tests.render_reading import marked

pytestmark = pytest.mark.browser

STYLE = "<style>body {margin: 0} .chips {white-space: nowrap} .chip {padding: 0 4px}</style>"
PARTED = """() => [...document.querySelectorAll('.chips')].filter(group => {
  let before = group.previousSibling;
  while (before.nodeType === Node.ELEMENT_NODE) before = before.lastChild;
  const range = document.createRange();
  range.setStart(before, before.length - 1);
  range.setEnd(before, before.length);
  const word = range.getClientRects()[0], chip = group.lastChild.getBoundingClientRect();
  return Math.abs(word.bottom - chip.bottom) > 10;
}).length"""


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable(), args=ARGUMENTS)
        yield await browser.new_page()
        await browser.close()


async def show(page: Page, source: str) -> None:
    await page.set_content(STYLE + "".join(render_markdown(*marked(source))))


async def test_no_line_breaks_between_a_word_and_its_chip(page: Page) -> None:
    await show(
        page, "".join(f"word{'x' * (turn % 9)}.¤ **bold{'x' * (turn % 7)}.**¤¤ " for turn in range(60))
    )
    for width in range(180, 480, 17):
        await page.set_viewport_size({"width": width, "height": 600})
        assert await page.evaluate(PARTED) == 0, width


@pytest.mark.parametrize(
    ("source", "selector", "expected"),
    [
        ("متن فارسی ۱۲.¤", "p", "rtl"),
        ("VPN شرکت برای همه است.", "p", "rtl"),
        ("Plain English.", "p", "ltr"),
        ("- VPN¤\n- مورد فارسی است", "ul", "rtl"),
        ("- مورد فارسی\n- Only English.", "li:last-child", "ltr"),
        ("| نام | مقدار |\n|---|---|\n| VPN شرکت | -5 |", "table", "rtl"),
        ("| نام | مقدار |\n|---|---|\n| VPN شرکت | -5 |", "td:last-child", "ltr"),
        ("متن `code(1)-2` است", "code", "ltr"),
        ("متن\n\n```\nx\n```", "pre", "ltr"),
    ],
)
async def test_direction(page: Page, source: str, selector: str, expected: str) -> None:
    await show(page, source)
    direction = await page.locator(selector).evaluate("element => getComputedStyle(element).direction")
    assert direction == expected
