"""What a curator does to uploads: retry, cancel, and decide what a held file is. B30 of the cases."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.files.base import File
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from citeweb.accounts.tenancy import Place
from sources import curation, ingest
from sources.core.extract.types import FailureReason
from sources.ingest import process_version
from sources.models import Chunk, Collection, Document, Version, VersionState
from sources.permissions import Hidden
from sources.queue import INGEST, versions_in_queue
from sources.retrieval import retrieve
from sources.uploads import SameName, Upload, Wishes, accept_upload, accept_version
from tests.audited import kinds, last
from tests.conftest import House
from tests.files import make_pdf, text_page

pytestmark = pytest.mark.django_db

NOTE = b"# Alerts\n\nAlerts are sent at 80%.\n"
CORRECTED = b"# Alerts\n\nAlerts are sent at 85%.\n"


@pytest.fixture(autouse=True)
def _own_folder(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture(autouse=True)
def _empty_queue(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")


def upload(
    house: House,
    data: bytes = NOTE,
    name: str = "note.md",
    *,
    shelf: Collection | None = None,
    same_name: SameName = SameName.ASK,
    keep_copy: bool = False,
) -> Upload:
    return accept_upload(
        user=house.owner.user,
        tenant=house.tenant,
        collection=shelf or house.open_shelf,
        file=File(io.BytesIO(data)),
        file_name=name,
        wishes=Wishes(same_name, keep_copy),
    )


def processed(version: Version) -> Version:
    process_version(version.pk)
    return Version.objects.select_related("document__tenant").get(pk=version.pk)


def stored_files() -> int:
    return sum(path.is_file() for path in Path(django_settings.MEDIA_ROOT).rglob("*"))


def answers(house: House, question: str = "When are alerts sent?") -> list[str]:
    found = retrieve(user=house.owner.user, tenant=house.tenant, query=question, limit=8)
    return [passage.text.splitlines()[-1] for passage in found]


# --- Files of a known name or content -----------------------------------------------------------------


def test_a_corrected_file_of_the_same_name_is_held(house: House) -> None:
    first = processed(upload(house).version)
    second = upload(house, CORRECTED)
    assert second.held
    assert second.document == first.document
    assert versions_in_queue(INGEST) == {str(first.pk)}
    assert processed(second.version).state == VersionState.HELD
    assert answers(house) == ["Alerts are sent at 80%."]


def test_a_held_file_replaces_the_document(house: House) -> None:
    first = processed(upload(house).version)
    held = upload(house, CORRECTED).version
    assert curation.take_as_newer(held, user=house.owner.user)
    assert processed(held).number == 2
    assert Document.objects.get().current_version_id == held.pk
    assert answers(house) == ["Alerts are sent at 85%."]
    assert Version.objects.get(pk=first.pk).text == NOTE.decode()
    assert kinds(house.tenant) == ["uploaded", "uploaded", "upload_decided"]
    assert last(house.tenant)["decision"] == "replaces"


def test_a_held_file_becomes_a_document_of_its_own(house: House) -> None:
    first = processed(upload(house).version)
    held = upload(house, CORRECTED).version
    assert curation.take_as_document(held, user=house.owner.user)
    made = processed(held)
    assert made.number == 1
    assert made.document != first.document
    assert made.document.uploaded_by == house.owner.user
    assert set(answers(house)) == {"Alerts are sent at 80%.", "Alerts are sent at 85%."}


def test_a_held_file_is_thrown_away(
    house: House, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    first = processed(upload(house).version)
    held = upload(house, CORRECTED).version
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]  # a context manager
        assert curation.discard(held, user=house.owner.user)
    assert list(Version.objects.all()) == [first]
    assert stored_files() == 1
    assert kinds(house.tenant) == ["uploaded", "uploaded", "upload_discarded"]


@pytest.mark.parametrize("decide", [curation.take_as_newer, curation.take_as_document, curation.discard])
def test_a_decision_is_made_once(house: House, decide: Callable[..., bool]) -> None:
    upload(house)
    held = upload(house, CORRECTED).version
    assert decide(held, user=house.owner.user)
    for again in (curation.take_as_newer, curation.take_as_document, curation.discard):
        assert not again(held, user=house.owner.user)
    assert len(kinds(house.tenant)) == 3


def test_of_two_held_files_the_later_decision_is_the_current_version(house: House) -> None:
    processed(upload(house).version)
    older = upload(house, CORRECTED).version
    newer = upload(house, b"Alerts are sent at 90%.").version
    curation.take_as_newer(newer, user=house.owner.user)
    processed(newer)
    curation.take_as_newer(older, user=house.owner.user)
    assert processed(older).number == 4
    assert Document.objects.get().current_version_id == older.pk


def test_wishes_said_beforehand_hold_nothing(house: House) -> None:
    first = upload(house)
    assert upload(house, CORRECTED, same_name=SameName.REPLACE).document == first.document
    assert upload(house, b"Third.", same_name=SameName.KEEP_BOTH).document != first.document
    assert not Version.objects.filter(state=VersionState.HELD).exists()


def test_identical_content_is_offered_as_already_there_and_answered_once(house: House) -> None:
    first = upload(house)
    processed(first.version)
    again = upload(house, name="copy of note.md")
    assert (again.already_there, again.version) == (True, first.version)
    assert answers(house) == ["Alerts are sent at 80%."]


def test_a_held_file_sent_again_is_already_there(house: House) -> None:
    upload(house)
    held = upload(house, CORRECTED)
    again = upload(house, CORRECTED)
    assert (again.already_there, again.version) == (True, held.version)
    assert upload(house).already_there


def test_a_copy_is_kept_where_it_is_wished(house: House) -> None:
    first = upload(house)
    copy = upload(house, name="archive.md", keep_copy=True)
    assert not copy.already_there
    assert copy.document != first.document
    assert stored_files() == 2


def test_two_paths_with_equal_content_may_both_exist(house: House) -> None:
    assert upload(house).document != upload(house, shelf=house.closed_shelf).document


def test_a_document_is_replaced_by_a_file_of_any_name(house: House) -> None:
    document = processed(upload(house).version).document
    newer = accept_version(
        user=house.owner.user, document=document, file=File(io.BytesIO(CORRECTED)), file_name="final (2).md"
    )
    assert (newer.document, newer.version.number) == (document, 2)
    same = accept_version(
        user=house.owner.user, document=document, file=File(io.BytesIO(CORRECTED)), file_name="final.md"
    )
    assert same.already_there


def test_a_document_may_be_replaced_by_what_another_document_holds(house: House) -> None:
    upload(house, CORRECTED, "other.md")
    document = upload(house).document
    newer = accept_version(
        user=house.owner.user, document=document, file=File(io.BytesIO(CORRECTED)), file_name="note.md"
    )
    assert not newer.already_there
    assert newer.document == document


# --- Cancelling ---------------------------------------------------------------------------------------


def test_a_waiting_file_is_cancelled(house: House) -> None:
    version = upload(house).version
    assert curation.cancel(version, user=house.owner.user)
    assert not curation.cancel(version, user=house.owner.user)
    version = processed(version)
    assert (version.state, version.failure) == (VersionState.FAILED, FailureReason.CANCELLED)
    assert not Chunk.objects.exists()
    assert kinds(house.tenant) == ["uploaded", "upload_cancelled"]


def test_a_file_that_is_being_read_is_cancelled(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    version = upload(house, make_pdf([text_page("Page")] * 40), "long.pdf").version
    monkeypatch.setattr(ingest, "_PROGRESS_EVERY", 0.0)

    def cancel_it() -> bool:
        curation.cancel(version, user=house.owner.user)
        return False

    process_version(version.pk, should_stop=cancel_it)
    version.refresh_from_db()
    assert (version.state, version.failure) == (VersionState.FAILED, FailureReason.CANCELLED)
    assert not Chunk.objects.exists()


def test_what_is_ready_is_not_cancelled(house: House) -> None:
    version = processed(upload(house).version)
    assert not curation.cancel(version, user=house.owner.user)
    version.refresh_from_db()
    assert version.state == VersionState.READY


def test_a_cancelled_file_can_be_read_after_all(house: House) -> None:
    version = upload(house).version
    curation.cancel(version, user=house.owner.user)
    version.refresh_from_db()
    assert curation.retry(version, user=house.owner.user)
    assert processed(version).state == VersionState.READY
    assert kinds(house.tenant) == ["uploaded", "upload_cancelled", "upload_retried"]


# --- Trying again -------------------------------------------------------------------------------------


def failing(house: House, name: str, shelf: Collection | None = None) -> Version:
    version = processed(upload(house, b"%PDF-1.7 broken " + name.encode(), name, shelf=shelf).version)
    assert version.state == VersionState.FAILED
    return version


def test_all_that_failed_is_tried_again(house: House) -> None:
    one, two = failing(house, "one.pdf"), failing(house, "two.pdf")
    upload(house, b"", "empty.md")
    cancelled = upload(house, b"Later.", "later.md").version
    curation.cancel(cancelled, user=house.owner.user)
    assert curation.retry_failed(user=house.owner.user, tenant=house.tenant) == 2
    assert set(Version.objects.filter(state=VersionState.QUEUED)) == {one, two}
    assert curation.retry_failed(user=house.owner.user, tenant=house.tenant) == 0


def test_only_one_collection_is_tried_again_where_that_is_asked(house: House) -> None:
    failing(house, "one.pdf")
    closed = failing(house, "two.pdf", house.closed_shelf)
    retried = curation.retry_failed(user=house.owner.user, tenant=house.tenant, collection=house.closed_shelf)
    assert retried == 1
    assert Version.objects.get(state=VersionState.QUEUED) == closed


def test_a_failure_that_a_later_file_has_mended_is_left_alone(house: House) -> None:
    failing(house, "one.pdf")
    processed(upload(house, NOTE, "one.pdf", same_name=SameName.REPLACE).version)
    assert curation.retry_failed(user=house.owner.user, tenant=house.tenant) == 0


def test_nobody_retries_what_they_do_not_curate(house: House, neighbour: House) -> None:
    failing(house, "one.pdf")
    for place in (house.granted, house.stranger, house.auditor, neighbour.owner):
        assert curation.retry_failed(user=place.user, tenant=house.tenant) == 0


def _acts(version: Version, place: Place) -> list[Callable[[], object]]:
    acts = (
        curation.retry,
        curation.cancel,
        curation.take_as_newer,
        curation.take_as_document,
        curation.discard,
    )
    return [lambda act=act: act(version, user=place.user) for act in acts]  # type: ignore[misc]


def test_nobody_else_does_any_of_it(house: House, neighbour: House) -> None:
    upload(house)
    held = upload(house, CORRECTED).version
    for place in (house.granted, house.stranger, house.auditor, neighbour.owner):
        for act in _acts(held, place):
            with pytest.raises(Hidden):
                act()
    held.refresh_from_db()
    assert held.state == VersionState.HELD


def test_since_when_a_file_is_in_its_state_is_known(house: House) -> None:
    before = timezone.now()
    version = processed(upload(house).version)
    assert before < version.state_since < timezone.now()
