"""Accepting uploads and processing them: one copy, one reason for each failure, nothing half done."""

import io
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.files.base import File
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import Settings

from citeweb.accounts.row_security import acting_as_system
from sources import ingest, uploads
from sources.core.extract.types import FailureReason
from sources.ingest import Interrupted, process_version
from sources.models import Chunk, Collection, Document, Version, VersionState
from sources.permissions import Hidden
from sources.queue import INGEST, versions_in_queue
from sources.uploads import Upload, accept_as_system, accept_upload
from sources.versions import MOST_ATTEMPTS, claim
from tests.conftest import House, make_house

NOTE = b"# Alerts\n\nAlerts are sent at 80%.\n"


def upload(
    house: House, data: bytes = NOTE, name: str = "note.md", shelf: Collection | None = None
) -> Upload:
    """Upload as the owner, to the open shelf unless told otherwise."""
    return accept_upload(
        user=house.owner.user,
        tenant=house.tenant,
        collection=shelf or house.open_shelf,
        file=File(io.BytesIO(data)),
        file_name=name,
    )


def processed(accepted: Upload) -> Version:
    """Process the upload and return its version as it then stands."""
    process_version(accepted.version.pk)
    return Version.objects.select_related("document").get(pk=accepted.version.pk)


def stored_files() -> list[Path]:
    """All originals in storage."""
    return [path for path in Path(django_settings.MEDIA_ROOT).rglob("*") if path.is_file()]


