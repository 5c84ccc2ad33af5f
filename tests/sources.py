"""Documents for tests, put in as an operator would."""

import io

from django.core.files.base import File

from sources.ingest import process_version
from sources.models import Collection, Document, VersionState
from sources.uploads import accept_as_system


def add_document(shelf: Collection, file_name: str, content: str | bytes) -> Document:
    """Ingest a file whole and return its document, which must have become ready."""
    data = content.encode() if isinstance(content, str) else content
    upload = accept_as_system(
        collection=shelf, file=File(io.BytesIO(data), name=file_name), file_name=file_name
    )
    process_version(upload.version.pk)
    upload.version.refresh_from_db()
    assert upload.version.state == VersionState.READY, (upload.version.failure, upload.version.detail)
    upload.document.refresh_from_db()
    return upload.document


PRICING = """# Pricing Policy

Invoices are sent on the first day of each month.

Enterprise customers receive usage alerts at 80% and 100% of their monthly budget.
"""
