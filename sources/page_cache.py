"""Pictures of pages kept on disk, up to a bounded size. Nobody is asked for rights here; ask the door before.

`CITEWEB_PAGE_CACHE_DIR/<version>/<name>.webp`; an empty file stands for a page that can't be drawn. A running total
lies beside them, so that the folder is looked through only when it has grown too large.
"""

import fcntl
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.conf import settings

# After an eviction so much of the allowed size stays in use.
_KEPT_SHARE = 0.8
# Seconds; a picture's last use is noted no more often.
_USE_NOTED = 3600
# Seconds until a page that could not be drawn is tried again: the machine may only have been busy.
_FAILURE_KEPT = 600


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    size: int
    used: float


def kept_picture(version_id: uuid.UUID, name: str) -> bytes | None:
    """Return a kept picture, b"" for a page that can't be drawn, None for what is not kept."""
    path = _folder(version_id) / name
    try:
        with path.open("rb") as file:
            picture, age = file.read(), time.time() - os.fstat(file.fileno()).st_mtime
        if picture and age > _USE_NOTED:
            os.utime(path)
    except FileNotFoundError:
        return None
    return None if not picture and age > _FAILURE_KEPT else picture


def open_cache(version_id: uuid.UUID) -> None:
    """Make the version's folder; without it nothing is kept, so that a purge also stops what is being drawn."""
    _folder(version_id).mkdir(parents=True, exist_ok=True)


def keep_picture(version_id: uuid.UUID, name: str, picture: bytes) -> None:
    """Keep a picture whole or not at all, and make room when there is too much."""
    folder = _folder(version_id)
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix="part-", delete=False) as part:
            part.write(picture)
        os.replace(part.name, folder / name)
    except FileNotFoundError:
        # Purged while it was drawn.
        return
    _count(len(picture))


def forget_page_images(version_id: uuid.UUID | str) -> None:
    """Remove all kept pictures of a version. A purge calls it once the original is gone, so that no new one comes."""
    shutil.rmtree(_folder(version_id), ignore_errors=True)


def versions_kept() -> list[uuid.UUID]:
    """Return the versions that this machine keeps pictures of."""
    found = []
    for folder in cache_folder().iterdir():
        with suppress(ValueError):
            found.append(uuid.UUID(folder.name))
    return found


def cache_folder() -> Path:
    """Return the folder of all kept pictures."""
    folder = Path(settings.PAGE_CACHE_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _folder(version_id: uuid.UUID | str) -> Path:
    # Through UUID, so that nothing but an id ever becomes a path.
    return Path(settings.PAGE_CACHE_DIR) / str(uuid.UUID(str(version_id)))


def _count(added: int) -> None:
    """Add to the running total; look the folder through when it is above the limit."""
    with _total() as file:
        total = int(file.read() or 0) + added
        if total > settings.PAGE_CACHE_BYTES:
            total = _evict(int(settings.PAGE_CACHE_BYTES * _KEPT_SHARE))
        file.seek(0)
        file.truncate()
        file.write(str(total))


@contextmanager
def _total() -> Iterator[IO[str]]:
    with (cache_folder() / "total").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        yield file


def _evict(allowed: int) -> int:
    """Remove the pictures that were not used for longest, until `allowed` bytes are left; return how many there are."""
    files = sorted(_files(), key=lambda file: file.used)
    total = sum(file.size for file in files)
    for file in files:
        if total <= allowed:
            break
        with suppress(FileNotFoundError):
            file.path.unlink()
        with suppress(OSError):
            file.path.parent.rmdir()  # if it was the last
        total -= file.size
    return total


def _files() -> Iterator[_File]:
    for path in cache_folder().glob("*/*.webp"):
        with suppress(FileNotFoundError):
            status = path.stat()
            yield _File(path, status.st_size, status.st_mtime)