@pytest.fixture(autouse=True)
def _own_folder(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture(autouse=True)
def _empty_queue(request: pytest.FixtureRequest) -> None:
    # procrastinate's tables are no managed models, so the tests that commit leave their jobs behind.
    request.getfixturevalue("transactional_db" if "django_db" in request.keywords else "db")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")


def test_it_works(house: House) -> None:
    accepted = upload(house)
    assert (accepted.version.state, accepted.already_there) == (VersionState.QUEUED, False)
    assert versions_in_queue(INGEST) == {str(accepted.version.pk)}
    version = processed(accepted)
    assert (version.state, version.failure, version.attempts) == (VersionState.READY, "", 1)
    assert version.text == NOTE.decode()
    assert version.document.current_version_id == version.pk
    assert version.document.title == "Alerts"
    assert version.document.uploaded_by == house.owner.user
    assert version.file.open().read() == NOTE


def test_only_curators_of_the_collection_may_upload(house: House, neighbour: House) -> None:
    attempts = [
        (house.granted, house.tenant, house.closed_shelf),
        (house.stranger, house.tenant, house.open_shelf),
        (house.auditor, house.tenant, house.open_shelf),
        (neighbour.owner, house.tenant, house.open_shelf),
        (house.owner, house.tenant, neighbour.open_shelf),
        (house.owner, neighbour.tenant, neighbour.open_shelf),
    ]
    for place, tenant, shelf in attempts:
        with pytest.raises(Hidden):
            accept_upload(
                user=place.user,
                tenant=tenant,
                collection=shelf,
                file=File(io.BytesIO(NOTE)),
                file_name="note.md",
            )
    assert not Document.objects.exists()
    assert stored_files() == []


def test_already_there_is_said_after_the_permission_check(house: House) -> None:
    """Else a stranger could ask which files a collection holds."""
    upload(house, shelf=house.closed_shelf)
    with pytest.raises(Hidden):
        accept_upload(
            user=house.stranger.user,
            tenant=house.tenant,
            collection=house.closed_shelf,
            file=File(io.BytesIO(NOTE)),
            file_name="note.md",
        )
    assert not upload(house, shelf=house.open_shelf).already_there


def test_the_same_bytes_are_kept_once(house: House) -> None:
    first = upload(house)
    for again in (upload(house), upload(house, name="other name.md")):
        assert again.already_there
        assert again.version == first.version
    processed(first)
    assert upload(house).already_there
    assert Version.objects.count() == 1
    assert len(stored_files()) == 1


def test_the_same_name_with_other_bytes_is_a_new_version(house: House) -> None:
    first = processed(upload(house))
    second = upload(house, b"# Alerts\n\nAlerts are sent at 85%.\n")
    assert (second.document, second.version.number) == (first.document, 2)
    assert Document.objects.get().current_version == first
    assert processed(second).state == VersionState.READY
    assert Document.objects.get().current_version == second.version


def test_the_same_name_in_another_collection_is_another_document(house: House) -> None:
    assert upload(house).document != upload(house, shelf=house.closed_shelf).document


def test_going_back_to_an_earlier_content_is_a_new_version(house: House) -> None:
    processed(upload(house))
    processed(upload(house, b"Other."))
    third = upload(house)
    assert (third.already_there, third.version.number) == (False, 3)


def test_a_failed_file_may_be_uploaded_again(house: House) -> None:
    first = processed(upload(house, b"%PDF-1.7 broken", "report.pdf"))
    assert first.state == VersionState.FAILED
    again = upload(house, b"%PDF-1.7 broken", "report.pdf")
    assert (again.already_there, again.document, again.version.number) == (False, first.document, 2)


def test_a_deleted_document_is_not_already_there(house: House) -> None:
    first = upload(house)
    Document.objects.update(deleted_at=timezone.now())
    again = upload(house)
    assert not again.already_there
    assert again.document != first.document


def test_an_empty_file_fails_at_once(house: House) -> None:
    version = upload(house, b"").version
    assert (version.state, version.failure) == (VersionState.FAILED, FailureReason.EMPTY)
    assert versions_in_queue(INGEST) == set()
    assert stored_files() == []


def test_a_too_large_file_fails_at_once(house: House, settings: Settings) -> None:
    settings.MAX_FILE_BYTES = 10
    version = upload(house, b"x" * 11).version
    assert (version.state, version.failure) == (VersionState.FAILED, FailureReason.TOO_LARGE)
    assert stored_files() == []


def test_what_can_not_be_read_fails_with_the_reason(house: House) -> None:
    version = processed(upload(house, b"%PDF-1.7 broken", "report.pdf"))
    assert (version.state, version.failure) == (VersionState.FAILED, FailureReason.CORRUPT)
    assert not Chunk.objects.exists()
    assert Document.objects.get().current_version is None


def test_a_bad_new_version_leaves_the_good_one(house: House) -> None:
    first = processed(upload(house))
    assert processed(upload(house, b"\x89PNG\r\n\x1a\n rest")).state == VersionState.FAILED
    assert Document.objects.get().current_version == first


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\Bericht.pdf", "Bericht.pdf"),
        ("a\x00b\u202egpj.exe\n", "abgpj.exe"),
        ("", "untitled"),
        ("not utf-8 \udcff.txt", "not utf-8 .txt"),
        ("گزارش نیم‌فاصله.pdf", "گزارش نیم‌فاصله.pdf"),
        ("x" * 1000 + ".pdf", "x" * 496 + ".pdf"),
    ],
)
def test_file_names_are_data_only(house: House, given: str, kept: str) -> None:
    version = upload(house, name=given).version
    assert version.file_name == kept
    assert Path(version.file.path).name == str(version.pk)


