"""Pictures of pages on several machines, each with a cache of its own: a purge reaches all of them."""

import time
import uuid
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from sources import removal
from sources.models import Document
from sources.page_images import SIZES, page_image
from sources.page_upkeep import forget_pages_of_purged
from tests.conftest import House
from tests.files import make_pdf, text_page
from tests.sources import add_document
from tests.web_server import web_server


def draw(document: Document) -> str:
    """Draw the first page on the present machine and return its version's id."""
    assert document.current_version is not None
    page_image(document.current_version, 1, SIZES["1"])
    return str(document.current_version.pk)


def kept_in(machine: Path) -> set[str]:
    return {path.parent.name for path in machine.glob("*/*.webp")}


def purge(document: Document, house: House) -> None:
    user = house.owner.user
    removal.delete(document, user=user)
    gone = removal.removed_document_for(user=user, tenant=house.tenant, document_id=document.pk)
    removal.order_purge(gone, user=user)
    removal.purge(document.pk)


@pytest.mark.django_db
def test_what_one_machine_purged_another_neither_shows_nor_keeps(
    house: House, settings: Settings, tmp_path: Path
) -> None:
    worker, web = tmp_path / "worker", tmp_path / "web"
    settings.PAGE_CACHE_DIR = str(web)
    pay = add_document(house.open_shelf, "pay.pdf", make_pdf([text_page("Pay")]))
    other = add_document(house.open_shelf, "other.pdf", make_pdf([text_page("Other")]))
    purged, stays = draw(pay), draw(other)
    reader = Client()
    reader.force_login(house.owner.user)
    address = f"/d/{pay.pk}/pages/1.webp?v={purged}"
    etag = reader.get(address)["ETag"]
    settings.PAGE_CACHE_DIR = str(worker)
    purge(pay, house)
    settings.PAGE_CACHE_DIR = str(web)
    assert kept_in(web) == {purged, stays}
    for headers in ({}, {"If-None-Match": etag}):
        assert reader.get(address, headers=headers).status_code == 404
    assert forget_pages_of_purged() == 1
    assert kept_in(web) == {stays}
    assert forget_pages_of_purged() == 0


@pytest.mark.django_db
def test_a_deleted_document_that_can_be_restored_keeps_its_pictures(
    house: House, settings: Settings, tmp_path: Path
) -> None:
    settings.PAGE_CACHE_DIR = str(tmp_path)
    document = add_document(house.open_shelf, "pay.pdf", make_pdf([text_page("Pay")]))
    version = draw(document)
    removal.delete(document, user=house.owner.user)
    assert forget_pages_of_purged() == 0
    assert kept_in(tmp_path) == {version}


@pytest.mark.django_db(transaction=True)
def test_a_web_machine_begins_by_removing_what_was_purged_meanwhile(tmp_path: Path) -> None:
    left = tmp_path / str(uuid.uuid4())
    left.mkdir()
    (left / "1-1x.webp").write_bytes(b"a picture")
    with web_server(CITEWEB_PAGE_CACHE_DIR=str(tmp_path)):
        end = time.monotonic() + 20
        while left.exists():
            assert time.monotonic() < end
            time.sleep(0.05)
