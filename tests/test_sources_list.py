"""The sources page: collections, and the list of documents with its search, states, order and pages."""

import re
import uuid
from datetime import datetime, timedelta
from urllib.parse import quote_plus

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from citeweb.accounts.models import Role
from citeweb.accounts.tenancy import Place
from sources.core.extract.types import FailureReason
from sources.core.keyset import Cursor
from sources.document_list import ROWS
from sources.models import Collection, Document, Grant, Version, VersionState
from tests.browsing import as_, page_of
from tests.conftest import House, join, make_user
from tests.documents import add_version, add_waiting, put
from tests.page_reading import Page, read

pytestmark = pytest.mark.django_db

TITLE = "Salary Bands"
TEXT = "The bonus is 4,350 euro.\n"


@pytest.fixture
def document(house: House) -> Document:
    """A document on the restricted shelf."""
    return put(house.closed_shelf, TITLE, TEXT)


def titles(place: Place, address: str) -> list[str]:
    """The titles of the documents that a page lists, in order."""
    body = as_(place).get(address).content.decode()
    return re.findall(r'<a href="/d/[^"]+"><bdi>([^<]*)</bdi></a><div class="small muted">', body)


def put_in_state(shelf: Collection, title: str, state: str, failure: str = "") -> Version:
    version = put(shelf, title, TEXT).current_version
    assert version is not None
    Version.objects.filter(pk=version.pk).update(state=state, failure=failure)
    return version


def set_uploaded(*dated: tuple[Document, datetime]) -> None:
    for document, moment in dated:
        Document.objects.filter(pk=document.pk).update(created_at=moment)


# --- What is listed -----------------------------------------------------------------------------------


def test_it_works(house: House, document: Document) -> None:
    page = page_of(house.owner, "/sources/")
    assert f"/d/{document.pk}/" in page.values_of("href")
    assert {TITLE, "Open", "Restricted", "ready"} <= set(page.texts)


def test_a_reader_sees_only_collections_and_titles_that_they_may_read(
    house: House, neighbour: House, document: Document
) -> None:
    assert TITLE in page_of(house.granted, "/sources/").texts
    for place in (house.stranger, house.auditor, neighbour.owner):
        page = as_(place).get("/sources/").content.decode()
        assert TITLE not in page
        assert str(house.closed_shelf.pk) not in page


def test_counts_of_what_one_may_not_read_do_not_show(house: House, document: Document) -> None:
    put(house.open_shelf, "Open document", TEXT)
    page = page_of(house.stranger, "/sources/")
    assert [text for text in page.texts if re.match(r"\d+ document", text)] == ["1 document"]


def test_an_administrator_sees_by_name_what_they_only_manage(house: House, document: Document) -> None:
    admin = join(make_user("admin@aurora.example"), house.tenant, Role.ADMIN)
    page = page_of(admin, "/sources/")
    assert f"/sources/{house.closed_shelf.pk}/access/" in page.values_of("href")
    assert f"/sources/{house.closed_shelf.pk}/" not in page.values_of("href")
    assert "you manage who reads it" in page.texts
    assert TITLE not in page.texts


def test_a_collection_that_one_may_not_read_is_the_same_as_none(house: House, neighbour: House) -> None:
    for place in (house.stranger, neighbour.owner):
        forbidden = as_(place).get(f"/sources/{house.closed_shelf.pk}/")
        absent = as_(place).get(f"/sources/{uuid.uuid4()}/")
        assert (forbidden.status_code, forbidden.content) == (404, absent.content)


def test_only_what_a_reader_can_do_is_offered(house: House, document: Document) -> None:
    reading = page_of(house.granted, f"/sources/{house.closed_shelf.pk}/")
    assert ("document", str(document.pk)) not in reading.fields()
    assert f"/sources/{house.closed_shelf.pk}/access/" not in reading.values_of("href")
    assert reading.values_of("value").count("delete") == 0
    curating = page_of(house.owner, f"/sources/{house.closed_shelf.pk}/")
    assert ("document", str(document.pk)) in curating.fields()
    assert f"/sources/{house.closed_shelf.pk}/access/" in curating.values_of("href")


