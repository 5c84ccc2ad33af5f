"""Documents for tests, put on a shelf without a file and a child process: what extraction would have given."""

from sources import index
from sources.core.extract.types import Extracted, Heading
from sources.index import sha256_of
from sources.models import Collection, Document, Version
from sources.versions import next_number


def put(collection: Collection, title: str, text: str, *, headings: tuple[Heading, ...] = ()) -> Document:
    """Shelve a new document of one ready version."""
    document = Document.objects.create(tenant=collection.tenant, collection=collection, title=title)
    add_version(document, text, headings=headings)
    document.refresh_from_db()
    return document


def add_version(document: Document, text: str, *, headings: tuple[Heading, ...] = ()) -> Version:
    """Give the document one more ready version."""
    extracted = Extracted(text=text, media_type="text/plain", headings=headings)
    return index.add_version(document, extracted, file_name=f"{document.title}.txt")


def add_waiting(document: Document, text: str = "") -> Version:
    """Give the document a version that is still queued."""
    return Version.objects.create(
        tenant_id=document.tenant_id,
        document=document,
        number=next_number(document),
        file_name=f"{document.title}.txt",
        size=len(text.encode()),
        sha256=sha256_of(text),
    )
