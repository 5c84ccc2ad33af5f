"""Extraction: the bytes of an uploaded file in, canonical text with headings and page geometry out.

`extract_in_child` and `render_pages_in_child` are the ways in; they parse hostile files in a limited child process.
A format is one module with a `read` function, named in `sources.core.extract.formats`.
"""

from sources.core.extract.drawing import render_page_in_child, render_pages_in_child
from sources.core.extract.sandbox import Limits, extract_in_child
from sources.core.extract.types import (
    Explanation,
    Extracted,
    ExtractionError,
    FailureReason,
    Heading,
    PageLayout,
    Table,
    explain,
)

__all__ = [
    "Explanation",
    "Extracted",
    "ExtractionError",
    "FailureReason",
    "Heading",
    "Limits",
    "PageLayout",
    "Table",
    "explain",
    "extract_in_child",
    "render_page_in_child",
    "render_pages_in_child",
]
