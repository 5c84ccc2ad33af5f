"""Pictures of pages, drawn in the limited child process that also reads files."""

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from sources.core.extract.sandbox import DEFAULT_LIMITS, Limits, check_size, run_child
from sources.core.extract.types import ExtractionError

# Width and height in pixels that a picture fits into.
PixelBox = tuple[int, int]


def render_page_in_child(
    path: Path, page_number: int, scale: float, *, limits: Limits = DEFAULT_LIMITS
) -> bytes:
    """Draw one page (from 1) as it is displayed; `scale` is pixels a point, lowered where `max_pixels` asks for it.

    Returns a WebP image. Raises ExtractionError, also when there is no such page (CORRUPT).
    """
    return render_pages_in_child(path, [page_number], scale, limits=limits)[page_number]


def render_pages_in_child(
    path: Path,
    numbers: Sequence[int],
    scale: float,
    *,
    box: PixelBox | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> dict[int, bytes]:
    """Draw pages in one child; the first of `numbers` is the one that matters.

    Starting a child costs more than drawing a small picture. Returns the pages that could be drawn in time, each
    fitted into `box`. Raises ExtractionError when the first one is not among them.
    """
    check_size(path, limits)
    job: dict[str, object] = {
        "task": "render",
        "path": str(path.resolve()),
        "pages": list(numbers),
        "scale": scale,
        "box": box,
        "limits": asdict(limits),
    }
    with tempfile.TemporaryDirectory(prefix="citeweb-render-") as scratch:
        try:
            run_child(job, Path(scratch), limits)
        except ExtractionError:
            # A later page may have stopped the child.
            if not picture_path(Path(scratch), numbers[0]).exists():
                raise
        paths = {number: picture_path(Path(scratch), number) for number in numbers}
        return {number: drawn.read_bytes() for number, drawn in paths.items() if drawn.exists()}


def picture_path(folder: Path, number: int) -> Path:
    """Return where the child leaves the picture of a page, whole or not at all."""
    return folder / f"page-{number}.webp"