def test_nothing_is_left_of_an_upload_that_is_rolled_back(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(uploads, "defer_ingest", full)
    with pytest.raises(OSError, match="disk full"):
        upload(house)
    assert not Document.objects.exists()
    assert stored_files() == []


def test_the_job_is_there_if_and_only_if_the_document_is(house: House) -> None:
    with transaction.atomic():
        upload(house)
        transaction.set_rollback(True)
    assert not Document.objects.exists()
    assert versions_in_queue(INGEST) == set()


def test_a_file_that_stops_its_worker_is_given_up(house: House) -> None:
    accepted = upload(house)
    for _ in range(MOST_ATTEMPTS):
        # A worker that dies here leaves the version as it is.
        assert claim(accepted.version.pk) is not None
    version = processed(accepted)
    assert (version.state, version.failure) == (VersionState.FAILED, FailureReason.CRASHED)
    assert version.attempts == MOST_ATTEMPTS


def test_an_unexpected_error_is_tried_again_and_then_given_up(house: House) -> None:
    accepted = upload(house)
    Path(accepted.version.file.path).unlink()
    for _ in range(MOST_ATTEMPTS - 1):
        with pytest.raises(FileNotFoundError):
            process_version(accepted.version.pk)
    version = processed(accepted)
    assert (version.state, version.failure) == (VersionState.FAILED, FailureReason.CRASHED)
    assert "FileNotFoundError" in version.detail


def test_a_stopping_worker_gives_the_file_back(house: House, settings: Settings) -> None:
    accepted = upload(house, _long_pdf(), "long.pdf")
    ingest._PROGRESS_EVERY, before = 0.0, ingest._PROGRESS_EVERY
    try:
        with pytest.raises(Interrupted):
            process_version(accepted.version.pk, should_stop=lambda: True)
    finally:
        ingest._PROGRESS_EVERY = before
    version = Version.objects.get()
    assert (version.state, version.attempts) == (VersionState.QUEUED, 0)


def test_a_document_deleted_while_it_waits_is_not_processed(house: House) -> None:
    accepted = upload(house)
    Document.objects.update(deleted_at=timezone.now())
    assert processed(accepted).state == VersionState.QUEUED


def test_a_finished_version_is_not_processed_again(house: House) -> None:
    accepted = upload(house)
    first = processed(accepted)
    assert processed(accepted).ready_at == first.ready_at


def test_pages_are_counted_while_they_are_read(house: House) -> None:
    version = processed(upload(house, _long_pdf(), "long.pdf"))
    assert (version.state, version.pages, version.pages_done) == (VersionState.READY, 30, 30)


def test_an_operator_needs_no_right(house: House) -> None:
    accepted = accept_as_system(
        collection=house.closed_shelf, file=File(io.BytesIO(NOTE)), file_name="note.md"
    )
    assert processed(accepted).state == VersionState.READY
    assert accepted.document.uploaded_by is None


def _together(tasks: list[Callable[[], object]]) -> None:
    def run(task: Callable[[], object]) -> None:
        try:
            start.wait()
            with acting_as_system("a thread of its own"):
                task()
        finally:
            connection.close()

    start = threading.Barrier(len(tasks))
    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.django_db(transaction=True)
def test_the_same_file_sent_twice_at_once_is_kept_once() -> None:
    house = make_house("aurora")
    results: list[Upload] = []
    _together([lambda: results.append(upload(house))] * 4)
    assert sorted(result.already_there for result in results) == [False, True, True, True]
    assert Version.objects.count() == 1
    assert len(stored_files()) == 1


@pytest.mark.django_db(transaction=True)
def test_two_contents_of_one_name_at_once_are_two_versions() -> None:
    house = make_house("aurora")
    _together([lambda n=n: upload(house, b"Content %d" % n) for n in range(4)])  # type: ignore[misc]
    assert Document.objects.count() == 1
    assert sorted(Version.objects.values_list("number", flat=True)) == [1, 2, 3, 4]


def _long_pdf(pages: int = 30) -> bytes:
    """Write a PDF of many pages, each with a line of text."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    for number in range(1, pages + 1):
        stream = f"BT /F 12 Tf 50 700 Td (This is page number {number} of the book.) Tj ET"
        resources = "/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
        content = len(objects) + 2
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] {resources} /Contents {content} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    kids = " ".join(f"{2 * number + 1} 0 R" for number in range(1, pages + 1))
    objects[1] = f"<< /Type /Pages /Count {pages} /Kids [{kids}] >>"
    out = io.BytesIO(b"%PDF-1.7\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode())
    start = out.tell()
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}".encode())
    out.write(f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()
