"""Pictures of pages: how they are drawn, kept, thrown away, and to whom they are shown."""

import io
import os
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from PIL import Image
from pytest_django import Settings

from citeweb.accounts.tenancy import Place
from sources.core.extract import ExtractionError
from sources.models import Document, Grant, Version
from sources.page_cache import forget_page_images, keep_picture, kept_picture, open_cache
from sources.page_images import SCALES, SIZES, THUMBNAIL, page_image
from tests.conftest import House
from tests.files import Page, make_pdf, text_page
from tests.sources import add_document
from tests.web_server import WebServer, session_cookie, web_server

pytestmark = pytest.mark.django_db


def as_(place: Place) -> Client:
    client = Client()
    client.force_login(place.user)
    return client


@pytest.fixture
def pdf(house: House) -> Document:
    """A document of two pages on the restricted shelf."""
    return add_document(house.closed_shelf, "bands.pdf", make_pdf([text_page("One"), text_page("Two")]))


def version_of(document: Document) -> Version:
    assert document.current_version is not None
    return document.current_version


def kept_files(version: Version) -> list[str]:
    folder = Path(configured.PAGE_CACHE_DIR) / str(version.pk)
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def picture_of(response: HttpResponseBase) -> Image.Image:
    assert response["Content-Type"] == "image/webp"
    assert isinstance(response, HttpResponse)
    return Image.open(io.BytesIO(response.content))


def test_a_page_is_drawn_at_the_asked_scale(house: House, pdf: Document) -> None:
    for scale in (1, 2, 3, 4):
        response = as_(house.granted).get(f"/d/{pdf.pk}/pages/2.webp?scale={scale}")
        assert picture_of(response).size == (595 * scale, 842 * scale)


def test_the_largest_scale_is_bounded(house: House, pdf: Document) -> None:
    picture = picture_of(as_(house.granted).get(f"/d/{pdf.pk}/pages/2.webp?scale={SCALES[-1]}"))
    assert picture.width > 3_000
    assert picture.width * picture.height <= 16_100_000


@pytest.mark.parametrize(
    "address",
    ["3.webp", "0.webp", "99999999999999999999.webp", "1.webp?scale=5", "1.webp?scale=0", "1.webp?scale=²"],
)
def test_there_is_no_other_picture(house: House, pdf: Document, address: str) -> None:
    assert as_(house.owner).get(f"/d/{pdf.pk}/pages/{address}").status_code == 404


def test_a_thumbnail_fits_its_box_whatever_the_page(house: House) -> None:
    sizes = [(0, 0, 595, 842), (0, 0, 842, 595), (0, 0, 5000, 100), (0, 0, 20, 20)]
    document = add_document(
        house.open_shelf, "sizes.pdf", make_pdf([Page(text_page("One").words, box) for box in sizes])
    )
    drawn = [
        picture_of(as_(house.stranger).get(f"/d/{document.pk}/pages/{number}.webp?scale=thumb")).size
        for number in range(1, 5)
    ]
    assert drawn == [(227, 320), (240, 170), (240, 5), (80, 80)]


def test_thumbnails_are_drawn_a_dozen_at_once(house: House) -> None:
    document = add_document(
        house.open_shelf, "long.pdf", make_pdf([text_page(f"Page {number}") for number in range(1, 31)])
    )
    version = version_of(document)
    page_image(version, 14, THUMBNAIL)
    assert kept_files(version) == sorted(f"{number}-thumb.webp" for number in range(13, 25))
    page_image(version, 30, THUMBNAIL)
    assert "30-thumb.webp" in kept_files(version)


def test_a_picture_is_drawn_once_and_asked_for_each_time(house: House, pdf: Document) -> None:
    client = as_(house.granted)
    address = f"/d/{pdf.pk}/pages/1.webp?scale=1"
    first = client.get(address)
    kept = Path(configured.PAGE_CACHE_DIR) / str(pdf.current_version_id) / "1-1x.webp"
    written = kept.stat().st_mtime_ns
    assert client.get(address).content == first.content
    assert kept.stat().st_mtime_ns == written
    assert first["Cache-Control"] == "private, no-cache"
    again = client.get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_picture_that_many_ask_for_at_once_is_drawn_whole(house: House, pdf: Document) -> None:
    version = version_of(pdf)
    with ThreadPoolExecutor(6) as pool:
        pictures = list(pool.map(lambda _: page_image(version, 2, SIZES["2"]), range(6)))
    assert len(set(pictures)) == 1
    assert kept_files(version) == ["2-2x.webp"]


def test_a_kept_picture_is_not_shown_to_who_lost_the_right(house: House, pdf: Document) -> None:
    client = as_(house.granted)
    address = f"/d/{pdf.pk}/pages/1.webp"
    etag = client.get(address)["ETag"]
    Grant.objects.filter(user=house.granted.user).delete()
    assert client.get(address, headers={"If-None-Match": etag}).status_code == 404


def test_to_who_may_not_read_it_a_kept_picture_is_the_same_as_none(house: House, pdf: Document) -> None:
    as_(house.granted).get(f"/d/{pdf.pk}/pages/1.webp")
    forbidden = as_(house.stranger).get(f"/d/{pdf.pk}/pages/1.webp")
    absent = as_(house.stranger).get(f"/d/{uuid.uuid4()}/pages/1.webp")
    assert (forbidden.status_code, forbidden.content) == (404, absent.content)
    assert dict(forbidden.headers) == dict(absent.headers)


