"""Who gets what at every address: the table itself. tests/test_access_table.py holds the product against it.

A new address needs one row for each method that it takes, written as in urls.py; `tests/access_scene.py` says what the
placeholders stand for and who the people are. Where somebody gets 404 at an address with a placeholder, the test also
asks for something that doesn't exist, and both answers must be the same. The API is asked with the person's key, and
without one by the anonymous; a row that gives 400 shows that they were let in and said nothing useful.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

PEOPLE = ("anonymous", "foreigner", "stranger", "reader", "curator", "auditor", "admin")


@dataclass(frozen=True)
class Row:
    """What each of PEOPLE gets. `data` is a form's fields, whose values may be placeholders too."""

    method: str
    path: str
    statuses: tuple[int, ...]
    data: Mapping[str, str | list[str]] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """Method and path."""
        return f"{self.method} {self.path}"

    @property
    def text(self) -> str:
        """All that may hold a placeholder."""
        return self.path + str(self.data)

    def within_the_tenant(self) -> dict[str, int]:
        """The statuses of those who belong to the tenant."""
        return dict(zip(PEOPLE[2:], self.statuses[2:], strict=True))


def row(method: str, path: str, *statuses: int, **data: str | list[str]) -> Row:
    """Return a row; one status is for everybody."""
    return Row(method, path, statuses * len(PEOPLE) if len(statuses) == 1 else statuses, data)


