"""A real browser for tests: Debian's Chromium, or the one that `make test` found or installed."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import BrowserContext, Page, async_playwright, expect

from tests.conftest import PASSWORD
from tests.web_server import WebServer

# No sandbox as root, no graphics card, and no calls home: nothing but loopback is reachable here.
# A busy machine of two cores is slow, not wrong.
expect.set_options(timeout=20_000)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


def executable() -> str | None:
    """Return the Chromium on the PATH, or None for Playwright's own."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CITEWEB_TEST_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@asynccontextmanager
async def browser_context(server: WebServer, **options: object) -> AsyncIterator[BrowserContext]:
    """Open a fresh browser profile; `options` are Playwright's, such as viewport and locale."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable(), args=ARGUMENTS)
        context = await browser.new_context(base_url=server.url, **options)  # type: ignore[arg-type]  # see there
        try:
            yield context
        finally:
            await context.close()
            await browser.close()


async def sign_in(page: Page, email: str) -> None:
    """Sign in through the form and arrive at the chat."""
    await page.goto("/accounts/login/")
    await page.locator("input[name=login]").fill(email)
    await page.locator("input[type=password]").fill(PASSWORD)
    await page.locator("input[type=password]").press("Enter")
    await expect(page.locator("#question")).to_be_visible()


async def ask(page: Page, question: str) -> None:
    """Send a question by keyboard, once the page's scripts have run: before, Enter only breaks the line."""
    await expect(page.locator("#connection")).to_have_attribute("data-state", "open")
    await page.locator("#question").fill(question)
    await page.locator("#question").press("Enter")


def strict(page: Page, problems: list[str]) -> None:
    """Collect everything that a page should never do: errors, CSP violations, calls to the outside."""
    page.on("pageerror", lambda error: problems.append(f"error: {error}"))
    page.on(
        "console",
        lambda message: problems.append(f"console: {message.text}") if message.type == "error" else None,
    )
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:"))
            else problems.append(f"request: {request.url}")
        ),
    )