def test_a_curator_without_the_grant_is_offered_nothing_of_a_restricted_collection(
    house: House, document: Document
) -> None:
    curator = join(make_user("curator@aurora.example"), house.tenant, Role.CURATOR)
    page = as_(curator).get("/sources/").content.decode()
    assert TITLE not in page
    assert str(house.closed_shelf.pk) not in page


HOSTILE = '"><img src=x onerror=window.__x=1>\u202egnp.exe'


def test_hostile_names_titles_and_authors_are_shown_as_text(house: House) -> None:
    shelf = Collection.objects.create(tenant=house.tenant, name=HOSTILE)
    document = put(shelf, HOSTILE, TEXT)
    Document.objects.filter(pk=document.pk).update(author=HOSTILE, year=HOSTILE)
    Version.objects.filter(document=document).update(file_name=HOSTILE)
    for address in ("/sources/", f"/sources/{shelf.pk}/", f"/sources/{shelf.pk}/access/"):
        body = as_(house.owner).get(address).content.decode()
        page = read_strictly(body)
        assert any("window.__x=1" in text for text in page.texts)
        assert "\u202e" not in body


def read_strictly(body: str) -> Page:
    page = read(body)
    assert page.values_of("onerror") == []
    assert {element.tag for element in page.elements}.isdisjoint({"img", "iframe"})
    return page


