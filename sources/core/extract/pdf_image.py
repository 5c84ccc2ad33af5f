"""Pictures of PDF pages as they are displayed, always of a bounded size."""

import io
import math
import os
from collections.abc import Sequence
from pathlib import Path

import pypdfium2 as pdfium

from sources.core.extract.drawing import PixelBox, picture_path
from sources.core.extract.pdf_document import open_pdf
from sources.core.extract.types import ExtractionError, FailureReason

_QUALITY = 90
_EFFORT = 1


def render_page(path: Path, number: int, scale: float, max_pixels: int) -> bytes:
    """Return page `number` (from 1) as WebP, `scale` pixels a point or as many as `max_pixels` leaves.

    Raises ExtractionError.
    """
    with open_pdf(path) as document:
        return _picture(document, number, scale, max_pixels)


def render_pages(
    path: Path, numbers: Sequence[int], scale: float, max_pixels: int, box: PixelBox | None, folder: Path
) -> None:
    """Write the pictures of pages into `folder`, each as soon as it is drawn.

    Raises ExtractionError when the first page can't be drawn; others are passed over.
    """
    with open_pdf(path) as document:
        for number in numbers:
            try:
                picture = _picture(document, number, scale, max_pixels, box)
            except ExtractionError:
                if number == numbers[0]:
                    raise
                continue
            # The parent takes what is there when the child is stopped, so nothing may be there in part.
            part = folder / "part"
            part.write_bytes(picture)
            os.replace(part, picture_path(folder, number))


def _picture(
    document: pdfium.PdfDocument, number: int, scale: float, max_pixels: int, box: PixelBox | None = None
) -> bytes:
    if not 1 <= number <= len(document):
        raise ExtractionError(FailureReason.CORRUPT, f"there is no page {number} of {len(document)}")
    try:
        page = document[number - 1]
        width, height = page.get_size()
        bitmap = page.render(scale=_bounded(scale, width, height, max_pixels, box), may_draw_forms=False)
    except pdfium.PdfiumError as exc:
        raise ExtractionError(FailureReason.CORRUPT, f"page {number}: {exc}") from exc
    picture = io.BytesIO()
    bitmap.to_pil().convert("RGB").save(picture, "WEBP", quality=_QUALITY, method=_EFFORT)
    return picture.getvalue()


def _bounded(scale: float, width: float, height: float, max_pixels: int, box: PixelBox | None) -> float:
    # WebP takes at most 16,383 pixels a side.
    across, down = box or (16_000, 16_000)
    width, height = max(width, 1.0), max(height, 1.0)
    return min(scale, math.sqrt(max_pixels / (width * height)), across / width, down / height)
