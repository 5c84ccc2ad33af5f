"""Pictures of pages, drawn when first asked for and kept on disk. Ask the door before you ask here."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from sources.core.extract import Limits, render_page_in_child
from sources.models import Version
from sources.originals import on_disk

# So many pages are drawn at the same time on one machine, however many are asked for.
_SLOTS = 2
_LIMITS = Limits(wall_seconds=30, cpu_seconds=25)


def page_image(version: Version, number: int, scale: int) -> bytes:
    """Return a page as WebP, `scale` pixels a point. Raises ExtractionError, and FileNotFoundError without a file."""
    kept = _path(version, number, scale)
    try:
        return kept.read_bytes()
    except FileNotFoundError:
        pass
    with _slot(version, number):
        # Whoever held the slot before may have drawn this very page.
        if kept.exists():
            return kept.read_bytes()
        with on_disk(version) as original:
            picture = render_page_in_child(original, number, scale, limits=_LIMITS)
        _keep(kept, picture)
    return picture


def _path(version: Version, number: int, scale: int) -> Path:
    return Path(settings.DATA_DIR) / "cache" / "pages" / str(version.pk) / f"{number}-{scale}x.webp"


@contextmanager
def _slot(version: Version, number: int) -> Iterator[None]:
    """Wait for one of the few slots, for a page always the same one, across processes."""
    folder = Path(settings.DATA_DIR) / "cache" / "pages"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"slot-{(version.pk.int + number) % _SLOTS}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _keep(path: Path, picture: bytes) -> None:
    """Write the file whole or not at all: readers don't take the lock."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
        part.write(picture)
    os.replace(part.name, path)
