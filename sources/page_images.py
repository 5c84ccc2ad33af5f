"""Pictures of pages, drawn when first asked for. Ask the door before you ask here."""

import fcntl
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sources.core.extract import ExtractionError, FailureReason, Limits, render_pages_in_child
from sources.core.extract.drawing import PixelBox
from sources.models import Version
from sources.originals import on_disk
from sources.page_cache import cache_folder, keep_picture, kept_picture, open_cache

# So many pages are drawn at the same time on one machine, however many are asked for.
_SLOTS = 2
# Seconds that a request waits for a slot, and between two looks.
_PATIENCE = 20.0
_LOOK = 0.02
_LIMITS = Limits(wall_seconds=30, cpu_seconds=25)


class Busy(Exception):
    """Too many pages are being drawn; ask again in a moment."""


@dataclass(frozen=True, slots=True)
class PictureSize:
    """How large a page is drawn: pixels a point, fitted into `box`; `together` pages are drawn at once."""

    name: str
    scale: float
    box: PixelBox | None = None
    together: int = 1


# Pixels a point; the browser picks by zoom and screen. More than six would pass the bound on pixels on A4.
SCALES = (1, 2, 3, 4, 6)
THUMBNAIL = PictureSize("thumb", scale=4.0, box=(240, 320), together=12)
SIZES = {str(scale): PictureSize(f"{scale}x", float(scale)) for scale in SCALES} | {"thumb": THUMBNAIL}


def page_image(version: Version, number: int, size: PictureSize) -> bytes:
    """Return a page as WebP. Raises ExtractionError, Busy, and FileNotFoundError without an original.

    It may take seconds and needs no database: give the connection back before.
    """
    picture = kept_picture(version.pk, _name(number, size))
    if picture is None:
        picture = _drawn(version, number, size)
    if not picture:
        raise ExtractionError(FailureReason.CORRUPT, "the page can't be drawn")
    return picture


def _drawn(version: Version, number: int, size: PictureSize) -> bytes:
    numbers = _drawn_together(version, number, size)
    with _slot(version.pk, numbers[0]):
        # Whoever held the slot before may have drawn this very page.
        kept = kept_picture(version.pk, _name(number, size))
        if kept is not None:
            return kept
        open_cache(version.pk)
        missing = [n for n in numbers if n == number or kept_picture(version.pk, _name(n, size)) is None]
        missing.sort(key=lambda n: n != number)
        return _draw(version, missing, size)


def _draw(version: Version, numbers: list[int], size: PictureSize) -> bytes:
    """Draw pages, keep them, and return the first; b"" if it can't be drawn, which is kept too."""
    with on_disk(version) as original:
        try:
            pictures = render_pages_in_child(original, numbers, size.scale, box=size.box, limits=_LIMITS)
        except ExtractionError:
            pictures = {numbers[0]: b""}
    for number, picture in pictures.items():
        keep_picture(version.pk, _name(number, size), picture)
    return pictures[numbers[0]]


def _name(number: int, size: PictureSize) -> str:
    return f"{number}-{size.name}.webp"


def _drawn_together(version: Version, number: int, size: PictureSize) -> list[int]:
    """Return the pages of the block that this one is drawn with, in order."""
    first = number - (number - 1) % size.together
    return list(range(first, min(first + size.together, (version.pages or number) + 1)))


@contextmanager
def _slot(version_id: uuid.UUID, number: int) -> Iterator[None]:
    """Wait for one of the few slots, for a page always the same one, across processes. Raises Busy."""
    end = time.monotonic() + _PATIENCE
    with (cache_folder() / f"slot-{hash((version_id.int, number)) % _SLOTS}.lock").open("w") as lock:
        while not _locked(lock.fileno()):
            if time.monotonic() > end:
                raise Busy
            time.sleep(_LOOK)
        yield


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