# --- What is kept ---------------------------------------------------------------------------------------


def filled(sizes: Sequence[int]) -> list[tuple[uuid.UUID, str]]:
    """Keep one picture of each size, the first one used longest ago."""
    names = []
    for index, size in enumerate(sizes):
        version_id, name = uuid.uuid4(), "1-1x.webp"
        open_cache(version_id)
        keep_picture(version_id, name, bytes([65]) * size)
        used = time.time() - 1000 + index
        path = Path(configured.PAGE_CACHE_DIR) / str(version_id) / name
        if path.exists():
            os.utime(path, (used, used))
        names.append((version_id, name))
    return names


@pytest.fixture
def small_cache(settings: Settings, tmp_path: Path) -> None:
    settings.PAGE_CACHE_DIR = str(tmp_path / "pages")
    settings.PAGE_CACHE_BYTES = 10_000


@pytest.mark.usefixtures("small_cache")
def test_up_to_the_limit_all_pictures_stay() -> None:
    assert all(kept_picture(*one) for one in filled([2_500] * 4))


@pytest.mark.usefixtures("small_cache")
def test_above_the_limit_those_not_used_for_longest_go() -> None:
    names = filled([2_500] * 5)
    assert [kept_picture(*one) is not None for one in names] == [False, False, True, True, True]


@pytest.mark.usefixtures("small_cache")
def test_however_many_are_kept_the_limit_holds(tmp_path: Path) -> None:
    filled([900] * 60)
    assert 5_000 < sum(path.stat().st_size for path in tmp_path.rglob("*.webp")) <= 10_000


@pytest.mark.usefixtures("small_cache")
def test_a_picture_that_is_looked_at_again_is_not_the_next_to_go() -> None:
    first, *_rest = filled([2_500] * 4)
    path = Path(configured.PAGE_CACHE_DIR) / str(first[0]) / first[1]
    os.utime(path, (1, 1))
    kept_picture(*first)
    filled([2_500])
    assert kept_picture(*first) is not None


def test_a_purge_removes_the_pictures_of_its_version_only(house: House, pdf: Document) -> None:
    other = add_document(house.open_shelf, "other.pdf", make_pdf([text_page("Three")]))
    for document in (pdf, other):
        page_image(version_of(document), 1, SIZES["1"])
    forget_page_images(version_of(pdf).pk)
    assert kept_files(version_of(pdf)) == []
    assert kept_files(version_of(other)) == ["1-1x.webp"]


def test_a_purge_while_a_page_is_drawn_leaves_nothing_behind(pdf: Document) -> None:
    version = version_of(pdf)
    open_cache(version.pk)
    forget_page_images(version.pk)
    keep_picture(version.pk, "1-1x.webp", b"drawn meanwhile")
    assert kept_files(version) == []


def test_only_an_id_becomes_a_path() -> None:
    with pytest.raises(ValueError, match="badly formed"):
        forget_page_images("../../originals")


def test_a_page_that_can_not_be_drawn_is_tried_once_and_again_later(pdf: Document) -> None:
    version = version_of(pdf)
    original = Path(version.file.path)
    whole = original.read_bytes()
    original.write_bytes(b"%PDF-1.7 no more")
    with pytest.raises(ExtractionError):
        page_image(version, 1, SIZES["1"])
    original.write_bytes(whole)
    with pytest.raises(ExtractionError):
        page_image(version, 1, SIZES["1"])
    kept = Path(configured.PAGE_CACHE_DIR) / str(version.pk) / "1-1x.webp"
    os.utime(kept, (time.time() - 3600,) * 2)
    assert page_image(version, 1, SIZES["1"]).startswith(b"RIFF")


def test_a_page_that_can_not_be_drawn_is_told_and_not_kept_by_the_browser(
    house: House, pdf: Document
) -> None:
    Path(version_of(pdf).file.path).write_bytes(b"%PDF-1.7 no more")
    response = as_(house.owner).get(f"/d/{pdf.pk}/pages/1.webp")
    assert (response.status_code, response["Cache-Control"]) == (422, "private, no-store")
    assert "ETag" not in response.headers


# --- Many at once ---------------------------------------------------------------------------------------


def fetch(server: WebServer, cookie: str, address: str) -> int:
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request("GET", address, headers={"Cookie": cookie})
        return connection.getresponse().status


@pytest.mark.django_db(transaction=True)
def test_pages_that_wait_to_be_drawn_hold_up_nobody(house: House) -> None:
    """Two connections in the pool, two dozen pages asked for at once: the list of sources comes before they do."""
    pages = [text_page(f"Page {number}") for number in range(1, 25)]
    document = add_document(house.open_shelf, "long.pdf", make_pdf(pages))
    cookie = session_cookie(house.stranger.user)
    with web_server(CITEWEB_DATABASE_POOL_SIZE="2") as server, ThreadPoolExecutor(24) as pool:
        asked = [
            pool.submit(fetch, server, cookie, f"/d/{document.pk}/pages/{number}.webp?scale=4")
            for number in range(1, 25)
        ]
        wait(asked, return_when=FIRST_COMPLETED)
        listed = fetch(server, cookie, "/sources/")
        waiting = sum(not one.done() for one in asked)
        drawn = {one.result() for one in asked}
    assert listed == 200
    assert waiting > 8
    assert drawn == {200}
