"""Pictures of PDF pages as they are displayed, always of a bounded size."""

import io
import math
from pathlib import Path

import pypdfium2 as pdfium

from sources.core.extract.pdf_document import open_pdf
from sources.core.extract.types import ExtractionError, FailureReason

_QUALITY = 90
_EFFORT = 1


def render_page(path: Path, number: int, scale: float, max_pixels: int) -> bytes:
    """Return page `number` (from 1) as WebP, `scale` pixels a point or as many as `max_pixels` leaves.

    Raises ExtractionError.
    """
    with open_pdf(path) as document:
        if not 1 <= number <= len(document):
            raise ExtractionError(FailureReason.CORRUPT, f"there is no page {number} of {len(document)}")
        try:
            page = document[number - 1]
            width, height = page.get_size()
            bitmap = page.render(scale=_bounded(scale, width, height, max_pixels), may_draw_forms=False)
        except pdfium.PdfiumError as exc:
            raise ExtractionError(FailureReason.CORRUPT, f"page {number}: {exc}") from exc
        picture = io.BytesIO()
        bitmap.to_pil().convert("RGB").save(picture, "WEBP", quality=_QUALITY, method=_EFFORT)
        return picture.getvalue()


def _bounded(scale: float, width: float, height: float, max_pixels: int) -> float:
    area = max(width * height, 1.0)
    # WebP takes at most 16,383 pixels a side.
    return min(scale, math.sqrt(max_pixels / area), 16_000 / max(width, height, 1.0))