FORM = {"shows_citations": "on"}
# The conversation, its turn and its link are the reader's. What it cites stands in a document of a restricted
# collection that is granted to the reader and the curator, not to the auditor and the administrator.
# fmt: off
# One row a line, however long.
TABLE = [
    #                                                    anonymous foreigner stranger reader curator auditor admin
    # --- Chat
    row("GET", "", 302, 200, 200, 200, 200, 200, 200),
    row("GET", "c/<uuid:conversation_id>/", 302, 404, 404, 200, 404, 404, 404),
    row(
        "GET",
        "c/<uuid:conversation_id>/turns/<uuid:turn_id>/export.<str:form>",
        302,
        404,
        404,
        200,
        404,
        404,
        404,
    ),
    row("GET", "c/<uuid:conversation_id>/share/", 302, 404, 404, 200, 404, 404, 404),
    row("POST", "c/<uuid:conversation_id>/share/", 302, 404, 404, 302, 404, 404, 404),
    row("POST", "c/<uuid:conversation_id>/share/<int:share_id>/revoke/", 302, 404, 404, 302, 404, 404, 404),
    row("GET", "c/<uuid:conversation_id>/delete/", 302, 404, 404, 200, 404, 404, 404),
    row("POST", "c/<uuid:conversation_id>/delete/", 302, 404, 404, 302, 404, 404, 404),
    row("GET", "s/<str:token>/", 302, 404, 200, 200, 200, 200, 200),
    row("GET", "cite/<uuid:citation_id>/", 302, 404, 404, 200, 200, 404, 404),
    row("SOCKET", "ws/chat/<uuid:conversation_id>/", 4404, 4404, 4404, 101, 4404, 4404, 4404),
    # --- Sources
    row("GET", "sources/", 302, 200, 200, 200, 200, 200, 200),
    row("GET", "sources/<uuid:collection_id>/", 302, 404, 404, 200, 200, 404, 404),
    row("GET", "sources/new/", 302, 200, 404, 404, 200, 404, 200),
    row("POST", "sources/new/", 302, 302, 404, 404, 302, 404, 302, name="New"),
    row("POST", "sources/upload/", 302, 422, 404, 404, 422, 404, 422),
    row("POST", "sources/batch/<uuid:batch_id>/", 302, 404, 404, 404, 302, 404, 404, action="cancel"),
    row("POST", "sources/batch/<uuid:batch_id>/<int:item_id>/copy/", 302, 404, 404, 404, 302, 404, 404),
    row("GET", "sources/progress/", 302),
    row("POST", "sources/retry/", 302, 302, 404, 404, 302, 404, 302),
    row("POST", "sources/bulk/", 302, 302, 404, 404, 302, 404, 302),
    row("GET", "sources/deleted/", 302, 200, 404, 404, 200, 404, 200),
    row("POST", "sources/deleted/purge/", 302, 302, 404, 404, 302, 404, 302),
    row("POST", "sources/deleted/<uuid:removed_id>/restore/", 302, 404, 404, 404, 302, 404, 404),
    row("GET", "sources/deleted/<uuid:removed_id>/purge/", 302, 404, 404, 404, 200, 404, 404),
    row("POST", "sources/deleted/<uuid:removed_id>/purge/", 302, 404, 404, 404, 302, 404, 404),
    row("GET", "sources/<uuid:collection_id>/access/", 302, 404, 404, 404, 200, 404, 200),
    row("POST", "sources/<uuid:collection_id>/access/", 302, 404, 404, 404, 302, 404, 302, action="restrict"),
    row("GET", "d/<uuid:document_id>/", 302, 404, 404, 200, 200, 404, 404),
    row("GET", "d/<uuid:document_id>/pages/<int:number>.webp", 302, 404, 404, 200, 200, 404, 404),
    row("GET", "d/<uuid:document_id>/original", 302, 404, 404, 200, 200, 404, 404),
    row("GET", "d/<uuid:document_id>/details/", 302, 404, 404, 200, 200, 404, 404),
    row("POST", "d/<uuid:document_id>/details/", 302, 404, 404, 404, 302, 404, 404, title="Mine"),
    row("GET", "d/<uuid:document_id>/replace/", 302, 404, 404, 404, 200, 404, 404),
    row("POST", "d/<uuid:document_id>/replace/", 302, 404, 404, 404, 200, 404, 404),
    row("POST", "d/<uuid:document_id>/upload/", 302, 404, 404, 404, 302, 404, 404, action="cancel"),
    row("POST", "d/<uuid:document_id>/retry/", 302, 404, 404, 404, 302, 404, 404),
    row("GET", "d/<uuid:document_id>/delete/", 302, 404, 404, 404, 200, 404, 404),
    row("POST", "d/<uuid:document_id>/delete/", 302, 404, 404, 404, 302, 404, 404),
    # --- The organisation's people
    row("GET", "people/", 302, 200, 404, 404, 404, 404, 200),
    row("POST", "people/", 302, 200, 404, 404, 404, 404, 200),
    row("GET", "people/<int:user_id>/", 302, 404, 404, 404, 404, 404, 200),
    row("POST", "people/<int:user_id>/", 302, 404, 404, 404, 404, 404, 302, action="remove"),
    row("GET", "groups/", 302, 200, 404, 404, 404, 404, 200),
    row("POST", "groups/", 302, 302, 404, 404, 404, 404, 302, name="New"),
    row("GET", "groups/<int:group_id>/", 302, 404, 404, 404, 404, 404, 200),
    row("POST", "groups/<int:group_id>/", 302, 404, 404, 404, 404, 404, 302, action="delete"),
    # --- One's own account and organisation
    row("POST", "accounts/tenant/", 302, 404, 302, 302, 302, 302, 302, tenant="<tenant_id>"),
    row("POST", "accounts/citations/", 302),
    row("GET", "accounts/organisation/", 302, 200, 404, 404, 404, 404, 200),
    row("POST", "accounts/organisation/", 302, 302, 404, 404, 404, 404, 302, **FORM),
    row("GET", "accounts/keys/", 302, 200, 200, 200, 200, 200, 200),
    row("POST", "accounts/keys/", 302, 422, 422, 422, 422, 422, 422),
    row("POST", "accounts/keys/<int:key_id>/revoke/", 302, 404, 404, 302, 404, 404, 302),
    row("GET", "api/", 302, 200, 200, 200, 200, 200, 200),
    row("GET", "language/", 302),
    row("POST", "language/", 302),
    # --- The audit: auditors in their own tenant; staff are in tests/test_audit_views.py
    row("GET", "audit/", 302, 200, 404, 404, 404, 200, 404),
    row("GET", "audit/records/<uuid:tenant_id>/<int:sequence>/", 302, 404, 404, 404, 404, 200, 404),
    row(
        "GET", "audit/records/<uuid:tenant_id>/<int:sequence>/dossier.html", 302, 404, 404, 404, 404, 200, 404
    ),
    row("POST", "audit/export/", 302, 200, 404, 404, 404, 200, 404, format="csv"),
    row("GET", "audit/exports/", 302, 200, 404, 404, 404, 200, 404),
    # The record of that number is of no export.
    row("GET", "audit/exports/<uuid:tenant_id>/<int:sequence>.sha256", 302, 404, 404, 404, 404, 404, 404),
    row("GET", "audit/quality/", 302, 200, 404, 404, 200, 200, 200),
    row("GET", "audit/documents/<uuid:document_id>/", 302, 404, 404, 404, 404, 200, 404),
    row("GET", "audit/reason/", 302, 302, 404, 404, 302, 302, 302),
    row("POST", "audit/reason/", 302, 302, 404, 404, 302, 302, 302),
    # --- Signing in, which is allauth's and knows no tenant
    row("GET", "accounts/login/", 200, 302, 302, 302, 302, 302, 302),
    row("POST", "accounts/login/", 200, 302, 302, 302, 302, 302, 302),
    row("GET", "accounts/login/code/confirm/", 302),
    row("GET", "accounts/logout/", 302, 200, 200, 200, 200, 200, 200),
    row("POST", "accounts/logout/", 302),
    row("GET", "accounts/inactive/", 200),
    row("GET", "accounts/signup/", 200, 302, 302, 302, 302, 302, 302),
    row("POST", "accounts/signup/", 200, 302, 302, 302, 302, 302, 302),
    row("GET", "accounts/email/", 302, 200, 200, 200, 200, 200, 200),
    row("POST", "accounts/email/", 302),
    row("GET", "accounts/confirm-email/", 200),
    row("GET", r"accounts/confirm-email/(?P<key>[-:\w]+)/", 200),
    row("POST", r"accounts/confirm-email/(?P<key>[-:\w]+)/", 404),
    row("GET", "accounts/password/change/", 302, 200, 200, 200, 200, 200, 200),
    row("POST", "accounts/password/change/", 302, 200, 200, 200, 200, 200, 200),
    row("GET", "accounts/password/set/", 302),
    row("GET", "accounts/password/reset/", 200),
    row("POST", "accounts/password/reset/", 200),
    row("GET", "accounts/password/reset/done/", 200),
    row("GET", r"accounts/password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/", 200),
    row("GET", "accounts/password/reset/key/done/", 200),
    row("GET", "accounts/reauthenticate/", 302, 200, 200, 200, 200, 200, 200),
    row("POST", "accounts/reauthenticate/", 302, 200, 200, 200, 200, 200, 200),
    row("GET", "accounts/reauthenticate/code/", 302),
    row("GET", "accounts/reauthenticate/code/confirm/", 302),
    # --- The API, with a key; a field is a member of the JSON body
    row("POST", "v1/chat/completions", 401, 400, 400, 400, 400, 400, 400),
    row("GET", "v1/chat/completions/<completion_id>", 401, 404, 404, 200, 404, 404, 404),
    row("POST", "v1/responses", 401, 400, 400, 400, 400, 400, 400),
    row("GET", "v1/responses/<response_id>", 401, 404, 404, 200, 404, 404, 404),
    row("DELETE", "v1/responses/<response_id>", 401, 404, 404, 200, 404, 404, 404),
    row("GET", "v1/responses/<response_id>/citations", 401, 404, 404, 200, 404, 404, 404),
    row("GET", "v1/chat/completions/<completion_id>/citations", 401, 404, 404, 200, 404, 404, 404),
    row("POST", "v1/citations/lookup", 401, 200, 200, 200, 200, 200, 200, cases="What does the director earn?"),
    row("GET", "v1/citations/<citation_id>", 401, 404, 404, 200, 404, 404, 404),
    row("GET", "v1/models", 401, 200, 200, 200, 200, 200, 200),
    row("GET", "v1/models/<path:model>", 401, 200, 200, 200, 200, 200, 200),
    row("POST", "v1/files", 401, 400, 400, 400, 400, 400, 400),
    row("GET", "v1/files", 401, 200, 200, 200, 200, 200, 200),
    row("GET", "v1/files/<file_id>", 401, 404, 404, 200, 200, 404, 404),
    row("DELETE", "v1/files/<file_id>", 401, 404, 404, 403, 200, 404, 404),
    row("GET", "v1/files/<file_id>/content", 401, 404, 404, 200, 200, 404, 404),
    row("POST", "v1/vector_stores", 401, 200, 403, 403, 200, 403, 200, name="New"),
    row("GET", "v1/vector_stores", 401, 200, 200, 200, 200, 200, 200),
    row("GET", "v1/vector_stores/<store_id>", 401, 404, 404, 200, 200, 404, 404),
    row("POST", "v1/vector_stores/<store_id>", 401, 404, 404, 403, 200, 404, 404, name="Renamed"),
    row("DELETE", "v1/vector_stores/<store_id>", 401, 404, 404, 403, 200, 404, 404),
    row("POST", "v1/vector_stores/<store_id>/search", 401, 404, 404, 200, 200, 404, 404, query="director"),
    row("POST", "v1/vector_stores/<store_id>/files", 401, 404, 404, 403, 200, 404, 404, file_id="<file_id>"),
    row("GET", "v1/vector_stores/<store_id>/files", 401, 404, 404, 200, 200, 404, 404),
    row("GET", "v1/vector_stores/<store_id>/files/<file_id>", 401, 404, 404, 200, 200, 404, 404),
    row("POST", "v1/vector_stores/<store_id>/files/<file_id>", 401, 404, 404, 403, 200, 404, 404),
    row("DELETE", "v1/vector_stores/<store_id>/files/<file_id>", 401, 404, 404, 403, 200, 404, 404),
    row("GET", "v1/vector_stores/<store_id>/files/<file_id>/content", 401, 404, 404, 200, 200, 404, 404),
    row("POST", "v1/vector_stores/<store_id>/file_batches", 401, 404, 404, 403, 200, 404, 404, file_ids=["<file_id>"]),
    row("GET", "v1/vector_stores/<store_id>/file_batches/<file_batch_id>", 401, 404, 404, 404, 200, 404, 404),
    row("GET", "v1/vector_stores/<store_id>/file_batches/<file_batch_id>/files", 401, 404, 404, 404, 200, 404, 404),
    row("POST", "v1/vector_stores/<store_id>/file_batches/<file_batch_id>/cancel", 401, 404, 404, 404, 200, 404, 404),
    row("GET", "v1/audit/records", 401, 200, 403, 403, 403, 200, 403),
    row("GET", "v1/audit/records/<record_id>", 401, 404, 403, 403, 403, 200, 403),
    # --- For machines
    row("GET", "healthz", 200),
    row("GET", "readyz", 200),
    row("GET", "metrics", 200),
]
# The same addresses once more, where a form may name something: who may use the address may not always have that.
NAMED_IN_FORMS = [
    row("POST", "sources/retry/", 302, 404, 404, 404, 302, 404, 404, collection="<collection_id>"),
    # Chosen documents that somebody may not change are passed over; who is left with none is sent back, not asked.
    row("POST", "sources/bulk/", 302, 302, 404, 404, 200, 404, 302, action="delete", document="<document_id>"),
    row("POST", "sources/deleted/purge/", 302, 302, 404, 404, 200, 404, 302, document="<removed_id>"),
]
# fmt: on
