"""Putting files into collections for a program."""

from collections.abc import Iterable, Mapping

from chat.api.caller import Caller
from chat.api.errors import ApiError, invalid, not_found
from chat.api.ids import FILE, STORE, own_id, public_id
from sources import handed_in
from sources.editing import edit
from sources.metadata import FIELDS
from sources.models import Collection, Document
from sources.permissions import Hidden, may_curate

Attributes = Mapping[str, str | int | float | bool]


def put_files(
    collection: Collection, files: Iterable[tuple[str, Attributes | None]], caller: Caller
) -> list[Document]:
    """Put files into a collection and return their documents. Raises Hidden for who may not, ApiError."""
    if not may_curate(user=caller.user, tenant=caller.tenant, collection=collection):
        raise Hidden
    return [_put(collection, given, attributes, caller) for given, attributes in files]


def _put(collection: Collection, given: str, attributes: Attributes | None, caller: Caller) -> Document:
    ours = own_id(FILE, given)
    values = checked_attributes(attributes)
    try:
        if ours is None:
            raise Hidden
        document = handed_in.shelve(
            user=caller.user, tenant=caller.tenant, file_id=ours, collection=collection
        )
    except Hidden as exc:
        raise not_found("file", given, "file_id") from exc
    except handed_in.Elsewhere as exc:
        store = public_id(STORE, exc.collection_id)
        message = f"The file '{given}' is in the vector store '{store}'; a file can be in one only. Upload it again."
        raise ApiError(409, message, param="file_id", code="file_in_use") from exc
    if values:
        edit(document, user=caller.user, values=values)
    return document


def checked_attributes(attributes: Attributes | None) -> dict[str, str]:
    """Return attributes as what a document says about itself. Raises ApiError for any other."""
    for name in attributes or {}:
        if name not in FIELDS:
            known = ", ".join(f"'{field}'" for field in FIELDS)
            raise invalid(f"Unknown attribute: '{name}'. Known are {known}.", f"attributes.{name}")
    values = {name: str(value).strip() for name, value in (attributes or {}).items()}
    for name, value in values.items():
        limit = getattr(Document._meta.get_field(name), "max_length", None) or 0
        if len(value) > limit or "\0" in value:
            raise invalid(f"The attribute has more than {limit} characters.", f"attributes.{name}")
    if values.get("url") and not values["url"].startswith(("http://", "https://")):
        raise invalid("The url must begin with http:// or https://.", "attributes.url")
    return values
