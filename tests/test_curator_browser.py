"""The curators' pages in a real browser: many files, live states, choosing rows, keyboard, phone, no scripts."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from citeweb.threads import in_thread
from sources.models import Batch, Collection, Document, Version, VersionState
from tests.browser import browser_context, sign_in, strict
from tests.conftest import House
from tests.documents import add_waiting, put
from tests.web_server import WebServer, job_worker

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = "Visitors sign in at the front desk.\n"
PHONE = {"width": 390, "height": 844}


def many_files(folder: Path, count: int) -> list[Path]:
    paths = [folder / f"note {number:02}.md" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_text(f"# Note {number}\n\nThe number of this note is {number}.\n")
    return paths


async def choose(page: Page, title: str) -> None:
    await page.get_by_role("checkbox", name=f"Choose “{title}”").check()


async def test_many_files_travel_in_parts_and_become_ready_one_by_one(
    server: WebServer, house: House, tmp_path: Path
) -> None:
    problems: list[str] = []
    with job_worker():
        async with browser_context(server) as context:
            page = await context.new_page()
            strict(page, problems)
            requests: list[str] = []
            page.on("request", lambda r: requests.append(r.url) if r.url.endswith("/upload/") else None)
            await sign_in(page, house.owner.user.email)
            await page.goto(f"/sources/{house.open_shelf.pk}/")
            await page.locator("input[type=file]").set_input_files(many_files(tmp_path, 30))
            await expect(page.get_by_text("30 files received")).to_be_visible()
            await expect(page.get_by_text("30 ready", exact=True)).to_be_visible(timeout=90_000)
            await expect(page.locator("table.shelf tbody tr", has_text="ready")).to_have_count(30)
            await expect(page.locator("#follow")).to_have_count(0)
    assert len(requests) == 2
    assert await in_thread(Batch.objects.count) == 1
    assert problems == []


async def test_what_is_chosen_stays_chosen_while_states_change(server: WebServer, house: House) -> None:
    problems: list[str] = []
    await in_thread(put, house.open_shelf, "Handbook", TEXT)
    document = await in_thread(put, house.open_shelf, "Policy", TEXT)
    waiting = await in_thread(add_waiting, document)
    async with browser_context(server) as context:
        page = await context.new_page()
        strict(page, problems)
        await sign_in(page, house.owner.user.email)
        await page.goto(f"/sources/{house.open_shelf.pk}/")
        await expect(page.locator(".bulk")).to_be_hidden()
        await choose(page, "Handbook")
        await choose(page, "Policy")
        await expect(page.locator(".bulk")).to_contain_text("2 documents chosen")
        state = page.locator(f"#state-{document.pk}")
        await expect(state).to_contain_text("queued")
        await set_state(waiting, VersionState.EXTRACTING, pages=40, pages_done=7)
        await expect(state).to_contain_text("7 of 40 pages")
        await set_state(waiting, VersionState.READY)
        await expect(state).to_contain_text("ready")
        await expect(page.locator("#follow")).to_have_count(0)
        await expect(page.locator("input[name=document]:checked")).to_have_count(2)
    assert problems == []


async def set_state(version: Version, state: str, **fields: int) -> None:
    await in_thread(Version.objects.filter(pk=version.pk).update, state=state, **fields)


async def test_rows_are_chosen_one_by_one_in_ranges_and_all(server: WebServer, house: House) -> None:
    for number in range(5):
        await in_thread(put, house.open_shelf, f"Document {number}", TEXT)
    async with browser_context(server) as context:
        page = await context.new_page()
        await sign_in(page, house.owner.user.email)
        await page.goto("/sources/")
        boxes = page.locator("input[name=document]")
        await boxes.nth(1).click()
        await boxes.nth(3).click(modifiers=["Shift"])
        await expect(page.locator(".bulk")).to_contain_text("3 documents chosen")
        await page.get_by_role("checkbox", name="Choose all of this page").check()
        await expect(page.locator(".bulk")).to_contain_text("5 documents chosen")
        await page.get_by_role("checkbox", name="Choose all of this page").uncheck()
        await expect(page.locator(".bulk")).to_be_hidden()


async def test_typing_searches_and_keeps_the_cursor_where_it_is(server: WebServer, house: House) -> None:
    problems: list[str] = []
    await in_thread(put, house.open_shelf, "Travel Policy", "Hotels cost at most 140 euro.")
    await in_thread(put, house.open_shelf, "Support SLA", "Tickets are answered within an hour.")
    async with browser_context(server) as context:
        page = await context.new_page()
        strict(page, problems)
        await sign_in(page, house.owner.user.email)
        await page.goto("/sources/")
        search = page.get_by_role("searchbox")
        await search.press_sequentially("hotel")
        await expect(page.locator("table.shelf tbody tr")).to_have_count(1)
        await expect(page.locator("table.shelf")).to_contain_text("Travel Policy")
        await expect(search).to_be_focused()
        await expect(search).to_have_value("hotel")
        assert "q=hotel" in page.url
        await search.fill("")
        await expect(page.locator("table.shelf tbody tr")).to_have_count(2)
        await page.locator("#shelf-state").select_option("failed")
        await expect(page.get_by_text("No document fits")).to_be_visible()
        await page.go_back()
        await expect(page.locator("table.shelf tbody tr")).to_have_count(2)
    assert problems == []


async def test_all_can_be_done_by_keyboard(server: WebServer, house: House) -> None:
    await in_thread(put, house.open_shelf, "Handbook", TEXT)
    async with browser_context(server) as context:
        page = await context.new_page()
        await sign_in(page, house.owner.user.email)
        await page.goto(f"/sources/{house.open_shelf.pk}/")
        await page.locator("#shelf-words").focus()
        await tab_to(page, "Choose “Handbook”")
        await page.keyboard.press("Space")
        await tab_to(page, "Delete")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Delete 1 document?")).to_be_visible()
        await tab_to(page, "Delete")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("1 document was deleted.")).to_be_visible()
    assert await in_thread(Document.objects.filter(deleted_at=None).count) == 0


async def tab_to(page: Page, name: str) -> None:
    """Press Tab until the thing of this name has the focus."""
    for _ in range(60):
        await page.keyboard.press("Tab")
        named = await page.evaluate(
            "(e => e && (e.getAttribute('aria-label') || e.textContent).trim())(document.activeElement)"
        )
        if named == name:
            return
    raise AssertionError(f"Tab never came to {name}")


@pytest.mark.parametrize("scripts", [False, True])
async def test_a_phone_does_it_all_also_without_scripts(
    server: WebServer, house: House, tmp_path: Path, scripts: bool
) -> None:
    path = tmp_path / "handbook.md"
    path.write_text("# Handbook\n\nVisitors sign in.\n")
    async with browser_context(server, viewport=PHONE, java_script_enabled=scripts) as context:
        page = await context.new_page()
        await sign_in_plainly(page, house.owner.user.email)
        await page.goto(f"/sources/{house.open_shelf.pk}/")
        await page.locator("input[type=file]").set_input_files(path)
        if not scripts:
            await page.get_by_role("button", name="Upload").click()
        await expect(page.get_by_text("1 file received")).to_be_visible()
        if scripts:
            assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        await page.get_by_role("checkbox", name="Choose “handbook”").check()
        await page.locator(".bulk").get_by_role("button", name="Move").click()
        await page.get_by_label("Collection").select_option(label="Restricted")
        await page.get_by_role("button", name="Move").click()
        await expect(page.get_by_text("1 document was moved.")).to_be_visible()
        await page.goto(f"/sources/{house.closed_shelf.pk}/access/")
        await page.get_by_label("E-mail address or group").fill("stranger@aurora.example")
        await page.get_by_role("button", name="Grant", exact=True).click()
        await expect(
            page.get_by_role("button", name=re.compile("Take the grant from stranger"))
        ).to_be_visible()
    document = await in_thread(Document.objects.get)
    assert document.collection_id == house.closed_shelf.pk


async def sign_in_plainly(page: Page, email: str) -> None:
    """Sign in without expecting anything of a script."""
    await page.goto("/accounts/login/")
    await page.locator("input[name=login]").fill(email)
    await page.locator("input[type=password]").fill("correct horse battery")
    await page.locator("input[type=password]").press("Enter")
    await page.wait_for_url("**/")


async def test_nothing_in_a_name_runs(server: WebServer, house: House) -> None:
    """B41, for the names of collections, documents and files."""
    hostile = '"><img src=x onerror=window.__x=1><svg/onload=window.__x=1>'
    problems: list[str] = []
    shelf = await in_thread(Collection.objects.create, tenant=house.tenant, name=hostile)
    document = await in_thread(put, shelf, hostile, TEXT)
    await in_thread(Document.objects.filter(pk=document.pk).update, author=hostile, reference=hostile)
    await in_thread(Version.objects.filter(document=document).update, file_name=hostile)
    async with browser_context(server) as context:
        page = await context.new_page()
        strict(page, problems)
        await sign_in(page, house.owner.user.email)
        for address in (
            "/sources/",
            f"/sources/{shelf.pk}/",
            f"/sources/{shelf.pk}/access/",
            f"/d/{document.pk}/details/",
            f"/d/{document.pk}/replace/",
            f"/d/{document.pk}/delete/",
        ):
            await page.goto(address)
            await expect(page.get_by_text("window.__x=1").first).to_be_attached()
            assert await page.evaluate("window.__x === undefined")
    assert problems == []
