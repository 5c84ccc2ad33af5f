"""Uploading through the page: what is accepted, what is asked, and what the uploader sees of it."""

import uuid
from pathlib import Path

import pytest
from pytest_django import Settings

from sources.ingest import process_version
from sources.models import Batch, BatchItem, Collection, Document, Grant, Version, VersionState
from tests.browsing import as_, file, page_of, told, upload
from tests.conftest import House, join, make_user
from tests.page_reading import read

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"


def decide(house: House, action: str, **fields: str) -> str:
    """Press one of the buttons that stand at a held or failed upload, and return what the list says then."""
    version = Version.objects.order_by("-created_at").first()
    assert version is not None
    answer = as_(house.owner).post(
        f"/d/{version.document_id}/upload/",
        {"action": action, "v": str(version.pk), "next": "/sources/", **fields},
        follow=True,
    )
    return told(answer)  # type: ignore[arg-type]  # an HttpResponse with more on it


# --- Accepting ----------------------------------------------------------------------------------------


def test_a_curator_uploads_several_files(house: House) -> None:
    answer = upload(as_(house.owner), house.open_shelf, file("a.md", "# A\n"), file("b.md", "# B\n"))
    page = read(answer.content.decode())
    assert Version.objects.filter(state=VersionState.QUEUED).count() == 2
    assert "2 files received" in page.texts
    assert {"a.md", "b.md"} <= set(page.texts)
    assert set(Version.objects.values_list("uploaded_by", flat=True)) == {house.owner.user.pk}


def test_under_htmx_the_list_comes_back_alone(house: House) -> None:
    answer = upload(as_(house.owner), house.open_shelf, file(), htmx=True).content.decode()
    assert "<html" not in answer
    assert read(answer).elements[0].attributes["id"] == "shelf"


def test_only_curators_upload(house: House, neighbour: House) -> None:
    for place in (house.granted, house.stranger, house.auditor):
        assert 'type="file"' not in as_(place).get("/sources/").content.decode()
        assert upload(as_(place), house.open_shelf, file()).status_code == 404
    assert Version.objects.count() == 0


def test_a_curator_uploads_to_no_collection_that_they_may_not_read(house: House, neighbour: House) -> None:
    Grant.objects.filter(user=house.owner.user).delete()
    for shelf in (house.closed_shelf, neighbour.open_shelf, Collection(pk=uuid.uuid4())):
        assert upload(as_(house.owner), shelf, file()).status_code == 422
    assert Version.objects.count() == 0


def test_without_files_the_form_says_what_is_missing(house: House) -> None:
    response = upload(as_(house.owner), house.open_shelf)
    assert response.status_code == 422
    assert "Choose one or more files." in told(response)


def test_under_htmx_the_form_shows_its_errors_in_its_own_place(house: House) -> None:
    response = upload(as_(house.owner), house.open_shelf, htmx=True)
    assert (response.status_code, response["HX-Retarget"]) == (200, "#upload")
    assert "Choose one or more files." in told(response)


def test_a_file_that_fails_at_once_says_why_and_leaves_the_others_alone(
    house: House, settings: Settings
) -> None:
    settings.MAX_FILE_BYTES = 1000
    files = file("empty.md", ""), file("huge.md", "x" * 5000), file("good.md", "# Good\n")
    words = told(upload(as_(house.owner), house.open_shelf, *files))
    assert "The file is empty." in words
    assert "is larger than is allowed here." in words
    assert Version.objects.get(file_name="good.md").state == VersionState.QUEUED


def test_uploads_leave_no_temporary_files(house: House, tmp_path: Path, settings: Settings) -> None:
    folder = tmp_path / "arriving"
    folder.mkdir()
    settings.FILE_UPLOAD_TEMP_DIR = str(folder)
    client = as_(house.owner)
    upload(client, house.open_shelf, file(), file("empty.md", ""))
    upload(client, house.open_shelf, file("copy.md"))
    assert list(folder.iterdir()) == []


def test_a_hostile_file_name_is_shown_as_text(house: House) -> None:
    hostile = "<img src=x onerror=window.__x=1>.md"
    page = read(upload(as_(house.owner), house.open_shelf, file(hostile)).content.decode())
    assert page.values_of("onerror") == []
    assert any("window.__x=1" in text for text in page.texts)


# --- Files that need a word ---------------------------------------------------------------------------