def test_the_list_takes_few_queries_however_long_it_is(
    house: House, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = as_(house.owner)
    for number in range(20):
        put(house.open_shelf, f"Document {number}", TEXT)
    with django_assert_max_num_queries(30):
        client.get("/sources/")


# --- Pages --------------------------------------------------------------------------------------------


def _many(house: House, count: int) -> list[str]:
    start = timezone.now() - timedelta(days=1)
    documents = [put(house.open_shelf, f"Document {number:03}", TEXT) for number in range(count)]
    # Three share each moment, so that the id must part them.
    set_uploaded(*((one, start + timedelta(seconds=n // 3)) for n, one in enumerate(documents)))
    return [one.title for one in documents]


def _walk(place: Place, address: str, word: str) -> list[tuple[str, list[str]]]:
    """Follow the links called Forward or Back and return each page's address and what it lists."""
    pages = []
    while address:
        pages.append((address, titles(place, address)))
        body = as_(place).get(address).content.decode()
        link = re.search(rf'href="([^"]*{word}=[^"]*)"', body)
        address = "/sources/" + link[1].replace("&amp;", "&") if link else ""
    return pages


@pytest.mark.parametrize("order", ["newest", "oldest", "title"])
def test_a_long_list_is_read_page_by_page_in_both_directions(
    house: House, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    monkeypatch.setattr("sources.document_list.ROWS", 10)
    names = _many(house, 25)
    forward = _walk(house.stranger, f"/sources/?order={order}", "after")
    assert [len(listed) for _address, listed in forward] == [10, 10, 5]
    seen = [title for _address, listed in forward for title in listed]
    assert sorted(seen) == names
    if order == "title":
        assert seen == names
    backward = _walk(house.stranger, forward[-1][0], "before")
    assert [listed for _address, listed in backward] == [listed for _address, listed in forward][::-1]


def test_a_document_that_comes_meanwhile_moves_no_other_to_another_page(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sources.document_list.ROWS", 3)
    for number in range(6):
        put(house.open_shelf, f"Document {number}", TEXT)
    first = page_of(house.stranger, "/sources/")
    (after,) = [href for href in first.values_of("href") if "after=" in href]
    put(house.open_shelf, "New", TEXT)
    assert titles(house.stranger, f"/sources/{after}") == ["Document 2", "Document 1", "Document 0"]


@pytest.mark.parametrize(
    "cursor", ["x", "W10", Cursor("no time", "no id").encoded(), Cursor("\0", "\0").encoded(), "9" * 3000]
)
def test_a_cursor_that_is_none_leads_to_the_beginning(house: House, document: Document, cursor: str) -> None:
    for name in ("after", "before"):
        assert TITLE in page_of(house.owner, f"/sources/?{name}={cursor}").texts


def test_a_page_that_is_empty_by_now_is_the_first_one(house: House, document: Document) -> None:
    behind = Cursor("2000-01-01T00:00:00+00:00", str(uuid.uuid4())).encoded()
    assert TITLE in page_of(house.owner, f"/sources/?after={behind}").texts


def test_more_than_a_page_is_counted(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ROWS >= 50
    monkeypatch.setattr("sources.document_list.ROWS", 2)
    for number in range(5):
        put(house.open_shelf, f"Document {number}", TEXT)
    assert "5 documents" in page_of(house.stranger, f"/sources/{house.open_shelf.pk}/").texts


# --- Search -------------------------------------------------------------------------------------------


@pytest.fixture
def library(house: House) -> None:
    travel = put(house.open_shelf, "Travel Policy", "Hotels cost at most 140 euro a night.")
    Document.objects.filter(pk=travel.pk).update(author="Anna Berg", reference="HR-7", year="2026")
    put(house.open_shelf, "Support SLA", "Urgent tickets are answered within an hour.")
    put(house.closed_shelf, "Payroll", "The director sleeps in hotels too.")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("travel", ["Travel Policy"]),
        ("TRAVEL pol", ["Travel Policy"]),
        ("anna", ["Travel Policy"]),
        ("HR-7", ["Travel Policy"]),
        ("travel 2026", ["Travel Policy"]),
        ("Support SLA.txt", ["Support SLA"]),
        ("tickets", ["Support SLA"]),
        ("ticket", ["Support SLA"]),
        ("urgent tick", ["Support SLA"]),
        ("hotels", ["Travel Policy"]),
        ("urgent hotels", []),
        ("director", []),
        ("Payroll", []),
        ("100%", []),
        ("'", []),
        ("\\", []),
        ("\x00", ["Support SLA", "Travel Policy"]),
    ],
)
def test_titles_authors_file_names_and_texts_are_searched(
    house: House, library: None, words: str, found: list[str]
) -> None:
    address = f"/sources/?q={quote_plus(words)}"
    assert titles(house.stranger, address) == found


def test_nothing_is_found_in_an_earlier_version(house: House) -> None:
    add_version(put(house.open_shelf, "Policy", "About llamas."), "About alpacas.")
    assert titles(house.stranger, "/sources/?q=alpacas") == ["Policy"]
    assert titles(house.stranger, "/sources/?q=llamas") == []


# --- States -------------------------------------------------------------------------------------------


@pytest.fixture
def states(house: House) -> None:
    put(house.open_shelf, "Good", TEXT)
    put_in_state(house.open_shelf, "Waiting", VersionState.QUEUED)
    put_in_state(house.open_shelf, "Half read", VersionState.INDEXING)
    put_in_state(house.open_shelf, "Broken", VersionState.FAILED, FailureReason.CORRUPT)
    put_in_state(house.open_shelf, "Stopped", VersionState.FAILED, FailureReason.CANCELLED)
    put_in_state(house.open_shelf, "Asked about", VersionState.HELD)
    mended = put_in_state(house.open_shelf, "Mended", VersionState.FAILED, FailureReason.CORRUPT)
    add_version(mended.document, TEXT)


@pytest.mark.parametrize(
    ("state", "found"),
    [
        ("ready", {"Good", "Mended"}),
        ("working", {"Waiting", "Half read"}),
        ("failed", {"Broken"}),
        ("cancelled", {"Stopped"}),
        ("held", {"Asked about"}),
        ("nonsense", {"Good", "Mended", "Waiting", "Half read", "Broken", "Stopped", "Asked about"}),
    ],
)
def test_the_newest_upload_decides_the_state(house: House, states: None, state: str, found: set[str]) -> None:
    assert set(titles(house.stranger, f"/sources/?state={state}")) == found


def test_a_curator_sees_at_a_glance_what_needs_a_hand(house: House, states: None) -> None:
    page = page_of(house.owner, f"/sources/{house.open_shelf.pk}/")
    assert {"2 files are being read", "1 failed", "1 to decide"} <= set(page.texts)
    other = page_of(house.owner, f"/sources/{house.closed_shelf.pk}/")
    assert "hidden" in other.by_id("standing").attributes


def test_a_search_keeps_its_state_and_order_from_page_to_page(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sources.document_list.ROWS", 1)
    put(house.open_shelf, "Travel A", TEXT)
    put(house.open_shelf, "Travel B", TEXT)
    page = page_of(house.stranger, "/sources/?q=travel&state=ready&order=title")
    (after,) = [href for href in page.values_of("href") if "after=" in href]
    assert after.startswith("?q=travel&state=ready&order=title&after=")
    assert titles(house.stranger, f"/sources/{after}") == ["Travel B"]


# --- What changes by itself ---------------------------------------------------------------------------

HTMX = {"HX-Request": "true"}


def test_rows_that_are_in_work_are_asked_about_until_all_is_read(house: House) -> None:
    waiting = put_in_state(house.open_shelf, "Waiting", VersionState.EXTRACTING)
    Version.objects.filter(pk=waiting.pk).update(pages=30, pages_done=12)
    put(house.open_shelf, "Good", TEXT)
    address = f"/sources/{house.open_shelf.pk}/"
    page = page_of(house.owner, address)
    follow = page.by_id("follow").attributes
    assert follow["href"] == address
    assert follow["hx-trigger"] == "every 2s"
    assert f"d={waiting.document_id}" in follow["hx-get"]
    part = read(as_(house.owner).get(follow["hx-get"], headers=HTMX).content.decode())
    assert part.by_id(f"state-{waiting.document_id}").attributes["hx-swap-oob"] == "true"
    assert "12 of 30 pages" in part.texts
    assert any(text.startswith("since ") for text in part.texts)
    assert "Good" not in part.texts
    Version.objects.filter(pk=waiting.pk).update(state=VersionState.READY)
    done = read(as_(house.owner).get(follow["hx-get"], headers=HTMX).content.decode())
    assert "ready" in done.texts
    assert done.values_of("hx-get") == []


def test_what_one_may_no_longer_read_is_not_told_of(house: House) -> None:
    waiting = put_in_state(house.closed_shelf, "Waiting", VersionState.QUEUED)
    address = f"/sources/progress/?d={waiting.document_id}&d=x&next=/sources/"
    assert "Waiting" in as_(house.granted).get(address, headers=HTMX).content.decode()
    Grant.objects.filter(user=house.granted.user).delete()
    assert "Waiting" not in as_(house.granted).get(address, headers=HTMX).content.decode()


def test_without_htmx_it_leads_to_the_list(house: House) -> None:
    answer = as_(house.owner).get("/sources/progress/?next=/sources/?state=failed")
    assert answer["Location"] == "/sources/?state=failed"
    for elsewhere in ("https://evil.example/", "//evil.example/", "javascript:alert(1)", ""):
        assert as_(house.owner).get("/sources/progress/", {"next": elsewhere})["Location"] == "/sources/"


def test_an_earlier_version_in_use_is_mentioned(house: House) -> None:
    add_waiting(put(house.open_shelf, "Policy", TEXT))
    texts = page_of(house.stranger, "/sources/").texts
    assert "The version before it is used meanwhile." in texts