def test_the_same_file_again_is_already_there_and_may_be_added_all_the_same(house: House) -> None:
    client = as_(house.owner)
    upload(client, house.open_shelf, file())
    page = read(upload(client, house.open_shelf, file("copy.md")).content.decode())
    assert "already there" in page.texts
    assert Document.objects.count() == 1
    (copy,) = [address for address in page.values_of("action") if address.endswith("/copy/")]
    again = client.post(copy, {"next": "/sources/"}, follow=True)
    assert "already there" not in read(again.content.decode()).texts
    assert sorted(Version.objects.values_list("file_name", flat=True)) == ["copy.md", "pricing.md"]
    assert client.post(copy).status_code == 404


def test_the_same_file_twice_in_one_upload_is_kept_once(house: House) -> None:
    words = told(upload(as_(house.owner), house.open_shelf, file("a.md"), file("b.md")))
    assert "1 already there" in words
    assert Version.objects.count() == 1


def test_a_corrected_file_of_the_same_name_offers_replacing(house: House) -> None:
    client = as_(house.owner)
    upload(client, house.open_shelf, file())
    words = told(upload(client, house.open_shelf, file(content="It costs 5 euro.\n")))
    assert "A document of this file name is here already:" in words
    assert all(button in words for button in ("Replace it", "Keep both", "Throw away"))
    assert Version.objects.filter(state=VersionState.HELD).count() == 1
    decide(house, "replace")
    newest = Version.objects.order_by("-created_at").first()
    assert newest is not None
    assert (newest.number, newest.state) == (2, VersionState.QUEUED)


def test_it_may_be_kept_beside_the_other(house: House) -> None:
    client = as_(house.owner)
    upload(client, house.open_shelf, file())
    upload(client, house.open_shelf, file(content="It costs 5 euro.\n"))
    decide(house, "keep_both")
    assert Document.objects.count() == 2


def test_it_may_be_thrown_away(house: House) -> None:
    client = as_(house.owner)
    upload(client, house.open_shelf, file())
    upload(client, house.open_shelf, file(content="It costs 5 euro.\n"))
    decide(house, "discard")
    assert Version.objects.count() == 1


@pytest.mark.parametrize(("wish", "documents"), [("replace", 1), ("keep_both", 2)])
def test_what_is_wished_beforehand_is_not_asked(house: House, wish: str, documents: int) -> None:
    client = as_(house.owner)
    upload(client, house.open_shelf, file())
    upload(client, house.open_shelf, file(content="It costs 5 euro.\n"), same_name=wish)
    assert Document.objects.count() == documents
    assert not Version.objects.filter(state=VersionState.HELD).exists()


def test_a_document_is_replaced_from_its_own_page(house: House) -> None:
    upload(as_(house.owner), house.open_shelf, file())
    document = Document.objects.get()
    address = f"/d/{document.pk}/replace/"
    assert "file" in dict(page_of(house.owner, address).fields())
    missing = as_(house.owner).post(address)
    assert "Choose a file." in read(missing.content.decode()).texts
    sent = as_(house.owner).post(address, {"file": file("final.md", "It costs 6 euro.\n")}, follow=True)
    assert sent.redirect_chain[-1][0] == f"/d/{document.pk}/details/"
    assert document.versions.count() == 2
    same = as_(house.owner).post(address, {"file": file("x.md", "It costs 6 euro.\n")}, follow=True)
    assert "exactly this content already" in same.content.decode()


# --- Batches ------------------------------------------------------------------------------------------


def batch_of(page_html: str) -> str:
    (address,) = {
        one for one in read(page_html).values_of("action") if "/batch/" in one and "copy" not in one
    }
    return address


def press(house: House, address: str, action: str) -> str:
    answer = as_(house.owner).post(address, {"action": action, "next": "/sources/"}, follow=True)
    return told(answer)  # type: ignore[arg-type]  # an HttpResponse with more on it


def test_several_requests_make_one_batch(house: House) -> None:
    """As the page sends a thousand files: some at a time, with the same batch."""
    client, batch = as_(house.owner), str(uuid.uuid4())
    upload(client, house.open_shelf, file("a.md", "# A\n"), batch=batch)
    words = told(upload(client, house.open_shelf, file("b.md", "# B\n"), batch=batch))
    assert "2 files received" in words
    assert Batch.objects.count() == 1


def test_a_batch_of_somebody_else_is_not_added_to(house: House, neighbour: House) -> None:
    batch = str(uuid.uuid4())
    upload(as_(neighbour.owner), neighbour.open_shelf, file(), batch=batch)
    assert upload(as_(house.owner), house.open_shelf, file(), batch=batch).status_code == 404
    second = join(make_user("second@aurora.example"), house.tenant, "curator")
    mine = str(uuid.uuid4())
    upload(as_(house.owner), house.open_shelf, file("c.md", "# C"), batch=mine)
    assert upload(as_(second), house.open_shelf, file("d.md", "# D"), batch=mine).status_code == 404
    assert BatchItem.objects.count() == 2


def test_a_batch_shows_what_became_of_its_files(house: House) -> None:
    client = as_(house.owner)
    upload(client, house.open_shelf, file("a.md", "# A\n"), file("bad.pdf", "%PDF-1.7 broken"))
    for version in Version.objects.all():
        process_version(version.pk)
    words = told(client.get("/sources/"))  # type: ignore[arg-type]  # see decide
    assert "1 ready · 1 failed" in words
    assert "The file is damaged or incomplete." in words


def test_the_rest_of_a_batch_is_cancelled_and_failed_ones_are_tried_again(house: House) -> None:
    client = as_(house.owner)
    files = [file(f"{name}.pdf", f"%PDF-1.7 broken {name}") for name in "abcd"]
    address = batch_of(upload(client, house.open_shelf, *files).content.decode())
    for version in Version.objects.filter(file_name__in=("a.pdf", "b.pdf")):
        process_version(version.pk)
    assert "0 ready · 2 failed" in press(house, address, "cancel")
    assert Version.objects.filter(failure="cancelled").count() == 2
    press(house, address, "retry")
    assert set(Version.objects.filter(state=VersionState.QUEUED).values_list("file_name", flat=True)) == {
        "a.pdf",
        "b.pdf",
    }


def test_all_held_files_of_a_batch_are_decided_together(house: House) -> None:
    client = as_(house.owner)
    upload(client, house.open_shelf, *(file(f"{name}.md", name) for name in "abc"))
    newer = upload(client, house.open_shelf, *(file(f"{name}.md", name * 2) for name in "abc"))
    addresses = {one for one in read(newer.content.decode()).values_of("action") if "/batch/" in one}
    assert len(addresses) == 2
    assert "Replace all" in told(newer)
    newest = Batch.objects.order_by("-created_at").first()
    assert newest is not None
    press(house, f"/sources/batch/{newest.pk}/", "replace")
    assert Version.objects.filter(number=2, state=VersionState.QUEUED).count() == 3


def test_a_list_can_be_closed_while_its_files_go_on(house: House) -> None:
    client = as_(house.owner)
    address = batch_of(upload(client, house.open_shelf, file()).content.decode())
    assert "1 file received" not in press(house, address, "close")
    assert Version.objects.filter(state=VersionState.QUEUED).count() == 1
    second = join(make_user("second@aurora.example"), house.tenant, "curator")
    assert as_(second).post(address, {"action": "close"}).status_code == 404


def test_what_one_may_no_longer_read_is_left_out_of_ones_batch(house: House) -> None:
    upload(as_(house.owner), house.closed_shelf, file("secret.md"))
    Grant.objects.filter(user=house.owner.user).delete()
    assert "secret.md" not in as_(house.owner).get("/sources/").content.decode()


def test_an_unknown_action_does_nothing(house: House) -> None:
    address = batch_of(upload(as_(house.owner), house.open_shelf, file()).content.decode())
    press(house, address, "explode")
    decide(house, "explode")
    assert Version.objects.get().state == VersionState.QUEUED


# --- Trying again -------------------------------------------------------------------------------------


def test_all_that_failed_is_tried_again_with_one_button(house: House) -> None:
    client = as_(house.owner)
    upload(client, house.open_shelf, file("bad.pdf", "%PDF-1.7 broken"))
    process_version(Version.objects.get().pk)
    page = page_of(house.owner, "/sources/")
    assert "/sources/retry/" in page.values_of("action")
    answer = client.post("/sources/retry/", {"next": "/sources/"}, follow=True)
    assert "1 file is read again." in answer.content.decode()
    assert Version.objects.get().state == VersionState.QUEUED
